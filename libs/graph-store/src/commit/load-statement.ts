// The one statement that loads the surroundings of a group, made of a part for each kind of need. It is long because there are many.
//
// A node comes as a map: `p` its properties, `in` its membership rows (feed, via), and where it is named itself also `feeds`, those
// feeds with their heads. The ends of links come without their content. Conveying links are those that membership flows through (ACL3).
import { OUTLINE } from './outline.ts';

/** In: keys. Out: batches under these keys. Locks: none. Cost: one index look-up each. */
const BATCHES = `
  UNWIND $in.keys AS key
  MATCH (b:Batch {key: key})
  RETURN collect(properties(b)) AS batches`;

/** In: nodes (ids). Out: node, degree (its active links). Locks: none. Cost: one index look-up each. */
const NODES = `
  UNWIND $in.nodes AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    node: {p: properties(n), in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]},
    degree: COUNT { (n)-[:BLOCKS|RELATES]-() }
  }) AS nodes`;

/** In: links (ids). Out: type, properties, source, target (both nodes). Locks: none. Cost: three index look-ups each. */
const LINKS = `
  UNWIND $in.links AS id
  CALL (id) {
    MATCH (a)-[r:BLOCKS {id: id}]->(b) USING INDEX SEEK r:BLOCKS(id) RETURN a, r, b
    UNION ALL
    MATCH (a)-[r:RELATES {id: id}]->(b) USING INDEX SEEK r:RELATES(id) RETURN a, r, b
    UNION ALL
    MATCH (a)-[r:TRASHED {id: id}]->(b) USING INDEX SEEK r:TRASHED(id) RETURN a, r, b
  }
  RETURN collect({
    type: type(r), properties: properties(r),
    source: {p: a ${OUTLINE}, in: [(a)-[m:IN]->() | [m.feed, m.via]], feeds: [(a)-[:IN]->(f) | properties(f)]},
    target: {p: b ${OUTLINE}, in: [(b)-[m:IN]->() | [m.feed, m.via]], feeds: [(b)-[:IN]->(f) | properties(f)]}
  }) AS links`;

/**
 * In: linksOn (ids), bound. Out: id, type, properties, leaves (whether the node is the source), other (the node at the other end).
 * Locks: none. Cost: the number of links.
 */
const LINKS_ON = `
  UNWIND $in.linksOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES|TRASHED]-(o) RETURN r, o LIMIT $bound }
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS linksOn`;

/** In: activeOn (ids), linksBound. Out: as LINKS_ON, for active links. Locks: none. Cost: their number. */
const ACTIVE_ON = `
  UNWIND $in.activeOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) RETURN r, o LIMIT $linksBound }
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS activeOn`;

/**
 * In: returningOn (ids of all nodes that may come back in this group), bound. Out: as LINKS_ON, for trashed links that may come back with
 * the node, and degree (active links of the other node). Locks: none. Cost: the trashed links on the node.
 */
const RETURNING_ON = `
  UNWIND $in.returningOn AS id
  MATCH (n:Node {id: id})
  CALL (n) {
    MATCH (n)-[r:TRASHED]-(o)
    WHERE r.trashedWithNode = true AND (o.inTrash = false OR o.id IN $in.returningOn)
    RETURN r, o ORDER BY r.id LIMIT $bound
  }
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    degree: COUNT { (o)-[:BLOCKS|RELATES]-() },
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS returningOn`;

/**
 * In: neighbours (ids), bound. Out: id, link and other (ids), owner and rows of the other, for active links that are not private.
 * Locks: none. Cost: the number of links.
 */
const NEIGHBOURS = `
  UNWIND $in.neighbours AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) WHERE r.private = false RETURN r, o LIMIT $bound }
  RETURN collect({
    start: id, link: r.id, id: o.id, owner: o.ownerId, in: [(o)-[m:IN]->() | [m.feed, m.via]]
  }) AS neighbours`;

/** In: between (pairs of ids). Out: type, properties, source, target (ids). Locks: none. Cost: the smaller degree of each pair. */
const BETWEEN = `
  UNWIND $in.between AS pair
  MATCH (a:Node {id: pair[0]}), (b:Node {id: pair[1]})
  CALL (a, b) { MATCH (a)-[r:BLOCKS|RELATES|TRASHED]-(b) RETURN r }
  RETURN collect({
    type: type(r), properties: properties(r), source: startNode(r).id, target: endNode(r).id
  }) AS between`;

