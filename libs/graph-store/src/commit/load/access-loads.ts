// Loads for access: memberships, feeds, grants and readers.

import { grantKey } from '@taskgraph/domain/state/change';
import type { Access, ReadItem } from '@taskgraph/domain/state/read-set';
import { countKey, type World } from '@taskgraph/domain/state/world';
import { integer } from '../../driver/codec.ts';
import type { OpenTransaction, Row } from '../../driver/database.ts';
import { GRANTS_OVER, LINK_BY_ID } from '../../driver/statement-parts.ts';
import { mergeAccess, mergeFeed, mergeGrant, mergeMember } from './hydrate.ts';
import { byStart, type Load, type Loader, notIn } from './loader.ts';

/**
 * In: access (id of a node, readerId, email). Out: key and grant, or null, for the node and for
 * each branch root that it belongs to; nothing for its owner. Locks: none. Cost: one index look-up
 * for each root.
 */
const ACCESS = `
  UNWIND $in.access AS wish
  MATCH (n:Node {id: wish.id}) WHERE n.ownerId <> wish.readerId
  WITH n, wish.email AS email${GRANTS_OVER}
  RETURN collect({key: key, grant: properties(g)}) AS access`;

/** The grants of a reader that apply to nodes. */
export const access: Loader<Access> = {
  cypher: ACCESS,
  missing: (_world, wishes) => wishes,
  hydrate: (world, _wishes, rows) => mergeAccess(world, rows),
};

/**
 * In: below (ids), bound. Out: start, id, owner, rows, propagating links into the node (link,
 * source) and from it (link, target with owner and rows), for the start and all nodes of its
 * branch. Locks: none. Cost: the branch, cut at the bound.
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
 * In: starts, bound. Out: id, owner, rows, and propagating links into the node (link, source) and
 * from it (link, target), once for each node of the starts' branches. Locks: none. Cost: the
 * branches, cut at their common bound.
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

/** All branches share one bound. */
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
    mergeBranch(world, row, from);
  }
  // Query the targets of the branches' links once: if each link carried its target, a parent of
  // 10,000 children would arrive 10,000 times.
  const ids = [...outside].filter((id) => !world.members.has(id));
  if (ids.length > 0) for (const row of await transaction.run(LOAD_ROWS, { ids })) mergeMember(world, row);
}

function mergeBranch(world: World, row: Row, from: readonly (readonly [link: string, target: string])[]): void {
  const id = mergeMember(world, row);
  if (!world.propagatingInto.has(id)) world.propagatingInto.set(id, new Map(row.into as [string, string][]));
  if (!world.propagatingFrom.has(id)) world.propagatingFrom.set(id, new Map(from));
}

/** The branches of nodes; for a large command, all branches in one query. */
export const below: Loader<string> = {
  cypher: BELOW,
  missing: (world, ids) => notIn(world.propagatingInto, ids),
  hydrate(world, _ids, rows, load) {
    for (const group of byStart(rows, 'start', load).values()) {
      for (const row of group) {
        const from = row.from as Row[];
        for (const target of from) mergeMember(world, target);
        mergeBranch(
          world,
          row,
          from.map((target) => [target.link as string, target.id as string]),
        );
      }
    }
  },
  large: loadBranches,
};

/**
 * In: copiesOf (keys of grants). Out: all grants of the same e-mails that are copies. Locks: none.
 * Cost: the grants of each e-mail. The condition on `copyOf` keeps the planner from using an index:
 * with one, the server sometimes scans the copies of all e-mails.
 */
const COPIES = `
  UNWIND $in.copiesOf AS key
  WITH DISTINCT substring(key, size(split(key, '|')[0]) + 1) AS email
  MATCH (p:Principal {email: email})-[g:GRANT]->() USING INDEX SEEK p:Principal(email) WHERE coalesce(g.copyOf, '') <> ''
  WITH g LIMIT $rows
  RETURN collect(properties(g)) AS copiesOf`;

/** Grants that copy others. */
export const copiesOf: Loader<string> = {
  cypher: COPIES,
  missing: (world, keys) => notIn(world.copies, keys),
  /** All copies for the e-mail are loaded, so absent ones don't exist. */
  hydrate(world, keys, rows) {
    const copies = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
    for (const row of rows) {
      const { nodeId, email, copyOf } = mergeGrant(world, row);
      const own = grantKey(nodeId, email);
      if (!copies.has(own)) copies.set(own, new Set());
      if (copyOf === null) continue;
      const original = grantKey(copyOf, email);
      copies.set(original, (copies.get(original) ?? new Set()).add(own));
    }
    for (const [key, followers] of copies) if (!world.copies.has(key)) world.copies.set(key, followers);
  },
};

/** In: feeds (names). Out: the feeds that exist. Locks: none. Cost: one index look-up each. */
const FEEDS = `
  UNWIND $in.feeds AS feed
  MATCH (f:Feed {id: feed})
  RETURN collect(properties(f)) AS feeds`;

/** Feeds by name. */
export const feeds: Loader<string> = {
  cypher: FEEDS,
  missing: (world, names) => notIn(world.feeds, names),
  hydrate(world, names, rows) {
    for (const row of rows) mergeFeed(world, row);
    for (const name of names) if (!world.feeds.has(name)) world.feeds.set(name, null);
  },
};

/**
 * In: grantsOn (node ids), bound. Out: node (id) and grant. Locks: none. Cost: the number of
 * grants.
 */
