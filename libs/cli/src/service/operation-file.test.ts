// Hostile files for `apply` are rejected with their line, in bounded memory and time. Files from
// other systems are accepted.
import { expect, test } from 'vitest';
import { parseOperationFile } from './operation-file.ts';

const ID = '01985f0e-0000-7000-8000-000000000001';
const read = (text: string) => parseOperationFile(text, 'plan.yaml', async () => ID);
const refusalOf = (text: string) =>
  read(text).then(
    () => 'it was accepted',
    (error: Error) => error.message,
  );
const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: 1`).join(', ');

test.each<[what: string, text: () => string, message: string]>([
  [
    'aliases of aliases',
    () => {
      const ten = (name: string) => `[${Array(10).fill(`*${name}`).join(', ')}]`;
      return `- node:add: {a: &a [x], b: &b ${ten('a')}, c: &c ${ten('b')}, d: ${ten('c')}}`;
    },
    'plan.yaml:1: it has too many aliases, or an undefined one',
  ],
  [
    'a long text repeated in each operation',
    () =>
      `- node:add: {title: &t ${'x'.repeat(200_000)}}\n${`- node:add: {tags: [${Array(90).fill('*t').join(', ')}]}\n`.repeat(400)}`,
    'plan.yaml:2: the operations have more than 262144 characters with aliases expanded',
  ],
  [
    'a value that contains itself',
    () => '- node:add: {title: x}\n- node:add: &a {title: *a}',
    'plan.yaml:2: the operations have more than 262144 characters with aliases expanded',
  ],
  [
    'very many names',
    () => `- node:add: {${names(80_000)}}`,
    'plan.yaml:1: the operations have more than 262144 characters with aliases expanded',
  ],
  [
    'a duplicate name',
    () => '- node:add:\n    title: a\n    title: b',
    'plan.yaml:3: a name occurs twice in one object',
  ],
  ['fields that are a string', () => '- node:add: abc', 'plan.yaml:1: the fields of an operation must be an object'],
  [
    'fields that are a list',
    () => '- { event: node:add, payload: [a] }',
    'plan.yaml:1: the fields of an operation must be an object',
  ],
  ['deeply nested lists', () => `- node:add: ${'['.repeat(20_000)}`, 'plan.yaml:1: '],
  ['more than one document', () => '- node:add: {}\n---\n- node:add: {}', 'plan.yaml:2: '],
])('[BAT1] rejects %s', async (_what, text, message) => {
  expect(await refusalOf(text())).toContain(message);
});

test('[BAT1] a byte order mark and Windows line endings have no effect', async () => {
  const text = '- node:add: { title: Go live }\n  as: live\n- node:update: { id: $live, volume: 2 }\n';
  const operations = await read(text);
  expect(operations).toEqual([
    { event: 'node:add', payload: { title: 'Go live' }, as: 'live' },
    { event: 'node:update', payload: { id: '$live', volume: 2 } },
  ]);
  expect(await read(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(operations);
});

test('[BAT1] small aliases are expanded, and words are resolved to nodes', async () => {
  expect(await read('- node:add: &fields { tags: [a], target: go-live }\n- node:add: *fields\n')).toEqual(
    Array(2).fill({ event: 'node:add', payload: { tags: ['a'], target: ID } }),
  );
});
