// What a decided command leaves for others: its stored batch, the slices of its feeds, and the word to gateways. Rules: EVT1, EVT2, ACL7.

import { raisesOf } from '@taskgraph/domain/access/departures';
import { feedOn, type Owned, userOf } from '@taskgraph/domain/access/permissions';
import { requireUsers, requireVisibility } from '@taskgraph/domain/decision/requiring';
import { isVisible } from '@taskgraph/domain/state/change';
import type { FeedState } from '@taskgraph/domain/state/state';
import { type Slice, sliceByFeed } from '@taskgraph/domain/views/feeds';
import { storedChanges } from '@taskgraph/domain/views/history';
import { projectionOfFeed } from '@taskgraph/domain/views/projections';
import { viewDiff } from '@taskgraph/domain/views/view';
import { concernedOwners, idsOf, type NewBatch, type NewEntry } from '@taskgraph/graph-store/commit/write';
import { type ControlMessage, type SliceMessage, subjectOfFeed } from '@taskgraph/wire/messages';

import { type Decided, type Ground, lockedUser } from './transition.ts';

export interface Sliced {
  readonly messages: SliceMessage[];
  readonly entries: NewEntry[];
  readonly control: ControlMessage;
}

/** Cuts a batch into slices and numbers them. `heads`: numbers that the group has given out already. */
export function sliceBatch(decided: Decided, ground: Ground, heads: ReadonlyMap<string, number>): Sliced {
  const { before, after, changes } = decided;
  const userOf = (id: string) => lockedUser(ground, id);
  const batch = { before, after, changes, now: ground.now, userOf };
  requireVisibility(batch, decided.job.message.actor);
  const slices = sliceByFeed(batch);
  requireUsers(
    [...slices.keys()].map((feed) => ownerOfFeed(decided, feed)),
    userOf,
  );
  const messages: SliceMessage[] = [];
  const entries: NewEntry[] = [];
  for (const [feed, slice] of slices) {
    const head = headOf(decided, ground, feed);
    const seq = (heads.get(feed) ?? head.seq) + 1;
    messages.push({
      feed,
      epoch: head.epoch,
      seq,
      diff: sliceDiff(decided, ground, feed, slice),
      ...(head.public ? { public: true as const } : {}),
      ...(slice.access.length > 0 ? { access: slice.access } : {}),
    });
    entries.push({ feed, seq, reset: slice.reset, ...entryIds(slice) });
  }
  return { messages, entries, control: controlOf(decided, slices) };
}

function headOf(decided: Decided, ground: Ground, feed: string): { seq: number; epoch: number; public: boolean } {
  if (feed.startsWith('user:')) return { ...lockedUser(ground, subjectOfFeed(feed)), public: false };
  return sharedFeed(decided, feed);
}

function ownerOfFeed(decided: Decided, feed: string): string {
  return feed.startsWith('user:') ? subjectOfFeed(feed) : sharedFeed(decided, feed).ownerId;
}

function sharedFeed({ after }: Decided, feed: string): FeedState {
  const state = feedOn(after, feed);
  if (state === null) throw new Error(`the feed ${feed} gets a slice and does not exist`);
  return state;
}

function sliceDiff(decided: Decided, ground: Ground, feed: string, slice: Slice): Record<string, unknown> {
  const { before, after, job, batchId } = decided;
  const scene = { before, after, now: ground.now, ownerNames: (id: string) => lockedUser(ground, id) };
  const header = { id: batchId, actor: job.message.actor, now: ground.now };
  const { joined, left, reset } = slice;
  const some = (ids: Slice['joined']) => ids.nodes.length + ids.links.length > 0;
  return {
    ...viewDiff(slice.changes, header, projectionOfFeed(scene, feed)),
    ...(reset ? { reset: true } : {}),
    ...(!reset && some(joined) ? { joined } : {}),
    ...(!reset && some(left) ? { left } : {}),
  };
}

/** The roots whose feeds a reader gained or lost are among them: what was told there meanwhile has to be told again. */
function entryIds({ changes, joined, left, reset, access }: Slice): { nodes: string[]; links: string[] } {
  if (reset) return { nodes: [], links: [] };
  const { nodes, links } = idsOf(changes);
  const changed = { nodes: [...nodes, ...access.map(({ feed }) => subjectOfFeed(feed))], links };
  const union = (kind: 'nodes' | 'links') => [...new Set([...changed[kind], ...joined[kind], ...left[kind]])];
  return { nodes: union('nodes'), links: union('links') };
}

/** Whose rooms moved: readers who gained or lost a feed, or read one until another time, and feeds whose epoch rose. */
function controlOf({ after, changes }: Decided, slices: ReadonlyMap<string, Slice>): ControlMessage {
  const moved = [...slices].filter(([, { access }]) => access.length > 0).map(([feed]) => subjectOfFeed(feed));
  const readers = new Set(moved);
  for (const change of changes) {
    if (change.kind !== 'grant' || change.before === null || change.before.due === change.after?.due) continue;
    const user = userOf(after, change.before.email);
    if (user !== null) readers.add(user);
  }
  return { readers: [...readers], feeds: raisesOf(after, changes) };
}

/** Makers of links: of one that hung between nodes of others they may know, though it is deleted and nothing leads to it any more (TRS5). */
function linkOwners(changes: Decided['changes']): string[] {
  return changes.flatMap((change) => (change.kind === 'link' ? [(change.after ?? change.before)?.ownerId ?? ''] : []));
}

/** Ids of the owners of all that a batch touches. */
export function ownersOf(changes: Decided['changes'], nodeOf: (id: string) => Owned): Set<string> {
  const made = new Map(changes.filter(({ kind }) => kind === 'node').map((change) => [change.id, change]));
  const owned = (id: string) => {
    const change = made.get(id);
    return (change?.kind === 'node' ? (change.after ?? change.before) : null) ?? nodeOf(id);
  };
  return new Set([...concernedOwners(changes, owned), ...linkOwners(changes)]);
}

/** The batch as it is stored. */
export function batchOf(
  { job, batchId, changes, skipped, undo }: Decided,
  ground: Ground,
  slices: readonly NewEntry[],
  nodeOf: (id: string) => Owned,
): NewBatch {
  const { actor, event } = job.message;
  return {
    id: batchId,
    ts: ground.now,
    changes: storedChanges(changes),
    skipped,
    slices,
    owners: [...ownersOf(changes.filter(isVisible), nodeOf)].sort(),
    key: job.key,
    event,
    payloadHash: job.payloadHash,
    actorId: actor.id,
    actorUsername: actor.username,
    actorEmail: actor.email,
    undoOf: undo?.kind === 'undo' ? undo.batchId : null,
    redoOf: undo?.kind === 'redo' ? undo.batchId : null,
    origin: undo?.origin ?? batchId,
    reverses: undo?.reverses ?? false,
  };
}
