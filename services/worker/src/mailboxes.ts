// The actors' mailboxes, one a routing slot, and the lanes that turn what waits in them into groups (ARCHITECTURE.md, "Group commit").
import { refuse } from '@taskgraph/wire/errors';
import { type Job, refusalReply } from './job.ts';

export interface MailboxOptions {
  /** How many groups commit at once. */
  readonly lanes: number;
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  /** Most commands that wait in this worker; past it they are refused. */
  readonly waitingCommands: number;
  /** Most bytes of payload that wait in this worker. */
  readonly waitingBytes: number;
  /**
   * Most milliseconds that a lane rests after a group of several, so that those who were just answered can join the next one. It never
   * rests for longer than a seventh of what the group took.
   */
  readonly restMs: number;
  readonly nowMs: () => number;
  /** Commits a group and answers each of its jobs. It must not reject. */
  readonly commit: (group: Job[]) => Promise<void>;
}

export interface Mailboxes {
  /** Puts a job into the mailbox of its slot. */
  deliver(job: Job): void;
  /** Resolves when nothing waits and nothing commits. */
  idle(): Promise<void>;
  /** What waits now; what commits is not in it. */
  waiting(): { readonly commands: number; readonly bytes: number };
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
/** A second lane opens when a group takes longer than this: it may hold one large command, and others must not wait for it. */
const HELP_AFTER_MS = 100;

/** A slot's waiting jobs: each user's in their order, users in turn, so that a busy one can't starve the others. */
type Mailbox = Map<string, Job[]>;

/**
 * Takes jobs and commits them in groups. A slot is in one group at a time, which is what makes it an actor: its commands are
 * decided one after the other. While a lane commits, the next group gathers: no added latency when idle, groups under load.
 * Clients that wait for their answers come back a little after each commit; a short rest lets them share a group again, where
 * otherwise the first to come would take the lane for itself and split the others for ever.
 */
export function createMailboxes(options: MailboxOptions): Mailboxes {
  const waiting = new Map<number, Mailbox>();
  const committing = new Set<number>();
  const lanes: Lane[] = Array.from({ length: options.lanes }, () => ({
    busy: false,
    startedAt: 0,
    restUntil: 0,
    lastSize: 0,
  }));
  let alarm: ReturnType<typeof setTimeout> | null = null;
  let alarmAt = 0;
  let count = 0;
  let bytes = 0;
  let scheduled = false;
  let whenIdle: (() => void)[] = [];

  const take = (slot: number, mailbox: Mailbox, group: Job[], room: { bytes: number }) => {
    while (mailbox.size > 0 && group.length < options.groupSize && room.bytes > 0) {
      const [user, jobs] = mailbox.entries().next().value as [string, Job[]];
      mailbox.delete(user);
      const job = jobs.shift() as Job;
      if (jobs.length > 0) mailbox.set(user, jobs);
      count--;
      bytes -= job.bytes;
      if (job.message.deadline <= options.nowMs()) {
        job.answer(
          refusalReply(refuse('unavailable', 'The deadline passed while it waited.', { outcome: 'not_done' })),
        );
        continue;
      }
      room.bytes -= job.bytes;
      group.push(job);
    }
    if (mailbox.size === 0) waiting.delete(slot);
  };

  const gather = (): Job[] => {
    const group: Job[] = [];
    const room = { bytes: options.groupBytes };
    for (const [slot, mailbox] of waiting) {
      if (committing.has(slot)) continue;
      // Behind all others in the order of the map, so that slots too are served in turn.
      waiting.delete(slot);
      waiting.set(slot, mailbox);
      take(slot, mailbox, group, room);
      if (group.length >= options.groupSize || room.bytes <= 0) break;
    }
    return group;
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
      if (lane.busy || count === 0 || !mayStart(lane)) continue;
      const group = gather();
      if (group.length > 0) void run(lane, group);
    }
    if (isIdle()) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  const isIdle = () => count === 0 && lanes.every(({ busy }) => !busy);

  const run = async (lane: Lane, group: Job[]) => {
    const slots = new Set(group.map(({ slot }) => slot));
    for (const slot of slots) committing.add(slot);
    lane.busy = true;
    lane.startedAt = performance.now();
    try {
      await options.commit(group);
    } finally {
      const endedAt = performance.now();
      const restMs = Math.min(options.restMs, (endedAt - lane.startedAt) * REST_SHARE);
      lane.restUntil = group.length >= SMALLEST_LOAD ? endedAt + restMs : 0;
      lane.lastSize = group.length;
      lane.busy = false;
      for (const slot of slots) committing.delete(slot);
      pump();
    }
  };

  return {
    deliver(job) {
      if (count >= options.waitingCommands || bytes >= options.waitingBytes) {
        job.answer(refusalReply(refuse('unavailable', 'Too many commands are waiting.', { outcome: 'not_done' })));
        return;
      }
      const mailbox = waiting.get(job.slot) ?? new Map<string, Job[]>();
      waiting.set(job.slot, mailbox);
      const jobs = mailbox.get(job.message.actor.id);
      if (jobs) jobs.push(job);
      else mailbox.set(job.message.actor.id, [job]);
      count++;
      bytes += job.bytes;
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
    waiting: () => ({ commands: count, bytes }),
  };
}
