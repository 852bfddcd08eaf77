// The actors' mailboxes, one for each routing slot: each user's commands in their order, users in turn.

import { refusalReply, refuse } from '@taskgraph/wire/errors';
import { groupJobs } from './group-jobs.ts';
import { isOver, type Job, MOVED } from './job.ts';

interface Options {
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  readonly nowMs: () => number;
  /** Told of each command whose deadline passed while it waited. */
  readonly onLate?: (() => void) | undefined;
}

/** A slot's waiting jobs: users in turn, so that a busy one can't starve the others. */
type Mailbox = Map<string, Job[]>;

export interface Mailboxes {
  put(job: Job): void;
  /** Puts commands back that were taken, in their order: before all that wait in their slots. */
  giveBack(jobs: readonly Job[]): void;
  /** Takes a group from the slots that may be served now; each is behind all others then, so that slots too are served in turn. */
  gather(maySlot: (slot: number) => boolean): Job[];
  /** The same from one slot alone. */
  gatherOf(slot: number): Job[];
  /** The slots in which something waits, in their turn. */
  slots(): number[];
  count(): number;
  bytes(): number;
  /** How much of it is one user's. */
  of(user: string): Share;
}

interface Share {
  readonly commands: number;
  readonly bytes: number;
}

export function createMailboxes(options: Options): Mailboxes {
  const mailboxes = new Map<number, Mailbox>();
  const shares = new Map<string, Share>();
  let count = 0;
  let bytes = 0;

  /** Counts a job that came, or one that went. */
  const note = (job: Job, by: 1 | -1) => {
    const { id } = job.message.actor;
    const share = of(id);
    const commands = share.commands + by;
    if (commands === 0) shares.delete(id);
    else shares.set(id, { commands, bytes: share.bytes + by * job.bytes });
    count += by;
    bytes += by * job.bytes;
  };
  const of = (user: string): Share => shares.get(user) ?? NOTHING;

  const mailboxOf = (slot: number): Mailbox => {
    const known = mailboxes.get(slot);
    if (known !== undefined) return known;
    const mailbox: Mailbox = new Map();
    mailboxes.set(slot, mailbox);
    return mailbox;
  };
  const isFull = (group: Job[], room: { bytes: number }) => group.length >= options.groupSize || room.bytes <= 0;

  const takeFrom = (slot: number, group: Job[], room: { bytes: number }) => {
    const mailbox = mailboxOf(slot);
    mailboxes.delete(slot);
    while (mailbox.size > 0 && !isFull(group, room)) {
      const [user, jobs] = mailbox.entries().next().value as [string, Job[]];
      mailbox.delete(user);
      const job = jobs.shift() as Job;
      if (jobs.length > 0) mailbox.set(user, jobs);
      note(job, -1);
      if (isOver(job, options.nowMs())) {
        options.onLate?.();
        job.answer(job.stands?.() === false ? MOVED : lateReply);
        continue;
      }
      room.bytes -= job.bytes;
      group.push(job);
    }
    if (mailbox.size > 0) mailboxes.set(slot, mailbox);
  };

  return {
    put(job) {
      const mailbox = mailboxOf(job.slot);
      const jobs = mailbox.get(job.message.actor.id);
      if (jobs) jobs.push(job);
      else mailbox.set(job.message.actor.id, [job]);
      note(job, 1);
    },
    giveBack(jobs) {
      for (const [slot, ofSlot] of groupJobs(jobs, (job) => job.slot)) {
        const before: Mailbox = groupJobs(ofSlot, (job) => job.message.actor.id);
        for (const [user, after] of mailboxOf(slot)) before.set(user, [...(before.get(user) ?? []), ...after]);
        mailboxes.set(slot, before);
      }
      for (const job of jobs) note(job, 1);
    },
    gather(maySlot) {
      const group: Job[] = [];
      const room = { bytes: options.groupBytes };
      for (const slot of [...mailboxes.keys()]) {
        if (isFull(group, room)) break;
        if (maySlot(slot)) takeFrom(slot, group, room);
      }
      return group;
    },
    gatherOf(slot) {
      const group: Job[] = [];
      takeFrom(slot, group, { bytes: options.groupBytes });
      return group;
    },
    slots: () => [...mailboxes.keys()],
    count: () => count,
    bytes: () => bytes,
    of,
  };
}

const NOTHING: Share = { commands: 0, bytes: 0 };

const lateReply = refusalReply(refuse('unavailable', 'The deadline passed while it waited.', { outcome: 'not_done' }));
