// Tests that every writer writes a field or reports its loss.
import { describe, expect, test } from 'vitest';
import { EXPORT_FORMATS, writeFile } from '../formats.ts';
import { EMPTY_FIELDS, type TransferFields, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { UNSUPPORTED_FIELDS, unsupportedIn } from './unsupported-fields.ts';

const options = { now: '2026-01-02T03:04:05.678Z', ids: new Map<string, string>() };
const graphOf = (fields: Partial<TransferNode>): TransferGraph => ({
  nodes: [{ ...EMPTY_FIELDS, title: 'a', key: '1', line: null, ...fields }],
  links: [],
  leftOut: [],
});

const VALUES: { readonly [Name in keyof TransferFields]: readonly TransferFields[Name][] } = {
  title: ['Go @live'],
  description: ['x\ny'],
  status: [1, 3],
  dueDate: ['2026-12-24T12:00:00.000Z'],
  tags: [['x'], ['x y'], ['x@y']],
  priority: [1, 4, 9],
  independent: [true],
  volume: [2],
  assignee: [['ann'], ['ann', 'bob']],
  pinned: [true],
  collapsed: [true],
  x: [1],
  y: [1],
  z: [1],
};
const CASES = Object.entries(VALUES).flatMap(([name, values]) => values.map((value) => [name, value] as const));

describe.each(EXPORT_FORMATS)('[IO2] %s', (format) => {
  test.each(CASES)('writes %s %j or reports the loss', (name, value) => {
    const plain = writeFile(graphOf({}), format, options);
    const changed = writeFile(graphOf({ [name]: value }), format, options);
    const isWritten = changed.text !== plain.text;
    const isReported = changed.leftOut.length > 0;
    expect(isWritten || isReported).toBe(true);
  });

  test('reports no loss of a field that has no value', () => {
    const written = writeFile(graphOf({}), format, options).leftOut.map(({ what }) => what);
    expect(written.filter((what) => !what.startsWith('everything of a task except'))).toEqual([]);
  });
});

test('[IO2] a field that a format neither writes nor declares is reported by its name', () => {
  const { links } = UNSUPPORTED_FIELDS.github;
  const losses = unsupportedIn(graphOf({ volume: 2 }), { written: ['title'], fields: [], links });
  expect(losses).toEqual([{ what: 'the field "volume"', count: 1, places: ['"a"'] }]);
});
