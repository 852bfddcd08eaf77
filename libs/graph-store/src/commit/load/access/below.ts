// All that is below nodes over conveying links; for a large command, all branches in one go.
import type { World } from '@taskgraph/domain/state/world';
import { integer } from '../../../driver/codec.ts';
import type { OpenTransaction, Row } from '../../../driver/database.ts';
import { keepMember } from '../hydrate.ts';
import { byStart, type Load, type Loader, notIn } from '../loader.ts';

/**
 * In: below (ids), bound. Out: start, id, owner, rows, conveying links into the node (link, source) and from it (link, target with owner
 * and rows), for the start and all below it over conveying links. Locks: none. Cost: what is below, cut at the bound.
 */
const BELOW = `
  UNWIND $in.below AS start
  MATCH (s:Node {id: start})
  CALL (s) {
    MATCH (s)<-[r:BLOCKS|RELATES*0..]-(n) WHERE all(link IN r WHERE link.conveys = true AND link.private = false)
    WITH DISTINCT n LIMIT $bound RETURN n
  }
  WITH start, n LIMIT $rows
  RETURN collect({
    start: start, id: n.id, owner: n.ownerId, in: [(n)-[m:IN]->() | [m.feed, m.via]],
    into: [(n)<-[l:BLOCKS|RELATES]-(c) WHERE l.conveys = true AND l.private = false | [l.id, c.id]],
    from: [(n)-[l:BLOCKS|RELATES]->(t) WHERE l.conveys = true AND l.private = false |
      {link: l.id, id: t.id, owner: t.ownerId, in: [(t)-[m:IN]->() | [m.feed, m.via]]}]
  }) AS below`;

/**
 * In: starts, bound. Out: id, owner, rows, and conveying links into the node (link, source) and from it (link, target), for all starts
 * and what is below any of them over conveying links, once each. Locks: none. Cost: what is below each start, cut at the bound of all.
 */
const LOAD_BRANCHES = `
UNWIND $starts AS start
MATCH (s:Node {id: start})
CALL (s) {
  MATCH (s)<-[r:BLOCKS|RELATES*0..]-(n) WHERE all(link IN r WHERE link.conveys = true AND link.private = false)
  RETURN DISTINCT n
}
WITH DISTINCT n LIMIT $bound
RETURN n.id AS id, n.ownerId AS owner, [(n)-[m:IN]->() | [m.feed, m.via]] AS in,
  [(n)<-[l:BLOCKS|RELATES]-(c) WHERE l.conveys = true AND l.private = false | [l.id, c.id]] AS into,
  [(n)-[l:BLOCKS|RELATES]->(t) WHERE l.conveys = true AND l.private = false | [l.id, t.id]] AS from`;

/** In: ids. Out: id, owner, rows. Locks: none. Cost: one index look-up each. */
const LOAD_ROWS = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
RETURN n.id AS id, n.ownerId AS owner, [(n)-[m:IN]->() | [m.feed, m.via]] AS in`;

/** All branches together count against the bound. */
async function loadBranches(transaction: OpenTransaction, world: World, starts: readonly string[], load: Load) {
  const { bounds, overflowing } = load;
  const rows = await transaction.run(LOAD_BRANCHES, { starts: [...starts], bound: integer(bounds.entities + 1) });
  if (rows.length > bounds.entities) {
    for (const start of starts) overflowing.add(start);
    return;
  }
  const outside = new Set<string>();
  for (const row of rows) {
    const from = row.from as [string, string][];
    for (const [, target] of from) outside.add(target);
    keepBranch(world, row, from);
  }
  // The links that the branches hang on are asked for once: with each link to it, a parent of 10,000 would come 10,000 times.
  const ids = [...outside].filter((id) => !world.members.has(id));
  if (ids.length > 0) for (const row of await transaction.run(LOAD_ROWS, { ids })) keepMember(world, row);
}

function keepBranch(world: World, row: Row, from: readonly (readonly [link: string, target: string])[]): void {
  const id = keepMember(world, row);
  if (!world.conveyedInto.has(id)) world.conveyedInto.set(id, new Map(row.into as [string, string][]));
  if (!world.conveyedFrom.has(id)) world.conveyedFrom.set(id, new Map(from));
}

export const below: Loader<string> = {
  cypher: BELOW,
  missing: (world, ids) => notIn(world.conveyedInto, ids),
  hydrate(world, _ids, rows, load) {
    for (const group of byStart(rows, 'start', load).values()) {
      for (const row of group) {
        const from = row.from as Row[];
        for (const target of from) keepMember(world, target);
        keepBranch(
          world,
          row,
          from.map((target) => [target.link as string, target.id as string]),
        );
      }
    }
  },
  large: loadBranches,
};
