import type { Changed } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { changeLines } from './nodes.ts';
import { createOutput } from './output.ts';

const sink = { write: () => undefined };
const output = createOutput({ stdout: sink, stderr: sink, isInteractive: false, hasColours: () => false });
const ID = '01985f0e-0000-7000-8000-000000000001';

test.each([
  ['published', { publicToken: null }, { publicToken: 'abc', publicDue: null }],
  ['published', { publicToken: 'abc' }, { publicToken: 'def' }],
  ['publication ended', { publicToken: 'abc' }, { publicToken: null, publicBranch: false, publicDue: null }],
  ['publication changed', { publicDue: null }, { publicDue: '2030-01-01T00:00:00.000Z' }],
])('a change of a publication prints "%s"', (did, before, after) => {
  const nodes = [{ op: 6, before: { id: ID, version: 3, ...before }, after: { id: ID, version: 4, ...after } }];
  const diff = { nodes, links: [], access: [] } as unknown as Changed['diff'];
  expect(changeLines(diff, null, output)).toEqual([`000001 ${did}`]);
});
