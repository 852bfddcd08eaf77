import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import type { ReadableGraph } from '../graph/blockers.ts';
import type { Link, Task } from '../graph/task.ts';
import { reverseLink } from './link-edits.ts';

const link = (id: string, source: string, target: string): Link => ({ id, source, target, type: 0 });
const taskOf = (id: string) => ({ id, title: id, independent: false, access: 0 }) as unknown as Task;
const graphOf = (links: readonly Link[]): ReadableGraph => ({
  task: taskOf,
  incoming: (id) => links.filter(({ target }) => target === id),
  outgoing: (id) => links.filter(({ source }) => source === id),
});

/** The commands that a reversal of the link sends. */
async function sentBy(links: readonly Link[], reversed: Link) {
  const sent: unknown[] = [];
  const replica = {
    on: () => () => undefined,
    async send(event: string, payload: object) {
      sent.push([event, payload]);
      return { diff: { batchId: null, nodes: [], links: [] } };
    },
  } as unknown as Replica;
  const pair = { first: taskOf(reversed.source), waiting: taskOf(reversed.target) };
  const isDone = await reverseLink(replica, graphOf(links), reversed, pair);
  return { isDone, sent };
}

test('[CON9 LNK4] a reversed link that would close a cycle is not sent', async () => {
  const [write, build, launch] = [
    link('1', 'write', 'build'),
    link('2', 'build', 'launch'),
    link('3', 'write', 'launch'),
  ];
  expect(await sentBy([write, build, launch], launch)).toEqual({ isDone: false, sent: [] });
  // The link itself leads from the one to the other, and counts no longer.
  expect(await sentBy([write, build], build)).toEqual({ isDone: true, sent: [['link:swap', { id: '2' }]] });
});
