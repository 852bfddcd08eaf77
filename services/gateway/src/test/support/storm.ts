// A feed whose readers come and go, and a network between it and a gateway that delays, reorders and, if it may, loses what is sent.
import { joinRaises } from '@taskgraph/domain/access/departures';
import type { FeedRaise, SliceMessage } from '@taskgraph/wire/messages';
import fc from 'fast-check';
import { vi } from 'vitest';
import { followControl } from '../../realtime/rooms.ts';
import type { Readable, Subscriber } from '../../realtime/subscriber.ts';
import { authorizedRooms, type FakeSocket, userOf } from './rooms.ts';

const FEED = 'root:a';
/** Far less than slices are held. */
const SHORT_MS = 150;

export const KEEPERS = ['kay', 'kim'] as const;
const MOVERS = ['mo', 'max'] as const;
const ANYBODY = 'anybody';
type Reader = (typeof KEEPERS)[number] | (typeof MOVERS)[number] | typeof ANYBODY;

type Deed =
  | { readonly what: 'change' | 'publish' | 'unpublish' }
  | { readonly what: 'grant' | 'revoke'; readonly who: string };

/** `pick` chooses among what is under way. */
export type Step =
  | { readonly step: 'commit'; readonly deeds: readonly Deed[] }
  | { readonly step: 'arrive' | 'lose'; readonly pick: number }
  | { readonly step: 'read'; readonly who: Reader }
  | { readonly step: 'enter' | 'hold' | 'release' | 'wait' | 'look' };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Deed>({ what: 'change' }) },
  fc.constantFrom<Deed>({ what: 'publish' }, { what: 'unpublish' }),
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('grant' as const, 'revoke' as const),
      who: fc.constantFrom(...MOVERS),
    }),
  },
);

