// The tables of an export, and the statements that read, count and write one table.
//
// A label, type or key can't be a parameter. They come only from the two constant lists here, which
// no file or request can extend.

/** Each label, with the property by which relationships find its nodes. */
export const NODE_TABLES = [
  // Jobs may remove content from history during the export and then drop a tombstone's mark. The
  // mark is read first, so after an import that job only repeats.
  { name: 'Deleted', key: 'id' },
  { name: 'Principal', key: 'email' },
  { name: 'User', key: 'id' },
  { name: 'Token', key: 'id' },
  { name: 'Calendar', key: 'id' },
  { name: 'ImportSource', key: 'id' },
  { name: 'ImportRow', key: null },
  { name: 'Registration', key: 'id' },
  { name: 'Identity', key: 'key' },
  { name: 'Feed', key: 'id' },
  { name: 'Node', key: 'id' },
  { name: 'Batch', key: 'id' },
  { name: 'Touch', key: null },
  { name: 'Entry', key: null },
  { name: 'Lock', key: 'id' },
] as const;

/** Each relationship type with the labels of its ends. */
export const RELATIONSHIP_TABLES = [
  { name: 'HAS_TOKEN', from: 'User', to: 'Token' },
  { name: 'HAS_CALENDAR', from: 'User', to: 'Calendar' },
  { name: 'HAS_IMPORT', from: 'User', to: 'ImportSource' },
  { name: 'DELETED_IMPORT', from: 'User', to: 'ImportSource' },
  { name: 'OF', from: 'Identity', to: 'User' },
  { name: 'GRANT', from: 'Principal', to: 'Node' },
  { name: 'BLOCKS', from: 'Node', to: 'Node' },
  { name: 'RELATES', from: 'Node', to: 'Node' },
  { name: 'TRASHED', from: 'Node', to: 'Node' },
  { name: 'IN', from: 'Node', to: 'Feed' },
] as const;

/**
 * Labels and types that exports leave out: a copy of a database must not send messages, and its
 * secrets differ. Webhooks work during an export, so the numbers of attempts change.
 */
export const EXCLUDED_LABELS = ['Webhook', 'WebhookDelivery'] as const;
export const EXCLUDED_TYPES = ['HAS_WEBHOOK'] as const;

export type NodeTable = (typeof NODE_TABLES)[number];
export type RelationshipTable = (typeof RELATIONSHIP_TABLES)[number];
export type TableName = (NodeTable | RelationshipTable)['name'];

function keyOf(label: string): string {
  return NODE_TABLES.find(({ name }) => name === label)?.key ?? 'id';
}

/**
 * In: plain (types that need no mark). Out: properties, marked (name and type of all other
 * properties), owner (or null). Locks: none. Cost: the table.
 */
export function readNodes({ name }: NodeTable): string {
  return `MATCH (n:${name})
RETURN properties(n) AS properties, n.ownerId AS owner,
  [key IN keys(n) WHERE NOT valueType(n[key]) IN $plain | [key, valueType(n[key])]] AS marked`;
}

/**
 * In: plain. Out: as in `readNodes`, with source and target, the keys of the ends. Locks: none.
 * Cost: the table.
 */
export function readRelationships({ name, from, to }: RelationshipTable): string {
  const [fromKey, toKey] = [keyOf(from), keyOf(to)];
  return `MATCH (a:${from})-[r:${name}]->(b:${to})
RETURN properties(r) AS properties, coalesce(a.ownerId, b.ownerId) AS owner, a.${fromKey} AS source, b.${toKey} AS target,
  [key IN keys(r) WHERE NOT valueType(r[key]) IN $plain | [key, valueType(r[key])]] AS marked`;
}

/** In: nothing. Out: count. Locks: none. Cost: constant: the server stores these numbers. */
export function countNodes({ name }: { readonly name: NodeTable['name'] | (typeof EXCLUDED_LABELS)[number] }): string {
  return `MATCH (n:${name}) RETURN count(n) AS count`;
}

/** In: nothing. Out: count. Locks: none. Cost: constant: the server stores these numbers. */
export function countRelationships({
  name,
}: {
  readonly name: RelationshipTable['name'] | (typeof EXCLUDED_TYPES)[number];
}): string {
  return `MATCH ()-[r:${name}]->() RETURN count(r) AS count`;
}

/**
 * In: rows (properties). Out: created, how many. Locks: the new nodes. Cost: proportional to the
 * rows.
 */
export function createNodes({ name }: NodeTable): string {
  return `UNWIND $rows AS row CREATE (n:${name}) SET n = row.properties RETURN count(n) AS created`;
}

/**
 * In: rows (source, target, properties). Out: created, how many: fewer if an end is missing. Locks:
 * both ends. Cost: two index look-ups each.
 */
export function createRelationships({ name, from, to }: RelationshipTable): string {
  const [fromKey, toKey] = [keyOf(from), keyOf(to)];
  return `UNWIND $rows AS row
MATCH (a:${from} {${fromKey}: row.source}), (b:${to} {${toKey}: row.target})
CREATE (a)-[r:${name}]->(b) SET r = row.properties RETURN count(r) AS created`;
}
