// What the caller of a command is answered: its diff, cut to what they may see. Rules: GEN8, GEN9, ACL8, ACL9, HIS6, EVT1, TRS5.

import { allows, feedOfGrant, isCurrent } from '@taskgraph/domain/access/access';
import { grantOn, permissionsOf } from '@taskgraph/domain/access/permissions';
import { requireStored } from '@taskgraph/domain/decision/requiring';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { isVisible, type VisibleChange } from '@taskgraph/domain/state/change';
import type { World } from '@taskgraph/domain/state/world';
import { recalledChanges } from '@taskgraph/domain/views/history';
import { type CallersView, viewOfCaller } from '@taskgraph/domain/views/projections';
import { type BatchHeader, viewDiff, viewUndoDiff } from '@taskgraph/domain/views/view';
import { Level } from '@taskgraph/wire/codes';
import { type ReplyMessage, subjectOfFeed, userFeed } from '@taskgraph/wire/messages';
import type { Job } from './job.ts';
import { type Decided, type Ground, lockedUser } from './transition.ts';

/** The answer to a command that changed nothing: it stores nothing either (GEN9). */
export function answerNothing({ job }: Decided, ground: Ground): ReplyMessage {
  const diff = viewDiff([], { id: null, actor: job.message.actor, now: ground.now }, nothingSeen);
  return { ok: true, body: { diff, feeds: {} } };
}

const nothingSeen = {
  ownerNames: () => ({ username: '', email: '' }),
  access: () => undefined,
  rootsOf: () => [],
  showsToken: () => false,
};

/** The answer to a command that was just decided. */
export function answerBatch(
  decided: Decided,
  ground: Ground,
  slices: readonly { readonly feed: string; readonly seq: number }[],
): ReplyMessage {
  const { job, batchId, before, after, changes, skipped, undo } = decided;
  const view = callersView(job, { before, after }, ground);
  const header = {
    id: batchId,
    actor: job.message.actor,
    now: ground.now,
    skipped: skipped.filter((id) => view.showsLink(id)),
  };
  const shown = changes.filter(isVisible).filter(view.shows);
  const feeds = Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
  return {
    ok: true,
    body: { ...bodyOf(shown, header, view, undo), feeds: ownFeeds(job, feeds, after, ground.now) },
  };
}

function bodyOf(
  shown: readonly VisibleChange[],
  header: BatchHeader,
  { projection }: CallersView,
  undo: { readonly kind: 'undo' | 'redo'; readonly batchId: string } | null,
  gone: readonly VisibleChange[] = [],
): Record<string, unknown> {
  const diff = undo === null ? viewDiff(shown, header, projection) : viewUndoDiff(shown, header, projection);
  for (const { kind, op, id } of gone) {
    const entry = { op, before: {}, after: { id, deleted: true, shareRoots: [] } };
    diff[kind === 'link' ? 'links' : 'nodes'].push(undo === null ? entry : { ...entry.after, ...entry });
  }
  if (undo === null) return { diff };
  const of = undo.kind === 'undo' ? { undoOf: undo.batchId } : { redoOf: undo.batchId };
  return { batchId: header.id, ...of, diff };
}

/** The answer that was committed under a key, cut to what the caller may see now (GEN8). */
export function answerAgain(job: Job, batch: StoredBatch, world: World, ground: Ground): ReplyMessage {
  requireStored(world, batch.changes, batch.skipped);
  const view = callersView(job, { before: world, after: world }, ground);
  const shown = recalledChanges(batch.changes).filter((change) => showsNow(change, job, world, ground));
  const there = shown.filter((change) => isThere(change, world)).map((change) => completed(change, world));
  const header = {
    id: batch.id,
    actor: { username: batch.actorUsername, email: batch.actorEmail },
    now: batch.ts,
    skipped: batch.skipped.filter((id) => view.showsLink(id)),
  };
  const undo =
    batch.undoOf !== null
      ? { kind: 'undo' as const, batchId: batch.undoOf }
      : batch.redoOf !== null
        ? { kind: 'redo' as const, batchId: batch.redoOf }
        : null;
  const gone = shown.filter((change) => !isThere(change, world));
  const body = bodyOf(there, header, { ...view, projection: { ...view.projection, rootsOf } }, undo, gone);
  return { ok: true, body: { ...body, feeds: ownFeeds(job, batch.feeds, world, ground.now) } };

  function rootsOf(nodeId: string): readonly string[] {
    return world.nodes.get(nodeId)?.inTrash === false ? view.projection.rootsOf(nodeId) : [];
  }
}

function showsNow(change: VisibleChange, job: Job, world: World, ground: Ground): boolean {
  const readerAccess = permissionsOf(world, job.message.actor, ground.now);
  if (change.kind === 'link') {
    const link = world.links.get(change.id);
    return link ? readerAccess.seesLink(link) : mayRecall(change, job, world);
  }
  const node = world.nodes.get(change.id);
  if (!node) return change.kind !== 'grant' && mayRecall(change, job, world);
  const level = readerAccess.level(node);
  if (change.kind === 'node') return level !== null;
  const own = (change.after ?? change.before)?.email === job.message.actor.email;
  return allows(level, own ? Level.VIEWER : Level.ADMIN);
}

/** Of what is gone the caller is reminded where they saw it to the end, and so may know that it was there (TRS5). */
function mayRecall({ id }: VisibleChange, job: Job, { deleted }: World): boolean {
  return deleted.get(id)?.includes(job.message.actor.id) === true;
}

/** Of what was deleted since, no more is shown than its id and that it is gone (TRS5). */
function isThere({ kind, id }: VisibleChange, world: World): boolean {
  return Boolean(kind === 'link' ? world.links.get(id) : world.nodes.get(id));
}

/** A view of a patch also needs fields that never change, such as the owner: they are those of now. */
function completed(change: VisibleChange, world: World): VisibleChange {
  if (change.kind === 'grant') return change;
  const present = change.kind === 'link' ? world.links.get(change.id) : world.nodes.get(change.id);
  // The stored fields come first: an answer that is given again reads like the first one.
  const whole = (state: object | null) => (state === null ? null : { ...state, ...present, ...state });
  return { ...change, before: whole(change.before), after: whole(change.after) } as VisibleChange;
}

function callersView(job: Job, { before, after }: { before: World; after: World }, ground: Ground): CallersView {
  const ownerNames = (id: string) => lockedUser(ground, id);
  return viewOfCaller({ before, after, now: ground.now, ownerNames }, job.message.actor);
}

/** Of the feeds that a batch touched, those that the caller reads (EVT1). */
function ownFeeds(
  job: Job,
  feeds: Readonly<Record<string, number>>,
  world: World,
  now: string,
): Record<string, number> {
  const { actor } = job.message;
  const reads = (feed: string) => {
    if (feed.startsWith('user:')) return feed === userFeed(actor.id);
    const grant = grantOn(world, subjectOfFeed(feed), actor.email);
    return grant?.showing === true && isCurrent(grant, now) && feedOfGrant(grant) === feed;
  };
  return Object.fromEntries(Object.entries(feeds).filter(([feed]) => reads(feed)));
}
