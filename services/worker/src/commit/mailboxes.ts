// The actors' mailboxes, one for each routing slot: each user's commands in their order, users in
// turn, slots in turn.
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { FairQueue } from '../fair-queue.ts';
import { isOver, type Job, MOVED } from './job.ts';
import { jobsByKey } from './jobs-by-key.ts';

interface MailboxOptions {
  /** Most commands in a group. */
  readonly groupSize: number;
  /** Most bytes of payload in a group. */
  readonly groupBytes: number;
  readonly nowMs: () => number;
  /** Called for each command whose deadline passed while it waited. */
  readonly onLate?: (() => void) | undefined;
}

/** The waiting jobs of a slot, by user. */
type Mailbox = FairQueue<Job>;

export interface Mailboxes {
  put(job: Job): void;
  /** Puts taken commands back before all others of their slots, in order. */
  putBack(jobs: readonly Job[]): void;
  /**
   * Takes a group from the allowed slots: one command of each slot in turn. A slot that was served
   * comes after all others.
   */
  gather(maySlot: (slot: number) => boolean, bound: SharedGroupBound): Job[];
  /** Takes a group from one slot. */
  gatherOf(slot: number): Job[];
  /** The slots with waiting commands, in the order of their turns. */
  slots(): number[];
  count(): number;
  bytes(): number;
  /** One user's waiting commands. */
  of(user: string): Share;
}

/**
 * The bound of a group that few users fill while others use the worker too. Each slot's first
 * command is exempt. The bound takes effect once at most half of the users still have commands for
 * the group, so users with equal loads never meet it.
 */
export interface SharedGroupBound {
  readonly commands: number;
  /** Whether commands of other slots commit meanwhile. They count as one user. */
  readonly othersCommit: boolean;
}

interface Share {
  readonly commands: number;
  readonly bytes: number;
}

export function createMailboxes(options: MailboxOptions): Mailboxes {
  const mailboxes = new Map<number, Mailbox>();
  const shares = new Map<string, Share>();
  let count = 0;
  let bytes = 0;

  /** Counts a job in or out. */
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
    const mailbox: Mailbox = new FairQueue();
    mailboxes.set(slot, mailbox);
    return mailbox;
  };
  const isFull = (group: Job[], room: { bytes: number }) => group.length >= options.groupSize || room.bytes <= 0;

  /** Takes the next command of a slot that is still in time. */
  const takeNext = (slot: number, group: Job[], room: { bytes: number }) => {
    const mailbox = mailboxOf(slot);
    mailboxes.delete(slot);
    for (let job = mailbox.shift(); job !== undefined; job = mailbox.shift()) {
      note(job, -1);
      if (!isOver(job, options.nowMs())) {
        room.bytes -= job.bytes;
        group.push(job);
        break;
      }
      options.onLate?.();
      job.answer(job.isLeaseHeld?.() === false ? MOVED : lateReply);
    }
    if (mailbox.size > 0) mailboxes.set(slot, mailbox);
  };
  const usersOf = (slots: readonly number[]) =>
    slots.reduce((users, slot) => users + (mailboxes.get(slot)?.keyCount ?? 0), 0);

  return {
    put(job) {
      mailboxOf(job.slot).push(job.message.actor.id, job);
      note(job, 1);
    },
    putBack(jobs) {
      for (const [slot, ofSlot] of jobsByKey(jobs, (job) => job.slot)) {
        mailboxOf(slot).pushFront(jobsByKey(ofSlot, (job) => job.message.actor.id));
      }
      for (const job of jobs) note(job, 1);
    },
    gather(maySlot, { commands, othersCommit }) {
      const group: Job[] = [];
      const room = { bytes: options.groupBytes };
      let slots = [...mailboxes.keys()].filter(maySlot);
      const users = usersOf(slots) + (othersCommit ? 1 : 0);
      let most = options.groupSize;
      while (slots.length > 0) {
        for (const slot of slots) {
          if (isFull(group, room) || group.length >= most) return group;
          takeNext(slot, group, room);
        }
        slots = slots.filter((slot) => mailboxes.has(slot));
        if (usersOf(slots) * 2 <= users) most = commands;
      }
      return group;
    },
    gatherOf(slot) {
      const group: Job[] = [];
      const room = { bytes: options.groupBytes };
      while (mailboxes.has(slot) && !isFull(group, room)) takeNext(slot, group, room);
      return group;
    },
    slots: () => [...mailboxes.keys()],
    count: () => count,
    bytes: () => bytes,
    of,
  };
}

const NOTHING: Share = { commands: 0, bytes: 0 };

const lateReply = refusalReply(
  refuse('unavailable', 'The deadline passed while the command waited.', { outcome: 'not_done' }),
);
