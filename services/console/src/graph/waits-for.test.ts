// The tasks before another one: directly, through others, and without secondary links.
import { expect, test } from 'vitest';
import type { Link } from './task.ts';
import { tasksBefore } from './waits-for.ts';

const LINKS: readonly Link[] = [
  { id: '1', source: 'write', target: 'build', type: 0 },
  { id: '2', source: 'build', target: 'launch', type: 0 },
  { id: '3', source: 'draw', target: 'build', type: 0 },
  { id: '4', source: 'print', target: 'launch', type: 1 },
];
const graph = { incoming: (id: string) => LINKS.filter(({ target }) => target === id) };

test('a link from a task to one of those before it would close a cycle', () => {
  expect([...tasksBefore(graph, 'launch')].sort()).toEqual(['build', 'draw', 'launch', 'write']);
  expect([...tasksBefore(graph, 'write')]).toEqual(['write']);
});
