// The rule ids of the interface document. Titles and comments that cite one must cite one that exists.
import type { Problem, Source } from './source.ts';
import { titledIn } from './titles.ts';

/** Prefix and the number of rules under it. */
const RULES: Readonly<Record<string, number>> = {
  GEN: 11,
  NODE: 5,
  BLK: 10,
  LNK: 10,
  ACL: 10,
  PUB: 5,
  TRS: 5,
  HIS: 8,
  AUTH: 4,
  LIM: 4,
  EVT: 4,
};

/** All ids, in the order of the list above. */
export const RULE_IDS: readonly string[] = Object.entries(RULES).flatMap(([prefix, count]) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`),
);

const CITATION = new RegExp(`\\b(${Object.keys(RULES).join('|')})(\\d+)\\b`, 'g');

export function isRule(id: string): boolean {
  return RULE_IDS.includes(id);
}

/** All ids in a text that look like a rule's. */
export function citations(text: string): string[] {
  return [...text.matchAll(CITATION)].map(([id]) => id);
}

export function checkRules(sources: readonly Source[]): Problem[] {
  return sources.flatMap((source) => [...checkComments(source), ...checkTitles(source)]);
}

const FIX = 'cite a rule of the interface document, such as GEN8; other titles need no brackets.';

function checkComments(source: Source): Problem[] {
  return (source.code?.comments ?? []).flatMap(({ value, start }) =>
    citations(value)
      .filter((id) => !isRule(id))
      .map((id) => ({ path: source.path, at: start, rule: `there is no rule ${id}.`, fix: FIX })),
  );
}

function checkTitles(source: Source): Problem[] {
  if (!source.path.endsWith('.test.ts')) return [];
  return titledIn(source).flatMap(({ title, at }) => {
    const bracketed = /^\[([^\]]*)\]/.exec(title)?.[1]?.split(/[\s,]+/) ?? [];
    const unknown = new Set([...bracketed, ...citations(title)].filter((id) => !isRule(id)));
    return [...unknown].map((id) => ({
      path: source.path,
      at,
      rule: `a test's title cites ${id}, which is no rule.`,
      fix: FIX,
    }));
  });
}
