// Texts that no file may hold, of whatever kind: paths of one machine, addresses of package registries, and notes of things undone. No
// sentence of a comment has a bare pronoun as its subject.
import type { Comment } from 'oxc-parser';
import type { Problem, Source } from './source.ts';

// The patterns are written so that they don't match themselves.
const FORBIDDEN: readonly { pattern: RegExp; rule: string; fix: string }[] = [
  {
    pattern: /(?<![\w.-])(\/(home|root|Users|work|workspace)\/[\w.]|[A-Z]:\\Users)/,
    rule: 'it holds a path of one machine.',
    fix: 'name it from the repository, the home folder of the user or the system folder for temporary files.',
  },
  {
    pattern: /registry\.npmjs|repo1\.maven|deb\.debian\.org|proxy\.golang/,
    rule: 'it names the address of a package registry.',
    fix: 'leave the address to the settings of the package manager.',
  },
  {
    pattern: /\bTO[D]O\b|\bFIX[M]E\b/,
    rule: 'it holds a note of something undone.',
    fix: 'do it now, or write an issue.',
  },
];

/** A sentence that begins with a bare pronoun and is no question; it may begin a comment, a paragraph, or follow another sentence. */
const BARE_SUBJECT = /(?<=^|\n\n|[.:!?)]\s+)(What|Who|Whoever|Whose)\b(?![^.!?]*\?)/;

const LOCK_FILE = 'package-lock.json';

export function checkText(sources: readonly Source[]): Problem[] {
  return sources.flatMap((source) => [...checkForbidden(source), ...checkLockFile(source), ...checkSubjects(source)]);
}

function checkForbidden({ path, text }: Source): Problem[] {
  return FORBIDDEN.flatMap(({ pattern, rule, fix }) => {
    const at = text.search(pattern);
    return at < 0 ? [] : [{ path, at, rule, fix }];
  });
}

function checkLockFile({ path, text }: Source): Problem[] {
  if (path !== LOCK_FILE) return [];
  const at = text.search(/"resolved": "\w+:/);
  if (at < 0) return [];
  const rule = 'the lock file says where packages were downloaded from, which binds others to that place.';
  const fix = 'run npm install again: .npmrc has it leave the addresses out.';
  return [{ path, at, rule, fix }];
}

function checkSubjects({ path, text, code }: Source): Problem[] {
  return paragraphsOf(text, code?.comments ?? []).flatMap(({ at, words }) => {
    const subject = BARE_SUBJECT.exec(words)?.[1];
    const rule = `a sentence has a bare "${subject}" as its subject.`;
    return subject === undefined ? [] : [{ path, at, rule, fix: 'name the thing: "A field that", "Users who".' }];
  });
}

/** Comments without their marks; those on neighbouring lines are one, since a sentence may go on from one to the next. */
function paragraphsOf(text: string, comments: readonly Comment[]): { readonly at: number; readonly words: string }[] {
  const blocks: { at: number; end: number; words: string }[] = [];
  for (const { type, start, end, value } of comments) {
    const words = value.replaceAll(/^[ \t]*\**[ \t]*/gm, '');
    const last = blocks.at(-1);
    if (type === 'Line' && last !== undefined && /^\n[ \t]*$/.test(text.slice(last.end, start)))
      Object.assign(last, { end, words: `${last.words}\n${words}` });
    else blocks.push({ at: start, end, words: words.trimStart() });
  }
  return blocks;
}
