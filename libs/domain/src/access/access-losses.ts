// The readers who lose a feed by a change. With their names, gateways let all other readers stay
// when the feed's epoch grows. Rules: ACL5, ACL7, EVT4, PUB5.
import { type FeedEpochBump, MAXIMUM_LEAVING } from '@taskgraph/wire/bus/feed-messages';
import type { Change, FeedChange } from '../state/change.ts';
import type { GrantState, NodeState } from '../state/state.ts';
import type { World } from '../state/world.ts';
import { publicFeedOf } from './membership.ts';
import { userOf } from './permissions.ts';
import { feedOfGrant } from './reader-access.ts';

/** A reader loses a feed now. With `due`, the reader's access ends then, earlier than before. */
export interface AccessLoss {
  readonly feed: string;
  /** A grantee's e-mail; null for all anonymous readers. */
  readonly email: string | null;
  readonly due: string | null;
}

/** The access that a change ends or shortens, if any. */
export function accessLossOf(change: Change): AccessLoss | null {
  if (change.kind === 'grant') return lossByGrant(change.before, change.after);
  return change.kind === 'node' ? lossByPublication(change.before, change.after) : null;
}

function lossByGrant(before: GrantState | null, after: GrantState | null): AccessLoss | null {
  if (before === null) return null;
  const { email } = before;
  const feed = feedOfGrant(before);
  if (after === null || feedOfGrant(after) !== feed) return { feed, email, due: null };
  return endsEarlier(before.due, after.due) ? { feed, email, due: after.due } : null;
}

function lossByPublication(before: NodeState | null, after: NodeState | null): AccessLoss | null {
  const feed = publicationFeed(before);
  if (feed === null) return null;
  const hidden = before?.inTrash === false && after?.inTrash === true;
  const renamed = before?.publicToken !== after?.publicToken;
  if (after === null || publicationFeed(after) !== feed || hidden || renamed) return { feed, email: null, due: null };
  return endsEarlier(before?.publicDue, after.publicDue) ? { feed, email: null, due: after.publicDue } : null;
}

/** The feed that a publication opens to anonymous readers. */
export function publicationFeed(node: NodeState | null): string | null {
  return node?.publicToken ? publicFeedOf(node) : null;
}

function endsEarlier(was: string | null | undefined, is: string | null | undefined): boolean {
  return typeof is === 'string' && (typeof was !== 'string' || is < was);
}

/**
 * The epoch changes of a batch, with the readers who lose access. An e-mail without a user reads
 * nothing, so it is left out.
 */
export function epochBumpsOf(after: World, changes: readonly Change[]): FeedEpochBump[] {
  const raises = new Map<string, FeedEpochBump>();
  for (const { id, before, after: is } of changes.filter(isEpochBump)) {
    raises.set(id, { feed: id, previous: before.epoch, epoch: is.epoch, leaving: [] });
  }
  for (const loss of changes.map(accessLossOf)) {
    const raise = loss === null ? undefined : raises.get(loss.feed);
    if (loss !== null && raise !== undefined) raises.set(raise.feed, withLoss(raise, after, loss));
  }
  return [...raises.values()];
}

function isEpochBump(change: Change): change is FeedChange & { readonly before: NonNullable<FeedChange['before']> } {
  return change.kind === 'feed' && change.before !== null && change.before.epoch !== change.after.epoch;
}

function withLoss(raise: FeedEpochBump, world: World, { feed, email, due }: AccessLoss): FeedEpochBump {
  const until = due === null ? {} : { due };
  if (email === null) return mergeEpochBumps(raise, { feed, epoch: raise.epoch, leaving: [], public: until });
  const user = userOf(world, email);
  return user === null ? raise : mergeEpochBumps(raise, { feed, epoch: raise.epoch, leaving: [{ user, ...until }] });
}

/**
 * Joins two successive epoch changes of a feed. Above the maximum of names, the result names no
 * reader.
 */
export function mergeEpochBumps(first: FeedEpochBump, second: FeedEpochBump): FeedEpochBump {
  const leaving = new Map((first.leaving ?? []).map((each) => [each.user, each]));
  for (const each of second.leaving ?? []) {
    leaving.set(each.user, { user: each.user, ...earlierEnd(leaving.get(each.user), each) });
  }
  const open = second.public === undefined ? first.public : earlierEnd(first.public, second.public);
  const isExplained = first.previous !== undefined && leaving.size <= MAXIMUM_LEAVING;
  return {
    feed: first.feed,
    epoch: second.epoch,
    ...(isExplained ? { previous: first.previous, leaving: [...leaving.values()] } : {}),
    ...(isExplained && open !== undefined ? { public: open } : {}),
  };
}

type EndTime = { readonly due?: string | undefined };

/** The earlier of two end times; a missing time means at once. */
function earlierEnd(one: EndTime | undefined, other: EndTime): { due?: string } {
  const expirations = [one, other].filter((until) => until !== undefined).map(({ due }) => due ?? '');
  const [first = ''] = expirations.sort();
  return first === '' ? {} : { due: first };
}
