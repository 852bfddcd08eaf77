// The stored form of the graph as shared parts of the statements that load it for decisions and
// reads. Nodes are n and o, links r.

/** In: id. Out: a, r, b of the active link of this id. Locks: none. Cost: two index look-ups. */
export const ACTIVE_LINK_BY_ID = `
  MATCH (a)-[r:BLOCKS {id: id}]->(b) USING INDEX SEEK r:BLOCKS(id) RETURN a, r, b
  UNION ALL
  MATCH (a)-[r:RELATES {id: id}]->(b) USING INDEX SEEK r:RELATES(id) RETURN a, r, b`;

/**
 * In: id. Out: a, r, b of the link of this id, including trashed ones. Locks: none. Cost: three
 * index look-ups.
 */
export const LINK_BY_ID = `${ACTIVE_LINK_BY_ID}
  UNION ALL
  MATCH (a)-[r:TRASHED {id: id}]->(b) USING INDEX SEEK r:TRASHED(id) RETURN a, r, b`;

/**
 * Whether a trashed link r is restorable with the node at one end, given that the other end o is
 * active (TRS3).
 */
export const RETURNS = 'r.trashedWithNode = true AND o.inTrash = false';

/** The number of active links on o. */
export const DEGREE = 'COUNT { (o)-[:BLOCKS|RELATES]-() }';

/**
 * Whether a membership row of feed f is valid: a job removes rows of former share roots later
 * (ACL2).
 */
export const IS_LIVE = "(row.feed STARTS WITH 'user:' OR f.grants > 0 OR f.public)";

/** The feeds that n belongs to. */
export const LIVE_FEEDS = `[(n)-[row:IN]->(f:Feed) WHERE ${IS_LIVE} | row.feed]`;

/**
 * In: n, email. Out: key, g (null for none) of the e-mail's grants on n and on the roots of its
 * branches. Locks: none. Cost: one index look-up for each root.
 */
export const GRANTS_OVER = `
  UNWIND [n.id] + [(n)-[m:IN]->() WHERE m.feed STARTS WITH 'root:' | substring(m.feed, 5)] AS root
  WITH DISTINCT root + '|' + email AS key
  OPTIONAL MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)`;

/**
 * In: id. Out: d, the tombstone of a permanently deleted entity (TRS5). Locks: none. Cost: one
 * index look-up.
 */
export const DELETED_BY_ID = 'MATCH (d:Deleted {id: id})';
