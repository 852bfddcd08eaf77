// Which feeds nodes belong to.
import { keepMember } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';

/** In: members (ids). Out: id, owner, rows and their feeds. Locks: none. Cost: one index look-up each. */
const MEMBERS = `
  UNWIND $in.members AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    id: id, owner: n.ownerId, in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]
  }) AS members`;

export const members: Loader<string> = {
  cypher: MEMBERS,
  missing: (world, ids) => notIn(world.members, ids),
  hydrate(world, ids, rows) {
    for (const row of rows) keepMember(world, row);
    // A node that does not exist belongs to nothing.
    for (const id of ids) if (!world.members.has(id)) world.members.set(id, new Map());
  },
};
