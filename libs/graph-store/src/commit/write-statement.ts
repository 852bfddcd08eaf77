// The statement that writes a group, composed of a step for each kind of row.
import { RELATIONSHIP_TYPES, type RelationshipType } from '../driver/codec.ts';

/**
 * In: createdNodes (fields). Out: nothing. Locks: the new nodes. Cost: proportional to the rows.
 */
const CREATE_NODES = 'UNWIND $in.createdNodes AS fields CREATE (n:Node) SET n = fields';

/** In: updatedNodes (id, fields). Out: nothing. Locks: the nodes. Cost: one index look-up each. */
const UPDATE_NODES = 'UNWIND $in.updatedNodes AS row MATCH (n:Node {id: row.id}) SET n += row.fields';

/**
 * In: deletedNodes (ids). Out: nothing. Locks: the nodes. Cost: one index look-up each. Their links
 * must be gone.
 */
const DELETE_NODES = 'UNWIND $in.deletedNodes AS id MATCH (n:Node {id: id}) DELETE n';

/**
 * In: unmarkedLinks (id of a trashed link, time). Out: nothing. Locks: the links. Cost: one index
 * look-up each.
 */
const UNMARK_LINKS = `
  UNWIND $in.unmarkedLinks AS row
  MATCH ()-[r:TRASHED {id: row.id}]->() USING INDEX SEEK r:TRASHED(id)
  SET r.trashedWithNode = false, r.unmarkedTime = row.time`;

/**
 * In: createdLinks by type (source, target, fields). Out: nothing. Locks: both ends. Cost: two
 * index look-ups each.
 */
function createLinks(type: RelationshipType): string {
  return `
  UNWIND $in.createdLinks.${type} AS row
  MATCH (a:Node {id: row.source}), (b:Node {id: row.target})
  CREATE (a)-[r:${type}]->(b) SET r = row.fields`;
}

/**
 * In: updatedLinks by type (id, fields). Out: nothing. Locks: the links. Cost: one index look-up
 * each.
 */
function updateLinks(type: RelationshipType): string {
  return `
  UNWIND $in.updatedLinks.${type} AS row
  MATCH ()-[r:${type} {id: row.id}]->() USING INDEX SEEK r:${type}(id)
  SET r += row.fields`;
}

/**
 * In: deletedLinks by type (ids). Out: nothing. Locks: the links and both ends. Cost: one index
 * look-up each.
 */
function deleteLinks(type: RelationshipType): string {
  return `
  UNWIND $in.deletedLinks.${type} AS id
  MATCH ()-[r:${type} {id: id}]->() USING INDEX SEEK r:${type}(id)
  DELETE r`;
}

/**
 * In: batches (batch: fields, touched: entity ids). Out: nothing. Locks: the keys of the new
 * batches, in row order, which is key order, so that two groups with the same keys queue. Cost:
 * proportional to the touched entities.
 */
const CREATE_BATCHES = `
  UNWIND $in.batches AS row
  CREATE (b:Batch) SET b = row.batch
  FOREACH (entity IN row.touched | CREATE (:Touch {entity: entity, ts: row.batch.ts, batch: row.batch.id}))`;

/**
 * In: entries (fields). Out: nothing. Locks: nothing that other groups need. Cost: in proportion to
 * the rows.
 */
const CREATE_ENTRIES = 'UNWIND $in.entries AS fields CREATE (e:Entry) SET e = fields';

/**
 * In: feeds (feed, seq). Out: nothing. Locks: the feeds, under their owners' locks. Cost: one index
 * look-up each.
 */
const MOVE_FEEDS = 'UNWIND $in.feeds AS row MATCH (f:Feed {id: row.feed}) SET f.seq = row.seq';

/**
 * In: owners (id, ts or null). Out: nothing. Locks: users that are locked already. Cost: one index
 * look-up each.
 *
 * Workers' caches are valid for one revision. Every change to a possible load of the owner's
 * entities, including the heads of their feeds, must raise it.
 */
const BUMP_OWNERS =
  'UNWIND $in.owners AS row MATCH (u:User {id: row.id}) SET u.rev = u.rev + 1, u.lastTs = coalesce(row.ts, u.lastTs)';

/**
 * In: createdFeeds (fields). Out: nothing. Locks: the new feeds. Cost: proportional to the rows.
 */
const CREATE_FEEDS = 'UNWIND $in.createdFeeds AS fields CREATE (f:Feed) SET f = fields';

/**
 * In: updatedFeeds (id, fields). Out: nothing. Locks: the feeds, under their owners' locks. Cost:
 * one index look-up each.
 */
const UPDATE_FEEDS = 'UNWIND $in.updatedFeeds AS row MATCH (f:Feed {id: row.id}) SET f += row.fields';

/**
 * In: lostRows (node, feed). Out: nothing. Locks: the rows and both ends. Cost: the feeds of each
 * node.
 */
const DELETE_ROWS = `
  UNWIND $in.lostRows AS row
  MATCH (n:Node {id: row.id})-[m:IN {feed: row.feed}]->() USING INDEX SEEK n:Node(id)
  DELETE m`;

/** In: movedRows (id, feed, via). Out: nothing. Locks: the rows. Cost: the feeds of each node. */
const UPDATE_ROWS = `
  UNWIND $in.movedRows AS row
  MATCH (n:Node {id: row.id})-[m:IN {feed: row.feed}]->() USING INDEX SEEK n:Node(id)
  SET m.via = row.via`;

