// Whom a change takes out of a feed, so that all others can stay when the feed's epoch rises. Rules: ACL5, ACL7, EVT4, PUB5.
import { type FeedEpochBump, MAXIMUM_LEAVING } from '@taskgraph/wire/bus/feed-messages';
import type { Change, FeedChange } from '../state/change.ts';
import type { GrantState, NodeState } from '../state/state.ts';
import type { World } from '../state/world.ts';
import { feedOfGrant } from './access.ts';
import { publicFeedOf } from './membership.ts';
import { userOf } from './permissions.ts';

/** Somebody lost a feed, or, where `due` is set, will lose it then: earlier than it was. */
export interface Departure {
  readonly feed: string;
  /** A grantee's e-mail, or null for all who read without an account. */
  readonly email: string | null;
  readonly due: string | null;
}

/** Whom a change takes out of which feed; null where nobody has to leave one. */
export function departureOf(change: Change): Departure | null {
  if (change.kind === 'grant') return departureByGrant(change.before, change.after);
  return change.kind === 'node' ? departureByPublication(change.before, change.after) : null;
}

function departureByGrant(before: GrantState | null, after: GrantState | null): Departure | null {
  if (before === null) return null;
  const { email } = before;
  const feed = feedOfGrant(before);
  if (after === null || feedOfGrant(after) !== feed) return { feed, email, due: null };
  return endsEarlier(before.due, after.due) ? { feed, email, due: after.due } : null;
}

function departureByPublication(before: NodeState | null, after: NodeState | null): Departure | null {
  const feed = publishedAs(before);
  if (feed === null) return null;
  const hidden = before?.inTrash === false && after?.inTrash === true;
  const renamed = before?.publicToken !== after?.publicToken;
  if (after === null || publishedAs(after) !== feed || hidden || renamed) return { feed, email: null, due: null };
  return endsEarlier(before?.publicDue, after.publicDue) ? { feed, email: null, due: after.publicDue } : null;
}

/** The feed that is open without an account by a node's publication. */
export function publishedAs(node: NodeState | null): string | null {
  return node?.publicToken ? publicFeedOf(node) : null;
}

function endsEarlier(was: string | null | undefined, is: string | null | undefined): boolean {
  return typeof is === 'string' && (typeof was !== 'string' || is < was);
}

/** The raised epochs among a batch's changes, each explained by whom it takes away. An e-mail that nobody has reads nothing. */
export function raisesOf(after: World, changes: readonly Change[]): FeedEpochBump[] {
  const raises = new Map<string, FeedEpochBump>();
  for (const { id, before, after: is } of changes.filter(isRaise)) {
    raises.set(id, { feed: id, previous: before.epoch, epoch: is.epoch, leaving: [] });
  }
  for (const departure of changes.map(departureOf)) {
    const raise = departure === null ? undefined : raises.get(departure.feed);
    if (departure !== null && raise !== undefined) raises.set(raise.feed, withDeparture(raise, after, departure));
  }
  return [...raises.values()];
}

function isRaise(change: Change): change is FeedChange & { readonly before: NonNullable<FeedChange['before']> } {
  return change.kind === 'feed' && change.before !== null && change.before.epoch !== change.after.epoch;
}

function withDeparture(raise: FeedEpochBump, world: World, { feed, email, due }: Departure): FeedEpochBump {
  const until = due === null ? {} : { due };
  if (email === null) return joinRaises(raise, { feed, epoch: raise.epoch, leaving: [], public: until });
  const user = userOf(world, email);
  return user === null ? raise : joinRaises(raise, { feed, epoch: raise.epoch, leaving: [{ user, ...until }] });
}

/** Two raises of one feed in a row, told as one: whoever leaves by either leaves. Too many names are no explanation any more. */
export function joinRaises(first: FeedEpochBump, second: FeedEpochBump): FeedEpochBump {
  const leaving = new Map((first.leaving ?? []).map((each) => [each.user, each]));
  for (const each of second.leaving ?? []) {
    leaving.set(each.user, { user: each.user, ...earlier(leaving.get(each.user), each) });
  }
  const open = second.public === undefined ? first.public : earlier(first.public, second.public);
  const isExplained = first.previous !== undefined && leaving.size <= MAXIMUM_LEAVING;
  return {
    feed: first.feed,
    epoch: second.epoch,
    ...(isExplained ? { previous: first.previous, leaving: [...leaving.values()] } : {}),
    ...(isExplained && open !== undefined ? { public: open } : {}),
  };
}

type Until = { readonly due?: string | undefined };

/** The earlier of two ends; none is at once. */
function earlier(one: Until | undefined, other: Until): { due?: string } {
  const expirations = [one, other].filter((until) => until !== undefined).map(({ due }) => due ?? '');
  const [first = ''] = expirations.sort();
  return first === '' ? {} : { due: first };
}
