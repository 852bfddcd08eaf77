// Judges what a replica may show by the words that have reached it. Rule: ACL7.
import type { Heard } from './faulty-line.ts';
import type { Sight } from './model-graph.ts';

export interface Judge extends Heard {
  /** Whether its reader saw the entity, by a feed, at some time after the last word that took the feed or the entity away. */
  mayShow(id: string): boolean;
}

/** `history` has the reader's sight after each batch, `ends` those of every link there ever was. */
export function createJudge(history: readonly Sight[], ends: ReadonlyMap<string, readonly string[]>): Judge {
  const notBefore = new Map<string, number>();
  const note = (key: string, commit: number) => void notBefore.set(key, Math.max(commit, notBefore.get(key) ?? 0));
  const isSince = (at: number, ...keys: string[]) => keys.every((key) => at >= (notBefore.get(key) ?? 0));
  const feedsWith = (ids: readonly string[], { read, feeds }: Sight) =>
    [...read.keys()].filter((feed) => ids.every((id) => feeds.get(feed)?.has(id) === true));
  const isNodeSeen = (id: string, sight: Sight, at: number) =>
    feedsWith([id], sight).some((feed) => isSince(at, id, feed, `${feed} ${id}`));
  const isLinkSeen = (id: string, sight: Sight, at: number) => {
    if (!sight.links.has(id) || !isSince(at, id)) return false;
    // A link between two feeds is in none of them.
    const common = feedsWith(ends.get(id) ?? [], sight);
    return common.length === 0 || common.some((feed) => isSince(at, feed, `${feed} ${id}`));
  };
  return {
    lost: note,
    left: (feed, id, commit) => note(`${feed} ${id}`, commit),
    gone: note,
    mayShow: (id) => history.some((sight, at) => isNodeSeen(id, sight, at) || isLinkSeen(id, sight, at)),
  };
}
