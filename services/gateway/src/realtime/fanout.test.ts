// The parts of a slice for each room, with a list in place of sockets.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import type { SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import type { Server } from 'socket.io';
import { expect, it } from 'vitest';
import { readBody } from '../test/support/subscriptions.ts';
import { deliverBy } from './fanout.ts';

function emittedFor(slice: SliceMessage) {
  const emitted: [room: string, event: string, body: Record<string, unknown>][] = [];
  const to = (room: string) => ({
    emit: (event: string, body: unknown) => void emitted.push([room, event, readBody(body) as Record<string, unknown>]),
  });
  deliverBy({ to } as unknown as Server).deliver(rawSliceOf(slice), { users: true, public: true });
  return emitted;
}
const after = { id: 'a', version: 2, title: 't', assignee: ['bob@example.com'] };
const nodes = [{ op: 1, before: { id: 'a', version: 1 }, after }];
const diff = {
  batchId: 'b',
  actor: { username: 'ann', email: 'ann@example.com' },
  ts: 't',
  nodes,
  links: [],
  access: [],
};

it('[EVT1] sends a slice to the room of its feed, with its feed and number', () => {
  const emitted = emittedFor({ feed: 'root:r', epoch: 7, seq: 3, diff });
  expect(emitted).toEqual([['root:r', 'graph:diff', { ...diff, feed: 'root:r', seq: 3 }]]);
});

it('[PUB3, PUB4] sends the part for anonymous readers to a separate room', () => {
  const [whole, stripped, ...rest] = emittedFor({ feed: 'root:r', epoch: 7, seq: 3, diff, public: true });
  expect(rest).toEqual([]);
  expect(whole?.[0]).toBe('root:r');
  expect(stripped?.slice(0, 2)).toEqual(['public/root:r', 'graph:diff']);
  expect(stripped?.[2]).toMatchObject({ feed: 'root:r', seq: 3, nodes: [{ after: { id: 'a', title: 't' } }] });
  expect(JSON.stringify(stripped)).not.toContain('example.com');
});

it('[EVT2] sends changes of access after the slice with the same number', () => {
  const access: SliceMessage['access'] = [
    { feed: 'root:r', change: 'gained', level: 2 },
    { feed: 'node:n', change: 'lost', level: null },
  ];
  const emitted = emittedFor({ feed: 'user:u', epoch: 1, seq: 9, diff, access });
  expect(emitted.map(([room, event]) => [room, event])).toEqual([
    ['user:u', 'graph:diff'],
    ['user:u', 'access:changed'],
    ['user:u', 'access:changed'],
  ]);
  expect(emitted.slice(1).map(([, , body]) => body)).toEqual([
    { feed: 'root:r', change: 'gained', level: 2, seq: 9 },
    { feed: 'node:n', change: 'lost', level: null, seq: 9 },
  ]);
});

it('sends a marker for a slice that is too long to anonymous readers too', () => {
  const emitted = emittedFor({ feed: 'root:r', epoch: 1, seq: 3, diff: { truncated: true }, public: true });
  expect(emitted.map(([, , body]) => body)).toEqual(new Array(2).fill({ truncated: true, feed: 'root:r', seq: 3 }));
});
