// Deciding a group's commands in order on the loaded world, each seeing those before it.

import { joinRaises } from '@taskgraph/domain/access/departures';
import { moveFeeds } from '@taskgraph/domain/access/feed-access';
import { moveMemberships } from '@taskgraph/domain/access/membership';
import type { Owned } from '@taskgraph/domain/access/permissions';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { NotLoaded, NotLocked, type ReadSet } from '@taskgraph/domain/state/read-set';
import { layerOver, type World } from '@taskgraph/domain/state/world';
import type { NewBatch } from '@taskgraph/graph-store/commit/write';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import type { FeedRaise, ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import { isSystem } from '@taskgraph/wire/system';
import { createTimes, type Times } from './batch-times.ts';
import { type Job, refusalReply } from './job.ts';
import { answerAgain, answerBatch, answerNothing } from './reply.ts';
import { batchOf, ownersOf, type Sliced, sliceBatch } from './slices.ts';
import { type Decided, type Ground, lockedUser } from './transition.ts';

/** A group's outcome, before it is written. */
export interface Outcome {
  readonly replies: Map<Job, ReplyMessage>;
  readonly changes: Change[];
  readonly batches: NewBatch[];
  readonly slices: SliceMessage[];
  readonly control: { readonly readers: Set<string>; readonly feeds: Map<string, FeedRaise> };
  /** New heads of the feeds that got slices. */
  readonly heads: Map<string, number>;
  /** The loaded world, and a layer over it with all that the group decided. */
  readonly before: World;
  readonly after: World;
  /** Any node that was loaded, walked over or made by the group. */
  readonly nodeOf: (id: string) => Owned;
  /** What jobs asked for and did not find loaded; they have no reply yet. */
  readonly notLoaded: Map<Job, ReadSet>;
  /** When the batches are. */
  readonly times: Times;
  /** Users whom jobs turned out to concern and whom the group has not locked. */
  readonly notLocked: Set<string>;
}

/** Decides all jobs once. Jobs that touch what is not loaded are left without a reply and name their needs. */
export function decideGroup(jobs: readonly Job[], ground: Ground): Outcome {
  const layer = layerOver(ground.world);
  const made = new Map<string, Owned>();
  const outcome: Outcome = {
    replies: new Map(),
    changes: [],
    batches: [],
    slices: [],
    control: { readers: new Set(), feeds: new Map() },
    heads: new Map(),
    before: ground.world,
    after: layer,
    nodeOf: (id) => knownNode(id, layer, ground.world, made),
    notLoaded: new Map(),
    times: createTimes(ground.users, ground.now),
    notLocked: new Set(),
  };
  const done = new Map<string, StoredBatch>(ground.stored);
  for (const job of jobs) {
    try {
      const decided = decideJob(job, layer, ground, outcome, done);
      for (const change of decided) {
        applyChange(layer, change);
        if (change.kind === 'node' && change.after !== null) made.set(change.id, change.after);
      }
    } catch (error) {
      if (error instanceof NotLoaded) outcome.notLoaded.set(job, error.readSet);
      else if (error instanceof NotLocked) for (const user of error.users) outcome.notLocked.add(user);
      else throw error;
    }
  }
  return outcome;
}

/** What the group itself deleted stands below the layer, or among what it made. */
function knownNode(id: string, layer: World, world: World, made: ReadonlyMap<string, Owned>): Owned {
  const node = layer.nodes.get(id) ?? world.nodes.get(id) ?? made.get(id);
  if (node) return node;
  const ownerId = world.owners.get(id);
  if (ownerId === undefined) throw new Error(`node ${id} is written and was not loaded`);
  return { id, ownerId };
}

/** Decides one job; gives its changes, which are none where it was refused or done before. */
function decideJob(
  job: Job,
  layer: World,
  ground: Ground,
  outcome: Outcome,
  done: Map<string, StoredBatch>,
): readonly Change[] {
  const earlier = done.get(job.key);
  const reply = earlier === undefined ? null : replyAgain(job, earlier, layer, ground);
  if (reply !== null || !actorExists(job, ground)) {
    outcome.replies.set(job, reply ?? refusalReply(refuse('unauthorized', 'The user does not exist any more.')));
    return [];
  }
  const { decided, at, sliced } = decideInTime(job, layer, ground, outcome);
  if (isRefusal(decided)) {
    outcome.replies.set(job, refusalReply(decided));
    return [];
  }
  if (sliced === null) {
    outcome.replies.set(job, answerNothing(decided, at));
    return [];
  }
  // Nothing of the outcome is touched before all that may ask for more has been asked.
  const answer = answerBatch(decided, at, sliced.entries);
  const batch = batchOf(decided, at, sliced.entries, outcome.nodeOf);
  outcome.times.note(sliced.owners, at.now);
  outcome.replies.set(job, answer);
  // One by one: as the arguments of a call, 130,000 changes would overflow the stack.
  for (const change of decided.changes) outcome.changes.push(change);
  outcome.batches.push(batch);
  outcome.slices.push(...sliced.messages);
  for (const { feed, seq } of sliced.entries) outcome.heads.set(feed, seq);
  for (const reader of sliced.control.readers) outcome.control.readers.add(reader);
  for (const raise of sliced.control.feeds) {
    const earlier = outcome.control.feeds.get(raise.feed);
    outcome.control.feeds.set(raise.feed, earlier === undefined ? raise : joinRaises(earlier, raise));
  }
  const feeds = Object.fromEntries(sliced.entries.map(({ feed, seq }) => [feed, seq]));
  const stored: StoredBatch = { ...batch, feeds, undone: false, last: null };
  done.set(job.key, stored);
  // Later commands of the group may turn it back, or run into what it changed.
  layer.batches.set(batch.id, stored);
  for (const id of new Set(batch.changes.map((change) => change.id))) {
    const later = layer.later.get(id);
    if (later !== undefined) layer.later.set(id, [stored, ...later]);
  }
  return decided.changes;
}

/** The system is no user and has nothing to lock: its commands wait for the owners of what they touch, and not for each other. */
function actorExists({ message: { actor } }: Job, { users }: Ground): boolean {
  return isSystem(actor) || users.has(actor.id);
}

interface InTime {
  readonly decided: Decided | Refusal;
  /** The ground at the time of the decision. */
  readonly at: Ground;
  /** Null where nothing is changed. */
  readonly sliced: (Sliced & { readonly owners: ReadonlySet<string> }) | null;
}

/** Decides now, and again at a later time where what comes of it concerns an owner whose newest batch is later (HIS7). */
function decideInTime(job: Job, layer: World, ground: Ground, { heads, nodeOf, times }: Outcome): InTime {
  for (let at = ground; ; ) {
    const decided = decide(job, layer, at);
    if (isRefusal(decided) || decided.changes.length === 0) return { decided, at, sliced: null };
    const sliced = sliceBatch(decided, at, heads);
    const owners = ownersOf(decided.changes, nodeOf);
    const now = times.earliest(owners);
    // It is the latest of a few owners' times, so that this ends.
    if (now <= at.now) return { decided, at, sliced: { ...sliced, owners } };
    at = { ...ground, now };
  }
}

/** The command's own decision, and what follows from it for memberships and for those who read feeds. */
function decide(job: Job, layer: World, ground: Ground): Decided | Refusal {
  const { actor } = job.message;
  const batchId = ground.newId(slotOf(actor.id));
  const decision = job.definition.decide(layer, job.payload, {
    actor,
    now: ground.now,
    batchId,
    newId: ground.newId,
    newToken: ground.newToken,
    userOf: (id: string) => lockedUser(ground, id),
  });
  if (isRefusal(decision)) return decision;
  const { changes, skipped, undo = null } = 'changes' in decision ? decision : { changes: decision, skipped: [] };
  const after = layerOver(layer);
  for (const change of changes) applyChange(after, change);
  const moves = moveMemberships(after, changes);
  if (isRefusal(moves)) return moves;
  const feeds = moveFeeds(after, changes);
  return { job, batchId, before: layer, after, changes: [...changes, ...moves, ...feeds], skipped, undo };
}

/** The answer that was committed under this key, or a refusal where the key stands for another command (GEN8). */
function replyAgain(job: Job, batch: StoredBatch, layer: World, ground: Ground): ReplyMessage {
  if (batch.payloadHash === job.payloadHash && batch.event === job.message.event) {
    return answerAgain(job, batch, layer, ground);
  }
  return refusalReply(refuse('conflict.idempotency_key', 'This idempotency key was used for another command.'));
}
