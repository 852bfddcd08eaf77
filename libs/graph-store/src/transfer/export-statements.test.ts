// An export must be complete: every label and type with a constraint or index has a table.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXCLUDED_LABELS, EXCLUDED_TYPES, NODE_TABLES, RELATIONSHIP_TABLES } from './export-statements.ts';

const FOLDER = new URL('..', import.meta.url);

/** The distinct, sorted matches of the pattern's first group in these sources. */
function find(pattern: RegExp, files: readonly string[]): string[] {
  const texts = files.map((name) => readFileSync(new URL(name, FOLDER), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found = '']) => found)))].sort();
}

const names = (tables: readonly { name: string }[]) => tables.map(({ name }) => name).sort();

test('every label of a migration has a table, except the schema and webhooks', () => {
  const labels = find(/\bFOR \(\w+:(\w+)\)/g, ['migration/migrations.ts']);
  expect(labels).toEqual([...names(NODE_TABLES), ...EXCLUDED_LABELS, 'Schema'].sort());
});

test('every relationship type in the code has a table, except those of webhooks', () => {
  const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?!.*\.test).*\.ts$/.test(name),
  );
  const made = find(/(?:CREATE|MERGE) \(\w*\)-\[\w*:([A-Z_]+)/g, sources);
  expect(made.length).toBeGreaterThan(0);
  // The types of links are inserted into statements individually.
  expect([...made, 'BLOCKS', 'RELATES', 'TRASHED'].sort()).toEqual(
    [...names(RELATIONSHIP_TABLES), ...EXCLUDED_TYPES].sort(),
  );
});

test('the ends of relationships have a key', () => {
  const keyed = new Map(NODE_TABLES.map(({ name, key }) => [name as string, key]));
  for (const { from, to } of RELATIONSHIP_TABLES) expect([keyed.get(from), keyed.get(to)]).not.toContain(null);
});
