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
  /**
   * Puts taken commands back before all others of their slots, in order. Their slots have the next
   * turns, so that a slot whose command did not fit a group is the first of the next one.
   */
  putBack(jobs: readonly Job[]): void;
  /**
   * Takes a group from the allowed slots: one command of each slot in turn. A slot that was served
   * comes after all others.
   */
  gather(maySlot: (slot: number) => boolean, bound: FloodBound): Job[];
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
 * The bound of a group during a flood. Each slot's first command is exempt. It takes effect once at
 * most half of the users have further commands for the group, so users with equal loads never meet it.
 */
export interface FloodBound {
  readonly commands: number;
  /** The users whose commands commit meanwhile. They count too. */
  readonly committingUsers: Iterable<string>;
}

interface Share {
  readonly commands: number;
  readonly bytes: number;
}

export function createMailboxes(options: MailboxOptions): Mailboxes {
  /** The slot whose turn is next comes first. */
  let mailboxes = new Map<number, Mailbox>();
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

  /** Takes the next command of a slot that is not late, and answers late ones. */
  const takeNext = (slot: number, group: Job[], room: { bytes: number }, onEmpty?: (user: string) => void) => {
    const mailbox = mailboxOf(slot);
    mailboxes.delete(slot);
    for (let job = mailbox.shift(); job !== undefined; job = mailbox.shift()) {
      note(job, -1);
      if (mailbox.sizeOf(job.message.actor.id) === 0) onEmpty?.(job.message.actor.id);
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
  /** The users with commands in these slots, and in how many of them. */
  const slotsByUser = (slots: readonly number[]) => {
    const counts = new Map<string, number>();
    for (const slot of slots) {
      for (const user of mailboxes.get(slot)?.keys() ?? []) counts.set(user, (counts.get(user) ?? 0) + 1);
    }
    return counts;
  };

  return {
    put(job) {
      mailboxOf(job.slot).push(job.message.actor.id, job);
      note(job, 1);
    },
    putBack(jobs) {
      const first = new Map<number, Mailbox>();
      for (const [slot, ofSlot] of jobsByKey(jobs, (job) => job.slot)) {
        const mailbox = mailboxOf(slot);
        mailbox.pushFront(jobsByKey(ofSlot, (job) => job.message.actor.id));
        first.set(slot, mailbox);
      }
      if (first.size > 0) mailboxes = new Map([...first, ...[...mailboxes].filter(([slot]) => !first.has(slot))]);
      for (const job of jobs) note(job, 1);
    },
    gather(maySlot, { commands, committingUsers }) {
      const group: Job[] = [];
      const room = { bytes: options.groupBytes };
      let slots = [...mailboxes.keys()].filter(maySlot);
      const slotsOf = slotsByUser(slots);
      const users = new Set([...slotsOf.keys(), ...committingUsers]).size;
      const onEmpty = (user: string) => {
        const left = (slotsOf.get(user) ?? 0) - 1;
        if (left > 0) slotsOf.set(user, left);
        else slotsOf.delete(user);
      };
      let most = options.groupSize;
      while (slots.length > 0) {
        for (const slot of slots) {
          if (isFull(group, room) || group.length >= most) return group;
          takeNext(slot, group, room, onEmpty);
        }
        slots = slots.filter((slot) => mailboxes.has(slot));
        if (slotsOf.size * 2 <= users) most = commands;
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
