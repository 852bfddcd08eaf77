// The lanes that turn what waits in the actors' mailboxes into groups (docs/design/group-commit.md).

import { refusalReply, refuse } from '@taskgraph/wire/errors';
import { groupJobs } from './group-jobs.ts';
import type { Job } from './job.ts';
import { createAloneLane } from './large/lane.ts';
import { createWaiting } from './mailboxes.ts';

/** Commands of a group that are not answered yet. Of each slot these are the last ones of the group, in order. */
export interface Unfinished {
  /** The first of each slot has to go alone, and those behind it in the slot wait for it. */
  readonly stuck: readonly Job[];
  /** Something in the group held them up: they go on slot by slot, apart from others. */
  readonly heldUp: readonly Job[];
  /** Whether a failure met the group, be it answered or not. */
  readonly failed: boolean;
}

export interface MailboxOptions {
  /** How many groups commit at once. */
  readonly lanes: number;
  /** How many parts of groups that were held up commit at once, besides the lanes. */
  readonly partLanes: number;
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  /** Most commands that wait in this worker; past it they are refused. */
  readonly waitingCommands: number;
  /** Most bytes of payload that wait in this worker. */
  readonly waitingBytes: number;
  /** What part of each of these two one user may have; all of it if not given. */
  readonly userShares?: { readonly commands: number; readonly bytes: number };
  /** Most commands that wait to go alone; past it they are refused. */
  readonly aloneCommands: number;
  /** Most bytes of payload that wait to go alone. */
  readonly aloneBytes: number;
  /**
   * Most milliseconds that a lane rests after a group of several, so that those who were just answered can join the next one. It never
   * rests for longer than a seventh of what the group took.
   */
  readonly restMs: number;
  readonly nowMs: () => number;
  /** Told of each command whose deadline passed while it waited. */
  readonly onLate?: () => void;
  /** Tries to commit a group of many slots, and answers each of its jobs save the unfinished. It must not reject. */
  readonly commit: (group: Job[]) => Promise<Unfinished>;
  /** The same for commands of one slot, with all the patience that this takes: what has to go alone is all that it leaves. */
  readonly commitPart: (group: Job[]) => Promise<Unfinished>;
  /** Commits one command in a transaction of its own, and answers it. It must not reject. */
  readonly commitAlone: (job: Job) => Promise<void>;
}

export interface Mailboxes {
  /** Puts a job into the mailbox of its slot. */
  deliver(job: Job): void;
  /** Resolves when nothing waits and nothing commits. */
  idle(): Promise<void>;
  /** What waits now; what commits is not in it. `alone`: commands that wait to go alone, besides the others. */
  waiting(): { readonly commands: number; readonly bytes: number; readonly alone: number };
  /** How many jobs were taken so far. */
  delivered(): number;
}

/** One of the places where a group commits. */
interface Lane {
  busy: boolean;
  /** When its present or last group started, by performance.now(). */
  startedAt: number;
  /** By performance.now(); before it the lane starts only a group as large as its last. */
  restUntil: number;
  lastSize: number;
}

/** Groups smaller than this are no load: nobody waits for company then. */
const SMALLEST_LOAD = 4;
const REST_SHARE = 1 / 7;
/**
 * What one user's commands may take of what may wait: behind a large command of theirs they wait for long, and others must not be refused
 * for want of room meanwhile. A connection has 256 calls under way.
 */
export const USER_SHARES = { commands: 1 / 8, bytes: 1 / 4 };
const WHOLE = { commands: 1, bytes: 1 };
/** A second lane opens when a group takes longer than this: others must not wait for it. */
const HELP_AFTER_MS = 100;

/**
 * Takes jobs and commits them in groups. A slot is in one group at a time, which is what makes it an actor: its commands are
 * decided one after the other. While a lane commits, the next group gathers: no added latency when idle, groups under load.
 * Clients that wait for their answers come back a little after each commit; a short rest lets them share a group again, where
 * otherwise the first to come would take the lane for itself and split the others for ever.
 *
 * A lane only ever tries a group. What the group can't be done with leaves it, so that the other slots go on: a large command to the lane
 * of those that go alone, which keeps its slot meanwhile; after a failure everything, slot by slot, to lanes for such parts. A slot whose
 * part fails as well stays apart until one goes smoothly: what waits for a lock, or takes long, is not put before others again.
 */
