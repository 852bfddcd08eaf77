// The rule ids of the interface document. Titles and comments that cite one must cite one that exists.
import { type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** Prefix and the number of rules under it. */
const RULES: Readonly<Record<string, number>> = {
  GEN: 10,
  NODE: 5,
  BLK: 10,
  LNK: 10,
  ACL: 9,
  PUB: 5,
  TRS: 5,
  HIS: 8,
  AUTH: 3,
  LIM: 3,
  EVT: 3,
};

const CITATION = new RegExp(`\\b(${Object.keys(RULES).join('|')})(\\d+)\\b`, 'g');

export function isRule(id: string): boolean {
  const [, prefix = '', number = ''] = /^([A-Z]+)([1-9]\d*)$/.exec(id) ?? [];
  return Number(number) >= 1 && Number(number) <= (RULES[prefix] ?? 0);
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
  const problems: Problem[] = [];
  walk(source.code?.program, (node) => {
    const title = node.type === 'CallExpression' ? titleOf(node) : null;
    if (title === null) return;
    const bracketed = /^\[([^\]]*)\]/.exec(title)?.[1]?.split(/[\s,]+/) ?? [];
    const unknown = new Set([...bracketed, ...citations(title)].filter((id) => !isRule(id)));
    for (const id of unknown) {
      problems.push({
        path: source.path,
        at: node.start,
        rule: `a test's title cites ${id}, which is no rule.`,
        fix: FIX,
      });
    }
  });
  return problems;
}

/** The title of a call of test, it or describe, also of test.each(...)(title); null where it is another call. */
function titleOf(call: SyntaxNode): string | null {
  let callee = call.callee as SyntaxNode;
  while (callee.type === 'CallExpression' || callee.type === 'MemberExpression') {
    callee = (callee.type === 'CallExpression' ? callee.callee : callee.object) as SyntaxNode;
  }
  if (callee.type !== 'Identifier' || !['test', 'it', 'describe'].includes(callee.name as string)) return null;
  const [first] = call.arguments as SyntaxNode[];
  return first?.type === 'Literal' && typeof first.value === 'string' ? first.value : null;
}
