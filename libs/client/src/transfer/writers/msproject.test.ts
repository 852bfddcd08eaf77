// Tests of plans for Microsoft Project: what is written is read again, and losses are reported.
import { expect, test } from 'vitest';
import { readFile, writeFile } from '../formats.ts';
import { EMPTY_FIELDS, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';

const options = { now: '2026-01-02T03:04:05.678Z', ids: new Map<string, string>() };
const node = (key: string, fields: Partial<TransferNode>): TransferNode => ({
  ...EMPTY_FIELDS,
  title: key,
  key,
  line: null,
  ...fields,
});
const link = (source: string, target: string, type: 0 | 1 = 0) => ({ source, target, type, private: false });

test('[IO2] an exported plan is imported again without further losses', () => {
  const graph: TransferGraph = {
    nodes: [
      node('a', { title: 'Dig & <turn>', description: 'one\ntwo', status: 3, volume: 90, assignee: ['Ann', 'Bo'] }),
      node('b', { title: 'Plant', dueDate: '2026-03-20T23:59:59.000Z', priority: 5, assignee: ['Bo'] }),
      node('c', { title: 'Water', dueDate: '2026-03-20T12:30:00.000Z', volume: 1_440 }),
    ],
    links: [link('a', 'b'), link('b', 'c'), link('a', 'c')],
    leftOut: [],
  };
  const { text, leftOut } = writeFile(graph, 'msproject', options);
  expect(leftOut.map(({ what }) => what)).toEqual([
    'the unit of a volume, which is written as minutes',
    'the time zone of a due time, which is UTC',
  ]);
  const read = readFile(text, 'msproject');
  const keys = new Map(graph.nodes.map(({ key }, index) => [key, String(index + 1)]));
  const written = graph.nodes.map(({ key, line: _line, ...fields }) => ({ ...fields, key: keys.get(key) }));
  expect(read.nodes.map(({ line: _line, ...fields }) => fields)).toEqual(written);
  expect(read.links.map(({ source, target }) => `${source} ${target}`)).toEqual(['1 2', '1 3', '2 3']);
  expect(read.leftOut.map(({ what }) => what)).toEqual(['the time zone of a deadline, which is read as UTC']);
});

test('[IO2] what a plan of Microsoft Project cannot hold is reported', () => {
  const graph: TransferGraph = {
    nodes: [
      node('a', { title: 'x\u0001', status: 1, tags: ['late'], priority: 9, dueDate: '2026-03-20T17:00:00.000Z' }),
      node('b', { pinned: true }),
    ],
    links: [link('a', 'b', 1)],
    leftOut: [],
  };
  const { text, leftOut } = writeFile(graph, 'msproject', options);
  expect(leftOut.map(({ what }) => what).sort()).toEqual([
    'a due time that stands for a day there',
    'a link that does not block',
    'a position',
    'a priority above 5',
    'being in progress',
    'control characters',
    'the tags',
  ]);
  expect(readFile(text, 'msproject').nodes.map(({ title }) => title)).toEqual(['x', 'b']);
});
