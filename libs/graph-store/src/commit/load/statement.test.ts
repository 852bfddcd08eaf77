// Load statements: each part reads only its own kind, and a group gets the smallest statement with
// all its parts.
import { expect, test } from 'vitest';
import { LOAD_STATEMENTS, statementFor } from './statement.ts';
import { LOAD_KINDS, LOADERS } from './table.ts';

const parts = Object.entries(LOADERS).flatMap(([kind, loader]) =>
  'cypher' in loader ? [[kind, loader.cypher] as const] : [],
);

test.each(parts)('the part of %s takes its list and returns it', (kind, cypher) => {
  expect(cypher).toMatch(new RegExp(`UNWIND \\$in\\.${kind} AS`));
  expect(cypher).toMatch(new RegExp(` AS ${kind}$`));
});

test('the largest statement contains every kind, except the one that only large commands load', () => {
  const largest = LOAD_STATEMENTS.at(-1)?.kinds ?? [];
  expect(LOAD_KINDS.filter((kind) => !largest.includes(kind))).toEqual(['paths']);
});

test('a statement contains the requested kinds, and no smaller one does', () => {
  for (const kinds of [['nodes'], ['nodes', 'deleted'], ['keys', 'links', 'linkAccess']] as const) {
    const { cypher } = statementFor(kinds);
    for (const kind of kinds) expect(cypher).toContain(LOADERS[kind].cypher);
    const having = LOAD_STATEMENTS.filter((statement) => kinds.every((kind) => statement.kinds.includes(kind)));
    expect(Math.min(...having.map((statement) => statement.cypher.length))).toBe(cypher.length);
  }
});
