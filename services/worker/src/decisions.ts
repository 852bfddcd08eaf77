// Deciding a group's commands in order on the loaded world, each seeing those before it.
import { levelOn } from '@taskgraph/domain/access';
import type { Change } from '@taskgraph/domain/change';
import { sliceByFeed } from '@taskgraph/domain/feeds';
import { recalledChanges, storedChanges } from '@taskgraph/domain/history';
import type { NodeState } from '@taskgraph/domain/state';
import { type Viewpoint, viewDiff } from '@taskgraph/domain/view';
import { applyChange, layerOver, type Needs, Unloaded, type World } from '@taskgraph/domain/world';
import type { StoredBatch } from '@taskgraph/graph-store/batches';
import type { LockedUser } from '@taskgraph/graph-store/lock';
import type { NewBatch } from '@taskgraph/graph-store/write';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { type ReplyMessage, type SliceMessage, userFeed } from '@taskgraph/wire/messages';
import { type Job, refusalReply } from './job.ts';

/** What a group is decided on: everything here was read under the locks. */
export interface Ground {
  readonly world: World;
  readonly users: ReadonlyMap<string, LockedUser>;
  /** Batches that are stored already under the group's keys. */
  readonly stored: ReadonlyMap<string, StoredBatch>;
  /** The group's timestamp. */
  readonly now: string;
  readonly newId: (slot: number) => string;
}

/** A group's outcome, before it is written. */
export interface Outcome {
  readonly replies: Map<Job, ReplyMessage>;
  readonly changes: Change[];
  readonly batches: NewBatch[];
  readonly slices: SliceMessage[];
  /** New heads of the feeds that got slices. */
  readonly heads: Map<string, number>;
  /** Any node that was loaded or made by the group, in its last state. */
  readonly nodeOf: (id: string) => NodeState;
  /** What jobs asked for and did not find loaded; they have no reply yet. */
  readonly unloaded: Map<Job, Needs>;
}

/** Decides all jobs once. Jobs that touch what is not loaded are left without a reply and name their needs. */
export function decideGroup(jobs: readonly Job[], ground: Ground): Outcome {
  const layer = layerOver(ground.world);
  const made = new Map<string, NodeState>();
  const outcome: Outcome = {
    replies: new Map(),
    changes: [],
    batches: [],
    slices: [],
    heads: new Map(),
    nodeOf: (id) => {
      // What the group itself deleted stands below the layer, or among what it made.
      const node = layer.nodes.get(id) ?? ground.world.nodes.get(id) ?? made.get(id);
      if (!node) throw new Error(`node ${id} is written and was not loaded`);
      return node;
    },
    unloaded: new Map(),
  };
  const done = new Map<string, StoredBatch>(ground.stored);
  for (const job of jobs) {
    try {
      const decided = outcome.changes.length;
      decideJob(job, layer, ground, outcome, done);
      for (const change of outcome.changes.slice(decided)) {
        if (change.kind === 'node' && change.after !== null) made.set(change.id, change.after);
      }
    } catch (error) {
      if (!(error instanceof Unloaded)) throw error;
      outcome.unloaded.set(job, error.needs);
    }
  }
  return outcome;
}

