// Judges what a replica may show by the words that have reached it. Rule: ACL7.
import type { RemovalListener } from './faulty-connection.ts';
import type { VisibleGraph } from './model-graph.ts';

export interface VisibilityOracle extends RemovalListener {
  /**
   * Whether its reader saw the entity, by a feed, at some time after the last word that took the
   * feed or the entity away.
   */
  mayShow(id: string): boolean;
}

/** `history` has the reader's sight after each batch, `ends` those of every link there ever was. */
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
    // A link between two feeds is in none of them.
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
