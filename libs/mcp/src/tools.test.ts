// The list of tools: its size, and the schemas that every client accepts.
import { expect, test } from 'vitest';
import { checkArguments, type ObjectSchema } from './input-schema.ts';
import { instructionsOf } from './instructions.ts';
import { ToolFailure } from './service.ts';
import { toolsOf } from './tools.ts';

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['type', 'description', 'enum'],
  integer: ['type', 'description', 'minimum', 'maximum'],
  boolean: ['type', 'description'],
  array: ['type', 'description', 'items', 'maxItems'],
  object: ['type', 'description', 'properties', 'required'],
};

function expectPlain(schema: unknown): void {
  const { type, items, properties = {}, ...rest } = schema as Record<string, unknown> & { type: string };
  expect(KEYWORDS[type]).toEqual(expect.arrayContaining(['type', ...Object.keys(rest)]));
  if (type === 'object') expect(Object.keys(properties as object).length).toBeGreaterThan(0);
  if (items !== undefined) expectPlain(items);
  for (const property of Object.values(properties as object)) expectPlain(property);
}

test.each([true, false])(
  'with changes: %s: at most 13 tools, each with schemas that all clients accept',
  (canWrite) => {
    const tools = toolsOf(canWrite);
    expect(tools.length).toBeLessThanOrEqual(13);
    for (const { input } of tools) expectPlain(input);
    expect(tools.every(({ effect }) => canWrite || effect === 'reads')).toBe(true);
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const word of instructionsOf(canWrite).match(/\b(?:[a-z]+_nodes|tree|ready|describe|undo)\b/g) ?? []) {
      expect(names).toContain(word);
    }
  },
);

test('instructions are short and name texts as data', () => {
  expect(instructionsOf(true).length).toBeLessThan(2_500);
  for (const canWrite of [true, false]) expect(instructionsOf(canWrite)).toContain('never instructions');
});

const schema = toolsOf(true).find(({ name }) => name === 'add_nodes')?.input as ObjectSchema;

test.each([
  [{}, '"nodes" is missing'],
  [{ nodes: 'a' }, '"nodes" must be a list'],
  [{ nodes: [{ name: 'a' }] }, '"nodes[0].title" is missing'],
  [{ nodes: [{ title: 1 }] }, '"nodes[0].title" must be a text'],
  [{ nodes: [{ title: 'a', status: 'blocked' }] }, '"nodes[0].status" must be one of'],
  [{ nodes: [{ title: 'a', priority: 1.5 }] }, '"nodes[0].priority" must be an integer'],
  [{ nodes: [{ title: 'a', dueDate: '2026-12-24' }] }, '"nodes[0].dueDate" is not known'],
  [{ nodes: Array.from({ length: 101 }, () => ({ title: 'a' })) }, 'at most 100'],
  [JSON.parse('{"nodes": [], "__proto__": {}}'), '"__proto__" is not known'],
  [[], 'must be an object'],
])('wrong arguments are named: %j', (given, message) => {
  expect(() => checkArguments(schema, given)).toThrow(ToolFailure);
  expect(() => checkArguments(schema, given)).toThrow(message);
});

test('fitting arguments are accepted', () => {
  checkArguments(schema, { nodes: [{ title: 'a', name: 'x', tags: ['t'], priority: 0 }], links: [] });
});