/** In: targetsOf (ids), bound. Out: id, properties, target of active primary links that leave a node. Locks: none. Cost: their number. */
const TARGETS = `
  UNWIND $in.targetsOf AS id
  MATCH (s:Node {id: id})
  CALL (s) { MATCH (s)-[r:BLOCKS]->(t) RETURN r, t LIMIT $bound }
  RETURN collect({
    id: id, properties: properties(r), target: {p: t ${OUTLINE}, in: [(t)-[m:IN]->() | [m.feed, m.via]]}
  }) AS targetsOf`;

/** In: sourcesOf (ids), bound. Out: id, properties, source of active primary links that reach a node. Locks: none. Cost: their number. */
const SOURCES = `
  UNWIND $in.sourcesOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) RETURN r, s LIMIT $bound }
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS sourcesOf`;

/** In: blockersOf (ids), shown. Out: like SOURCES, for sources that block, cut. Locks: none. Cost: up to their number. */
const BLOCKERS = `
  UNWIND $in.blockersOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) WHERE s.status <> 3 RETURN r, s LIMIT $shown }
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS blockersOf`;

/**
 * In: closuresOf (ids), bound. Out: start, node (id), owner and out (pairs of link id and target id), for every node that active primary
 * links reach from the start, the start included. Locks: none. Cost: the part that is reached, cut at the bound.
 */
const CLOSURES = `
  UNWIND $in.closuresOf AS start
  MATCH (s:Node {id: start})
  CALL (s) { MATCH (s)-[:BLOCKS*0..]->(m) WITH DISTINCT m LIMIT $bound RETURN m }
  RETURN collect({
    start: start, node: m.id, owner: m.ownerId, out: [(m)-[r:BLOCKS]->(t) | [r.id, t.id]]
  }) AS closuresOf`;