/** `faults`: whether messages get lost, and whether they may be under way for longer than slices are held. */
export function stepsOf({ faults }: { faults: boolean }): fc.Arbitrary<Step[]> {
  const pick = fc.nat(30);
  const usual: fc.WeightedArbitrary<Step>[] = [
    {
      weight: 6,
      arbitrary: fc.record({
        step: fc.constant('commit' as const),
        deeds: fc.array(deed, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 8, arbitrary: fc.record({ step: fc.constant('arrive' as const), pick }) },
    {
      weight: 2,
      arbitrary: fc.record({
        step: fc.constant('read' as const),
        who: fc.constantFrom(...KEEPERS, ...MOVERS, ANYBODY),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ step: fc.constantFrom('enter' as const, 'hold' as const, 'release' as const) }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ step: 'wait' }) },
  ];
  const faulty: fc.WeightedArbitrary<Step>[] = [
    { weight: 3, arbitrary: fc.record({ step: fc.constant('lose' as const), pick }) },
    { weight: 1, arbitrary: fc.constant<Step>({ step: 'look' }) },
  ];
  return fc.array(fc.oneof(...usual, ...(faults ? faulty : [])), { maxLength: 80, size: 'max' });
}

/** One socket of a reader, a user or a token, with the number of its feed's head when it was told `connected`. */
export interface Listener {
  readonly who: string;
  readonly socket: FakeSocket;
  readonly head: number;
}

export function createStorm({ faults }: { faults: boolean }) {
  const { rooms, known, hold, counts, newSocket } = authorizedRooms();
  const access = new Set<string>([...KEEPERS, ...MOVERS]);
  const truth = { epoch: 1, seq: 0, isPublic: true, publications: 1 };
  /** By number, who could read when it was committed. */
  const readers = new Map<number, ReadonlySet<string>>();
  const underWay: (() => void)[] = [];
  const listeners: Listener[] = [];
  const subscribers = new Map<Listener, Subscriber>();
  const arriving: { who: string; readable: Readable[] }[] = [];
  let release: (() => void) | null = null;

  /** Each publication has its own. */
  const token = () => `token ${truth.publications}`;
  const readable = (): Readable => ({ feed: FEED, epoch: truth.epoch, seq: truth.seq, due: null });
  function know(): void {
    for (const who of [...KEEPERS, ...MOVERS]) known.users.set(who, access.has(who) ? [readable()] : []);
    known.tokens.clear();
    if (truth.isPublic) known.tokens.set(token(), readable());
  }
  function mayRead(who: Reader): boolean {
    return who === ANYBODY ? truth.isPublic : access.has(who);
  }

  /** One step of the feed; its raise, if it has one. */
  function apply(each: Deed, readersOf: Set<string>): FeedRaise | null {
    if (each.what === 'grant' && !access.has(each.who)) {
      access.add(each.who);
      readersOf.add(each.who);
    }
    if (each.what === 'publish' && !truth.isPublic) {
      truth.isPublic = true;
      truth.publications++;
    }
    const previous = truth.epoch;
    if (each.what === 'revoke' && access.delete(each.who)) {
      readersOf.add(each.who);
      return { feed: FEED, previous, epoch: ++truth.epoch, leaving: [{ user: each.who }] };
    }
    if (each.what !== 'unpublish' || !truth.isPublic) return null;
    truth.isPublic = false;
    return { feed: FEED, previous, epoch: ++truth.epoch, leaving: [], public: {} };
  }

  function commit(deeds: readonly Deed[]): void {
    const slices: SliceMessage[] = [];
    const moved = new Set<string>();
    let raised: FeedRaise | null = null;
    for (const each of deeds) {
      const raise = apply(each, moved);
      if (raise !== null) raised = raised === null ? raise : joinRaises(raised, raise);
      const shown = truth.isPublic ? { public: true as const } : {};
      slices.push({ feed: FEED, epoch: truth.epoch, seq: ++truth.seq, diff: {}, ...shown });
      readers.set(truth.seq, new Set([...access, ...(truth.isPublic ? [token()] : [])]));
    }
    know();
    const message = { readers: [...moved], feeds: raised === null ? [] : [raised] };
    if (moved.size > 0 || raised !== null) underWay.push(() => followControl(rooms, message));
    for (const slice of slices) underWay.push(() => rooms.take(slice, 100));
  }

  function arrive(pick: number): void {
    const [message] = underWay.splice(pick % Math.max(1, underWay.length), 1);
    message?.();
  }

  function enter(who: string, read: Readable[]): void {
    const socket = newSocket();
    const listener = { who, socket, head: read[0]?.seq ?? 0 };
    listeners.push(listener);
    const isUser = known.users.has(who);
    subscribers.set(listener, rooms.enter(socket, isUser ? userOf(who) : { kind: 'public', token: who }, read));
  }

  async function take(step: Step): Promise<void> {
    if (step.step === 'commit') commit(step.deeds);
    if (step.step === 'arrive') arrive(step.pick);
    if (step.step === 'lose') underWay.splice(step.pick % Math.max(1, underWay.length), 1);
    if (step.step === 'look') rooms.catchUp(FEED, truth.epoch);
    if (step.step === 'hold') release ??= hold();
    if (step.step === 'release') letGo();
    // A reader of nothing is not let in.
    if (step.step === 'read' && mayRead(step.who)) {
      await rooms.listen([FEED]);
      arriving.push({ who: step.who === ANYBODY ? token() : step.who, readable: [readable()] });
    }
    if (step.step === 'enter') for (const { who, readable } of arriving.splice(0, 1)) enter(who, readable);
    if (step.step === 'wait') {
      // A message that is not lost comes in time, unless there are faults.
      if (!faults) flush();
      await vi.advanceTimersByTimeAsync(faults ? 1_500 : SHORT_MS);
    }
    await vi.advanceTimersByTimeAsync(0);
  }

  function letGo(): void {
    release?.();
    release = null;
  }
  function flush(): void {
    while (underWay.length > 0) arrive(7);
  }

  know();
  for (const who of [...KEEPERS, ...MOVERS, token()]) enter(who, [readable()]);
  return {
    counts,
    listeners,
    take,
    /** Lets all arrive that is under way, has the heads looked at, and gives time. */
    async settle(): Promise<void> {
      letGo();
      flush();
      await vi.advanceTimersByTimeAsync(0);
      rooms.catchUp(FEED, truth.epoch);
      await vi.advanceTimersByTimeAsync(faults ? 10_000 : SHORT_MS);
    },
    head: () => truth.seq,
    couldRead: (who: string, seq: number) => readers.get(seq)?.has(who) === true,
    /** Ends what still runs. */
    stop(): void {
      for (const subscriber of subscribers.values()) rooms.remove(subscriber);
      rooms.stop();
    },
  };
}

/** The numbers of the diffs that a socket was sent, in order. */
export function heardBy({ socket }: Listener): number[] {
  return socket.sent.flatMap(([event, body]) => (event === 'graph:diff' ? [(body as { seq: number }).seq] : []));
}
