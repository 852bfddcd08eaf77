// How many feeds a node may belong to, and the refusal of more. Rule: ACL3.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** Most feeds that a node belongs to, its owner's aside. */
export const MAXIMUM_FEEDS = 64;

/** Most crowded nodes that are looked at. */
const MOST_NAMED = 100;

/** Of the crowded nodes those are named that the caller sees. */
export function tooManyFeeds(crowded: readonly string[], sees: (id: string) => boolean): Refusal {
  const some = crowded.slice(0, MOST_NAMED);
  const seen = some.filter(sees);
  return refuse(
    'conflict.too_many_feeds',
    `A node can belong to at most ${MAXIMUM_FEEDS} branches and trees of others.`,
    {
      nodes: [...seen.map((id) => ({ id })), ...(seen.length < some.length ? [{ hidden: true }] : [])],
      most: MAXIMUM_FEEDS,
      ...(crowded.length > MOST_NAMED ? { truncated: true } : {}),
    },
  );
}
