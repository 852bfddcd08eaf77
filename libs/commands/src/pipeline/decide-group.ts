// Deciding a group's commands in order on the loaded world, each seeing those before it.

import { joinRaises } from '@taskgraph/domain/access/departures';
import type { Owned } from '@taskgraph/domain/access/permissions';
import type { NewBatch, StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { NotLoaded, NotLocked, type ReadSet } from '@taskgraph/domain/state/read-set';
import { TooMuchWork, Work } from '@taskgraph/domain/state/work';
import { layerOver, mergeLayer, type World } from '@taskgraph/domain/state/world';
import { laterBatch } from '@taskgraph/domain/views/history';
import { isRefusal, type Refusal, refusalReply, refuse } from '@taskgraph/wire/errors';
import type { FeedRaise, ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import { isSystem } from '@taskgraph/wire/system';
import { WORK_OF_A_CALL } from '../rate-limits.ts';
import { type BatchTimes, createBatchTimes } from './batch-times.ts';
import type { Command } from './command.ts';
import { type DecidedCommand, decideCommand, type GroupContext } from './decide-command.ts';
import { answerAgain, answerBatch, answerDryRun, answerNothing } from './reply.ts';
import { type Sliced, sliceCommand } from './slices.ts';
import { batchOf, ownersOf } from './stored-batch.ts';

/** The result of a group, before it is written. */
export interface GroupDecision<C extends Command = Command> {
  readonly replies: Map<C, ReplyMessage>;
  readonly changes: Change[];
  readonly batches: NewBatch[];
  readonly slices: SliceMessage[];
  readonly control: {
    readonly readers: Set<string>;
    readonly feeds: Map<string, FeedRaise>;
    readonly publications: Set<string>;
  };
  /** New heads of the feeds that got slices. */
  readonly heads: Map<string, number>;
  /** The time of its batches, save those that follow a later one of their owners. */
  readonly now: string;
  /** The loaded world, and a layer over it with all that the group decided. */
  readonly before: World;
  readonly after: World;
  /** Any node that was loaded, walked over or made by the group. */
  readonly nodeOf: (id: string) => Owned;
  /** Read sets of commands that missed something; these commands have no reply yet. */
  readonly notLoaded: Map<C, ReadSet>;
  /** When the batches are. */
  readonly times: BatchTimes;
  /** Users whom commands turned out to concern and whom the group has not locked. */
  readonly notLocked: Set<string>;
  /** Commands that came to more than one may in this group; they have no reply yet. */
  readonly tooMuch: Map<C, TooMuchWork>;
  /** Commands that were not begun, since those before them were enough for one group. */
  readonly later: C[];
  /** All work that was done, as a number of changes. */
  work: number;
}

/**
 * Decides all commands once, up to the bound of a group. Those that touch what is not loaded are left without a reply, and their read sets are
 * named; so are those that come to too much.
 */
export function decideGroup<C extends Command>(commands: readonly C[], group: GroupContext): GroupDecision<C> {
  const layer = layerOver(group.world);
  const made = new Map<string, Owned>();
  const decision: GroupDecision<C> = {
    replies: new Map(),
    changes: [],
    batches: [],
    slices: [],
    control: { readers: new Set(), feeds: new Map(), publications: new Set() },
    heads: new Map(),
    now: group.now,
    before: group.world,
    after: layer,
    nodeOf: (id) => knownNode(id, layer, group.world, made),
    notLoaded: new Map(),
    times: createBatchTimes(group.users, group.now),
    notLocked: new Set(),
    tooMuch: new Map(),
    later: [],
    work: 0,
  };
  const done = new Map<string, StoredBatch>(group.stored);
  for (const command of commands) {
    if (decision.work >= group.bounds.group) {
      decision.later.push(command);
      continue;
    }
    const work = new Work(group.bounds.command);
    try {
      const decided = takeIn(command, group, decision, { done, work });
      tellWork(command, work, decision);
      if (decided === null) continue;
      mergeLayer(layer, decided.after);
      for (const change of decided.changes) {
        if (change.kind === 'node' && change.after !== null) made.set(change.id, change.after);
      }
    } catch (error) {
      if (error instanceof NotLoaded) decision.notLoaded.set(command, error.readSet);
      else if (error instanceof TooMuchWork) decision.tooMuch.set(command, error);
      else if (error instanceof NotLocked) for (const user of error.users) decision.notLocked.add(user);
      else throw error;
    } finally {
      decision.work += work.total;
    }
  }
  return decision;
}

/** The reply says how much was done for it where that is more than one call's worth, whatever came of it (LIM6). */
function tellWork<C extends Command>(command: C, { total }: Work, { replies }: GroupDecision<C>): void {
  const reply = replies.get(command);
  if (total > WORK_OF_A_CALL && reply !== undefined) replies.set(command, { ...reply, work: total });
}

/** Nodes that the group itself deleted stand below the layer, or among what it made. */
function knownNode(id: string, layer: World, world: World, made: ReadonlyMap<string, Owned>): Owned {
  const node = layer.nodes.get(id) ?? world.nodes.get(id) ?? made.get(id);
  if (node) return node;
  const ownerId = world.owners.get(id);
  // A link may be remembered without one of its ends.
  if (ownerId === undefined) throw new NotLoaded({ nodes: [id] });
  return { id, ownerId };
}

/** Decides one command and notes all that comes of it; null where nothing does: it was refused, done before, a dry run, or changes nothing. */
function takeIn<C extends Command>(
  command: C,
  group: GroupContext,
  decision: GroupDecision<C>,
  { done, work }: { readonly done: Map<string, StoredBatch>; readonly work: Work },
): DecidedCommand | null {
  const { replies, after: layer } = decision;
  const earlier = done.get(command.key);
  if (earlier !== undefined) work.change(earlier.changes.length);
  const again = earlier === undefined ? null : replyAgain(command, earlier, layer, group);
  if (again !== null || !actorExists(command, group)) {
    replies.set(command, again ?? refusalReply(refuse('unauthorized', 'The user does not exist any more.')));
    return null;
  }
  const decided = decideInTime(command, group, decision, work);
  if (isRefusal(decided)) {
    replies.set(command, refusalReply(decided));
    return null;
  }
  if (command.dryRun || decided.changes.length === 0) {
    replies.set(command, command.dryRun ? answerDryRun(decided) : answerNothing(decided));
    return null;
  }
  const { sliced, owners } = decided;
  // Nothing of the decision is touched before all that may ask for more has been asked.
  const answer = answerBatch(decided, sliced.entries);
  const batch = batchOf(decided, sliced.entries, decision.nodeOf);
  decision.times.note(owners, decided.now);
  replies.set(command, answer);
  // One by one: as the arguments of a call, 130,000 changes would overflow the stack.
  for (const change of decided.changes) decision.changes.push(change);
  noteSlices(sliced, decision);
  noteBatch(batch, sliced, decision, done);
  return decided;
}

function noteSlices<C extends Command>({ messages, entries, control }: Sliced, decision: GroupDecision<C>): void {
  decision.slices.push(...messages);
  for (const { feed, seq } of entries) decision.heads.set(feed, seq);
  for (const reader of control.readers) decision.control.readers.add(reader);
  for (const node of control.publications) decision.control.publications.add(node);
  for (const raise of control.feeds) {
    const earlier = decision.control.feeds.get(raise.feed);
    decision.control.feeds.set(raise.feed, earlier === undefined ? raise : joinRaises(earlier, raise));
  }
}

/** Later commands of the group may have the same key, turn the batch back, or run into what it changed. */
function noteBatch<C extends Command>(
  batch: NewBatch,
  { entries }: Sliced,
  { batches, after: layer }: GroupDecision<C>,
  done: Map<string, StoredBatch>,
): void {
  batches.push(batch);
  const feeds = Object.fromEntries(entries.map(({ feed, seq }) => [feed, seq]));
  const stored: StoredBatch = { ...batch, feeds, undone: false, last: null };
  done.set(batch.key, stored);
  layer.batches.set(batch.id, stored);
  for (const id of new Set(batch.changes.map((change) => change.id))) {
    const later = layer.later.get(id);
    if (later !== undefined) layer.later.set(id, { ...later, made: [laterBatch(stored, id), ...later.made] });
  }
}

/** The system is no user and has nothing to lock: its commands wait for the owners of what they touch, and not for each other. */
function actorExists({ message: { actor } }: Command, { users }: GroupContext): boolean {
  return isSystem(actor) || users.has(actor.id);
}

interface InTime extends DecidedCommand {
  readonly sliced: Sliced;
  readonly owners: ReadonlySet<string>;
}

const NOTHING: Sliced = { messages: [], entries: [], control: { readers: [], feeds: [], publications: [] } };

/** Decides now, and again at a later time where what comes of it concerns an owner whose newest batch is later (HIS7). */
function decideInTime<C extends Command>(
  command: C,
  group: GroupContext,
  { after: layer, heads, nodeOf, times }: GroupDecision<C>,
  work: Work,
): InTime | Refusal {
  for (let at = group; ; ) {
    const decided = decideCommand(command, layer, at, work);
    if (isRefusal(decided)) return decided;
    if (decided.changes.length === 0) return { ...decided, sliced: NOTHING, owners: new Set() };
    const sliced = sliceCommand(decided, heads);
    const owners = ownersOf(decided.changes, nodeOf);
    const now = times.earliest(owners);
    // It is the latest of a few owners' times, so that this ends.
    if (now <= at.now) return { ...decided, sliced, owners };
    at = { ...group, now };
  }
}

/** The answer that was committed under this key, or a refusal where the key stands for another command (GEN8). */
function replyAgain(command: Command, batch: StoredBatch, layer: World, group: GroupContext): ReplyMessage {
  if (batch.payloadHash === command.payloadHash && batch.event === command.message.event) {
    return answerAgain(command, batch, layer, group);
  }
  return refusalReply(
    refuse('conflict.idempotency_key', 'This idempotency key was used for another command.', { event: batch.event }),
  );
}
