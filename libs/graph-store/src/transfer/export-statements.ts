// The content of an export, table by table, and the statements that read, count and write one table.
//
// A label, a type or a key can be no parameter. They come from the two closed lists here alone, which no file or request can add to.

/** Each label, and the property that tells its nodes apart where relationships have to find them. */
export const NODE_TABLES = [
  // Jobs may take content out of history meanwhile and then drop a tombstone's mark: with the mark read first, that is done again.
  { name: 'Deleted', key: 'id' },
  { name: 'Principal', key: 'email' },
  { name: 'User', key: 'id' },
  { name: 'Token', key: 'id' },
  { name: 'Registration', key: 'id' },
  { name: 'Identity', key: 'key' },
  { name: 'Feed', key: 'id' },
  { name: 'Node', key: 'id' },
  { name: 'Batch', key: 'id' },
  { name: 'Touch', key: null },
  { name: 'Entry', key: null },
  { name: 'Lock', key: 'id' },
] as const;

/** Each type of relationships, with the labels of its ends. */
export const RELATIONSHIP_TABLES = [
  { name: 'HAS_TOKEN', from: 'User', to: 'Token' },
  { name: 'OF', from: 'Identity', to: 'User' },
  { name: 'GRANT', from: 'Principal', to: 'Node' },
  { name: 'BLOCKS', from: 'Node', to: 'Node' },
  { name: 'RELATES', from: 'Node', to: 'Node' },
  { name: 'TRASHED', from: 'Node', to: 'Node' },
  { name: 'IN', from: 'Node', to: 'Feed' },
] as const;

export type NodeTable = (typeof NODE_TABLES)[number];
export type RelationshipTable = (typeof RELATIONSHIP_TABLES)[number];
export type TableName = (NodeTable | RelationshipTable)['name'];

function keyOf(label: string): string {
  return NODE_TABLES.find(({ name }) => name === label)?.key ?? 'id';
}

/**
 * In: plain (types that need no mark). Out: properties, marked (name and type of all other properties), owner (or null). Locks: none.
 * Cost: the table.
 */
export function readNodes({ name }: NodeTable): string {
  return `MATCH (n:${name})
RETURN properties(n) AS properties, n.ownerId AS owner,
  [key IN keys(n) WHERE NOT valueType(n[key]) IN $plain | [key, valueType(n[key])]] AS marked`;
}

/** In: plain. Out: as above, with source and target, the keys of the ends. Locks: none. Cost: the table. */
export function readRelationships({ name, from, to }: RelationshipTable): string {
  const [fromKey, toKey] = [keyOf(from), keyOf(to)];
  return `MATCH (a:${from})-[r:${name}]->(b:${to})
RETURN properties(r) AS properties, coalesce(a.ownerId, b.ownerId) AS owner, a.${fromKey} AS source, b.${toKey} AS target,
  [key IN keys(r) WHERE NOT valueType(r[key]) IN $plain | [key, valueType(r[key])]] AS marked`;
}

/** In: nothing. Out: count. Locks: none. Cost: constant: the server keeps these numbers. */
export function countNodes({ name }: NodeTable): string {
  return `MATCH (n:${name}) RETURN count(n) AS count`;
}

/** In: nothing. Out: count. Locks: none. Cost: constant: the server keeps these numbers. */
export function countRelationships({ name }: RelationshipTable): string {
  return `MATCH ()-[r:${name}]->() RETURN count(r) AS count`;
}

/** In: rows (properties). Out: created, how many. Locks: the new nodes. Cost: in proportion to the rows. */
export function createNodes({ name }: NodeTable): string {
  return `UNWIND $rows AS row CREATE (n:${name}) SET n = row.properties RETURN count(n) AS created`;
}

/** In: rows (source, target, properties). Out: created, how many: fewer where an end is missing. Locks: both ends. Cost: two index look-ups each. */
export function createRelationships({ name, from, to }: RelationshipTable): string {
  const [fromKey, toKey] = [keyOf(from), keyOf(to)];
  return `UNWIND $rows AS row
MATCH (a:${from} {${fromKey}: row.source}), (b:${to} {${toKey}: row.target})
CREATE (a)-[r:${name}]->(b) SET r = row.properties RETURN count(r) AS created`;
}
