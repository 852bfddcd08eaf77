// The slices that channels hold, the time that they hold them, and the slices that a new subscriber
// receives. Workers answer from a table.
import type { FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { authorization, testSubscriptions, userOf } from '../test/support/subscriptions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);
const slice = (seq: number, epoch = 1) => ({ feed: 'root:a', epoch, seq, diff: {} });
const raised = (more: Partial<FeedEpochBump>): FeedEpochBump => ({ feed: 'root:a', previous: 1, epoch: 2, ...more });

function authorizedAlone() {
  return { ...testSubscriptions(), heard };
}

function heard({ sent }: { sent: [string, unknown][] }): number[] {
  return sent.flatMap(([event, body]) => (event === 'graph:diff' ? [(body as { seq: number }).seq] : []));
}

/** Ann receives the feed from number 10 on. */
function setUp() {
  const authorized = authorizedAlone();
  const enter = (id: string, seq = 10) => {
    const socket = authorized.newSocket();
    authorized.known.users.set(id, [authorization('root:a', 1, { seq })]);
    authorized.subscriptions.add(socket, userOf(id), [authorization('root:a', 1, { seq })]);
    return socket;
  };
  const ann = enter('ann');
  return { ...authorized, ann, enter };
}

it('[EVT4] delivers slices in order, and continues without a missing number', async () => {
  const { subscriptions, ann, heard, counts } = setUp();
  for (const seq of [12, 11, 14, 12]) subscriptions.receive(slice(seq), 100);
  expect([heard(ann), subscriptions.held()]).toEqual([[11, 12], 1]);
  await vi.advanceTimersByTimeAsync(1_200);
  subscriptions.receive(slice(13), 100);
  expect([heard(ann), subscriptions.held(), counts.skipped]).toEqual([[11, 12, 14], 0, 1]);
});

it('[EVT4] does not wait longer if the clock is set back meanwhile', async () => {
  const { subscriptions, ann, heard } = setUp();
  subscriptions.receive(slice(12), 100);
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(1_200);
  expect([heard(ann), subscriptions.held()]).toEqual([[12], 0]);
});

it('[EVT4] a joining reader receives the slices committed since their heads were read', async () => {
  const { subscriptions, enter, heard } = setUp();
  for (const seq of [11, 12]) subscriptions.receive(slice(seq), 100);
  const [before, after] = [enter('bob', 11), enter('carol', 14)];
  expect([heard(before), heard(after)]).toEqual([[12], []]);
  for (const seq of [13, 14, 15]) subscriptions.receive(slice(seq), 100);
  expect([heard(before), heard(after)]).toEqual([[12, 13, 14, 15], [15]]);
});

it('[EVT4] subscribes to a feed before its reader is authorized for it', async () => {
  const { subscriptions, known, asked, state, enter, heard } = setUp();
  const bob = enter('bob');
  state.opening = new Promise((resolve) => setTimeout(resolve, 50));
  known.users.set('bob', [authorization('root:a', 1), authorization('root:b', 1, { seq: 3 })]);
  subscriptions.reauthorize(['bob']);
  await settle();
  expect(asked).toHaveLength(1);
  subscriptions.receive({ ...slice(4), feed: 'root:b' }, 100);
  known.users.set('bob', [authorization('root:a', 1), authorization('root:b', 1, { seq: 4 })]);
  subscriptions.receive({ ...slice(5), feed: 'root:b' }, 100);
  await vi.advanceTimersByTimeAsync(50);
  expect(asked).toHaveLength(2);
  expect([heard(bob), bob.sent]).toEqual([[5], expect.arrayContaining([['feeds:heads', { feeds: { 'root:b': 4 } }]])]);
});

it('[ACL5, EVT4] after a bump with an earlier end, the reader receives slices until then', async () => {
  const { subscriptions, known, ann, heard } = setUp();
  const due = new Date(Date.now() + 3_000).toISOString();
  subscriptions.applyBump(raised({ leaving: [{ user: 'ann', due }] }));
  known.users.set('ann', []);
  subscriptions.receive(slice(11, 2), 100);
  await vi.advanceTimersByTimeAsync(3_100);
  subscriptions.receive(slice(12, 2), 100);
  expect(heard(ann)).toEqual([11]);
});

it('buffers at most 1,000 slices or 4 MB of a feed without an explained bump: beyond that its readers are authorized at once', async () => {
  for (const [count, bytes] of [
    [1_001, 100],
    [9, 500_000],
  ] as const) {
    const { subscriptions, asked, counts, ann, heard } = setUp();
    for (let index = 1; index < count; index++) subscriptions.receive(slice(10 + index, 2), bytes);
    expect([subscriptions.held(), counts.unexplained, heard(ann)]).toEqual([count - 1, 0, []]);
    subscriptions.receive(slice(10 + count, 2), bytes);
    expect([subscriptions.held(), counts.unexplained, heard(ann)]).toEqual([0, 1, []]);
    await settle();
    expect(asked).toHaveLength(1);
  }
});

it('[EVT4] reserves memory for waiting slices, also after many deliveries in other feeds', async () => {
  const { subscriptions, known, ann, heard, counts } = setUp();
  const others = Array.from({ length: 128 }, (_, index) => `root:${index}`);
  const feeds = [authorization('root:a', 1), ...others.map((feed) => authorization(feed, 1))];
  known.users.set('ann', feeds);
  subscriptions.reauthorize(['ann']);
  await settle();
  for (const feed of others) subscriptions.receive({ ...slice(11), feed }, 512 * 1024);
  subscriptions.receive(slice(11, 2), 100);
  expect([subscriptions.held(), counts.unexplained]).toEqual([1, 0]);
  subscriptions.applyBump(raised({ leaving: [] }));
  expect([heard(ann).length, subscriptions.held(), counts.unexplained]).toEqual([129, 0, 0]);
});

const KB = 1_024;
const headsOf = ({ sent }: { sent: [string, unknown][] }) =>
  sent.flatMap(([event, body]) => (event === 'feeds:heads' ? [(body as { feeds: Record<string, number> }).feeds] : []));

it.each([
  ['8 slices of 480 KB', 8, 480 * KB],
  ['1,000 small slices', 1_000, 3_000],
])('[EVT5] a reader who joins after %s receives all of them', async (_what, count, bytes) => {
  const { subscriptions, enter, heard } = setUp();
  for (let index = 1; index <= count; index++) subscriptions.receive(slice(10 + index), bytes);
  const bob = enter('bob');
  expect(heard(bob)).toEqual(Array.from({ length: count }, (_, index) => 11 + index));
  expect(headsOf(bob)).toEqual([]);
});

it.each([
  ['more bytes', 12, 480 * KB],
  ['more slices', 1_100, 100],
])(
  '[EVT5] a reader who joins after %s than are stored is asked immediately to read again',
  async (_what, count, bytes) => {
    const { subscriptions, enter, heard } = setUp();
    for (let index = 1; index <= count; index++) subscriptions.receive(slice(10 + index), bytes);
    const bob = enter('bob');
    expect(heard(bob).length).toBeLessThan(count);
    expect([heard(bob).at(-1), headsOf(bob)]).toEqual([10 + count, [{ 'root:a': 10 + count }]]);
    // One slice alone, which is not kept for long.
    await vi.advanceTimersByTimeAsync(6_000);
    const carol = enter('carol', 9 + count);
    expect([heard(carol), headsOf(carol)]).toEqual([[], [{ 'root:a': 10 + count }]]);
    subscriptions.receive(slice(11 + count), 100);
    expect([bob, carol].map((socket) => heard(socket).at(-1))).toEqual([11 + count, 11 + count]);
  },
);

it('[EVT5] the first reader to join is also asked to read again, and does not wait for dropped slices', async () => {
  const { subscriptions, known, newSocket, heard, counts } = authorizedAlone();
  await subscriptions.listen(['root:b']);
  for (let seq = 11; seq <= 30; seq++) subscriptions.receive({ ...slice(seq), feed: 'root:b' }, 480 * KB);
  const socket = newSocket();
  known.users.set('bob', [authorization('root:b', 1, { seq: 10 })]);
  subscriptions.add(socket, userOf('bob'), [authorization('root:b', 1, { seq: 10 })]);
  expect(heard(socket)).toEqual([23, 24, 25, 26, 27, 28, 29, 30]);
  expect([headsOf(socket), counts.skipped]).toEqual([[{ 'root:b': 22 }], 0]);
});

it('[EVT5] a reader who joins after the last subscription ended is authorized again, and receives the number to continue from', async () => {
  const { subscriptions, known, asked, newSocket, heard } = authorizedAlone();
  await subscriptions.listen(['root:b']);
  await vi.advanceTimersByTimeAsync(6_000);
  subscriptions.receive({ ...slice(11), feed: 'root:b' }, 100);
  const socket = newSocket();
  known.users.set('bob', [authorization('root:b', 1, { seq: 11 })]);
  subscriptions.add(socket, userOf('bob'), [authorization('root:b', 1, { seq: 10 })], { isListening: false });
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(600);
  subscriptions.receive({ ...slice(12), feed: 'root:b' }, 100);
  expect([headsOf(socket), heard(socket)]).toEqual([[{ 'root:b': 11 }], [12]]);
});

it('[EVT4, EVT5] slices stored for joining readers take no memory from waiting slices', async () => {
  const { subscriptions, ann, heard, counts } = setUp();
  for (let seq = 11; seq <= 19; seq++) subscriptions.receive(slice(seq), 480 * KB);
  for (let seq = 20; seq <= 26; seq++) subscriptions.receive(slice(seq, 2), 480 * KB);
  expect([subscriptions.held(), counts.unexplained]).toEqual([7, 0]);
  subscriptions.applyBump(raised({ leaving: [] }));
  expect([heard(ann).length, counts]).toEqual([16, { skipped: 0, unexplained: 0 }]);
});

it('stays subscribed for a limited time after the last reader has left', async () => {
  const { subscriptions, left, known, enter } = setUp();
  known.users.set('ann', []);
  subscriptions.reauthorize(['ann']);
  await settle();
  expect([subscriptions.served().size, left]).toEqual([0, []]);
  await vi.advanceTimersByTimeAsync(3_000);
  enter('bob');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(left).toEqual([]);
  known.users.set('bob', []);
  subscriptions.reauthorize(['bob']);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(left).toEqual(['root:a']);
});
