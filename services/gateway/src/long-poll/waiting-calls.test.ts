// Waiting calls with the real followers, subscriptions, quotas and token watch. Workers answer from
// a table. Rules: LONG1, LONG2.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noLimits } from '../limits/limits.ts';
import type { FeedAuthorization } from '../realtime/subscriber.ts';
import { createSubscriptions, followControl } from '../realtime/subscriptions.ts';
import { createTokenWatch } from '../realtime/token-watch.ts';
import { createConnectionQuotas } from '../socket/connection-quotas.ts';
import { authorization } from '../test/support/subscriptions.ts';
import { createFollowers } from './followers.ts';
import type { Reply } from './unchanged-answer.ts';
import type { WaitedReply } from './waiting-call.ts';
import { createWaitingCalls } from './waiting-calls.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs all pending callbacks; no timer fires. */
const settle = () => vi.advanceTimersByTimeAsync(0);
/** The pause after a change, and the start of the read, which takes 1 ms of the simulated time. */
const WOKEN_MS = 101;
const NONE = { nodes: [], links: [] };
const FEED = 'user:ann';

function setUp({ most = 100, ofUser = 100 } = {}) {
  const known = new Map<string, FeedAuthorization[]>([['ann', [authorization(FEED, 1)]]]);
  const log = { warn: (fields: object) => expect.fail(JSON.stringify(fields)), error: vi.fn() };
  const feedsOf = (id: string) => known.get(id) ?? [];
  const feedLookup = {
    looked: 0,
    async ofUser({ id }: { id: string }) {
      this.looked++;
      return { feeds: feedsOf(id), position: 'p' };
    },
  };
  const followers = createFollowers({ subscriptions: () => subscriptions, feedLookup });
  const toSockets = { deliver: () => undefined, deliverTo: () => expect.fail('there is no socket') };
  const subscriptions = createSubscriptions({
    authorize: async (readers) => new Map([...readers.keys()].map((id) => [id, feedsOf(id)])),
    source: { subscribe: () => null, unsubscribe: () => undefined, isConnected: () => true },
    counts: { skipped: 0, unexplained: 0 },
    feedLookups: { copied: 0, looked_up: 0 },
    log,
    ...followers.deliveryWith(toSockets),
  });
  const tokens = createTokenWatch({
    askWorkers: async () => refuse('unavailable', 'Away.'),
    forget: () => undefined,
    log,
  });
  const bounds = { 'waiting:user': ofUser, 'waiting:ip': 100 };
  const quotas = createConnectionQuotas({ kind: 'waiting', bounds, limits: noLimits });
  const calls = createWaitingCalls({
    followers,
    tokens,
    quotas,
    most,
    authenticate: async (token) => state.ended.get(String(token)) ?? identityOf(String(token)),
    async dispatch({ input, user }) {
      const { since } = ('value' in input ? input.value : {}) as { since: string };
      return read(since, user?.id);
    },
    log,
  });
  const state = {
    heads: { [FEED]: 10 } as Record<string, number>,
    changed: false,
    reads: [] as string[],
    gate: null as Promise<void> | null,
    paused: 0,
    refusal: null as Reply | null,
    /** The tokens that have ended, and their refusals. */
    ended: new Map<string, Refusal>(),
    /** The users of the reads. */
    readers: [] as unknown[],
  };
  async function read(since: string, reader?: string): Promise<Reply> {
    state.reads.push(since);
    state.readers.push(reader);
    const { heads, changed, refusal } = state;
    await state.gate;
    if (refusal !== null) return refusal;
    const nodes = changed ? [{ id: 'n' }] : [];
    const position = JSON.stringify(heads);
    const body = {
      position,
      hasMore: false,
      next: null,
      ...NONE,
      nodes,
      gone: NONE,
      feeds: { gained: [], lost: [] },
      heads,
    };
    return { ok: true, body };
  }
  /** Starts a call; `outcome` is its answer once there is one. */
  function start({ waitMs = 30_000, token = 't', expires = null as string | null, fields = null as unknown } = {}) {
    const started = { outcome: null as WaitedReply | null, leave: () => undefined as unknown };
    let isGone = false;
    const request = {
      operation: OPERATIONS['changes:get'],
      identity: identityOf(token, expires),
      token,
      ip: '10.0.0.1',
      untilMs: performance.now() + waitMs,
      fields,
      traceId: 't',
      within: <T>(work: () => T) => work(),
      open: {
        pause: () => {
          state.paused++;
          return () => state.paused--;
        },
      },
      client: {
        isGone: () => isGone,
        onGone(listener: () => void) {
          started.leave = () => {
            isGone = true;
            listener();
          };
        },
      },
    };
    const answer = read('first').then((reply) => {
      const wait = calls.waitAfter(reply, request);
      return wait === null ? { reply, waitedMs: 0 } : calls.answer(wait);
    });
    void answer.then((outcome) => {
      started.outcome = outcome;
    });
    return started;
  }
  const slice = (seq: number, feed = FEED) => {
    subscriptions.receive(rawSliceOf({ feed, epoch: 1, seq, diff: {} }), 1);
  };
  const stop = () => {
    followers.stop();
    subscriptions.stop();
    quotas.stop();
  };
  return { known, feedLookup, followers, subscriptions, tokens, quotas, calls, state, start, slice, stop };
}

