import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { expect, test } from 'vitest';
import { declaredTables, withTables } from './tables.ts';

test('each table has its place in a document', async () => {
  const texts = ['configuration', 'limits', 'metrics'].map((name) =>
    readFileSync(join(REPOSITORY, 'docs', `${name}.md`), 'utf8'),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/^<!-- BEGIN (.+) -->$/gm)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(await declaredTables()).sort());
});

test('a table replaces the one between its marks, and no other text', () => {
  const text = 'a\n<!-- BEGIN x -->\nold\n<!-- END x -->\nb\n';
  expect(withTables(text, { x: ['| new |'] })).toBe('a\n<!-- BEGIN x -->\n\n| new |\n\n<!-- END x -->\nb\n');
  expect(() => withTables(text, {})).toThrow('x');
});