export function createMailboxes(options: MailboxOptions): Mailboxes {
  const waiting = createWaiting(options);
  const alone = createAloneLane({
    commands: options.aloneCommands,
    bytes: options.aloneBytes,
    commit: options.commitAlone,
    otherWork: () => delivered,
  });
  let delivered = 0;
  /** Slots whose commands are at work, in whichever lane. */
  const committing = new Set<number>();
  /** Slots whose commands go apart from others. */
  const apart = new Set<number>();
  let parts = 0;
  const lanes: Lane[] = Array.from({ length: options.lanes }, () => ({
    busy: false,
    startedAt: 0,
    restUntil: 0,
    lastSize: 0,
  }));
  let alarm: ReturnType<typeof setTimeout> | null = null;
  let alarmAt = 0;
  let scheduled = false;
  let whenIdle: (() => void)[] = [];

  const { waitingCommands, waitingBytes, userShares = WHOLE } = options;
  const hasRoomFor = ({ message }: Job): boolean => {
    const own = waiting.of(message.actor.id);
    return (
      waiting.count() < waitingCommands &&
      waiting.bytes() < waitingBytes &&
      own.commands < waitingCommands * userShares.commands &&
      own.bytes < waitingBytes * userShares.bytes
    );
  };

  /** The soonest of what idle lanes wait for; every look at the lanes sets it anew. */
  const lookAgainIn = (delayMs: number) => {
    const at = performance.now() + delayMs;
    if (alarm !== null && at >= alarmAt) return;
    if (alarm !== null) clearTimeout(alarm);
    alarmAt = at;
    alarm = setTimeout(() => {
      alarm = null;
      pump();
    }, delayMs);
  };

  /**
   * Whether a lane may start now. While another is at work, one large group is cheaper than two small ones, so that a second starts
   * only if there is a group's worth, or the first takes long.
   */
  const mayStart = (lane: Lane): boolean => {
    const count = waiting.count();
    if (count >= options.groupSize) return true;
    const now = performance.now();
    const others = lanes.filter(({ busy }) => busy).map(({ startedAt }) => startedAt + HELP_AFTER_MS);
    const left = others.length > 0 ? Math.min(...others) - now : count >= lane.lastSize ? 0 : lane.restUntil - now;
    if (left > 0) lookAgainIn(left);
    return left <= 0;
  };

  const pump = () => {
    scheduled = false;
    for (const lane of lanes) {
      if (lane.busy || waiting.count() === 0 || !mayStart(lane)) continue;
      const group = waiting.gather((slot) => !committing.has(slot) && !apart.has(slot));
      if (group.length > 0) void run(lane, group);
    }
    if (apart.size > 0) startParts();
    if (isIdle()) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  const startParts = () => {
    for (const slot of waiting.slots()) {
      if (parts >= options.partLanes) return;
      if (!apart.has(slot) || committing.has(slot)) continue;
      const part = waiting.gatherOf(slot);
      if (part.length > 0) void runPart(slot, part);
    }
  };

  const isIdle = () => waiting.count() === 0 && parts === 0 && !alone.busy() && lanes.every(({ busy }) => !busy);

  const run = async (lane: Lane, group: Job[]) => {
    const slots = new Set(group.map(({ slot }) => slot));
    for (const slot of slots) committing.add(slot);
    lane.busy = true;
    lane.startedAt = performance.now();
    const unfinished = await options.commit(group);
    const endedAt = performance.now();
    const restMs = Math.min(options.restMs, (endedAt - lane.startedAt) * REST_SHARE);
    lane.restUntil = group.length >= SMALLEST_LOAD ? endedAt + restMs : 0;
    lane.lastSize = group.length;
    lane.busy = false;
    settle(slots, unfinished);
  };

  const runPart = async (slot: number, part: Job[]) => {
    parts++;
    committing.add(slot);
    const unfinished = await options.commitPart(part);
    parts--;
    if (!unfinished.failed) apart.delete(slot);
    settle([slot], unfinished);
  };

  const settle = (slots: Iterable<number>, { stuck, heldUp }: Unfinished) => {
    for (const slot of slots) committing.delete(slot);
    for (const { slot } of heldUp) apart.add(slot);
    waiting.giveBack(heldUp);
    for (const [slot, [first, ...behind]] of groupJobs(stuck, (job) => job.slot)) {
      waiting.giveBack(behind);
      committing.add(slot);
      void alone.take(first as Job).then(() => {
        committing.delete(slot);
        pump();
      });
    }
    pump();
  };

  return {
    deliver(job) {
      if (!hasRoomFor(job)) {
        job.answer(refusalReply(refuse('unavailable', 'Too many commands are waiting.', { outcome: 'not_done' })));
        return;
      }
      waiting.put(job);
      delivered++;
      // At the end of the turn, so that all commands of one network read can share a group.
      if (!scheduled) {
        scheduled = true;
        setImmediate(pump);
      }
    },
    idle() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
    delivered: () => delivered,
    waiting: () => ({ commands: waiting.count(), bytes: waiting.bytes(), alone: alone.waiting() }),
  };
}
