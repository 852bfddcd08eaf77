// The reply to the caller of a command: its diff, cut to what they may see. Rules: GEN8, GEN9, ACL8, ACL9, HIS6, EVT1, TRS5.

import { feedOfGrant, isCurrent, mayRecall, seesGrant } from '@taskgraph/domain/access/access';
import { grantOn, type Permissions, permissionsOf, seesLinkIn } from '@taskgraph/domain/access/permissions';
import { requireStored } from '@taskgraph/domain/decision/requiring';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { type Change, isVisible, type VisibleChange } from '@taskgraph/domain/state/change';
import { isOvertaken } from '@taskgraph/domain/state/ends';
import type { Reader } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { recalledChanges } from '@taskgraph/domain/views/history';
import { type CallersView, viewOfCaller } from '@taskgraph/domain/views/projections';
import { sightOf } from '@taskgraph/domain/views/sight-changes';
import { type BatchHeader, type ShownChange, viewDiff, viewUndoDiff } from '@taskgraph/domain/views/view';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import { type Brought, broughtBy, eventsIn } from './brought.ts';
import type { Command } from './command.ts';
import { type DecidedCommand, type GroupContext, lockedUser } from './decide-command.ts';

type Answered = Extract<ReplyMessage, { ok: true }>;

/** The answer to a command that changed nothing: it stores nothing either (GEN9). */
export function answerNothing({ command, now }: DecidedCommand): Answered {
  const diff = viewDiff([], { id: null, actor: command.message.actor, now }, nothingSeen);
  return { ok: true, body: { diff, ...resultsOf(command, []), feeds: {} } };
}

const nothingSeen = {
  ownerNames: () => ({ username: '', email: '' }),
  access: () => undefined,
  rootsOf: () => [],
  showsToken: () => false,
};

/** The answer to a command that is not done: as if it were, save that there is no batch and no number (DRY2). */
export function answerDryRun(decided: DecidedCommand): ReplyMessage {
  const { ok, body } = decided.changes.length === 0 ? answerNothing(decided) : answerBatch(decided, []);
  const diff = { ...(body.diff as object), batchId: null };
  const undone = 'batchId' in body ? { batchId: null } : {};
  const sight = sightOf(decided, decided.command.message.actor, decided.work);
  return { ok, body: { ...body, ...undone, diff, dryRun: true, sight } };
}

/** The answer to a command that was just decided. */
export function answerBatch(
  decided: DecidedCommand,
  slices: readonly { readonly feed: string; readonly seq: number }[],
): Answered {
  const { command, batchId, after, changes, ends, skipped, undo, now } = decided;
  const { actor } = command.message;
  const view = viewOfCaller(decided, actor);
  const header = {
    id: batchId,
    actor,
    now,
    skipped: skipped.filter((id) => view.showsLink(id)),
  };
  const seen = changes.filter(isVisible).filter(view.shows);
  const shown = seen.map((change) => (isOvertaken(ends, change) ? { ...change, cut: 'gone' as const } : change));
  const feeds = Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
  const body = bodyOf(shown, header, view, undo);
  return { ok: true, body: { ...body, ...resultsOf(command, changes), feeds: ownFeeds(actor, feeds, after, now) } };
}

/** Of a composite: what each of its operations brought (BAT6). */
function resultsOf({ message, payload }: Command, changes: readonly Change[]): { results?: readonly Brought[] } {
  const events = eventsIn(message, payload);
  return events === null ? {} : { results: broughtBy(events, changes.filter(isVisible)) };
}

function bodyOf(
  shown: readonly ShownChange[],
  header: BatchHeader,
  { projection }: CallersView,
  undo: { readonly kind: 'undo' | 'redo'; readonly batchId: string } | null,
): Record<string, unknown> {
  const diff = undo === null ? viewDiff(shown, header, projection) : viewUndoDiff(shown, header, projection);
  if (undo === null) return { diff };
  const of = undo.kind === 'undo' ? { undoOf: undo.batchId } : { redoOf: undo.batchId };
  return { batchId: header.id, ...of, diff };
}

/** The answer that was committed under a key, cut to what the caller may see now (GEN8). */
export function answerAgain(
  command: Command,
  batch: StoredBatch,
  world: World,
  group: Pick<GroupContext, 'users' | 'now'>,
): ReplyMessage {
  requireStored(world, batch.changes, batch.skipped);
  const { actor } = command.message;
  const { now } = group;
  const sides = { before: world, after: world, ends: new Map(), now, userOf: (id: string) => lockedUser(group, id) };
  const view = viewOfCaller(sides, actor);
  const access = permissionsOf(world, actor, now);
  const shown = recalledChanges(batch.changes).filter((change) => showsNow(change, access, world));
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
  const told = shown.map((change) =>
    isThere(change, world) ? completed(change, world) : { ...change, cut: 'gone' as const },
  );
  const body = bodyOf(told, header, { ...view, projection: { ...view.projection, rootsOf } }, undo);
  return { ok: true, body: { ...body, ...resultsOf(command, shown), feeds: ownFeeds(actor, batch.feeds, world, now) } };

  function rootsOf(nodeId: string): readonly string[] {
    return world.nodes.get(nodeId)?.inTrash === false ? view.projection.rootsOf(nodeId) : [];
  }
}

function showsNow(change: VisibleChange, access: Permissions, world: World): boolean {
  const { reader } = access;
  if (change.kind === 'link') {
    const link = world.links.get(change.id);
    return link ? seesLinkIn(world, access, link) : mayRecall(reader, recallers(change, world));
  }
  const node = world.nodes.get(change.id);
  if (!node) return change.kind !== 'grant' && mayRecall(reader, recallers(change, world));
  const level = access.level(node);
  if (level === null || change.kind === 'node') return level !== null;
  return seesGrant(reader, (change.after ?? change.before)?.email, () => level);
}

/** Of what is gone the caller is reminded where they saw it to the end, and so may know that it was there (TRS5). */
function recallers({ id }: VisibleChange, { deleted }: World): readonly string[] {
  return deleted.get(id) ?? [];
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

/** Of the feeds that a batch touched, those that the caller reads (EVT1). */
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
