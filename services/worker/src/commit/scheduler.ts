// Turns what waits in the actors' mailboxes into groups, and commits a few of them at a time (docs/design/group-commit.md).

import { refusalReply, refuse } from '@taskgraph/wire/errors';
import { createGathering } from './gathering.ts';
import { groupJobs } from './group-jobs.ts';
import type { Job } from './job.ts';
import { createLargeQueue } from './large/queue.ts';
import { createMailboxes } from './mailboxes.ts';

/** Commands of a group that are not answered yet. Of each slot these are the last ones of the group, in order. */
export interface Unfinished {
  /** The first of each slot has to go alone, and those behind it in the slot wait for it. */
  readonly stuck: readonly Job[];
  /** The others were enough for one group: they go on with the next one. */
  readonly later: readonly Job[];
  /** Something in the group held them up: they go on slot by slot, apart from others. */
  readonly heldUp: readonly Job[];
  /** Whether a failure met the group, be it answered or not. */
  readonly failed: boolean;
}

export interface SchedulerOptions {
  /** How many groups commit at once. */
  readonly concurrency: number;
  /** How many parts of groups that were held up commit at once, besides these. */
  readonly partConcurrency: number;
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  /** Most commands that wait in this worker; past it they are refused. */
  readonly waitingCommands: number;
  /** Most bytes of payload that wait in this worker. */
  readonly waitingBytes: number;
  /** The part of each of these two that one user may have; all of it if not given. */
  readonly userShares?: { readonly commands: number; readonly bytes: number };
  /** Most large commands that wait; past it they are refused. */
  readonly largeCommands: number;
  /** Most bytes of their payload that wait. */
  readonly largeBytes: number;
  readonly nowMs: () => number;
  /** Told of each command whose deadline passed while it waited. */
  readonly onLate?: () => void;
  /** Tries to commit a group of many slots, and answers each of its jobs save the unfinished. It must not reject. */
  readonly commit: (group: Job[]) => Promise<Unfinished>;
  /** The same for commands of one slot, with all the patience that this takes: what has to go alone is all that it leaves. */
  readonly commitPart: (group: Job[]) => Promise<Unfinished>;
  /** Commits one command in a transaction of its own, and answers it. It must not reject. */
  readonly commitLarge: (job: Job) => Promise<void>;
}

export interface Scheduler {
  /** Puts a job into the mailbox of its slot. */
  deliver(job: Job): void;
  /** Resolves when nothing waits and nothing commits. */
  idle(): Promise<void>;
  /** The number that waits now; what commits is not in it. `large`: large commands that wait, besides the others. */
  waiting(): { readonly commands: number; readonly bytes: number; readonly large: number };
  /** How many jobs were taken so far. */
  delivered(): number;
}

/**
 * The share of one user's commands in what may wait: behind a large command of theirs they wait for long, and others must not be refused
 * for want of room meanwhile. A connection has up to 256 calls under way.
 */
export const USER_SHARES = { commands: 1 / 8, bytes: 1 / 4 };
const WHOLE = { commands: 1, bytes: 1 };
/** A group that takes longer than this no longer keeps the next one waiting. */
const OVERLAP_AFTER_MS = 100;

/**
 * Takes jobs and commits them in groups. A slot is in one group at a time, which is what makes it an actor: its commands are
 * decided one after the other. While a group commits, the next one gathers: no added latency when idle, groups under load.
 *
 * A group is only ever tried. A command that can't be done with it leaves it, so that the other slots go on: a large command to those that go alone,
 * which keeps its slot meanwhile; after a failure everything, slot by slot. A slot whose part fails as well stays apart until one goes
 * smoothly: what waits for a lock, or takes long, is not put before others again.
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const waiting = createMailboxes(options);
  const gathering = createGathering();
  const large = createLargeQueue({
    commands: options.largeCommands,
    bytes: options.largeBytes,
    commit: options.commitLarge,
    otherWork: () => delivered,
  });
  let delivered = 0;
  /** Slots whose commands are at work, in a group, a part or alone. */
  const committing = new Set<number>();
  /** Slots whose commands go apart from others. */
  const apart = new Set<number>();
  let parts = 0;
  /** When each group that commits now started, by performance.now(). */
  const groups = new Set<{ readonly startedAt: number }>();
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

  /** The soonest of all that is waited for. */
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
   * Whether a group may start now. The callers of the last one are waited for a while. While another commits, one large group is cheaper than
   * two small ones, so that a second starts only if there is a group's worth, or the first takes long.
   */
  const mayStart = (): boolean => {
    if (waiting.count() === 0 || groups.size >= options.concurrency) return false;
    if (waiting.count() >= options.groupSize) return true;
    const left = groups.size === 0 ? gathering.leftMs(waiting.count()) : overlapLeftMs();
    if (left > 0) lookAgainIn(left);
    return left <= 0;
  };

  /** Until the group that has taken longest no longer keeps another one waiting. */
  const overlapLeftMs = () =>
    Math.min(...[...groups].map(({ startedAt }) => startedAt)) + OVERLAP_AFTER_MS - performance.now();

  const pump = () => {
    scheduled = false;
    while (mayStart()) {
      const group = waiting.gather((slot) => !committing.has(slot) && !apart.has(slot));
      if (group.length === 0) break;
      void run(group);
    }
    if (apart.size > 0) startParts();
    if (isIdle()) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  const startParts = () => {
    for (const slot of waiting.slots()) {
      if (parts >= options.partConcurrency) return;
      if (!apart.has(slot) || committing.has(slot)) continue;
      const part = waiting.gatherOf(slot);
      if (part.length > 0) void runPart(slot, part);
    }
  };

  const isIdle = () => waiting.count() === 0 && parts === 0 && !large.busy() && groups.size === 0;

  const run = async (group: Job[]) => {
    const slots = new Set(group.map(({ slot }) => slot));
    for (const slot of slots) committing.add(slot);
    const running = { startedAt: performance.now() };
    groups.add(running);
    const unfinished = await options.commit(group);
    groups.delete(running);
    const tookMs = performance.now() - running.startedAt;
    gathering.settled({ size: group.length, tookMs, waiting: waiting.count() });
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

  const settle = (slots: Iterable<number>, { stuck, later, heldUp }: Unfinished) => {
    for (const slot of slots) committing.delete(slot);
    for (const { slot } of heldUp) apart.add(slot);
    waiting.giveBack([...heldUp, ...later]);
    for (const [slot, [first, ...behind]] of groupJobs(stuck, (job) => job.slot)) {
      waiting.giveBack(behind);
      committing.add(slot);
      void large.take(first as Job).then(() => {
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
    waiting: () => ({ commands: waiting.count(), bytes: waiting.bytes(), large: large.waiting() }),
  };
}
