// Removes the nodes of a lost feed: drops those that no other feed shows, and requests a full read
// where the copy cannot decide that. Rules: ACL1, ACL7, EVT2.
import type { CopyParts } from './copy-parts.ts';
import type { NodeRecord } from './entities.ts';
import { namesRoot } from './levels.ts';

export interface FeedRemoval {
  /**
   * Removes a feed from the nodes for which `isMeant` holds, and drops those without another feed.
   */
  removeFeed(feed: string, isMeant: (id: string) => boolean): void;
  /** Whether one of these nodes may be below a node of the reader. No field of a node says so. */
  mayBeInOwnTree(ids: Iterable<string>): boolean;
}

export function createFeedRemoval(parts: CopyParts): FeedRemoval {
  const { entities, readFeeds, levels, progress, requestFullRead, isFullReadDue } = parts;

  function mayBeInOwnTree(ids: Iterable<string>): boolean {
    const own = readFeeds.own();
    // Some links, or some slices of the reader's own feed, are missing.
    if (isFullReadDue() || (own !== null && !progress.isComplete(own))) return true;
    const isInTree = ({ entity, via }: NodeRecord) => levels.isOwn(entity) || (own !== null && via.has(own));
    const first = new Set(ids);
    const found = new Set(first);
    // The loop also visits the ids that it adds: upwards from these nodes, along links that may
    // propagate.
    for (const id of found) {
      const record = entities.nodes.get(id);
      if (record !== undefined && !first.has(id) && isInTree(record)) return true;
      for (const link of entities.linksOn(id)) {
        const ends = entities.links.get(link);
        if (ends?.source === id && ends.private !== true) found.add(String(ends.target));
      }
    }
    return false;
  }

  return {
    removeFeed(feed, isMeant) {
      const dropped = new Set<string>();
      for (const [id, record] of entities.nodes) {
        if (!isMeant(id)) continue;
        if (!record.via.delete(feed)) {
          if (!record.isDoubtful || !namesRoot(record.entity, feed)) continue;
          requestFullRead();
          dropped.add(id);
        } else if (record.via.size === 0) dropped.add(id);
        else {
          // The remaining feeds may give a lower level, and no list of changes names it.
          const entity = levels.withoutToken(record.entity);
          record.entity = levels.derive({ ...record, entity }) ?? entity;
          if (!levels.isOwn(record.entity)) requestFullRead();
          entities.setNode(id, record);
        }
      }
      if (dropped.size > 0 && mayBeInOwnTree(dropped)) requestFullRead();
      for (const id of dropped) entities.dropNode(id);
    },
    mayBeInOwnTree,
  };
}