function identityOf(token: string, expires: string | null = null) {
  return {
    user: { id: 'ann', username: 'ann', email: 'ann@example.com' },
    token: { id: token, kind: 'api', readOnly: token === 'reading', expires },
  } as const;
}

const isAnswered = ({ outcome }: { outcome: WaitedReply | null }) => outcome !== null;

describe('[LONG1] a call', () => {
  it('is answered without a subscription if something has changed', async () => {
    const { state, start, feedLookup, calls } = setUp();
    state.changed = true;
    const call = start();
    await settle();
    expect([isAnswered(call), feedLookup.looked, calls.count(), state.reads]).toEqual([true, 0, 0, ['first']]);
  });

  it('reads again 100 ms after the first of several slices', async () => {
    const { state, start, slice } = setUp();
    const call = start();
    await settle();
    for (const seq of [11, 12, 13]) slice(seq);
    await vi.advanceTimersByTimeAsync(99);
    expect(state.reads).toHaveLength(1);
    Object.assign(state, { heads: { [FEED]: 13 }, changed: true });
    await vi.advanceTimersByTimeAsync(WOKEN_MS - 99);
    expect([isAnswered(call), state.reads]).toEqual([true, ['first', JSON.stringify({ [FEED]: 10 })]]);
    expect(call.outcome?.waitedMs).toBe(100);
  });

  it('reads again if its feeds changed between its first read and the subscription', async () => {
    const { state, start, known } = setUp();
    known.set('ann', [authorization(FEED, 1, { seq: 11 })]);
    const call = start();
    await settle();
    Object.assign(state, { heads: { [FEED]: 11 }, changed: true });
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect([isAnswered(call), state.reads.length]).toEqual([true, 2]);
  });

  it('reads again if access was gained or lost between its first read and the subscription', async () => {
    for (const feeds of [[authorization(FEED, 1), authorization('root:a', 1)], []]) {
      const { state, start, known } = setUp();
      known.set('ann', feeds);
      start();
      await vi.advanceTimersByTimeAsync(WOKEN_MS);
      expect(state.reads).toHaveLength(2);
      // Only once: the difference alone causes no further read.
      await vi.advanceTimersByTimeAsync(5_000);
      expect(state.reads).toHaveLength(2);
    }
  });

  it('does not read for a slice that its answer contains', async () => {
    const { state, start, slice } = setUp();
    state.heads = { [FEED]: 12 };
    const call = start();
    await settle();
    for (const seq of [11, 12]) slice(seq);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([isAnswered(call), state.reads.length]).toEqual([false, 1]);
  });

  it('reads once at a time, and again for a slice that arrived during the read', async () => {
    const { state, start, slice } = setUp();
    const call = start();
    await settle();
    let release = () => undefined as unknown;
    state.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    slice(11);
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(state.reads).toHaveLength(2);
    slice(12);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(state.reads).toHaveLength(2);
    Object.assign(state, { gate: null, heads: { [FEED]: 12 }, changed: true });
    release();
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect([isAnswered(call), state.reads.length]).toEqual([true, 3]);
  });

  it('wakes the other calls of its user with the numbers that it read', async () => {
    const { state, start } = setUp();
    const first = start();
    await settle();
    Object.assign(state, { heads: { [FEED]: 11 } });
    start();
    await settle();
    state.changed = true;
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect([isAnswered(first), state.reads.length]).toEqual([true, 3]);
  });

  it.each(['an outage of the bus', 'the heads of its feeds', 'a gained feed', 'a lost feed'])(
    'wakes by %s',
    async (how) => {
      const { state, start, known, subscriptions, followers } = setUp();
      known.set('ann', [authorization(FEED, 1), authorization('root:b', 1)]);
      state.heads = { [FEED]: 10, 'root:b': 10 };
      const call = start();
      await settle();
      state.changed = true;
      if (how === 'an outage of the bus') {
        known.set('ann', [authorization(FEED, 1, { seq: 11 }), authorization('root:b', 1)]);
        subscriptions.reauthorizeAll();
      } else if (how === 'the heads of its feeds') followers.noteHead(FEED, 11);
      else {
        const present = how === 'a gained feed' ? ['root:a', 'root:b'] : [];
        known.set(
          'ann',
          [FEED, ...present].map((feed) => authorization(feed, 1)),
        );
        followControl(subscriptions, { readers: ['ann'], feeds: [] });
      }
      await vi.advanceTimersByTimeAsync(WOKEN_MS);
      expect([isAnswered(call), state.reads.length]).toEqual([true, 2]);
    },
  );

  it('wakes when a grant ends by the clock', async () => {
    const { state, start, known } = setUp();
    const due = new Date(Date.now() + 5_000).toISOString();
    known.set('ann', [authorization(FEED, 1), authorization('root:b', 1, { due })]);
    state.heads = { [FEED]: 10, 'root:b': 10 };
    const call = start();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(state.reads).toHaveLength(1);
    known.set('ann', [authorization(FEED, 1)]);
    state.changed = true;
    await vi.advanceTimersByTimeAsync(WOKEN_MS + 1);
    expect(isAnswered(call)).toBe(true);
  });

  it('always reads at the end of its time', async () => {
    const { state, start } = setUp();
    const call = start({ waitMs: 20_000 });
    await vi.advanceTimersByTimeAsync(19_999);
    expect([isAnswered(call), state.reads.length]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(2);
    expect([isAnswered(call), state.reads.length]).toEqual([true, 2]);
    expect(call.outcome?.reply).toMatchObject({ ok: true, body: { nodes: [], heads: state.heads } });
  });

  it('gets an empty answer from its last position if no worker answers at the end of its time', async () => {
    const { state, start } = setUp();
    const call = start({ waitMs: 20_000 });
    await settle();
    state.gate = new Promise<void>(() => undefined);
    await vi.advanceTimersByTimeAsync(22_999);
    expect([isAnswered(call), state.reads.length]).toEqual([false, 2]);
    await vi.advanceTimersByTimeAsync(1);
    expect(call.outcome?.reply).toMatchObject({ ok: true, body: { nodes: [], position: JSON.stringify(state.heads) } });
  });

  it('shares a read with the calls of its user from the same position and with the same fields', async () => {
    const { state, start, slice } = setUp();
    const calls = [start(), start(), start({ fields: ['title'] }), start({ token: 'u' })];
    await settle();
    expect(state.reads).toHaveLength(4);
    slice(11);
    Object.assign(state, { heads: { [FEED]: 11 }, changed: true });
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(calls.every(isAnswered)).toBe(true);
    expect(state.reads).toHaveLength(4 + 2);
    expect(state.readers.slice(4)).toEqual(['ann', 'ann']);
  });

  it('[SCOPE1] shares no read with a token that has other scopes', async () => {
    const { state, start, slice } = setUp();
    const calls = [start(), start(), start({ token: 'reading' })];
    await settle();
    slice(11);
    Object.assign(state, { heads: { [FEED]: 11 }, changed: true });
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(calls.every(isAnswered)).toBe(true);
    expect(state.reads).toHaveLength(3 + 2);
  });

  it.each([
    ['before', 0],
    ['during', WOKEN_MS],
  ])('[ACL7 AUTH2] gets no shared answer if its own token ended %s the read', async (_, ms) => {
    const { state, start, slice } = setUp();
    const [present, ended] = [start({ token: 't' }), start({ token: 'u' })];
    await settle();
    let release = () => undefined as unknown;
    state.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    state.changed = true;
    slice(11);
    await vi.advanceTimersByTimeAsync(ms);
    // The notice of the end is lost.
    state.ended.set('u', refuse('unauthorized', 'The token has ended.'));
    release();
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(present.outcome?.reply).toMatchObject({ body: { nodes: [{ id: 'n' }] } });
    expect(ended.outcome?.reply).toMatchObject({ code: 'unauthorized' });
  });

  it('at the end of its time reads in turn, with the calls whose time is also up', async () => {
    const { state, start, slice } = setUp();
    const woken = start();
    const over = Array.from({ length: 40 }, (_, index) => start({ waitMs: 20_000, fields: [`${index}`] }));
    await settle();
    let release = () => undefined as unknown;
    state.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await vi.advanceTimersByTimeAsync(20_001);
    // All calls are of one user.
    expect(state.reads).toHaveLength(41 + 2);
    // A woken call does not wait for them.
    slice(11);
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(state.reads).toHaveLength(41 + 2 + 1);
    release();
    await settle();
    expect(over.every(isAnswered)).toBe(true);
    expect([isAnswered(woken), state.reads.length]).toEqual([false, 41 + 40 + 1]);
  });

  it('is refused if a later read is refused', async () => {
    const { state, start, slice } = setUp();
    const call = start();
    await settle();
    state.refusal = refuse('forbidden', 'No access.');
    slice(11);
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(call.outcome?.reply).toEqual(state.refusal);
  });

  it('waits on if the workers are too busy to read again, and answers the position that it reached', async () => {
    const { state, start, slice } = setUp();
    const call = start({ waitMs: 20_000 });
    await settle();
    state.refusal = refuse('unavailable', 'Away.');
    slice(11);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([state.reads.length, call.outcome]).toEqual([2, null]);
    await vi.advanceTimersByTimeAsync(10_001);
    expect(call.outcome?.reply).toMatchObject({ ok: true, body: { position: state.reads[1], nodes: [] } });
  });
});

describe('[LONG2] a waiting call', () => {
  it.each(['a disconnect', 'a stopping gateway', 'an ended token', 'an expired token', 'a disabled user'])(
    'releases everything at %s',
    async (how) => {
      const { state, start, calls, tokens, followers, stop } = setUp();
      const expires = how === 'an expired token' ? new Date(Date.now() + 3_000).toISOString() : null;
      const call = start({ token: 't', expires });
      await settle();
      expect([calls.count(), state.paused, followers.size()]).toEqual([1, 1, 1]);
      if (how === 'a disconnect') call.leave();
      if (how === 'a stopping gateway') calls.drain();
      if (how === 'an ended token') tokens.end({ tokens: ['t'] });
      if (how === 'a disabled user') tokens.end({ users: ['ann'] });
      await vi.advanceTimersByTimeAsync(how === 'an expired token' ? 3_000 : 0);
      const isEmpty = how === 'a disconnect' || how === 'a stopping gateway';
      expect(call.outcome?.reply).toMatchObject(
        isEmpty ? { body: { position: JSON.stringify(state.heads), nodes: [] } } : { code: 'unauthorized' },
      );
      expect([calls.count(), state.paused]).toEqual([0, 0]);
      // The follower waits for the next call of its user.
      await vi.advanceTimersByTimeAsync(5_000);
      expect(followers.size()).toBe(0);
      await vi.advanceTimersByTimeAsync(20_000);
      stop();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('ends at once while a read is in progress', async () => {
    const { state, start, slice, calls } = setUp();
    const call = start();
    await settle();
    state.gate = new Promise<void>(() => undefined);
    slice(11);
    await vi.advanceTimersByTimeAsync(WOKEN_MS);
    expect(state.reads).toHaveLength(2);
    call.leave();
    await settle();
    expect([calls.count(), state.paused]).toEqual([0, 0]);
  });

  it('does not begin if the client has disconnected or the gateway stops', async () => {
    const { start, calls } = setUp();
    calls.drain();
    const call = start();
    await settle();
    expect([isAnswered(call), calls.count()]).toEqual([true, 0]);
  });

  it('has a timer of its own, and shares the subscriptions of its user', async () => {
    const { start, calls, followers, feedLookup } = setUp();
    start();
    await settle();
    const timers = vi.getTimerCount();
    for (let more = 0; more < 19; more++) start();
    await settle();
    expect([calls.count(), followers.size(), feedLookup.looked]).toEqual([20, 1, 1]);
    expect(vi.getTimerCount() - timers).toBe(19);
  });

  it.each([
    ['of its user', { ofUser: 2 }, 'rate_limited'],
    ['of the gateway', { most: 2 }, 'unavailable'],
  ])('is refused past the bound %s, and the bound is free again afterwards', async (_, bounds, code) => {
    const { start, calls } = setUp(bounds);
    const [first] = [start(), start()];
    await settle();
    const refused = start();
    await settle();
    expect(refused.outcome?.reply).toMatchObject({ code });
    first.leave();
    await settle();
    const next = start();
    await settle();
    expect([isAnswered(next), calls.count()]).toEqual([false, 2]);
  });
});
