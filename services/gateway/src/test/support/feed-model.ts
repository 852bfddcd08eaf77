// A reference model of one feed whose readers come and go, and a network to one gateway that delays
// and reorders messages and, with faults, loses them. It is long, since a model is read as a whole.
import { mergeEpochBumps } from '@taskgraph/domain/access/access-losses';
import type { FeedEpochBump, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { isRefusal } from '@taskgraph/wire/errors';
import fc from 'fast-check';
import { vi } from 'vitest';
import { CACHE_MS } from '../../realtime/feed-lookup-cache.ts';
import { type FeedAuthorization, roomOf, type UserFeeds } from '../../realtime/subscriber.ts';
import type { Subscriber } from '../../realtime/subscription.ts';
import { followControl } from '../../realtime/subscriptions.ts';
import { type FakeSocket, testSubscriptions, userOf } from './subscriptions.ts';

const FEED = 'root:a';
const PUBLISHED_NODE = 'a';
/** Much less than the time for which slices are held. */
const SHORT_MS = 150;

/** Users who always have access. */
export const KEEPERS = ['kay', 'kim'] as const;
/** Users who gain and lose access. */
const MOVERS = ['mo', 'max'] as const;
/** An anonymous reader with the current public token. */
const ANONYMOUS = 'anonymous';
type Reader = (typeof KEEPERS)[number] | (typeof MOVERS)[number] | typeof ANONYMOUS;

type Change =
  | { readonly what: 'edit' | 'publish' | 'unpublish' }
  | { readonly what: 'grant' | 'revoke'; readonly who: string }
  /** Moves the end of a reader's access: forward or back, from none or to none (`inMs` null). */
  | { readonly what: 'end'; readonly who: string; readonly inMs: number | null };

/** `pick` chooses among the messages in flight. */
export type Step =
  | { readonly step: 'commit'; readonly changes: readonly Change[] }
  | { readonly step: 'arrive' | 'lose'; readonly pick: number }
  | { readonly step: 'read' | 'connect'; readonly who: Reader }
  | { readonly step: 'enter' | 'hold' | 'release' | 'wait' | 'look' | 'disconnect' | 'reconnect' };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Change>({ what: 'edit' }) },
  fc.constantFrom<Change>({ what: 'publish' }, { what: 'unpublish' }),
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('grant' as const, 'revoke' as const),
      who: fc.constantFrom(...MOVERS),
    }),
  },
);

const endChange: fc.Arbitrary<Change> = fc.record({
  what: fc.constant('end' as const),
  who: fc.constantFrom(...MOVERS, ANONYMOUS),
  inMs: fc.constantFrom(-1, 0, 100, 400, 2_000, null),
});

interface ModelOptions {
  /** Whether messages get lost, and may be in flight for longer than slices are held. */
  readonly faults: boolean;
  /** Whether the ends of accesses move. */
  readonly ends?: boolean;
}

export function stepsOf({ faults, ends = false }: ModelOptions): fc.Arbitrary<Step[]> {
  const pick = fc.nat(30);
  const changes = ends ? fc.oneof({ weight: 3, arbitrary: change }, { weight: 2, arbitrary: endChange }) : change;
  const usual: fc.WeightedArbitrary<Step>[] = [
    {
      weight: 6,
      arbitrary: fc.record({
        step: fc.constant('commit' as const),
        changes: fc.array(changes, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 8, arbitrary: fc.record({ step: fc.constant('arrive' as const), pick }) },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant('read' as const),
        who: fc.constantFrom(...KEEPERS, ...MOVERS, ANONYMOUS),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ step: fc.constantFrom('enter' as const, 'hold' as const, 'release' as const) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        step: fc.constant('connect' as const),
        who: fc.constantFrom(...KEEPERS, ...MOVERS),
      }),
    },
    { weight: ends ? 3 : 1, arbitrary: fc.constant<Step>({ step: 'wait' }) },
  ];
  const faulty: fc.WeightedArbitrary<Step>[] = [
    { weight: 3, arbitrary: fc.record({ step: fc.constant('lose' as const), pick }) },
    { weight: 1, arbitrary: fc.constant<Step>({ step: 'look' }) },
    // Outages of Redis are short, since no socket is copied then.
    { weight: 1, arbitrary: fc.record({ step: fc.constantFrom('disconnect' as const, 'reconnect', 'reconnect') }) },
  ];
  return fc.array(fc.oneof(...usual, ...(faults ? faulty : [])), { maxLength: 80, size: 'max' });
}

