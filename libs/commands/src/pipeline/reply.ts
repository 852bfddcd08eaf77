// The reply to the caller of a command, with the diff that the caller may see. Rules: GEN8, GEN9,
// ACL8, ACL9, HIS6, EVT1, TRS5.

import { grantOn, type Permissions, permissionsOf, seesLinkIn } from '@taskgraph/domain/access/permissions';
import { feedOfGrant, isCurrent, maySeeDeletion, seesGrant } from '@taskgraph/domain/access/reader-access';
import { requireStored } from '@taskgraph/domain/decision/preload';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { type Change, isVisible, type VisibleChange } from '@taskgraph/domain/state/change';
import { isDeletedLater } from '@taskgraph/domain/state/net-change';
import type { Reader } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { changesOfStored } from '@taskgraph/domain/views/history';
import { type CallerView, callerView } from '@taskgraph/domain/views/projections';
import { type BatchHeader, type ShownChange, viewDiff, viewNode, viewUndoDiff } from '@taskgraph/domain/views/view';
import { visibilityChangeOf } from '@taskgraph/domain/views/visibility-changes';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { WireNode } from '@taskgraph/wire/entities';
import { subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Command } from './command.ts';
import { type DecidedCommand, type GroupContext, lockedUser } from './decide-command.ts';
import { eventsIn, type OperationResult, operationResults } from './operation-results.ts';

type SuccessReply = Extract<ReplyMessage, { ok: true }>;

/** The answer to a command without changes, which stores nothing (GEN9). */
export function answerNothing({ command, now }: DecidedCommand): SuccessReply {
  const diff = viewDiff([], { id: null, actor: command.message.actor, now }, EMPTY_PROJECTION);
  return { ok: true, body: { diff, ...resultsOf(command, []), ...claimOf(command, null, NO_VIEW), feeds: {} } };
}

/** Shows no node. */
const NO_VIEW = () => null;

const EMPTY_PROJECTION = {
  ownerNames: () => ({ username: '', email: '' }),
  access: () => undefined,
  rootsOf: () => [],
  showsToken: () => false,
};

/**
 * The answer to a dry run: as if the command had run, but without a batch or slice numbers (DRY2).
 */
export function answerDryRun(decided: DecidedCommand): ReplyMessage {
  const { ok, body } = decided.changes.length === 0 ? answerNothing(decided) : answerBatch(decided, []);
  const diff = { ...(body.diff as object), batchId: null };
  const undone = 'batchId' in body ? { batchId: null } : {};
  const unclaimed = 'claimId' in body ? { claimId: null } : {};
  const sight = visibilityChangeOf(decided, decided.command.message.actor, decided.work);
  return { ok, body: { ...body, ...undone, ...unclaimed, diff, dryRun: true, sight } };
}

/** The answer to a decided command. */
export function answerBatch(
  decided: DecidedCommand,
  slices: readonly { readonly feed: string; readonly seq: number }[],
): SuccessReply {
  const { command, batchId, after, changes, net, skipped, undo, now } = decided;
  const { actor } = command.message;
  const view = callerView(decided, actor);
  const header = {
    id: batchId,
    actor,
    now,
    skipped: skipped.filter((id) => view.showsLink(id)),
  };
  const seen = changes.filter(isVisible).filter(view.shows);
  const shown = seen.map((change) =>
    isDeletedLater(net, change) ? { ...change, omitted: 'deleted' as const } : change,
  );
  const feeds = Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
  const body = bodyOf(shown, header, view, undo);
  const claim = claimOf(command, { id: batchId, changes: seen }, (id) => viewNow(id, after, view));
  const results = { ...resultsOf(command, changes), ...claim };
  return { ok: true, body: { ...body, ...results, feeds: ownFeeds(actor, feeds, after, now) } };
}

interface ClaimBatch {
  readonly id: string;
  readonly changes: readonly VisibleChange[];
}

/**
 * The node of a claim, and the id of the claim, which is that of its batch (CLAIM1); null where
 * nothing was claimed. The changes of a node that was deleted since no longer name the claim
 * (CLAIM4).
 */
function claimOf(
  { message }: Command,
  batch: ClaimBatch | null,
  viewOf: (id: string) => WireNode | null,
): { node?: WireNode | null; claimId?: string | null } {
  if (message.event !== 'node:claim') return {};
  if (batch === null) return NO_CLAIM;
  const claim = batch.changes.findLast(({ kind, after }) => kind === 'node' && after?.claimId === batch.id);
  return { node: claim === undefined ? null : viewOf(claim.id), claimId: batch.id };
}

const NO_CLAIM = { node: null, claimId: null };

