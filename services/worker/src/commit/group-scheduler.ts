// Forms groups from the mailboxes and commits a few of them at a time
// (docs/design/group-commit.md).
import { countedUser } from '@taskgraph/wire/actor';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { createGroupDelay } from './group-delay.ts';
import type { Job } from './job.ts';
import { jobsByKey } from './jobs-by-key.ts';
import { createLargeQueue } from './large/large-queue.ts';
import { createMailboxes } from './mailboxes.ts';

/** Unanswered commands of a group. They are the last ones of their slots, in order. */
export interface GroupRemainder {
  /**
   * The first of each slot needs a transaction of its own, and the others of the slot wait for it.
   */
  readonly stuck: readonly Job[];
  /** Commands for the next group, because the others filled this one. */
  readonly later: readonly Job[];
  /** Commands of a group that failed or waits for a lock. They continue slot by slot. */
  readonly blocked: readonly Job[];
  /** Whether a transaction of the group failed. */
  readonly failed: boolean;
}

export interface SchedulerOptions {
  /** How many groups commit at once. */
  readonly concurrency: number;
  /** How many parts of blocked groups commit at once, besides these. */
  readonly partConcurrency: number;
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most commands of a slot in a group beside slots that have fewer. Default: `groupSize`. */
  readonly slotShare?: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  /** Most commands that wait in this worker. Further ones are refused. */
  readonly waitingCommands: number;
  /** Most bytes of payload that wait in this worker. */
  readonly waitingBytes: number;
  /** One user's share of each of these two. Defaults to all of it. */
  readonly userShares?: { readonly commands: number; readonly bytes: number };
  /** Most large commands that wait. Further ones are refused. */
  readonly largeCommands: number;
  /** Most bytes of their payload that wait. */
  readonly largeBytes: number;
  readonly nowMs: () => number;
  /** Called for each command whose deadline passed while it waited. */
  readonly onLate?: () => void;
  /**
   * Tries once to commit a group of many slots. Answers each of its jobs except those that it
   * returns. Must not reject.
   */
  readonly commit: (group: Job[]) => Promise<GroupRemainder>;
  /**
   * The same for commands of one slot, with retries. Returns commands that need a transaction of
   * their own or a lock.
   */
  readonly commitPart: (group: Job[]) => Promise<GroupRemainder>;
  /** Commits one command in a transaction of its own and answers it. Must not reject. */
  readonly commitLarge: (job: Job) => Promise<void>;
}

export interface Scheduler {
  /** Puts a job into the mailbox of its slot. */
  deliver(job: Job): void;
  /** Resolves when nothing waits and nothing commits. */
  idle(): Promise<void>;
  /** Waiting commands, without those that commit now. `large` counts large commands besides. */
  waiting(): { readonly commands: number; readonly bytes: number; readonly large: number };
  /** Jobs accepted so far. */
  delivered(): number;
}

/**
 * One user's share of the waiting commands. Commands behind a large one of the same user wait long,
 * and must not fill the queue for other users. A connection has up to 256 calls in flight.
 */
export const USER_SHARES = { commands: 1 / 8, bytes: 1 / 4 };
/**
 * One slot's share of a group beside slots with fewer commands. With all of it, a flood would make
 * every group large, and the others' commands would wait for one such group and share the next.
 */
export const SLOT_SHARE = 1 / 4;
const WHOLE = { commands: 1, bytes: 1 };
/** The next group starts once a group has taken this long. */
const OVERLAP_AFTER_MS = 100;

/**
 * The slots of a group of which no command fitted. They have the next turns: otherwise two slots with
 * heavy commands could be first in every group, and no other command would ever fit.
 */
function unserved(group: readonly Job[], later: readonly Job[]): number[] {
  const taken = jobsByKey(group, ({ slot }) => slot);
  return [...jobsByKey(later, ({ slot }) => slot)]
    .filter(([slot, returned]) => returned.length === taken.get(slot)?.length)
    .map(([slot]) => slot);
}

