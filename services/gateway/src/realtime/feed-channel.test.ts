// One channel without its surroundings.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import { expect, it } from 'vitest';
import { fakeSocket, userOf } from '../test/support/subscriptions.ts';
import { FeedChannel } from './feed-channel.ts';
import type { FeedContext } from './feed-context.ts';
import type { Subscriber } from './subscription.ts';

const slice = (seq: number, epoch: number, atMs: number) => ({
  slice: { feed: 'root:a', epoch, seq } as unknown as RawSlice,
  bytes: 100,
  atMs,
});

it('[ACL7] F1: the first reader after a while without any receives no late slice of a later epoch', () => {
  const received: number[] = [];
  const holes: number[] = [];
  const context = {
    pool: { bytes: 0 },
    counts: { skipped: 0, unexplained: 0 },
    epochChanges: { after: () => undefined, newest: () => 0 },
    deliver: () => undefined,
    deliverTo: (_subscriber: Subscriber, { seq }: RawSlice) => void received.push(seq),
    onLoss: () => undefined,
    onHole: (_subscriber: Subscriber, _feed: string, seq: number) => void holes.push(seq),
  };
  const channel = new FeedChannel('root:a', context as unknown as FeedContext);
  const now = performance.now();
  // The channel drops number 12, and number 11 arrives after it.
  channel.receive(slice(12, 2, now - 60_000));
  channel.advance(now);
  channel.receive(slice(11, 2, now));
  const subscriber: Subscriber = {
    socket: fakeSocket(),
    audience: userOf('ann'),
    reader: 'ann',
    subscriptions: new Set(),
    alarm: null,
    lastFeed: 'root:a',
    isGone: false,
  };
  // The reader was authorized before the epoch rose.
  channel.subscribe(subscriber, { epoch: 1, seq: 10, endsAt: null });
  channel.advance(now);
  expect([received, holes]).toEqual([[], [12]]);
});
