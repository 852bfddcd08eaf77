// The subscriptions of sockets and their ends. Workers answer from a table.
import type { FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import { isRefusal } from '@taskgraph/wire/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { authorization, testSubscriptions, userOf } from '../test/support/subscriptions.ts';
import { PAUSE_MS } from './feed-lookup-cache.ts';
import { followControl } from './subscriptions.ts';

const publicOf = (token: string) => ({ kind: 'public' as const, token });
/** Lets everything that waits for an answer go on; no timer fires. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const raised = (previous: number, epoch: number, more: Partial<FeedEpochBump> = {}): FeedEpochBump => ({
  feed: 'root:a',
  previous,
  epoch,
  leaving: [],
  ...more,
});
const slice = (epoch: number, seq: number) => ({ feed: 'root:a', epoch, seq, diff: {} });
const seqOf = ([, body]: [string, unknown]) => (body as { seq?: number }).seq;
const names = (socket: { rooms: Set<string> }) => [...socket.rooms].sort();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  const authorized = testSubscriptions();
  const enter = (id: string, feeds: ReturnType<typeof authorization>[]) => {
    const socket = authorized.newSocket();
    authorized.known.users.set(id, feeds);
    return { socket, subscriber: authorized.subscriptions.add(socket, userOf(id), feeds) };
  };
  const enterPublic = (token: string, feed: ReturnType<typeof authorization>) => {
    const socket = authorized.newSocket();
    authorized.known.tokens.set(token, feed);
    return { socket, subscriber: authorized.subscriptions.add(socket, publicOf(token), [feed]) };
  };
  return { ...authorized, enter, enterPublic };
}

describe('control', () => {
  it('[ACL6, EVT2] reads the feeds of readers again: joins gained feeds, leaves lost ones, and sends the heads', async () => {
    const { subscriptions, known, asked, enter } = setUp();
    const { socket } = enter('ann', [authorization('user:ann', 1), authorization('root:a', 1)]);
    const { socket: other } = enter('bob', [authorization('user:bob', 1)]);
    known.users.set('ann', [authorization('user:ann', 1), authorization('node:b', 4, { seq: 7 })]);
    followControl(subscriptions, { readers: ['ann', 'nobody-here'], feeds: [] });
    await settle();
    expect(names(socket)).toEqual(['node:b', 'user:ann']);
    expect(socket.sent).toEqual([['feeds:heads', { feeds: { 'node:b': 7 } }]]);
    expect(other.sent).toEqual([]);
    // Once more when the channel of the new feed is open: earlier slices reached no socket (EVT4).
    const question = ['readers:feeds', { readers: [{ id: 'ann', email: 'ann@example.com' }] }];
    expect(asked.map(({ event, payload }) => [event, payload])).toEqual([question, question]);
  });

  it('[ACL7, EVT4] removes readers named by a bump immediately, and keeps all others without a request', async () => {
    const { subscriptions, known, asked, enter, counts } = setUp();
    const feeds = (id: string) => [authorization(`user:${id}`, 1), authorization('root:a', 1)];
    const [stays, loses] = [enter('stays', feeds('stays')).socket, enter('loses', feeds('loses')).socket];
    known.users.set('loses', [authorization('user:loses', 1)]);
    followControl(subscriptions, { readers: ['loses'], feeds: [raised(1, 2, { leaving: [{ user: 'loses' }] })] });
    expect([names(stays), names(loses)]).toEqual([['root:a', 'user:stays'], ['user:loses']]);
    await settle();
    subscriptions.receive(slice(2, 11), 100);
    expect([stays.sent.map(seqOf), loses.sent]).toEqual([[11], []]);
    expect(asked.map(({ payload }) => payload.readers)).toEqual([[{ id: 'loses', email: 'loses@example.com' }]]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([asked.length, counts.unexplained]).toEqual([1, 0]);
  });

  it('[ACL7] authorizes all readers after an unexplained bump, as the previous release sends it', async () => {
    const { subscriptions, known, asked, enter, hold } = setUp();
    const feeds = (id: string) => [authorization(`user:${id}`, 1), authorization('root:a', 1)];
    const [stays, loses] = [enter('stays', feeds('stays')).socket, enter('loses', feeds('loses')).socket];
    known.users.set('stays', [authorization('user:stays', 1), authorization('root:a', 2)]);
    known.users.set('loses', [authorization('user:loses', 1)]);
    const release = hold();
    followControl(subscriptions, { readers: ['loses'], feeds: [{ feed: 'root:a', epoch: 2 }] });
    expect([names(stays), names(loses)]).toEqual([['user:stays'], ['user:loses']]);
    await settle();
    release();
    await settle();
    expect([names(stays), names(loses)]).toEqual([['root:a', 'user:stays'], ['user:loses']]);
    expect(stays.sent).toEqual([['feeds:heads', { feeds: { 'root:a': 20 } }]]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['explained', raised(1, 2, { leaving: [{ user: 'ann' }] })],
    ['unexplained', { feed: 'root:a', epoch: 2 }],
  ])('[ACL7] an answer from before the bump does not restore access: %s', async (_what, raise) => {
    const { subscriptions, known, asked, enter, hold } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1)]);
    const release = hold();
    subscriptions.reauthorize(['ann']);
    await settle();
    known.users.set('ann', []);
    subscriptions.applyBump(raise);
    release();
    await settle();
    expect(names(socket)).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it('[ACL7] authorizes again while the answer is older than the known state', async () => {
    const { subscriptions, known, asked, enter } = setUp();
    subscriptions.applyBump({ feed: 'root:a', epoch: 3 });
    const { socket } = enter('ann', [authorization('root:a', 2)]);
    subscriptions.receive(slice(3, 21), 100);
    await vi.advanceTimersByTimeAsync(900);
    expect([socket.sent, asked.length]).toEqual([[], 0]);
    await vi.advanceTimersByTimeAsync(300);
    expect([socket.sent.filter(([event]) => event === 'graph:diff'), asked.length]).toEqual([[], 1]);
    known.users.set('ann', [authorization('root:a', 3, { seq: 21 })]);
    await vi.advanceTimersByTimeAsync(5_000);
    subscriptions.receive(slice(3, 22), 100);
    expect(socket.sent.map(seqOf).filter((seq) => seq !== undefined)).toEqual([22]);
    expect(asked).toHaveLength(2);
  });

  it('[EVT4] waits for each bump separately if others arrive meanwhile', async () => {
    const { subscriptions, known, enter, counts } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1)]);
    for (let epoch = 2; epoch < 8; epoch++) {
      known.users.set('ann', [authorization('root:a', epoch)]);
      subscriptions.reauthorize(['ann']);
      await vi.advanceTimersByTimeAsync(10);
      // The raise of the epoch before comes only now.
      if (epoch > 2) subscriptions.applyBump(raised(epoch - 2, epoch - 1));
      await vi.advanceTimersByTimeAsync(390);
    }
    subscriptions.applyBump(raised(6, 7));
    await vi.advanceTimersByTimeAsync(2_000);
    subscriptions.receive(slice(7, 11), 100);
    expect([socket.sent.map(seqOf), counts.unexplained]).toEqual([[11], 0]);
  });

  it('recognizes an older message', async () => {
    const { subscriptions, asked, enter } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 3)]);
    subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
    subscriptions.applyBump(raised(2, 3, { leaving: [{ user: 'ann' }] }));
    await settle();
    expect([names(socket), asked.length]).toEqual([['root:a'], 0]);
  });

  it('[ACL7] treats a newer epoch of an authorization as a bump whose control message may still arrive', async () => {
    const { subscriptions, known, asked, enter } = setUp();
    const { socket: first } = enter('ann', [authorization('root:a', 1)]);
    const { socket: second } = enter('bob', [authorization('root:a', 1)]);
    known.users.set('ann', [authorization('root:a', 2)]);
    known.users.set('bob', []);
    subscriptions.reauthorize(['ann']);
    await settle();
    subscriptions.receive(slice(2, 21), 100);
    expect([first.sent, second.sent, asked.length]).toEqual([[], [], 1]);
    await vi.advanceTimersByTimeAsync(1_200);
    expect([names(first), names(second), asked.length]).toEqual([['root:a'], [], 2]);
    expect(first.sent.map(seqOf)).toEqual([undefined, 21]);
  });

  it('[EVT2] reads feeds again for a socket that was connecting when a grant was created', async () => {
    const { subscriptions, known, asked, enter } = setUp();
    subscriptions.reauthorize(['ann']);
    const { socket } = enter('ann', [authorization('user:ann', 1)]);
    known.users.set('ann', [authorization('user:ann', 1), authorization('root:a', 1)]);
    await settle();
    expect([names(socket), asked.length]).toEqual([['root:a', 'user:ann'], 2]);
    enter('bob', [authorization('user:bob', 1)]);
    await settle();
    expect(asked).toHaveLength(2);
  });

  it('removes deleted users from all rooms', async () => {
    const { subscriptions, known, enter } = setUp();
    const { socket } = enter('ann', [authorization('user:ann', 1)]);
    known.users.delete('ann');
    subscriptions.reauthorizeAll();
    await settle();
    expect(names(socket)).toEqual([]);
  });

  it('moves no socket that has left', async () => {
    const { subscriptions, known, enter, hold } = setUp();
    const { socket, subscriber } = enter('ann', [authorization('root:a', 1)]);
    known.users.set('ann', [authorization('root:a', 2)]);
    const release = hold();
    subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
    await settle();
    subscriptions.remove(subscriber);
    release();
    await settle();
    expect([names(socket), socket.sent, subscriptions.served().size]).toEqual([[], [], 0]);
  });
});

describe('due', () => {
  const at = (delayMs: number) => new Date(Date.now() + delayMs).toISOString();

  it('[ACL5] removes a socket from a feed when its access expires, and reads its feeds again', async () => {
    const { known, asked, enter } = setUp();
    const { socket } = enter('ann', [authorization('user:ann', 1), authorization('root:a', 1, { due: at(60_000) })]);
    known.users.set('ann', [authorization('user:ann', 1)]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect([names(socket), asked.length]).toEqual([['root:a', 'user:ann'], 0]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([names(socket), asked.length]).toEqual([['user:ann'], 1]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(1);
  });

  it('[ACL5] applies the earliest of several ends, and a postponed one', async () => {
    const { known, enter } = setUp();
    const early = authorization('root:a', 1, { due: at(1_000) });
    const { socket } = enter('ann', [authorization('root:b', 1, { due: at(90_000) }), early]);
    known.users.set('ann', [authorization('root:b', 1, { due: at(90_000) }), { ...early, due: at(5_000) }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(names(socket)).toEqual(['root:a', 'root:b']);
    expect(socket.sent).toEqual([['feeds:heads', { feeds: { 'root:a': 10 } }]]);
    known.users.set('ann', []);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(names(socket)).toEqual([]);
  });

  it('[ACL5] removes a socket immediately if its end moved to a past time', async () => {
    const { subscriptions, known, enter } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1, { due: at(60_000) })]);
    known.users.set('ann', [authorization('root:a', 1, { due: at(-1) })]);
    subscriptions.reauthorize(['ann']);
    await settle();
    expect(names(socket)).toEqual([]);
  });

  it('[ACL5, ACL7] sends no buffered slice to a reader whose end is past, and no older authorization restores their access', async () => {
    const { subscriptions, known, enter, counts } = setUp();
    const [stays, ends] = [enter('stays', [authorization('root:a', 1)]), enter('ends', [authorization('root:a', 1)])];
    for (const id of ['ends', 'late']) known.users.set(id, []);
    subscriptions.receive(slice(2, 11), 100);
    await vi.advanceTimersByTimeAsync(500);
    const due = at(-100);
    subscriptions.applyBump(
      raised(1, 2, {
        leaving: [
          { user: 'ends', due },
          { user: 'late', due },
        ],
      }),
    );
    const late = enter('late', [authorization('root:a', 1)]);
    known.users.set('late', []);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([stays, ends, late].map(({ socket }) => socket.sent.map(seqOf))).toEqual([[11], [], []]);
    expect([names(ends.socket), names(late.socket), counts.unexplained]).toEqual([[], [], 0]);
  });

  it('[ACL5, EVT4] applies a postponed end while others are removed: the known state is newer than the answer', async () => {
    const { subscriptions, known, enter, hold } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1, { due: at(5_000) })]);
    known.users.set('ann', [authorization('root:a', 1)]);
    const release = hold();
    subscriptions.reauthorize(['ann']);
    await settle();
    subscriptions.applyBump(raised(1, 2, { leaving: [{ user: 'bob' }] }));
    release();
    await vi.advanceTimersByTimeAsync(6_000);
    subscriptions.receive(slice(2, 11), 100);
    expect(socket.sent.map(seqOf)).toEqual([11]);
  });

  it('[ACL5, ACL7] accepts no end from an answer older than a bump with an earlier end', async () => {
    const { subscriptions, known, enter, hold } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1, { due: at(60_000) })]);
    known.users.set('ann', [authorization('root:a', 1)]);
    const release = hold();
    subscriptions.reauthorize(['ann']);
    await settle();
    subscriptions.applyBump(raised(1, 2, { leaving: [{ user: 'ann', due: at(5_000) }] }));
    release();
    known.users.set('ann', []);
    await vi.advanceTimersByTimeAsync(6_000);
    subscriptions.receive(slice(2, 11), 100);
    expect([names(socket), socket.sent]).toEqual([[], []]);
  });

  it("[ACL5] uses the gateway's clock if a worker's is behind, without rapid requests", async () => {
    const { asked, enter } = setUp();
    const { socket } = enter('ann', [authorization('root:a', 1, { due: at(1_000) })]);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(names(socket)).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThan(6);
  });
});

describe('anonymous sockets', () => {
  it('[PUB3, PUB4] join only the public room, and follow a raised epoch', async () => {
    const { subscriptions, known, enterPublic } = setUp();
    const { socket } = enterPublic('t', authorization('root:a', 1));
    expect(names(socket)).toEqual(['public/root:a']);
    known.tokens.set('t', authorization('root:a', 2));
    subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
    await settle();
    expect(names(socket)).toEqual(['public/root:a']);
    expect(socket.sent).toEqual([['feeds:heads', { feeds: { 'root:a': 20 } }]]);
  });

  it('[PUB5] are notified and closed when the token is no longer valid', async () => {
    const { subscriptions, known, enter, enterPublic } = setUp();
    const { socket } = enterPublic('t', authorization('root:a', 1));
    const { socket: user } = enter('ann', [authorization('root:a', 1)]);
    known.users.set('ann', [authorization('root:a', 2)]);
    known.tokens.delete('t');
    subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
    await settle();
    expect([socket.sent, names(socket), socket.isClosed]).toEqual([[['unpublished', { feed: 'root:a' }]], [], true]);
    expect([names(user), user.isClosed]).toEqual([['root:a'], false]);
  });

  it('[PUB5, ACL5] are closed when the publication expires', async () => {
    const { known, enterPublic } = setUp();
    const { socket } = enterPublic(
      't',
      authorization('node:a', 1, { due: new Date(Date.now() + 2_000).toISOString() }),
    );
    known.tokens.delete('t');
    await vi.advanceTimersByTimeAsync(2_000);
    expect([socket.sent, socket.isClosed]).toEqual([[['unpublished', { feed: 'node:a' }]], true]);
  });

  const at = (delayMs: number) => new Date(Date.now() + delayMs).toISOString();
  /** The end of the publication of the node `a` was moved, as workers tell it. */
  const moved = (more: Partial<FeedEpochBump> | null = null) => ({
    readers: [],
    feeds: more === null ? [] : [raised(1, 2, more)],
    publications: ['a'],
  });

  it.each([
    ['the branch', 'root:a'],
    ['the node alone', 'node:a'],
  ])('[PUB6, EVT4] of %s receive slices past a postponed end', async (_what, feed) => {
    const { subscriptions, known, asked, enterPublic } = setUp();
    const [one, other] = [0, 1].map(() => enterPublic('t', authorization(feed, 1, { due: at(60_000) })).socket);
    known.tokens.set('t', authorization(feed, 1, { due: at(120_000) }));
    followControl(subscriptions, moved());
    await settle();
    expect(asked.map(({ event, payload }) => [event, payload])).toEqual([['public:feeds', { tokens: ['t'] }]]);
    await vi.advanceTimersByTimeAsync(60_000);
    subscriptions.receive({ feed, epoch: 1, seq: 11, diff: {}, public: true }, 100);
    for (const socket of [one, other]) expect(socket?.sent.map(seqOf)).toEqual([11]);
    known.tokens.delete('t');
    await vi.advanceTimersByTimeAsync(60_000);
    for (const socket of [one, other])
      expect([socket?.sent.at(-1), socket?.isClosed]).toEqual([['unpublished', { feed }], true]);
  });

  it('[PUB6] that were connecting when it was postponed continue too, and no others are authorized', async () => {
    const { subscriptions, known, asked, enterPublic } = setUp();
    const { socket: elsewhere } = enterPublic('u', authorization('root:b', 1));
    followControl(subscriptions, moved());
    await settle();
    expect(asked).toEqual([]);
    const { socket } = enterPublic('t', authorization('root:a', 1, { due: at(1_000) }));
    known.tokens.set('t', authorization('root:a', 1));
    await settle();
    await vi.advanceTimersByTimeAsync(2_000);
    subscriptions.receive({ ...slice(1, 11), public: true }, 100);
    expect([socket.sent.map(seqOf), elsewhere.sent, asked.length]).toEqual([[11], [], 1]);
  });

  it('[PUB6, ACL5] end at the earlier end, and at the last one if it was postponed again', async () => {
    const { subscriptions, known, enterPublic } = setUp();
    const { socket } = enterPublic('t', authorization('root:a', 1, { due: at(60_000) }));
    const early = at(5_000);
    known.tokens.set('t', authorization('root:a', 2, { due: at(90_000) }));
    followControl(subscriptions, moved({ public: { due: early } }));
    followControl(subscriptions, moved());
    await vi.advanceTimersByTimeAsync(10_000);
    subscriptions.receive({ ...slice(2, 11), public: true }, 100);
    expect(socket.sent.map(seqOf)).toEqual([11]);
    known.tokens.delete('t');
    await vi.advanceTimersByTimeAsync(80_000);
    expect(socket.isClosed).toBe(true);
  });

  it('[PUB2] move if the same token gives access to another feed', async () => {
    const { subscriptions, known, enterPublic } = setUp();
    const { socket } = enterPublic('t', authorization('root:a', 1));
    known.tokens.set('t', authorization('node:a', 1));
    subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
    await settle();
    expect(names(socket)).toEqual(['public/node:a']);
  });
});

