// Steps of a node before it joined a feed in the same batch. With separate operations, the feed's
// readers would not have seen them. Rules: BAT4, EVT2.
import { Op } from '@taskgraph/wire/codes';
import { isLive } from '../access/reader-access.ts';
import type { FeedChange, VisibleChange } from '../state/change.ts';
import type { Transition } from '../state/transition.ts';

/**
 * Whether a change is a step of a node before the batch brought it to the feed, after a content
 * change. Such steps must not be shown there. Readers of a new feed read it from scratch.
 */
export function stepsBeforeArrival({ changes }: Transition): (change: VisibleChange, feed: string) => boolean {
  const firstUpdates = new Map<string, number>();
  for (const change of changes) {
    if (change.kind !== 'node' || change.op !== Op.NODE_UPDATE || change.step === undefined) continue;
    if (!firstUpdates.has(change.id)) firstUpdates.set(change.id, change.step);
  }
  if (firstUpdates.size === 0) return () => false;
  const arrivals = new Map<string, number>();
  const newFeeds = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'member' && change.since !== undefined && change.after !== null) {
      arrivals.set(`${change.id}|${change.feed}`, change.since);
    }
    if (change.kind === 'feed' && isNew(change)) newFeeds.add(change.id);
  }
  return ({ kind, id, step = 0 }, feed) => {
    const first = kind === 'node' ? firstUpdates.get(id) : undefined;
    if (first === undefined) return false;
    const arrival = newFeeds.has(feed) ? Number.POSITIVE_INFINITY : arrivals.get(`${id}|${feed}`);
    return arrival !== undefined && step < arrival && first < arrival;
  };
}

function isNew({ before, after }: FeedChange): boolean {
  return isLive(after) && (before === null || !isLive(before));
}