/** In: members (ids). Out: id, owner, rows and their feeds. Locks: none. Cost: one index look-up each. */
const MEMBERS = `
  UNWIND $in.members AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    id: id, owner: n.ownerId, in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]
  }) AS members`;

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
  RETURN collect({
    start: start, id: n.id, owner: n.ownerId, in: [(n)-[m:IN]->() | [m.feed, m.via]],
    into: [(n)<-[l:BLOCKS|RELATES]-(c) WHERE l.conveys = true AND l.private = false | [l.id, c.id]],
    from: [(n)-[l:BLOCKS|RELATES]->(t) WHERE l.conveys = true AND l.private = false |
      {link: l.id, id: t.id, owner: t.ownerId, in: [(t)-[m:IN]->() | [m.feed, m.via]]}]
  }) AS below`;

/** In: feeds (names). Out: the feeds that exist. Locks: none. Cost: one index look-up each. */
const FEEDS = `
  UNWIND $in.feeds AS feed
  MATCH (f:Feed {id: feed})
  RETURN collect(properties(f)) AS feeds`;

/** In: grants (keys). Out: the grants that exist. Locks: none. Cost: one index look-up each. */
const GRANTS = `
  UNWIND $in.grants AS key
  MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect(properties(g)) AS grants`;

/**
 * In: access (id of a node, readerId, email). Out: key and grant, or null, for the node and for each branch root that it belongs to; nothing
 * for its owner. Locks: none. Cost: one index look-up for each root.
 */
const ACCESS = `
  UNWIND $in.access AS wish
  MATCH (n:Node {id: wish.id}) WHERE n.ownerId <> wish.readerId
  UNWIND [n.id] + [(n)-[m:IN]->() WHERE m.feed STARTS WITH 'root:' | substring(m.feed, 5)] AS root
  WITH DISTINCT root + '|' + wish.email AS key
  OPTIONAL MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect({key: key, grant: properties(g)}) AS access`;

/** In: linkAccess (id of a link, readerId, email). Out: like ACCESS, for both ends. Locks: none. Cost: like ACCESS. */
const LINK_ACCESS = `
  UNWIND $in.linkAccess AS wish
  CALL (wish) {
    MATCH (a)-[r:BLOCKS {id: wish.id}]->(b) USING INDEX SEEK r:BLOCKS(id) RETURN a, b
    UNION ALL
    MATCH (a)-[r:RELATES {id: wish.id}]->(b) USING INDEX SEEK r:RELATES(id) RETURN a, b
    UNION ALL
    MATCH (a)-[r:TRASHED {id: wish.id}]->(b) USING INDEX SEEK r:TRASHED(id) RETURN a, b
  }
  UNWIND [a, b] AS n
  WITH wish, n WHERE n.ownerId <> wish.readerId
  UNWIND [n.id] + [(n)-[m:IN]->() WHERE m.feed STARTS WITH 'root:' | substring(m.feed, 5)] AS root
  WITH DISTINCT root + '|' + wish.email AS key
  OPTIONAL MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect({key: key, grant: properties(g)}) AS linkAccess`;

/** In: linksBy (node, owner). Out: node, owner, count of the owner's active links on the node. Locks: none. Cost: the node's degree. */
const LINKS_BY = `
  UNWIND $in.linksBy AS wish
  MATCH (n:Node {id: wish.node})
  RETURN collect({
    node: wish.node, owner: wish.owner,
    count: COUNT { (n)-[r:BLOCKS|RELATES]-() WHERE r.ownerId = wish.owner }
  }) AS linksBy`;

/** In: grantsOn (node ids), bound. Out: node (id) and grant. Locks: none. Cost: the number of grants. */
const GRANTS_ON = `
  UNWIND $in.grantsOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)<-[g:GRANT]-() RETURN g LIMIT $bound }
  RETURN collect({node: id, grant: properties(g)}) AS grantsOn`;

/**
 * In: copiesFor (e-mails). Out: all grants of these e-mails that follow another. Locks: none. Cost: the grants of each e-mail. It asks in
 * a way that no index answers, or the server would at times walk over the copies of all e-mails.
 */
const COPIES = `
  UNWIND $in.copiesFor AS email
  MATCH (:Principal {email: email})-[g:GRANT]->() WHERE coalesce(g.copyOf, '') <> ''
  RETURN collect(properties(g)) AS copies`;

/**
 * In: grantsTo (node, email). Out: owner, email, count of the e-mail's grants on nodes of the node's owner. Locks: none; they change under
 * the owner's lock alone. Cost: their number.
 */
const GRANTS_TO = `
  UNWIND $in.grantsTo AS wish
  MATCH (n:Node {id: wish.node})
  WITH DISTINCT n.ownerId AS owner, wish.email AS email
  CALL (owner, email) {
    MATCH ()-[g:GRANT {email: email, ownerId: owner}]->() USING INDEX SEEK g:GRANT(email, ownerId)
    RETURN count(g) AS count
  }
  RETURN collect({owner: owner, email: email, count: count}) AS grantsTo`;

/** In: readers (e-mails). Out: email, and user, its user's id, or null. Locks: none. Cost: one index look-up each. */
const READERS = `
  UNWIND $in.readers AS email
  MATCH (p:Principal {email: email})
  RETURN collect({email: email, user: p.userId}) AS readers`;

/** In: batchIds. Out: batches. Locks: none. Cost: one index look-up each. */
const BATCHES_BY_ID = `
  UNWIND $in.batchIds AS id
  MATCH (b:Batch {id: id})
  RETURN collect(properties(b)) AS batchesById`;

/** In: deleted (ids). Out: id and readers of what was deleted for good. Locks: none. Cost: one index look-up each. */
const DELETED = `
  UNWIND $in.deleted AS id
  MATCH (d:Deleted {id: id})
  RETURN collect({id: id, readers: d.readers}) AS deleted`;

/** In: laterThan (entity, ts), shown. Out: entity and batch, newest first. Locks: none. Cost: the number shown, by the index's order. */
const LATER = `
  UNWIND $in.laterThan AS wish
  CALL (wish) {
    MATCH (t:Touch) WHERE t.entity = wish.entity AND t.ts >= wish.ts AND t.batch IS NOT NULL
    RETURN t.batch AS id ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT $shown
  }
  MATCH (b:Batch {id: id})
  RETURN collect({entity: wish.entity, batch: properties(b)}) AS later`;

/**
 * In: all of the above. Out: one row with a list for each. Locks: none. Cost: their sum; what is not asked for costs nothing.
 *
 * One statement, because each costs the server about as much as twenty rows do. All lists arrive in one map: the server plans anew
 * for lists of another order of magnitude, but does not look into maps.
 */
export const LOAD_WORLD = [
  BATCHES,
  NODES,
  LINKS,
  LINKS_ON,
  ACTIVE_ON,
  RETURNING_ON,
  NEIGHBOURS,
  BETWEEN,
  TARGETS,
  SOURCES,
  BLOCKERS,
  CLOSURES,
  MEMBERS,
  BELOW,
  FEEDS,
  GRANTS,
  ACCESS,
  LINK_ACCESS,
  LINKS_BY,
  GRANTS_ON,
  COPIES,
  GRANTS_TO,
  READERS,
  BATCHES_BY_ID,
  DELETED,
  LATER,
]
  .map((part) => `CALL () {${part}\n}`)
  .concat(
    `RETURN batches, nodes, links, linksOn, activeOn, returningOn, neighbours, between, targetsOf, sourcesOf, blockersOf, closuresOf, members, below, feeds, grants,
  access, linkAccess, linksBy, grantsOn, copies, grantsTo, readers, batchesById, deleted, later`,
  )
  .join('\n');