/** One socket of a user or a token, with the feed's head in its `connected`. */
export interface Listener {
  readonly who: string;
  readonly socket: FakeSocket;
  readonly head: number;
}

/**
 * Fakes the clock for models. It starts above 0: the cache of look-ups takes this time for none, and
 * its timers would ring every millisecond of all later runs.
 */
export function useModelClock(): void {
  vi.useFakeTimers();
  vi.advanceTimersByTime(1);
}

export function createFeedModel({ faults }: ModelOptions) {
  const { subscriptions, known, hold, counts, newSocket, state } = testSubscriptions();
  const granted = new Set<string>([...KEEPERS, ...MOVERS]);
  const truth = { epoch: 1, seq: 0, isPublic: true, publications: 1 };
  /** When accesses end by the clock; of the publication by `ANONYMOUS`. */
  const ends = new Map<string, number>();
  /** By number, the readers with access when it was committed. */
  const readers = new Map<number, ReadonlySet<string>>();
  const inFlight: (() => void)[] = [];
  const listeners: Listener[] = [];
  const subscribers = new Map<Listener, Subscriber>();
  const connecting: { who: string; feeds: FeedAuthorization[] }[] = [];
  let release: (() => void) | null = null;
  /** What the gateway saw in messages: a head, and after how many look-ups they named a user. */
  const seen = { epoch: 1, seq: 0, named: new Map<string, number>() };
  /** The highest number that only sockets of other gateways received, while Redis was away. */
  let elsewhere = 0;
  /** How many look-ups began before Redis went away or came back. */
  let lookupsBeforeOutage = 0;
  /** The times at which look-ups of connecting users began. A position is an index. */
  const lookups: number[] = [];
  /** Why sockets should not have been copied (F8). */
  const outdatedCopies: string[] = [];

  /** Each publication has a token of its own. */
  const token = () => `token ${truth.publications}`;
  const hasEnded = (who: string) => (ends.get(who) ?? Number.POSITIVE_INFINITY) <= Date.now();
  const mayRead = (who: string) => (who === ANONYMOUS ? truth.isPublic : granted.has(who)) && !hasEnded(who);
  const usersWithAccess = () => [...KEEPERS, ...MOVERS].filter(mayRead);

  function authorizationOf(who: string): FeedAuthorization {
    const end = ends.get(who);
    const due = end === undefined ? null : new Date(end).toISOString();
    return { feed: FEED, epoch: truth.epoch, seq: truth.seq, due };
  }

  /** Lets workers answer by the present truth. */
  function updateAnswers(): void {
    for (const who of [...KEEPERS, ...MOVERS]) known.users.set(who, mayRead(who) ? [authorizationOf(who)] : []);
    known.tokens.clear();
    if (mayRead(ANONYMOUS)) known.tokens.set(token(), authorizationOf(ANONYMOUS));
  }

  interface Commit {
    /** Users and published nodes that the control message names. */
    readonly readers: Set<string>;
    readonly publications: Set<string>;
  }

  /** Raises the epoch, with the leaving readers and the ends of their access. */
  function bump(who: string, until: { due?: string }): FeedEpochBump {
    const previous = truth.epoch++;
    const named = who === ANONYMOUS ? { leaving: [], public: until } : { leaving: [{ user: who, ...until }] };
    return { feed: FEED, previous, epoch: truth.epoch, ...named };
  }

  function moveEnd(who: string, inMs: number | null, { readers, publications }: Commit): FeedEpochBump | null {
    if (!mayRead(who)) return null;
    const before = ends.get(who) ?? Number.POSITIVE_INFINITY;
    const after = inMs === null ? Number.POSITIVE_INFINITY : Date.now() + inMs;
    if (inMs === null) ends.delete(who);
    else ends.set(who, after);
    if (who === ANONYMOUS) publications.add(PUBLISHED_NODE);
    else readers.add(who);
    return after < before ? bump(who, { due: new Date(after).toISOString() }) : null;
  }

  /** Applies one change; returns its epoch bump, if it has one. */
  function apply(each: Change, commit: Commit): FeedEpochBump | null {
    switch (each.what) {
      case 'edit':
        return null;
      case 'grant':
        if (!mayRead(each.who)) {
          granted.add(each.who);
          ends.delete(each.who);
          commit.readers.add(each.who);
        }
        return null;
      case 'revoke':
        if (!granted.delete(each.who)) return null;
        ends.delete(each.who);
        commit.readers.add(each.who);
        return bump(each.who, {});
      case 'publish':
        if (!mayRead(ANONYMOUS)) {
          truth.isPublic = true;
          ends.delete(ANONYMOUS);
          truth.publications++;
        }
        return null;
      case 'unpublish':
        if (!truth.isPublic) return null;
        truth.isPublic = false;
        ends.delete(ANONYMOUS);
        return bump(ANONYMOUS, {});
      case 'end':
        return moveEnd(each.who, each.inMs, commit);
    }
  }

  function commit(changes: readonly Change[]): void {
    const slices: SliceMessage[] = [];
    const named: Commit = { readers: new Set(), publications: new Set() };
    let joined: FeedEpochBump | null = null;
    for (const each of changes) {
      const raise = apply(each, named);
      if (raise !== null) joined = joined === null ? raise : mergeEpochBumps(joined, raise);
      const shown = mayRead(ANONYMOUS) ? { public: true as const } : {};
      slices.push({ feed: FEED, epoch: truth.epoch, seq: ++truth.seq, diff: {}, ...shown });
      readers.set(truth.seq, new Set([...usersWithAccess(), ...(mayRead(ANONYMOUS) ? [token()] : [])]));
    }
    updateAnswers();
    const message = {
      readers: [...named.readers],
      publications: [...named.publications],
      feeds: joined === null ? [] : [joined],
    };
    if (named.readers.size > 0 || named.publications.size > 0 || joined !== null) {
      inFlight.push(() => {
        for (const { epoch } of message.feeds) seen.epoch = Math.max(seen.epoch, epoch);
        for (const who of message.readers) seen.named.set(who, lookups.length);
        followControl(subscriptions, message);
      });
    }
    for (const slice of slices) {
      inFlight.push(() => {
        if (!state.isConnected) {
          elsewhere = Math.max(elsewhere, slice.seq);
          return;
        }
        seen.epoch = Math.max(seen.epoch, slice.epoch);
        seen.seq = Math.max(seen.seq, slice.seq);
        subscriptions.receive(slice, 100);
      });
    }
  }

  /** Connects a further socket, from another's subscriptions or by a look-up. */
  async function connect(who: Reader): Promise<void> {
    const audience = userOf(who);
    await subscriptions.listen([FEED]);
    let isCopied = true;
    const lookUp = async () => {
      isCopied = false;
      const position = String(lookups.push(performance.now()) - 1);
      // As a worker, which answers by the present truth; the answer may take a while.
      const feeds = mayRead(who) ? [authorizationOf(who)] : [];
      await state.held;
      return { feeds, position };
    };
    const found = await subscriptions.feedsOf(audience.user, lookUp);
    if (found === null || isRefusal(found)) return;
    if (isCopied) outdatedCopies.push(...faultsOfCopy(who, found));
    if (found.feeds.length > 0) connecting.push({ who, feeds: [...found.feeds] });
  }

  function faultsOfCopy(who: string, { feeds, position }: UserFeeds): string[] {
    const lookup = Number(position);
    // A copy without the feed has no number that could be outdated.
    const [{ epoch, seq } = { epoch: Number.POSITIVE_INFINITY, seq: Number.POSITIVE_INFINITY }] = feeds;
    return [
      ...(seq < seen.seq ? [`${who} is copied at number ${seq} after number ${seen.seq} was seen`] : []),
      ...(seq < elsewhere ? [`${who} is copied at number ${seq}, and may have number ${elsewhere}`] : []),
      ...(epoch < seen.epoch ? [`${who} is copied at epoch ${epoch} after epoch ${seen.epoch} was seen`] : []),
      ...(lookup < (seen.named.get(who) ?? 0) ? [`${who} is copied by a look-up before a message named them`] : []),
      ...((lookups[lookup] ?? 0) + CACHE_MS <= performance.now() ? [`${who} is copied by an old look-up`] : []),
      ...(lookup < lookupsBeforeOutage ? [`${who} is copied by a look-up from before an outage`] : []),
      ...(state.isConnected ? [] : [`${who} is copied while Redis is away`]),
    ];
  }

  function arrive(pick: number): void {
    const [message] = inFlight.splice(pick % Math.max(1, inFlight.length), 1);
    message?.();
  }

  function enter(who: string, feeds: FeedAuthorization[]): void {
    const socket = newSocket();
    const listener = { who, socket, head: feeds[0]?.seq ?? 0 };
    listeners.push(listener);
    const isUser = known.users.has(who);
    subscribers.set(listener, subscriptions.add(socket, isUser ? userOf(who) : { kind: 'public', token: who }, feeds));
  }

  async function take(step: Step): Promise<void> {
    updateAnswers();
    if (step.step === 'commit') commit(step.changes);
    if (step.step === 'arrive') arrive(step.pick);
    if (step.step === 'lose') inFlight.splice(step.pick % Math.max(1, inFlight.length), 1);
    if (step.step === 'look') look();
    if (step.step === 'disconnect' || step.step === 'reconnect') {
      const isConnected = step.step === 'reconnect';
      if (isConnected !== state.isConnected) {
        state.isConnected = isConnected;
        lookupsBeforeOutage = lookups.length;
        subscriptions.dropFeedLookups();
      }
    }
    if (step.step === 'connect') void connect(step.who);
    if (step.step === 'hold') release ??= hold();
    if (step.step === 'release') releaseAnswers();
    // A reader of nothing is not admitted.
    if (step.step === 'read' && mayRead(step.who)) {
      await subscriptions.listen([FEED]);
      connecting.push({ who: step.who === ANONYMOUS ? token() : step.who, feeds: [authorizationOf(step.who)] });
    }
    if (step.step === 'enter') for (const { who, feeds } of connecting.splice(0, 1)) enter(who, feeds);
    if (step.step === 'wait') {
      // Without faults a message arrives in time.
      if (!faults) flush();
      await vi.advanceTimersByTimeAsync(faults ? 1_500 : SHORT_MS);
      updateAnswers();
    }
    await vi.advanceTimersByTimeAsync(0);
  }

  function look(): void {
    const { epoch, seq } = truth;
    Object.assign(seen, { epoch, seq });
    subscriptions.noteHead(FEED, { epoch, seq });
  }

  function releaseAnswers(): void {
    release?.();
    release = null;
  }
  function flush(): void {
    while (inFlight.length > 0) arrive(7);
  }

  updateAnswers();
  for (const who of [...KEEPERS, ...MOVERS, token()]) enter(who, [authorizationOf(who)]);
  return {
    counts,
    listeners,
    take,
    /** Delivers messages in flight, reads the heads, and advances the time. */
    async settle(): Promise<void> {
      state.isConnected = true;
      releaseAnswers();
      flush();
      updateAnswers();
      await vi.advanceTimersByTimeAsync(0);
      look();
      await vi.advanceTimersByTimeAsync(faults ? 10_000 : SHORT_MS);
    },
    head: () => truth.seq,
    held: subscriptions.held,
    outdatedCopies: () => outdatedCopies,
    couldRead: (who: string, seq: number) => readers.get(seq)?.has(who) === true,
    /** The rooms in which a listener's subscriptions are live. */
    liveRooms(listener: Listener): string[] {
      const subscriber = subscribers.get(listener);
      const live = [...(subscriber?.subscriptions ?? [])].filter(({ state }) => state.kind === 'live');
      return live.map(({ feed }) => roomOf(subscriber?.audience.kind ?? 'user', feed));
    },
    /**
     * The ends by the clock that have passed, of a listener's subscriptions that have not ended.
     */
    overdue(listener: Listener): number[] {
      const present = [...(subscribers.get(listener)?.subscriptions ?? [])];
      return present.flatMap(({ endsAt }) => (endsAt !== null && endsAt <= Date.now() ? [endsAt] : []));
    },
    /** Removes all subscribers and stops the timers. */
    stop(): void {
      for (const subscriber of subscribers.values()) subscriptions.remove(subscriber);
      subscriptions.stop();
    },
  };
}

/** The numbers of the diffs that a socket received, in order. */
export function receivedBy({ socket }: Listener): number[] {
  return socket.sent.flatMap(([event, body]) => (event === 'graph:diff' ? [(body as { seq: number }).seq] : []));
}