/**
 * Commits jobs in groups.
 *
 * 1. A slot is in one group at a time, so each slot is an actor: its commands are decided in order.
 * 2. While a group commits, the next one fills. An idle worker adds no latency, a loaded one forms
 *    large groups.
 * 3. A large command leaves its group and blocks only its slot until it is committed alone.
 * 4. After a failure each slot of the group continues in a part of its own, until one part of the
 *    slot succeeds. A slot that waits for a lock or takes long delays no other slot.
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const waiting = createMailboxes(options);
  const delay = createGroupDelay();
  const large = createLargeQueue({
    commands: options.largeCommands,
    bytes: options.largeBytes,
    commit: options.commitLarge,
    otherWork: () => delivered,
  });
  let delivered = 0;
  /** Slots with commands in a group, in a part, or alone. */
  const committing = new Set<number>();
  /** Slots that continue in parts of their own. */
  const apart = new Set<number>();
  let parts = 0;
  /** The groups that commit now, with their starts by performance.now(). */
  const groups = new Set<{ readonly startedAt: number }>();
  let alarm: ReturnType<typeof setTimeout> | null = null;
  let alarmAt = 0;
  let scheduled = false;
  let whenIdle: (() => void)[] = [];

  const { waitingCommands, waitingBytes, userShares = WHOLE } = options;
  const hasRoomFor = ({ message }: Job): boolean => {
    const own = waiting.of(countedUser(message.actor));
    return (
      waiting.count() < waitingCommands &&
      waiting.bytes() < waitingBytes &&
      own.commands < waitingCommands * userShares.commands &&
      own.bytes < waitingBytes * userShares.bytes
    );
  };

  /** Pumps again at the earliest of the requested times. */
  const pumpAfter = (delayMs: number) => {
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
   * Whether a group may start now. It waits a little for the callers of the last one. While another
   * group commits, a second one starts only when it cannot grow or the first takes long: one large
   * group costs less than two small ones.
   */
  const mayStart = (): boolean => {
    if (groups.size >= options.concurrency || !waiting.slots().some(isFree)) return false;
    if (waiting.isGroupReady(isFree)) return true;
    const left = groups.size === 0 ? delay.leftMs(waiting.count()) : overlapLeftMs();
    if (left > 0) pumpAfter(left);
    return left <= 0;
  };

  /** Milliseconds until the oldest group no longer delays the next one. */
  const overlapLeftMs = () =>
    Math.min(...[...groups].map(({ startedAt }) => startedAt)) + OVERLAP_AFTER_MS - performance.now();

  /** Slots of which a group may take commands. */
  const isFree = (slot: number) => !committing.has(slot) && !apart.has(slot);

  const pump = () => {
    scheduled = false;
    while (mayStart()) {
      const group = waiting.gather(isFree);
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
    for (const { slot } of group) committing.add(slot);
    const running = { startedAt: performance.now() };
    groups.add(running);
    const remainder = await options.commit(group);
    groups.delete(running);
    const tookMs = performance.now() - running.startedAt;
    delay.record({ size: group.length, tookMs, waiting: waiting.count() });
    resume(group, remainder);
  };

  const runPart = async (slot: number, part: Job[]) => {
    parts++;
    committing.add(slot);
    const remainder = await options.commitPart(part);
    parts--;
    if (!remainder.failed) apart.delete(slot);
    resume(part, remainder);
  };

  const resume = (jobs: readonly Job[], { stuck, later, blocked }: GroupRemainder) => {
    for (const { slot } of jobs) committing.delete(slot);
    for (const { slot } of blocked) apart.add(slot);
    waiting.putBack([...blocked, ...later]);
    waiting.moveToFront(unserved(jobs, later));
    for (const [slot, [first, ...behind]] of jobsByKey(stuck, (job) => job.slot)) {
      waiting.putBack(behind);
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
      // At the end of the event loop's turn, so that the commands of one network read share a
      // group.
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
