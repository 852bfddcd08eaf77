// The scope of a reader who sees members of feeds, beside their own nodes or without them. Rules: ACL1, EVT3, LNK9.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { NodeStretch, Scope, Window } from './graph-page.ts';
import type { PageRoom } from './page-byte-limit.ts';
import { PLACED_LINKS, readPlacedLinks } from './placed-links.ts';
import { readPlacedNodes } from './placed-nodes.ts';
import { type Membership, readVisibleIds } from './visible-ids.ts';

/** Most ids that are held at once while an offset is walked. */
const SKIPPED_AT_ONCE = 5_000;

/**
 * In: owner (id, or '' for none), feeds, reader (id or ''), after (id or ''), skip, limit, reach (skip + limit).
 * Out: see PLACED_LINKS, in order of id. Locks: none. Cost: for what starts at the owner's nodes: skip and limit, by the indexes' order.
 * For what starts at members that are another's: all links that leave active members of the feeds, of which the first are kept.
 *
 * A member of several of the feeds is looked at in the first of them alone. Privacy is judged by CASE, since the planner makes two scans
 * without order of an OR.
 */
const PAGE_LINKS = `
CALL () {
  MATCH (a)-[r:BLOCKS]->(b)
  USING INDEX r:BLOCKS(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
    AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  MATCH (a)-[r:RELATES]->(b)
  USING INDEX r:RELATES(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
    AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  UNWIND $feeds AS feed
  MATCH (a:Node)-[member:IN]->(:Feed)
  USING INDEX member:IN(feed, id)
  WHERE member.feed = feed AND member.id > '' AND a.ownerId <> $owner AND a.inTrash = false
    AND NOT EXISTS { (a)-[row:IN]->() WHERE row.feed < feed AND row.feed IN $feeds }
  MATCH (a)-[r:BLOCKS|RELATES]->(b)
  WHERE r.id > $after AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
  WITH a, r, b WHERE b.ownerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds }
  RETURN r, a.id AS source, b.id AS target ORDER BY r.id LIMIT $reach
}
WITH r, source, target ORDER BY r.id SKIP $skip LIMIT $limit${PLACED_LINKS}`;

/** The links of these nodes that the reader sees, or anybody where there is no reader: their private links are their owners' alone. */
export function memberScope(database: Database, membership: Membership, readerId: string | null): Scope {
  const { ownerId, feeds } = membership;
  return {
    nodes: (window, room) => readNodes(database, membership, window, room),
    async links({ after, skip, limit }) {
      const wanted = {
        ...{ owner: ownerId ?? '', reader: readerId ?? '', feeds: [...feeds], after },
        ...{ skip: integer(skip), limit: integer(limit), reach: integer(skip + limit) },
      };
      return readPlacedLinks(() => database.read(PAGE_LINKS, wanted));
    },
  };
}

async function readNodes(
  database: Database,
  membership: Membership,
  window: Window,
  room: PageRoom,
): Promise<NodeStretch> {
  let { after } = window;
  let skipped = 0;
  while (skipped < window.skip) {
    const count = Math.min(window.skip - skipped, SKIPPED_AT_ONCE);
    const passed = await readVisibleIds(database, membership, { after, count });
    skipped += passed.length;
    if (passed.length < count) return { nodes: [], passed: 0, last: null, hasMore: false, skipped };
    after = passed.at(-1) as string;
  }
  // One more than is wanted tells whether there is a next page.
  const ids = await readVisibleIds(database, membership, { after, count: window.limit + 1 });
  const { nodes: placed, passed } = await readPlacedNodes(database, ids.slice(0, window.limit), room);
  const sought = new Set(membership.feeds);
  // A node that left all of the feeds since its id was read is not shown.
  const nodes = placed.filter(
    ({ node, feeds }) => node.ownerId === membership.ownerId || feeds.some((feed) => sought.has(feed)),
  );
  return { nodes, passed, last: ids[passed - 1] ?? null, hasMore: passed < ids.length, skipped };
}