function decideJob(job: Job, layer: World, ground: Ground, outcome: Outcome, done: Map<string, StoredBatch>): void {
  const { actor } = job.message;
  if (!ground.users.has(actor.id)) {
    outcome.replies.set(job, refusalReply(refuse('unauthorized', 'The user does not exist any more.')));
    return;
  }
  const earlier = done.get(job.key);
  if (earlier !== undefined) {
    outcome.replies.set(job, replyAgain(job, earlier, layer, ground));
    return;
  }
  const batchId = ground.newId(slotOf(actor.id));
  const decision = job.definition.decide(layer, job.payload, {
    actor,
    now: ground.now,
    batchId,
    newId: ground.newId,
  });
  if (isRefusal(decision)) {
    outcome.replies.set(job, refusalReply(decision));
    return;
  }
  const { changes, skipped } = 'changes' in decision ? decision : { changes: decision, skipped: [] };
  const header = { id: changes.length === 0 ? null : batchId, actor, now: ground.now, skipped };
  if (changes.length === 0) {
    outcome.replies.set(job, { ok: true, body: { diff: viewDiff([], header, pushView(ground)), feeds: {} } });
    return;
  }
  for (const change of changes) applyChange(layer, change);
  outcome.changes.push(...changes);
  const sliced = [...sliceByFeed(changes, outcome.nodeOf)].map(([feed, slice]) => {
    const { seq: head, epoch } = feedOwner(feed, ground);
    const seq = (outcome.heads.get(feed) ?? head) + 1;
    outcome.heads.set(feed, seq);
    outcome.slices.push({ feed, seq, epoch, diff: viewDiff(slice, header, pushView(ground)) });
    return { feed, seq, changed: [...new Set(slice.map(({ id }) => id))] };
  });
  const batch = newBatch(job, {
    id: batchId,
    ts: ground.now,
    changes: storedChanges(changes),
    skipped,
    slices: sliced,
  });
  outcome.batches.push(batch);
  const feeds = Object.fromEntries(sliced.map(({ feed, seq }) => [feed, seq]));
  done.set(job.key, { ...batch, feeds });
  const diff = viewDiff(changes, header, callerView(job, layer, ground));
  const body = { diff, feeds: ownFeeds(job, feeds) };
  outcome.replies.set(job, { ok: true, body });
}

function newBatch(job: Job, decided: Pick<NewBatch, 'id' | 'ts' | 'changes' | 'skipped' | 'slices'>): NewBatch {
  const { actor, event } = job.message;
  return {
    ...decided,
    key: job.key,
    event,
    payloadHash: job.payloadHash,
    actorId: actor.id,
    actorUsername: actor.username,
    actorEmail: actor.email,
  };
}

/** The answer that was committed under this key, or a refusal where the key stands for another command (GEN8). */
function replyAgain(job: Job, batch: StoredBatch, layer: World, ground: Ground): ReplyMessage {
  if (batch.payloadHash !== job.payloadHash || batch.event !== job.message.event) {
    return refusalReply(refuse('conflict.idempotency_key', 'This idempotency key was used for another command.'));
  }
  const actor = { id: batch.actorId, username: batch.actorUsername, email: batch.actorEmail };
  const changes = recalledChanges(batch.changes);
  const header = { id: batch.id, actor, now: batch.ts, skipped: batch.skipped };
  const diff = viewDiff(changes, header, callerView(job, layer, ground));
  return { ok: true, body: { diff, feeds: ownFeeds(job, batch.feeds) } };
}

function feedOwner(feed: string, ground: Ground): LockedUser {
  const user = ground.users.get(feed.slice('user:'.length));
  // A slice goes to a feed only under its owner's lock, since its number is taken there.
  if (user === undefined) throw new Error(`the owner of ${feed} is not locked`);
  return user;
}

/** Of the feeds that a batch touched, those that the caller reads (EVT1). */
function ownFeeds(job: Job, feeds: Readonly<Record<string, number>>): Record<string, number> {
  const own = userFeed(job.message.actor.id);
  return Object.fromEntries(Object.entries(feeds).filter(([feed]) => feed === own));
}

/** How the readers of a feed see it: `access` differs from reader to reader, so it is left out (ACL8). */
function pushView(ground: Ground): Viewpoint {
  return { ownerNames: (id) => ownerNames(ground, id), access: () => undefined };
}

function callerView(job: Job, layer: World, ground: Ground): Viewpoint {
  return {
    ownerNames: (id) => ownerNames(ground, id),
    access: (node) => levelOn(node, job.message.actor, layer.grants, ground.now) ?? undefined,
  };
}

function ownerNames(ground: Ground, ownerId: string) {
  const user = ground.users.get(ownerId);
  if (user === undefined) throw new Error(`the owner ${ownerId} is not locked`);
  return { username: user.username, email: user.email };
}
