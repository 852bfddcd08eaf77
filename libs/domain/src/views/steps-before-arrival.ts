// The steps of a node before a batch brought it to a feed: operations that came one by one would have told the readers of the feed nothing of them. Rules: BAT4, EVT2.
import { Op } from '@taskgraph/wire/codes';
import { isLive } from '../access/access.ts';
import type { FeedChange, VisibleChange } from '../state/change.ts';
import type { Transition } from '../state/transition.ts';

/**
 * Whether a change is a step of a node before the batch brought it to a feed, and steps before that changed what it says: those must
 * not be told there. A feed that had no readers before is read anew by all.
 */
export function earlierContents({ changes }: Transition): (change: VisibleChange, feed: string) => boolean {
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
