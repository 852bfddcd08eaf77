// The actors' mailboxes, one a routing slot, and the lanes that turn what waits in them into groups (design: group commit).
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
  readonly nowMs: () => number;
  /** Commits a group and answers each of its jobs. It must not reject. */
  readonly commit: (group: Job[]) => Promise<void>;
}

export interface Mailboxes {
  /** Puts a job into the mailbox of its slot. */
  deliver(job: Job): void;
  /** Resolves when nothing waits and nothing commits. */
  idle(): Promise<void>;
}

/** A slot's waiting jobs: each user's in their order, users in turn, so that a busy one can't starve the others. */
type Mailbox = Map<string, Job[]>;

/**
 * Takes jobs and commits them in groups. A slot is in one group at a time, which is what makes it an actor: its commands are
 * decided one after the other. While a lane commits, the next group gathers: no added latency when idle, groups under load.
 */
export function createMailboxes(options: MailboxOptions): Mailboxes {
  const waiting = new Map<number, Mailbox>();
  const committing = new Set<number>();
  let busyLanes = 0;
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

  const pump = () => {
    scheduled = false;
    while (busyLanes < options.lanes) {
      const group = gather();
      if (group.length === 0) break;
      void run(group);
    }
    if (busyLanes === 0 && count === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
  };

  const run = async (group: Job[]) => {
    const slots = new Set(group.map(({ slot }) => slot));
    for (const slot of slots) committing.add(slot);
    busyLanes++;
    try {
      await options.commit(group);
    } finally {
      busyLanes--;
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
      if (busyLanes === 0 && count === 0) return Promise.resolve();
      return new Promise((resolve) => whenIdle.push(resolve));
    },
  };
}
