// The limit on the feeds of a node, and its refusal. Rule: ACL3.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** Most feeds of a node, besides its owner's. */
export const MAXIMUM_FEEDS = 64;

/** Most nodes above the limit that the refusal examines. */
const MOST_NAMED = 100;

/** Refuses nodes with too many feeds. Only nodes that the caller sees are named. */
export function refuseTooManyFeeds(aboveLimit: readonly string[], sees: (id: string) => boolean): Refusal {
  const examined = aboveLimit.slice(0, MOST_NAMED);
  const seen = examined.filter(sees);
  return refuse(
    'conflict.too_many_feeds',
    `A node can belong to at most ${MAXIMUM_FEEDS} branches and trees of others.`,
    {
      nodes: [...seen.map((id) => ({ id })), ...(seen.length < examined.length ? [{ hidden: true }] : [])],
      most: MAXIMUM_FEEDS,
      ...(aboveLimit.length > MOST_NAMED ? { truncated: true } : {}),
    },
  );
}
