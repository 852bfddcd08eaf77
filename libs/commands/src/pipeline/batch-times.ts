// When the batches of a group are: the present moment, or right after the newest batch of an owner whom they concern. Rule: HIS7.
import type { LockedUser } from '@taskgraph/domain/state/state';

/**
 * The times of a group's batches. An owner's newest batch may be later than now where a worker's clock was ahead. A batch that concerns
 * that owner then follows it by a millisecond, one for the group; the others of the group keep to the clock. So a wrong time stays with
 * those whom it met, and time catches up with it.
 */
export interface BatchTimes {
  /** The earliest time that a batch may have that concerns these owners. */
  earliest(owners: Iterable<string>): string;
  /** Notes the time of a batch for the owners whom it concerns. */
  note(owners: Iterable<string>, ts: string): void;
  /** The newest time of each owner whom a batch of the group concerns. */
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

/** Milliseconds by which the newest batch of the group's owners is ahead of now; 0 where none is. */
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