/** An active node as the caller sees it; null for any other. */
function viewNow(id: string, { nodes }: World, { projection }: CallerView): WireNode | null {
  const node = nodes.get(id);
  return node && !node.inTrash ? viewNode(node, projection) : null;
}

/** The results of a composite's operations (BAT6). */
function resultsOf(
  { message, payload }: Command,
  changes: readonly Change[],
): { results?: readonly OperationResult[] } {
  const events = eventsIn(message, payload);
  return events === null ? {} : { results: operationResults(events, changes.filter(isVisible)) };
}

function bodyOf(
  shown: readonly ShownChange[],
  header: BatchHeader,
  { projection }: CallerView,
  undo: { readonly kind: 'undo' | 'redo'; readonly batchId: string } | null,
): Record<string, unknown> {
  const diff = undo === null ? viewDiff(shown, header, projection) : viewUndoDiff(shown, header, projection);
  if (undo === null) return { diff };
  const of = undo.kind === 'undo' ? { undoOf: undo.batchId } : { redoOf: undo.batchId };
  return { batchId: header.id, ...of, diff };
}

/** The answer that was committed under a key, reduced to what the caller may see now (GEN8). */
export function answerRepeat(
  command: Command,
  batch: StoredBatch,
  world: World,
  group: Pick<GroupContext, 'users' | 'now'>,
): SuccessReply {
  requireStored(world, batch.changes, batch.skipped);
  const { actor } = command.message;
  const { now } = group;
  const sides = { before: world, after: world, net: new Map(), now, userOf: (id: string) => lockedUser(group, id) };
  const view = callerView(sides, actor);
  const access = permissionsOf(world, actor, now);
  const stored = changesOfStored(batch.changes);
  const shown = stored.filter((change) => showsNow(change, access, world));
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
  const entries = shown.map((change) =>
    isThere(change, world) ? withCurrentFields(change, world) : { ...change, omitted: 'deleted' as const },
  );
  const body = bodyOf(entries, header, { ...view, projection: { ...view.projection, rootsOf } }, undo);
  const isShown = (id: string) => shown.some((change) => change.kind === 'node' && change.id === id);
  const claim = claimOf(command, { id: batch.id, changes: stored }, (id) =>
    isShown(id) ? viewNow(id, world, view) : null,
  );
  const results = { ...resultsOf(command, shown), ...claim };
  return { ok: true, body: { ...body, ...results, feeds: ownFeeds(actor, batch.feeds, world, now) } };

  function rootsOf(nodeId: string): readonly string[] {
    return world.nodes.get(nodeId)?.inTrash === false ? view.projection.rootsOf(nodeId) : [];
  }
}

function showsNow(change: VisibleChange, access: Permissions, world: World): boolean {
  const { reader } = access;
  if (change.kind === 'link') {
    const link = world.links.get(change.id);
    return link ? seesLinkIn(world, access, link) : maySeeDeletion(reader, formerReaders(change, world));
  }
  const node = world.nodes.get(change.id);
  if (!node) return change.kind !== 'grant' && maySeeDeletion(reader, formerReaders(change, world));
  const level = access.level(node);
  if (level === null || change.kind === 'node') return level !== null;
  return seesGrant(reader, (change.after ?? change.before)?.email, () => level);
}

/** A deleted entity is reported only to callers who saw it until its deletion (TRS5). */
function formerReaders({ id }: VisibleChange, { deleted }: World): readonly string[] {
  return deleted.get(id) ?? [];
}

/** Of a deleted entity, only its id and deletion are shown (TRS5). */
function isThere({ kind, id }: VisibleChange, world: World): boolean {
  return Boolean(kind === 'link' ? world.links.get(id) : world.nodes.get(id));
}

/** Views of patches need constant fields such as the owner, which come from the current state. */
function withCurrentFields(change: VisibleChange, world: World): VisibleChange {
  if (change.kind === 'grant') return change;
  const present = change.kind === 'link' ? world.links.get(change.id) : world.nodes.get(change.id);
  // Stored fields take precedence, so a repeated answer equals the first one.
  const whole = (state: object | null) => (state === null ? null : { ...state, ...present, ...state });
  return { ...change, before: whole(change.before), after: whole(change.after) } as VisibleChange;
}

/** The caller's own feeds among those of a batch (EVT1). */
function ownFeeds(
  actor: Reader,
  feeds: Readonly<Record<string, number>>,
  world: World,
  now: string,
): Record<string, number> {
  const reads = (feed: string) => {
    if (feed.startsWith('user:')) return feed === userFeed(actor.id);
    const grant = grantOn(world, subjectOfFeed(feed), actor.email);
    return grant?.showing === true && isCurrent(grant, now) && feedOfGrant(grant) === feed;
  };
  return Object.fromEntries(Object.entries(feeds).filter(([feed]) => reads(feed)));
}
