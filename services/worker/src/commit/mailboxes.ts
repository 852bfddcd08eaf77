// The actors' mailboxes, one for each routing slot: each user's commands in their order, users in
// turn.
import { countedUser } from '@taskgraph/wire/actor';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { FairQueue } from '../fair-queue.ts';
import { isOver, type Job, MOVED } from './job.ts';
import { jobsByKey } from './jobs-by-key.ts';

interface MailboxOptions {
  /** Most commands in a group. */
  readonly groupSize: number;
  /**
   * Most commands of a slot in a group beside slots that have fewer. The users of the slot get a
   * command each in any case. Default: `groupSize`.
   */
  readonly slotShare?: number | undefined;
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
  /** Gives these slots the next turns, in this order. */
  moveToFront(slots: Iterable<number>): void;
  /** Takes a group from the allowed slots. A slot that was served comes after all others. */
  gather(maySlot: SlotFilter): Job[];
  /**
   * Whether a group of the allowed slots would not grow by waiting: it is full, or each of these
   * slots has its share.
   */
  isGroupReady(maySlot: SlotFilter): boolean;
  /** Takes a group from one slot. */
  gatherOf(slot: number): Job[];
  /** The slots with waiting commands, in the order of their turns. */
  slots(): number[];
  count(): number;
  bytes(): number;
  /** One user's waiting commands. */
  of(user: string): Share;
}

type SlotFilter = (slot: number) => boolean;

interface Share {
  readonly commands: number;
  readonly bytes: number;
}

export function createMailboxes(options: MailboxOptions): Mailboxes {
  const { slotShare = options.groupSize } = options;
  /** The slot whose turn is next comes first. */
  let mailboxes = new Map<number, Mailbox>();
  /** The slots of the last group: their users probably send again. */
  let lastSlots: ReadonlySet<number> = new Set();
  const shares = new Map<string, Share>();
  let count = 0;
  let bytes = 0;

  /** Counts a job in or out. */
  const note = (job: Job, by: 1 | -1) => {
    const id = countedUser(job.message.actor);
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
  const waitingOf = (slot: number): number => mailboxes.get(slot)?.size ?? 0;
  const allowedSlots = (maySlot: SlotFilter) => [...mailboxes.keys()].filter(maySlot);

  /**
   * Most commands that a group takes from each of these slots. They depend on all mailboxes, and so
   * are computed before any command is taken.
   */
  const sharesOf = (slots: readonly number[]): ReadonlyMap<number, number> => {
    const rivals = new Set([...slots, ...lastSlots]);
    const isEven = [...rivals].every((slot) => waitingOf(slot) >= slotShare);
    const share = isEven ? Math.max(slotShare, Math.ceil(options.groupSize / rivals.size)) : slotShare;
    return new Map(slots.map((slot) => [slot, Math.max(share, mailboxes.get(slot)?.keyCount ?? 0)]));
  };

  const takeFrom = (slot: number, group: Job[], room: { bytes: number }, share: number) => {
    const mailbox = mailboxOf(slot);
    mailboxes.delete(slot);
    const end = group.length + share;
    while (!isFull(group, room) && group.length < end) {
      const job = mailbox.shift();
      if (job === undefined) break;
      note(job, -1);
      if (isOver(job, options.nowMs())) {
        options.onLate?.();
        job.answer(job.isLeaseHeld?.() === false ? MOVED : lateReply);
        continue;
      }
      room.bytes -= job.bytes;
      group.push(job);
    }
    if (mailbox.size > 0) mailboxes.set(slot, mailbox);
  };

  return {
    put(job) {
      mailboxOf(job.slot).push(countedUser(job.message.actor), job);
      note(job, 1);
    },
    putBack(jobs) {
      for (const [slot, ofSlot] of jobsByKey(jobs, (job) => job.slot)) {
        mailboxOf(slot).pushFront(jobsByKey(ofSlot, (job) => countedUser(job.message.actor)));
      }
      for (const job of jobs) note(job, 1);
    },
    moveToFront(slots) {
      const first = new Map<number, Mailbox>();
      for (const slot of slots) {
        const mailbox = mailboxes.get(slot);
        if (mailbox !== undefined) first.set(slot, mailbox);
      }
      if (first.size > 0) mailboxes = new Map([...first, ...[...mailboxes].filter(([slot]) => !first.has(slot))]);
    },
    gather(maySlot) {
      const group: Job[] = [];
      const room = { bytes: options.groupBytes };
      for (const [slot, share] of sharesOf(allowedSlots(maySlot))) {
        if (isFull(group, room)) break;
        takeFrom(slot, group, room, share);
      }
      lastSlots = new Set(group.map(({ slot }) => slot));
      return group;
    },
    isGroupReady(maySlot) {
      let [ready, most] = [0, 0];
      for (const [slot, share] of sharesOf(allowedSlots(maySlot))) {
        ready += Math.min(waitingOf(slot), share);
        most += share;
      }
      return ready > 0 && ready >= Math.min(most, options.groupSize);
    },
    gatherOf(slot) {
      const group: Job[] = [];
      takeFrom(slot, group, { bytes: options.groupBytes }, options.groupSize);
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
