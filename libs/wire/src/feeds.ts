// The names of feeds (EVT2).

/** The feed of the entities that a user owns, and of the nodes below the user's own. */
export function userFeed(userId: string): string {
  return `user:${userId}`;
}

/** The feed of a branch, by its root. */
export function branchFeed(nodeId: string): string {
  return `root:${nodeId}`;
}

/** The feed of a node that is shared or published without its branch. */
export function nodeFeed(nodeId: string): string {
  return `node:${nodeId}`;
}

/** The id of the user or node in a feed's name. */
export function subjectOfFeed(feed: string): string {
  return feed.slice(feed.indexOf(':') + 1);
}
