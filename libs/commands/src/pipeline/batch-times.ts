// The timestamps of a group's batches. Rule: HIS7.
import type { LockedUser } from '@taskgraph/domain/state/state';

/**
 * The timestamps of a group's batches. An owner's newest batch may be in the future if a worker's
 * clock was ahead. The next batch that concerns this owner is one millisecond later; other batches
 * use the clock. So a wrong time affects only its owners, and only until the clock catches up.
 */
export interface BatchTimes {
  /** The earliest allowed timestamp of a batch that concerns these owners. */
  earliest(owners: Iterable<string>): string;
  /** Records a batch's timestamp for the owners whom it concerns. */
  note(owners: Iterable<string>, ts: string): void;
  /** The newest timestamp of each owner whom the group concerns. */
  readonly newest: ReadonlyMap<string, string>;
}

export function createBatchTimes(users: ReadonlyMap<string, Pick<LockedUser, 'lastTs'>>, now: string): BatchTimes {
  const newest = new Map<string, string>();
  const earliestOf = (owner: string): string => {
    const inGroup = newest.get(owner);
    if (inGroup !== undefined) return inGroup;
    const lastTs = users.get(owner)?.lastTs ?? '';
    return lastTs > now ? new Date(Date.parse(lastTs) + 1).toISOString() : now;
  };
  return {
    earliest: (owners) => latest(now, ...[...owners].map(earliestOf)),
    note(owners, ts) {
      for (const owner of owners) newest.set(owner, latest(ts, earliestOf(owner)));
    },
    newest,
  };
}

/** Milliseconds by which the owners' newest batch is in the future; 0 if it is not. */
export function aheadMs(users: ReadonlyMap<string, Pick<LockedUser, 'lastTs'>>, now: string): number {
  let last = now;
  for (const { lastTs } of users.values()) if (lastTs > last) last = lastTs;
  return Date.parse(last) - Date.parse(now);
}

/** ISO 8601 in UTC with milliseconds sorts as text. */
function latest(...times: string[]): string {
  let result = '';
  for (const ts of times) if (ts > result) result = ts;
  return result;
}
