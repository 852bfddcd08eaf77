// Converts between stored properties and domain states. Neo4j stores no nulls, and the driver sends
// every number as a float.
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { LinkType } from '@taskgraph/wire/codes';
import neo4j from 'neo4j-driver';
import type { Row } from './database.ts';

const INTEGERS: ReadonlySet<string> = new Set([
  'status',
  'statusBefore',
  'openBlockers',
  'type',
  'priority',
  'volume',
  'version',
  'seq',
  'first',
  'epoch',
  'count',
  'grants',
  'level',
]);

/**
 * A parameter map with integer fields as integers and nulls kept: `SET n += map` removes those
 * properties.
 */
export function encode(fields: Readonly<Record<string, unknown>>): Row {
  const encoded: Row = {};
  for (const name in fields) {
    const value = fields[name];
    encoded[name] = typeof value === 'number' && INTEGERS.has(name) ? neo4j.int(value) : value;
  }
  return encoded;
}

/** A single integer parameter. */
export function integer(value: number): unknown {
  return neo4j.int(value);
}

const NODE_NULLS = { statusBefore: null, dueDate: null, publicToken: null, publicDue: null, lastBatchID: null };

export function decodeNode(properties: unknown): NodeState {
  return { ...NODE_NULLS, ...(properties as Row) } as unknown as NodeState;
}

/**
 * Relationship types of links: active links by their type, so that walks touch only blocking ones;
 * trashed links separately.
 */
export const RELATIONSHIP_TYPES = ['BLOCKS', 'RELATES', 'TRASHED'] as const;
export type RelationshipType = (typeof RELATIONSHIP_TYPES)[number];

export function relationshipTypeOf(link: Pick<LinkState, 'inTrash' | 'type'>): RelationshipType {
  if (link.inTrash) return 'TRASHED';
  return link.type === LinkType.PRIMARY ? 'BLOCKS' : 'RELATES';
}

/**
 * Properties of a link's relationship. It includes the owners of both ends, for paging by
 * `(sourceOwnerId, id)`.
 */
export function encodeLink(link: LinkState, owners: { sourceOwnerId: string; targetOwnerId: string }): Row {
  const { source: _source, target: _target, inTrash: _inTrash, ...fields } = link;
  return encode({ ...fields, ...owners });
}

/**
 * A fixed order of fields, independent of the order in which the database first saw their names,
 * which would reach clients.
 */
export function decodeLink(row: { type: unknown; properties: unknown; source: unknown; target: unknown }): LinkState {
  const stored = row.properties as LinkState;
  return {
    id: stored.id,
    source: row.source as string,
    target: row.target as string,
    type: stored.type,
    version: stored.version,
    wasBlocker: stored.wasBlocker,
    private: stored.private,
    ownerId: stored.ownerId,
    conveys: stored.conveys,
    inTrash: row.type === 'TRASHED',
    trashedWithNode: stored.trashedWithNode,
    ...(stored.unmarkedTime === undefined ? {} : { unmarkedTime: stored.unmarkedTime }),
    trashedBy: stored.trashedBy ?? null,
    lastBatchID: stored.lastBatchID ?? null,
    createdTime: stored.createdTime,
    lastEditedTime: stored.lastEditedTime,
  };
}

export function decodeFeed(properties: unknown): FeedState {
  const { id, ownerId, seq, epoch, grants, public: open } = properties as unknown as FeedState;
  return { id, ownerId, seq, epoch, grants, public: open };
}

/**
 * Properties of a grant's relationship. It includes the owner of its node, for counting by `(email,
 * ownerId)` (ACL10).
 */
export function encodeGrant(grant: GrantState, ownerId: string): Row {
  return encode({ ...grant, ownerId });
}

export function decodeGrant(properties: unknown): GrantState {
  const { key: _key, ownerId: _owner, ...fields } = properties as Row;
  return { due: null, copyOf: null, ...fields } as unknown as GrantState;
}
