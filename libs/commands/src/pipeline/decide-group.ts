// Decides the commands of a group in order on the loaded world. Each command sees the changes of
// those before it.
import { NotLoaded, NotLocked, type ReadSet } from '@taskgraph/domain/state/read-set';
import { TooMuchWork, Work } from '@taskgraph/domain/state/work';
import type { World } from '@taskgraph/domain/state/world';
import { isSystem } from '@taskgraph/wire/actor';
import { type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { WORK_OF_A_CALL } from '../rate-limits.ts';
import type { Command } from './command.ts';
import { decideCommand, type GroupContext } from './decide-command.ts';
import { type DecidedBatch, type GroupMessages, GroupProgress, type GroupWrites } from './group-progress.ts';
import { answerBatch, answerDryRun, answerNothing, answerRepeat } from './reply.ts';
import { type CommandSlices, sliceCommand } from './slices.ts';
import { batchOf, ownersOf } from './stored-batch.ts';

/** The decision on a group, before it is written. */
export interface GroupDecision<C extends Command = Command> {
  /** In the order of the commands. */
  readonly replies: Map<C, ReplyMessage>;
  readonly undecided: UndecidedCommands<C>;
  readonly writes: GroupWrites;
  /** Messages to publish after the commit. */
  readonly messages: GroupMessages;
  /** The time of the group's batches, except those that follow a later batch of their owners. */
  readonly now: string;
  /** The loaded world, and a layer over it with everything that the group decided. */
  readonly before: World;
  readonly after: World;
  /** The total work, as a number of changes. */
  readonly work: number;
}

/** The commands without a reply, by reason. */
export interface UndecidedCommands<C extends Command = Command> {
  /** Commands that touched entities which are not loaded, with the read sets that they need. */
  readonly notLoaded: Map<C, ReadSet>;
  /** Commands that exceed the bounds of one command in this group. */
  readonly tooMuch: Map<C, TooMuchWork>;
  /** Users whose locks the commands need and the group does not have. */
  readonly notLocked: Set<string>;
  /** Commands for the next group, because those before them used up the work of this one. */
  readonly later: C[];
}

/** The result of one command: a reply, and a batch if the command changes something. */
interface CommandResult {
  readonly reply: ReplyMessage;
  readonly batch: DecidedBatch | null;
}

/** Decides each command once, up to the work bound of a group. */
export function decideGroup<C extends Command>(commands: readonly C[], group: GroupContext): GroupDecision<C> {
  const progress = new GroupProgress(group);
  const replies = new Map<C, ReplyMessage>();
  const undecided: UndecidedCommands<C> = {
    notLoaded: new Map(),
    tooMuch: new Map(),
    notLocked: new Set(),
    later: [],
  };
  let total = 0;
  for (const command of commands) {
    if (total >= group.bounds.group) {
      undecided.later.push(command);
      continue;
    }
    const work = new Work(group.bounds.command);
    try {
      const { reply, batch } = decideOne(command, progress, work);
      if (batch !== null) progress.record(batch);
      replies.set(command, withWork(reply, work));
    } catch (error) {
      recordUndecided(command, error, undecided);
    } finally {
      total += work.total;
    }
  }
  const { writes, messages, after } = progress;
  return { replies, undecided, writes, messages, now: group.now, before: group.world, after, work: total };
}

function recordUndecided<C extends Command>(command: C, error: unknown, undecided: UndecidedCommands<C>): void {
  if (error instanceof NotLoaded) undecided.notLoaded.set(command, error.readSet);
  else if (error instanceof TooMuchWork) undecided.tooMuch.set(command, error);
  else if (error instanceof NotLocked) for (const user of error.users) undecided.notLocked.add(user);
  else throw error;
}

/** A reply states its command's work if that exceeds the work of one call (LIM6). */
function withWork(reply: ReplyMessage, { total }: Work): ReplyMessage {
  return total > WORK_OF_A_CALL ? { ...reply, work: total } : reply;
}

/** The result has no batch if the command was refused, repeated, a dry run or without changes. */
function decideOne(command: Command, progress: GroupProgress, work: Work): CommandResult {
  const { group } = progress;
  const earlier = progress.stored.get(command.key);
  if (earlier !== undefined) {
    work.change(earlier.changes.length);
    return withoutBatch(repeatedReply(command, earlier, progress));
  }
  if (!actorExists(command, group)) {
    return withoutBatch(refusalReply(refuse('unauthorized', 'The user no longer exists.')));
  }
  const decided = decideInTime(command, progress, work);
  if (isRefusal(decided)) return withoutBatch(refusalReply(decided));
  if (command.dryRun) return withoutBatch(answerDryRun(decided));
  if (decided.changes.length === 0) return withoutBatch(answerNothing(decided));
  const { entries } = decided.sliced;
  const reply = answerBatch(decided, entries);
  return { reply, batch: { ...decided, stored: batchOf(decided, entries, progress.writes.nodeOf) } };
}

function withoutBatch(reply: ReplyMessage): CommandResult {
  return { reply, batch: null };
}

/**
 * The system has no user to lock. Its commands lock only the owners whom they concern, and do not
 * wait for each other.
 */
function actorExists({ message: { actor } }: Command, { users }: GroupContext): boolean {
  return isSystem(actor) || users.has(actor.id);
}

type DecidedInTime = Omit<DecidedBatch, 'stored'>;

const NO_SLICES: CommandSlices = { messages: [], entries: [], control: { readers: [], feeds: [], publications: [] } };

/**
 * Decides at the group's time, and again at a later time if the changes concern an owner with a
 * later batch (HIS7).
 */
function decideInTime(command: Command, progress: GroupProgress, work: Work): DecidedInTime | Refusal {
  const { group, after, writes } = progress;
  for (let at = group; ; ) {
    const decided = decideCommand(command, after, at, work);
    if (isRefusal(decided)) return decided;
    if (decided.changes.length === 0) return { ...decided, sliced: NO_SLICES, owners: new Set() };
    const sliced = sliceCommand(decided, writes.heads);
    const owners = ownersOf(decided.changes, writes.nodeOf);
    const now = writes.times.earliest(owners);
    // Each round takes a later time of finitely many owners, so the loop ends.
    if (now <= at.now) return { ...decided, sliced, owners };
    at = { ...group, now };
  }
}

/**
 * The reply that was committed under this key, or a refusal if the key belongs to another command
 * (GEN8).
 */
function repeatedReply(
  command: Command,
  batch: Parameters<typeof answerRepeat>[1],
  { after, group }: GroupProgress,
): ReplyMessage {
  if (batch.payloadHash === command.payloadHash && batch.event === command.message.event) {
    const reply = answerRepeat(command, batch, after, group);
    // A gateway repeats a command whose answer was lost. Its client has not received that answer.
    return batch.commandId === command.message.id ? reply : { ...reply, replayed: true };
  }
  return refusalReply(
    refuse('conflict.idempotency_key', 'This idempotency key was used for another command.', { event: batch.event }),
  );
}
