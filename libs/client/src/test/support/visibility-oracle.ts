// Decides which entities a replica may show, by the removals that have reached it. Rule: ACL7.
import type { RemovalListener } from './faulty-connection.ts';
import type { VisibleGraph } from './model-graph.ts';

export interface VisibilityOracle extends RemovalListener {
  /**
   * Whether a feed showed the entity to the reader at some time after the last removal of the feed
   * or the entity.
   */
  mayShow(id: string): boolean;
}

/**
 * `history` has the visible graph after each batch, and `ends` the ends of every link, also of
 * deleted ones.
 */
export function createVisibilityOracle(
  history: readonly VisibleGraph[],
  ends: ReadonlyMap<string, readonly string[]>,
): VisibilityOracle {
  const notBefore = new Map<string, number>();
  const note = (key: string, commit: number) => void notBefore.set(key, Math.max(commit, notBefore.get(key) ?? 0));
  const isSince = (at: number, ...keys: string[]) => keys.every((key) => at >= (notBefore.get(key) ?? 0));
  const feedsWith = (ids: readonly string[], { read, feeds }: VisibleGraph) =>
    [...read.keys()].filter((feed) => ids.every((id) => feeds.get(feed)?.has(id) === true));
  const isNodeSeen = (id: string, visible: VisibleGraph, at: number) =>
    feedsWith([id], visible).some((feed) => isSince(at, id, feed, `${feed} ${id}`));
  const isLinkSeen = (id: string, visible: VisibleGraph, at: number) => {
    if (!visible.links.has(id) || !isSince(at, id)) return false;
    // A link between two feeds is in neither.
    const common = feedsWith(ends.get(id) ?? [], visible);
    return common.length === 0 || common.some((feed) => isSince(at, feed, `${feed} ${id}`));
  };
  return {
    lost: note,
    left: (feed, id, commit) => note(`${feed} ${id}`, commit),
    gone: note,
    mayShow: (id) => history.some((visible, at) => isNodeSeen(id, visible, at) || isLinkSeen(id, visible, at)),
  };
}
