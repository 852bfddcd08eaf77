// The output of a command for other readers: slices, and the control message to gateways. Rules:
// EVT1, EVT2, ACL7.

import { epochBumpsOf } from '@taskgraph/domain/access/access-losses';
import { feedOn, userOf } from '@taskgraph/domain/access/permissions';
import { requireUsers, requireVisibility } from '@taskgraph/domain/decision/preload';
import type { FeedEntry } from '@taskgraph/domain/state/batch';
import { type Change, idsOf } from '@taskgraph/domain/state/change';
import { netChanges } from '@taskgraph/domain/state/net-change';
import type { FeedState } from '@taskgraph/domain/state/state';
import { type Slice, sliceByFeed } from '@taskgraph/domain/views/feed-slices';
import { projectionOfFeed } from '@taskgraph/domain/views/projections';
import { viewDiff } from '@taskgraph/domain/views/view';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { DecidedCommand } from './decide-command.ts';

export interface CommandSlices {
  readonly messages: SliceMessage[];
  readonly entries: FeedEntry[];
  readonly control: Pick<ControlMessage, 'readers' | 'feeds'> & { readonly publications: string[] };
}

/**
 * Makes the slices of a batch and numbers them. `heads` are the last numbers that the group has
 * given out.
 */
export function sliceCommand(decided: DecidedCommand, heads: ReadonlyMap<string, number>): CommandSlices {
  requireVisibility(decided, decided.command.message.actor);
  const slices = sliceByFeed(decided, decided.work);
  requireUsers(
    [...slices.keys()].map((feed) => ownerOfFeed(decided, feed)),
    decided.userOf,
  );
  const messages: SliceMessage[] = [];
  const entries: FeedEntry[] = [];
  for (const [feed, slice] of slices) {
    const head = headOf(decided, feed);
    const seq = (heads.get(feed) ?? head.seq) + 1;
    messages.push({
      feed,
      epoch: head.epoch,
      seq,
      diff: sliceDiff(decided, feed, slice),
      ...(head.public ? { public: true as const } : {}),
      ...(slice.access.length > 0 ? { access: slice.access } : {}),
    });
    entries.push({ feed, seq, reset: slice.reset, ...entryIds(slice) });
  }
  return { messages, entries, control: controlOf(decided, slices) };
}

function headOf(decided: DecidedCommand, feed: string): { seq: number; epoch: number; public: boolean } {
  if (feed.startsWith('user:')) return { ...decided.userOf(subjectOfFeed(feed)), public: false };
  return sharedFeed(decided, feed);
}

function ownerOfFeed(decided: DecidedCommand, feed: string): string {
  return feed.startsWith('user:') ? subjectOfFeed(feed) : sharedFeed(decided, feed).ownerId;
}

function sharedFeed({ after }: DecidedCommand, feed: string): FeedState {
  const state = feedOn(after, feed);
  if (state === null) throw new Error(`the feed ${feed} gets a slice and does not exist`);
  return state;
}

function sliceDiff(decided: DecidedCommand, feed: string, slice: Slice): Record<string, unknown> {
  const { command, batchId, now } = decided;
  const header = { id: batchId, actor: command.message.actor, now };
  const { joined, left, reset } = slice;
  const some = (ids: Slice['joined']) => ids.nodes.length + ids.links.length > 0;
  return {
    ...viewDiff(slice.changes, header, projectionOfFeed(decided, feed)),
    ...(reset ? { reset: true } : {}),
    ...(!reset && some(joined) ? { joined } : {}),
    ...(!reset && some(left) ? { left } : {}),
  };
}

/**
 * Includes the roots of feeds that a reader gained or lost, because their earlier changes must be
 * sent again.
 */
function entryIds({ changes, joined, left, reset, access }: Slice): { nodes: string[]; links: string[] } {
  if (reset) return { nodes: [], links: [] };
  const { nodes, links } = idsOf(changes);
  const changed = { nodes: [...nodes, ...access.map(({ feed }) => subjectOfFeed(feed))], links };
  const union = (kind: 'nodes' | 'links') => [...new Set([...changed[kind], ...joined[kind], ...left[kind]])];
  return { nodes: union('nodes'), links: union('links') };
}

/**
 * The control message: readers who gained or lost a feed or read it until another time,
 * publications with another end, and feeds with a new epoch.
 */
function controlOf({ after, changes }: DecidedCommand, slices: ReadonlyMap<string, Slice>): CommandSlices['control'] {
  const moved = [...slices].filter(([, { access }]) => access.length > 0).map(([feed]) => subjectOfFeed(feed));
  const readers = new Set(moved);
  const net = [...netChanges(changes), ...changes.filter(({ kind }) => kind === 'feed')];
  for (const change of net) {
    if (change.kind !== 'grant' || change.before === null || change.before.due === change.after?.due) continue;
    const user = userOf(after, change.before.email);
    if (user !== null) readers.add(user);
  }
  return {
    readers: [...readers],
    feeds: epochBumpsOf(after, net),
    publications: net.filter(hasNewPublicationEnd).map(({ id }) => id),
  };
}

/**
 * Whether a publication only gets another end. If it ends or opens another feed, the new epoch
 * removes its readers.
 */
function hasNewPublicationEnd(change: Change): boolean {
  if (change.kind !== 'node' || change.before === null || change.after === null) return false;
  const { before, after } = change;
  return after.publicToken !== null && before.publicToken === after.publicToken && before.publicDue !== after.publicDue;
}