/**
 * In: gainedRows (id, feed, via). Out: nothing. Locks: the rows and both ends. Cost: two index
 * look-ups each.
 */
const CREATE_ROWS = `
  UNWIND $in.gainedRows AS row
  MATCH (n:Node {id: row.id}), (f:Feed {id: row.feed})
  CREATE (n)-[m:IN]->(f) SET m = row`;

/**
 * In: deletedGrants (keys). Out: nothing. Locks: the grants and both ends. Cost: one index look-up
 * each.
 */
const DELETE_GRANTS = `
  UNWIND $in.deletedGrants AS key
  MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  DELETE g`;

/**
 * In: createdGrants (fields). Out: nothing. Locks: the grants and both ends. Cost: two index
 * look-ups each.
 */
const CREATE_GRANTS = `
  UNWIND $in.createdGrants AS fields
  MATCH (p:Principal {email: fields.email}), (n:Node {id: fields.nodeId})
  CREATE (p)-[g:GRANT]->(n) SET g = fields`;

/**
 * In: updatedGrants (key, fields). Out: nothing. Locks: the grants. Cost: one index look-up each.
 */
const UPDATE_GRANTS = `
  UNWIND $in.updatedGrants AS row
  MATCH ()-[g:GRANT {key: row.key}]->() USING INDEX SEEK g:GRANT(key)
  SET g += row.fields`;

/**
 * In: emails. Out: nothing. Locks: Principals that are locked already. Cost: one index look-up
 * each.
 */
const BUMP_PRINCIPALS = 'UNWIND $in.emails AS email MATCH (p:Principal {email: email}) SET p.rev = p.rev + 1';

/**
 * In: undone (id, undone, last). Out: nothing. Locks: the batches. Cost: one index look-up each.
 */
const MARK_UNDONE =
  'UNWIND $in.undone AS row MATCH (b:Batch {id: row.id}) SET b.undone = row.undone, b.last = row.last';

/**
 * In: tombstones (id, readers, unwritten). Out: nothing. Locks: the new nodes. Cost: proportional
 * to the rows.
 */
const CREATE_TOMBSTONES = 'UNWIND $in.tombstones AS fields CREATE (d:Deleted) SET d = fields';

// The hints name the index: while statistics are older than recent growth, the server would scan
// instead.

/**
 * Links, memberships and grants need the nodes and feeds created before them; what moves is deleted
 * before it is created; nodes are deleted last.
 */
const STEPS: readonly string[] = [
  CREATE_NODES,
  UPDATE_NODES,
  ...RELATIONSHIP_TYPES.map(deleteLinks),
  ...RELATIONSHIP_TYPES.map(createLinks),
  ...RELATIONSHIP_TYPES.map(updateLinks),
  UNMARK_LINKS,
  CREATE_FEEDS,
  UPDATE_FEEDS,
  DELETE_ROWS,
  UPDATE_ROWS,
  CREATE_ROWS,
  DELETE_GRANTS,
  CREATE_GRANTS,
  UPDATE_GRANTS,
  DELETE_NODES,
  CREATE_TOMBSTONES,
  CREATE_BATCHES,
  MARK_UNDONE,
  MOVE_FEEDS,
  CREATE_ENTRIES,
  BUMP_OWNERS,
  BUMP_PRINCIPALS,
];

/** All steps in sequence; a step with an empty list costs almost nothing. */
const WRITES = STEPS.map((step) => `CALL () { ${step} }`).join('\n');

/**
 * In: the steps' lists in one map; expected (id, rev, lastTs of users, in id order), keys, leftMs,
 * startByMs and endByMs. Out: one row if it wrote. No row, and no write, if a user's revision
 * differs, a batch exists under one of the keys, the locks took leftMs milliseconds, or it is later
 * than startByMs. (The server ends transactions only every two seconds, so its time-out alone would
 * let late ones through.) If the steps end after endByMs, the last line divides by zero, which
 * rolls the transaction back: Cypher has no other way to fail. Locks: the users, in order, then
 * those of the steps. Cost: one index look-up for each user and key, and that of the steps.
 *
 * A single statement, for the same reasons as a load, and the same one for all groups, since
 * nothing on a cold server takes longer than its planning: a group that has already locked and
 * checked expects nothing. As in LOCK_OWNERS, all locks precede all reads; the aggregation waits
 * for every lock.
 */
export const WRITE_GROUP = `
UNWIND $in.expected AS row
MATCH (u:User {id: row.id})
SET u.lock = true
WITH u, row
WITH count(CASE WHEN u.rev = row.rev AND u.lastTs = row.lastTs THEN 1 END) AS unchanged
CALL () { UNWIND $in.keys AS key MATCH (b:Batch {key: key}) RETURN count(b) AS used }
WITH unchanged, used WHERE unchanged = size($in.expected) AND used = 0
  AND datetime.realtime().epochMillis - datetime.transaction().epochMillis < $in.leftMs
  AND datetime.realtime().epochMillis < $in.startByMs
${WRITES}
RETURN 1 / CASE WHEN datetime.realtime().epochMillis < $in.endByMs THEN 1 ELSE 0 END AS written`;
