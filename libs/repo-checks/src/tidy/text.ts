// Forbidden texts: paths of one machine, addresses of package registries, and notes of unfinished
// work.
import type { Problem, Source } from './source.ts';

// The patterns do not match themselves.
const FORBIDDEN: readonly { pattern: RegExp; rule: string; fix: string }[] = [
  {
    pattern: /(?<![\w.-])(\/(home|root|Users|work|workspace)\/[\w.]|[A-Z]:\\Users)/,
    rule: 'it contains a path of one machine.',
    fix: 'name it from the repository, the home folder of the user or the system folder for temporary files.',
  },
  {
    pattern: /registry\.npmjs|repo1\.maven|deb\.debian\.org|proxy\.golang/,
    rule: 'it names the address of a package registry.',
    fix: 'leave the address to the settings of the package manager.',
  },
  {
    // A word in quotes, or after stars that begin a headline, is the keyword of Org mode.
    pattern: /(?<!['`?+]|(?:\n|\S ?)\*{1,70} )\bTO[D]O\b|\bFIX[M]E\b|@[A-Z]{3,20}@/,
    rule: 'it contains a note of unfinished work.',
    fix: 'do it now, or write an issue.',
  },
];

const LOCK_FILE = 'package-lock.json';

export function checkText(sources: readonly Source[]): Problem[] {
  return sources.flatMap((source) => [...checkForbidden(source), ...checkLockFile(source)]);
}

function checkForbidden({ path, text }: Source): Problem[] {
  return FORBIDDEN.flatMap(({ pattern, rule, fix }) => {
    const at = text.search(pattern);
    return at < 0 ? [] : [{ path, at, rule, fix }];
  });
}

function checkLockFile({ path, text }: Source): Problem[] {
  if (path !== LOCK_FILE && !path.endsWith(`/${LOCK_FILE}`)) return [];
  const at = text.search(/"resolved": "\w+:/);
  if (at < 0) return [];
  const rule = 'the lock file contains download addresses, which binds others to them.';
  const fix = 'run npm install again: .npmrc makes it omit the addresses.';
  return [{ path, at, rule, fix }];
}