const GRANTS_ON = `
  UNWIND $in.grantsOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)<-[g:GRANT]-() RETURN g LIMIT $bound }
  WITH id, g LIMIT $rows
  RETURN collect({node: id, grant: properties(g)}) AS grantsOn`;

/** All grants on nodes. */
export const grantsOn: Loader<string> = {
  cypher: GRANTS_ON,
  missing: (world, ids) => notIn(world.grantsOn, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'node', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const grants = (grouped.get(id) ?? []).map(({ grant }) => mergeGrant(world, grant));
      world.grantsOn.set(id, new Set(grants.map(({ nodeId, email }) => grantKey(nodeId, email))));
    }
  },
};

/**
 * In: grantsTo (node, email, perhaps owner). Out: owner, email, count of the e-mail's grants on
 * nodes of the node's owner. Locks: none; they change only under the owner's lock. Cost: their
 * number.
 */
const GRANTS_TO = `
  UNWIND $in.grantsTo AS wish
  OPTIONAL MATCH (n:Node {id: wish.node})
  WITH DISTINCT coalesce(wish.owner, n.ownerId) AS owner, wish.email AS email
  WHERE owner IS NOT NULL
  CALL (owner, email) {
    MATCH ()-[g:GRANT {email: email, ownerId: owner}]->() USING INDEX SEEK g:GRANT(email, ownerId)
    RETURN count(g) AS count
  }
  RETURN collect({owner: owner, email: email, count: count}) AS grantsTo`;

/** The number of grants of e-mails on owners' nodes. */
export const grantsTo: Loader<ReadItem<'grantsTo'>> = {
  cypher: GRANTS_TO,
  missing: (_world, wishes) => wishes,
  hydrate(world, _wishes, rows) {
    for (const { owner, email, count } of rows as { owner: string; email: string; count: number }[]) {
      world.grantCounts.set(countKey(owner, email), count);
    }
  },
};

/** In: grants (keys). Out: the grants that exist. Locks: none. Cost: one index look-up each. */
const GRANTS = `
  UNWIND $in.grants AS key
  MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect(properties(g)) AS grants`;

/** Grants by key. */
export const grants: Loader<string> = {
  cypher: GRANTS,
  missing: (world, keys) => notIn(world.grants, keys),
  hydrate(world, keys, rows) {
    for (const row of rows) mergeGrant(world, row);
    for (const key of keys) if (!world.grants.has(key)) world.grants.set(key, null);
  },
};

/**
 * In: linkAccess (id of a link, readerId, email). Out: like ACCESS, for both ends. Locks: none.
 * Cost: like ACCESS.
 */
const LINK_ACCESS = `
  UNWIND $in.linkAccess AS wish
  WITH wish, wish.id AS id
  CALL (id) {${LINK_BY_ID}
  }
  UNWIND [a, b] AS n
  WITH wish, n WHERE n.ownerId <> wish.readerId
  WITH n, wish.email AS email${GRANTS_OVER}
  RETURN collect({key: key, grant: properties(g)}) AS linkAccess`;

/** The grants of a reader that apply to the ends of links. */
export const linkAccess: Loader<Access> = {
  cypher: LINK_ACCESS,
  missing: (_world, wishes) => wishes,
  hydrate: (world, _wishes, rows) => mergeAccess(world, rows),
};

/**
 * In: members (ids). Out: id, owner, rows and their feeds. Locks: none. Cost: one index look-up
 * each.
 */
const MEMBERS = `
  UNWIND $in.members AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    id: id, owner: n.ownerId, in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]
  }) AS members`;

/** The memberships of nodes. */
export const members: Loader<string> = {
  cypher: MEMBERS,
  missing: (world, ids) => notIn(world.members, ids),
  hydrate(world, ids, rows) {
    for (const row of rows) mergeMember(world, row);
    // A node that does not exist has no memberships.
    for (const id of ids) if (!world.members.has(id)) world.members.set(id, new Map());
  },
};

/**
 * In: neighbours (ids), bound. Out: id, link and other (ids), owner and rows of the other, for
 * active links that are not private. Locks: none. Cost: the number of links.
 */
const NEIGHBOURS = `
  UNWIND $in.neighbours AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) WHERE r.private = false RETURN r, o LIMIT $bound }
  WITH id, r, o LIMIT $rows
  RETURN collect({
    start: id, link: r.id, id: o.id, owner: o.ownerId, in: [(o)-[m:IN]->() | [m.feed, m.via]]
  }) AS neighbours`;

/** Active links on nodes, without private ones, and the memberships of their other ends. */
export const neighbours: Loader<string> = {
  cypher: NEIGHBOURS,
  missing: (world, ids) => notIn(world.neighbours, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'start', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = (grouped.get(id) ?? []).map((row) => [row.link as string, mergeMember(world, row)] as const);
      world.neighbours.set(id, new Map(links));
    }
  },
};

/**
 * In: readers (e-mails). Out: email, and user, its user's id, or null. Locks: none. Cost: one index
 * look-up each.
 */
const READERS = `
  UNWIND $in.readers AS email
  MATCH (p:Principal {email: email})
  RETURN collect({email: email, user: p.userId}) AS readers`;

/** The users of e-mails. */
export const readers: Loader<string> = {
  cypher: READERS,
  missing: (world, emails) => notIn(world.readers, emails),
  hydrate(world, emails, rows) {
    for (const { email, user } of rows as { email: string; user: string | null }[]) world.readers.set(email, user);
    // An e-mail without a Principal has no user.
    for (const email of emails) if (!world.readers.has(email)) world.readers.set(email, null);
  },
};
