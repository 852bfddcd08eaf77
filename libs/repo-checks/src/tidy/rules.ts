// The rules of docs/rules.md: their ids and names. Citations must name existing rules.
import { readFileSync } from 'node:fs';
import type { Problem, Source } from './source.ts';
import { titlesIn } from './titles.ts';

export const RULES_DOCUMENT = 'docs/rules.md';

/** A rule's id, such as GEN8, and its name. */
export interface Rule {
  readonly id: string;
  readonly name: string;
  /** Position in the document. */
  readonly at: number;
}

/** The rules of the document, in its order. */
export function rulesIn(text: string): Rule[] {
  return [...text.matchAll(/^### ([A-Z]+\d+): (.+)$/gm)].map((found) => ({
    id: found[1] as string,
    name: found[2] as string,
    at: found.index,
  }));
}

const RULES = rulesIn(readFileSync(new URL(`../../../../${RULES_DOCUMENT}`, import.meta.url), 'utf8'));

/** All ids, in the order of the document. */
const RULE_IDS: readonly string[] = RULES.map(({ id }) => id);

const KNOWN: ReadonlySet<string> = new Set(RULE_IDS);
const PREFIXES = [...new Set(RULE_IDS.map((id) => id.replace(/\d+$/, '')))];
const CITATION = new RegExp(`\\b(${PREFIXES.join('|')})(\\d+)\\b`, 'g');

export function isRule(id: string): boolean {
  return KNOWN.has(id);
}

/** All ids in a text that have the form of a rule's. */
export function citations(text: string): string[] {
  return [...text.matchAll(CITATION)].map(([id]) => id);
}

export function checkRules(sources: readonly Source[]): Problem[] {
  return sources.flatMap((source) => [...checkComments(source), ...checkTitles(source), ...checkDocument(source)]);
}

const FIX = `cite a rule of ${RULES_DOCUMENT}, such as GEN8; other titles need no brackets.`;

function checkComments(source: Source): Problem[] {
  return (source.code?.comments ?? []).flatMap(({ value, start }) =>
    citations(value)
      .filter((id) => !isRule(id))
      .map((id) => ({ path: source.path, at: start, rule: `there is no rule ${id}.`, fix: FIX })),
  );
}

function checkTitles(source: Source): Problem[] {
  if (!source.path.endsWith('.test.ts')) return [];
  return titlesIn(source).flatMap(({ title, at }) => {
    const bracketed = /^\[([^\]]*)\]/.exec(title)?.[1]?.split(/[\s,]+/) ?? [];
    const unknown = new Set([...bracketed, ...citations(title)].filter((id) => !isRule(id)));
    return [...unknown].map((id) => ({
      path: source.path,
      at,
      rule: `a test's title cites ${id}, which is not a rule.`,
      fix: FIX,
    }));
  });
}

function checkDocument({ path, text }: Source): Problem[] {
  if (!path.endsWith('.md')) return [];
  const unknown = new Set(citations(text).filter((id) => !isRule(id)));
  const cited = [...unknown].map((id) => ({ path, at: text.indexOf(id), rule: `there is no rule ${id}.`, fix: FIX }));
  return path === RULES_DOCUMENT ? [...cited, ...checkNumbers(text)] : cited;
}

/**
 * Ids of a group count up from 1. No id is used twice or removed, because older texts may cite it.
 */
function checkNumbers(text: string): Problem[] {
  const last = new Map<string, number>();
  return rulesIn(text).flatMap(({ id, at }) => {
    const [, prefix = '', number] = /^(\D+)(\d+)$/.exec(id) ?? [];
    const wanted = (last.get(prefix) ?? 0) + 1;
    last.set(prefix, Number(number));
    if (Number(number) === wanted) return [];
    const fix = 'number the rules of a group from 1 without a gap, and leave the place of a removed rule.';
    return [{ path: RULES_DOCUMENT, at, rule: `${id} comes in place of ${prefix}${wanted}.`, fix }];
  });
}