describe('a further socket of a user', () => {
  const ann = userOf('ann').user;
  const feeds = [authorization('user:ann', 1), authorization('root:a', 1)];

  /** One socket of ann, and look-ups that are counted and answer with the feeds of the table. */
  async function setUpAnn(own = feeds) {
    const authorized = setUp();
    const { subscriptions, known } = authorized;
    const lookUps = { count: 0 };
    const connect = async () => {
      const found = await subscriptions.feedsOf(ann, async () => {
        lookUps.count++;
        return { feeds: known.users.get('ann') ?? [], position: `p${lookUps.count}` };
      });
      return found === null || isRefusal(found) ? null : found;
    };
    known.users.set('ann', own);
    await connect();
    const first = authorized.enter('ann', own);
    return { ...authorized, connect, lookUps, first };
  }

  it('[ACL7, EVT5] F8: needs no look-up, and receives what the other socket receives from then on', async () => {
    const { subscriptions, connect, lookUps, newSocket, feedLookups } = await setUpAnn();
    subscriptions.receive(slice(1, 11), 100);
    const found = await connect();
    expect(found).toEqual({ feeds: [feeds[0], { ...feeds[1], seq: 11 }], position: 'p1' });
    const socket = newSocket();
    subscriptions.add(socket, userOf('ann'), found?.feeds ?? []);
    subscriptions.receive(slice(1, 12), 100);
    expect([socket.sent.map(seqOf), lookUps.count]).toEqual([[12], 1]);
    expect(feedLookups).toEqual({ copied: 1, looked_up: 1 });
  });

  it.each<[string, (authorized: Awaited<ReturnType<typeof setUpAnn>>) => unknown]>([
    ['5 s have passed', () => vi.advanceTimersByTime(5_000)],
    [
      'a control message names the user',
      ({ subscriptions }) => followControl(subscriptions, { readers: ['ann'], feeds: [] }),
    ],
    [
      'a change of access is in the user’s own feed',
      ({ subscriptions }) =>
        subscriptions.receive(
          { feed: 'user:ann', epoch: 1, seq: 11, diff: {}, access: [{ change: 'gained', feed: 'root:b', level: 3 }] },
          100,
        ),
    ],
    [
      'the epoch of a feed rises',
      ({ subscriptions }) => followControl(subscriptions, { readers: [], feeds: [raised(1, 2)] }),
    ],
    ['a slice shows a later epoch', ({ subscriptions }) => subscriptions.receive(slice(2, 11), 100)],
    [
      'the heads of feeds show a later epoch',
      ({ subscriptions }) => subscriptions.noteHead('root:a', { epoch: 2, seq: 10 }),
    ],
    [
      'the heads of feeds show a later number',
      ({ subscriptions }) => subscriptions.noteHead('root:a', { epoch: 1, seq: 11 }),
    ],
    ['a slice waits for an earlier one', ({ subscriptions }) => subscriptions.receive(slice(1, 12), 100)],
    [
      'another user has received a later number',
      ({ enter }) => enter('bob', [authorization('user:bob', 1), authorization('root:a', 1, { seq: 11 })]),
    ],
    ['NATS or Redis goes away, or comes back', ({ subscriptions }) => subscriptions.dropFeedLookups()],
    ['slices of other gateways do not arrive', ({ state }) => Object.assign(state, { isConnected: false })],
    ['NATS is back', ({ subscriptions }) => subscriptions.reauthorizeAll()],
    ['the other socket leaves', ({ subscriptions, first }) => subscriptions.remove(first.subscriber)],
  ])('[ACL7, EVT4] F8: looks up the feeds if %s', async (_what, happen) => {
    const authorized = await setUpAnn();
    happen(authorized);
    await authorized.connect();
    expect(authorized.lookUps.count).toBe(2);
  });

  it('[EVT1] F8: needs no look-up once a missing number has arrived', async () => {
    const { subscriptions, connect, lookUps } = await setUpAnn();
    for (const seq of [12, 11]) subscriptions.receive(slice(1, seq), 100);
    expect((await connect())?.feeds.map(({ seq }) => seq)).toEqual([10, 12]);
    expect(lookUps.count).toBe(1);
  });

  it('[ACL7] F3, F8: a copy from before a revocation subscribes to nothing after it', async () => {
    const { subscriptions, connect, lookUps, newSocket, known } = await setUpAnn();
    const found = await connect();
    known.users.set('ann', [feeds[0]!]);
    followControl(subscriptions, { readers: ['ann'], feeds: [raised(1, 2, { leaving: [{ user: 'ann' }] })] });
    const socket = newSocket();
    subscriptions.add(socket, userOf('ann'), found?.feeds ?? []);
    subscriptions.receive(slice(2, 11), 100);
    await settle();
    expect([lookUps.count, found?.feeds.length, names(socket), socket.sent]).toEqual([1, 2, ['user:ann'], []]);
  });

  it('[ACL7] F1, F2, F8: a copy from after a revocation whose message is lost receives nothing of it', async () => {
    const { subscriptions, connect, lookUps, newSocket, known, first } = await setUpAnn();
    known.users.set('ann', [feeds[0]!]);
    const found = await connect();
    const socket = newSocket();
    subscriptions.add(socket, userOf('ann'), found?.feeds ?? []);
    subscriptions.receive(slice(2, 11), 100);
    await vi.advanceTimersByTimeAsync(2_000);
    subscriptions.receive(slice(2, 12), 100);
    expect([lookUps.count, names(socket), socket.sent]).toEqual([1, ['user:ann'], []]);
    expect([names(first.socket), first.socket.sent]).toEqual([['user:ann'], []]);
  });

  it('[ACL5] F7, F8: a copy ends by the clock with the original, and none is made after it', async () => {
    const due = new Date(Date.now() + 1_000).toISOString();
    const { subscriptions, connect, lookUps, newSocket, known } = await setUpAnn([
      feeds[0]!,
      authorization('root:a', 1, { due }),
    ]);
    const found = await connect();
    const [before, after] = [newSocket(), newSocket()];
    subscriptions.add(before, userOf('ann'), found?.feeds ?? []);
    expect([lookUps.count, names(before)]).toEqual([1, ['root:a', 'user:ann']]);
    vi.setSystemTime(Date.now() + 1_000);
    await connect();
    expect(lookUps.count).toBe(2);
    vi.setSystemTime(Date.now() - 1_000);
    known.users.set('ann', [feeds[0]!]);
    await vi.advanceTimersByTimeAsync(1_000);
    // As if it had been admitted all the while.
    subscriptions.add(after, userOf('ann'), found?.feeds ?? []);
    subscriptions.receive(slice(1, 11), 100);
    expect([names(before), names(after), before.sent, after.sent]).toEqual([['user:ann'], ['user:ann'], [], []]);
    await connect();
    expect(lookUps.count).toBe(3);
  });

  it('[ACL5] F7, F8: looks up the feeds if the other socket has another end', async () => {
    const { subscriptions, connect, lookUps, known } = await setUpAnn();
    const due = new Date(Date.now() + 60_000).toISOString();
    known.users.set('ann', [feeds[0]!, authorization('root:a', 1, { due })]);
    subscriptions.dropFeedLookups();
    await vi.advanceTimersByTimeAsync(PAUSE_MS + 1);
    await connect();
    await connect();
    expect(lookUps.count).toBe(3);
  });

  it('[ACL7] F8: looks up the feeds if a message named the user while the first look-up was in flight', async () => {
    const { subscriptions, enter, hold, state } = setUp();
    const release = hold();
    let count = 0;
    const lookUp = async () => {
      count++;
      await state.held;
      return { feeds, position: 'p' };
    };
    const first = subscriptions.feedsOf(ann, lookUp);
    followControl(subscriptions, { readers: ['ann'], feeds: [] });
    release();
    await first;
    enter('ann', feeds);
    await subscriptions.feedsOf(ann, lookUp);
    expect(count).toBe(2);
  });

  it('[EVT1] F8: uses no look-up from an outage of Redis after it', async () => {
    const { subscriptions, connect, lookUps, state } = await setUpAnn();
    state.isConnected = false;
    subscriptions.dropFeedLookups();
    await vi.advanceTimersByTimeAsync(PAUSE_MS + 1);
    await connect();
    state.isConnected = true;
    await connect();
    expect(lookUps.count).toBe(3);
  });

  it('[EVT2, EVT4] a gain whose messages are lost reaches every socket once a later number shows the loss', async () => {
    const { subscriptions, connect, lookUps, newSocket, known, first } = await setUpAnn();
    known.users.set('ann', [...feeds, authorization('root:b', 1)]);
    const found = await connect();
    const further = newSocket();
    subscriptions.add(further, userOf('ann'), found?.feeds ?? []);
    expect([lookUps.count, names(further)]).toEqual([1, ['root:a', 'user:ann']]);
    // Number 11 has the gain.
    subscriptions.receive({ feed: 'user:ann', epoch: 1, seq: 12, diff: {} }, 100);
    await vi.advanceTimersByTimeAsync(2_000);
    for (const socket of [first.socket, further]) expect(names(socket)).toEqual(['root:a', 'root:b', 'user:ann']);
    await connect();
    expect(lookUps.count).toBe(2);
  });

  it('[ACL7] F8: looks up the feeds if the user’s e-mail is another one', async () => {
    const { subscriptions, connect, lookUps } = await setUpAnn();
    await subscriptions.feedsOf({ ...ann, email: 'other@example.com' }, async () => {
      lookUps.count++;
      return { feeds, position: 'p' };
    });
    await connect();
    expect(lookUps.count).toBe(3);
  });
});
