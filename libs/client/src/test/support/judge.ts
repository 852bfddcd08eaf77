// Judges what a replica may show by the words that have reached it. Rule: ACL7.
import type { Heard } from './faulty-line.ts';
import type { Sight } from './model-graph.ts';

export interface Judge extends Heard {
  /** Whether its reader saw the entity, by a feed, at some time after the last word that took the feed or the entity away. */
  mayShow(id: string): boolean;
}

/** `history` has what the reader saw after each batch. */
export function createJudge(history: readonly Sight[]): Judge {
  const notBefore = new Map<string, number>();
  const note = (key: string, commit: number) => void notBefore.set(key, Math.max(commit, notBefore.get(key) ?? 0));
  const since = (...keys: string[]) => Math.max(...keys.map((key) => notBefore.get(key) ?? 0));
  const isNodeSeen = (id: string, { read, feeds }: Sight, at: number) =>
    [...read.keys()].some((feed) => feeds.get(feed)?.has(id) === true && at >= since(id, feed, `${feed} ${id}`));
  return {
    lost: note,
    left(feed, id, commit) {
      // A link may be read by several feeds; one that is hidden altogether is gone.
      if (id.startsWith('n')) note(`${feed} ${id}`, commit);
      else if (history[commit]?.links.has(id) === false) note(id, commit);
    },
    gone: note,
    mayShow: (id) => history.some((sight, at) => isNodeSeen(id, sight, at) || (sight.links.has(id) && at >= since(id))),
  };
}
