// The nodes that go when a reader loses a feed: all that is read by no other, at once, and nothing that certainly is. Rules: ACL1, ACL7, EVT2.
import type { CopyParts } from './copy-parts.ts';
import type { HeldNode } from './entities.ts';
import { namesRoot } from './levels.ts';

export interface Departure {
  /** Takes a feed off the nodes that are meant; those that are read by no other go. */
  leaveFeed(feed: string, isMeant: (id: string) => boolean): void;
  /** Whether one of these nodes may hang in the reader's own trees, which no field of a node tells. */
  mayBeInOwnTree(ids: Iterable<string>): boolean;
}

export function createDeparture({ entities, reading, levels, progress, wantWalk, isReading }: CopyParts): Departure {
  function mayBeInOwnTree(ids: Iterable<string>): boolean {
    const own = reading.own();
    // Not all links are here, or not all that the reader's own feed has told.
    if (isReading() || (own !== null && !progress.isWhole(own))) return true;
    const isInTree = ({ entity, via }: HeldNode) => levels.isOwn(entity) || (own !== null && via.has(own));
    const begun = new Set(ids);
    const found = new Set(begun);
    // A set that grows is walked to its end: upwards from these nodes, along links that may convey.
    for (const id of found) {
      const held = entities.nodes.get(id);
      if (held !== undefined && !begun.has(id) && isInTree(held)) return true;
      for (const link of entities.linksOn(id)) {
        const ends = entities.links.get(link);
        if (ends?.source === id && ends.private !== true) found.add(String(ends.target));
      }
    }
    return false;
  }

  return {
    leaveFeed(feed, isMeant) {
      const dropped = new Set<string>();
      for (const [id, held] of entities.nodes) {
        if (!isMeant(id)) continue;
        if (!held.via.delete(feed)) {
          if (!held.isDoubtful || !namesRoot(held.entity, feed)) continue;
          wantWalk();
          dropped.add(id);
        } else if (held.via.size === 0) dropped.add(id);
        else {
          // It is still read, by a feed that may give less, and no answer about what changed says how much.
          held.entity =
            levels.derive({ ...held, entity: levels.withoutToken(held.entity) }) ?? levels.withoutToken(held.entity);
          if (!levels.isOwn(held.entity)) wantWalk();
          entities.setNode(id, held);
        }
      }
      if (dropped.size > 0 && mayBeInOwnTree(dropped)) wantWalk();
      for (const id of dropped) entities.dropNode(id);
    },
    mayBeInOwnTree,
  };
}
