// Between stored properties and the domain's states. Neo4j keeps no nulls, and the driver sends
// every number as a float.
import { isInProgress } from '@taskgraph/domain/decision/draft';
import { compileMaker } from '@taskgraph/domain/state/object-maker';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { LinkType, Status } from '@taskgraph/wire/codes';
import { isStored, isStoredInteger, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NO_CLAIM, NODE_FIELDS } from '@taskgraph/wire/node-fields';
import neo4j from 'neo4j-driver';
import type { Row } from './database.ts';

const INTEGERS: ReadonlySet<string> = new Set([
  ...namesWhere(NODE_FIELDS, isStoredInteger),
  ...namesWhere(LINK_FIELDS, isStoredInteger),
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

const NODE_NULLS: Readonly<Row> = Object.fromEntries(
  namesWhere(NODE_FIELDS, (field) => isStored(field) && field.orNull === true).map((name) => [name, null]),
);

export function decodeNode(properties: unknown): NodeState {
  return withoutStaleClaim(withoutStaleTime({ ...NODE_NULLS, ...(properties as Row) } as unknown as NodeState));
}

/**
 * Only a Completed node has a time of completion (BLK11). A worker of the release before that field
 * reopens a node without removing the time.
 */
export function withoutStaleTime<Node extends Pick<NodeState, 'status' | 'completedTime'>>(node: Node): Node {
  if (node.status === Status.COMPLETED || node.completedTime === null) return node;
  return { ...node, completedTime: null };
}

/**
 * Only a node in progress, or Blocked with that status stored for later, has a claim (CLAIM3). A
 * worker of a release without claims completes or trashes a node without ending its claim.
 */
export function withoutStaleClaim<Node extends ClaimableNode>(node: Node): Node {
  if (node.claimedBy === null || isInProgress({ statusBefore: Status.IN_PROGRESS, ...node })) return node;
  return { ...node, ...('claimId' in node ? NO_CLAIM : { claimedBy: null, claimUntil: null }) };
}
/** Pages read nodes without their internal fields. */
type ClaimableNode = Pick<NodeState, 'inTrash' | 'status' | 'claimedBy'> & Partial<Pick<NodeState, 'statusBefore'>>;

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

/** A relationship has its ends and its place in the trash besides its properties. */
const BESIDE: ReadonlySet<string> = new Set(['source', 'target', 'inTrash']);
const linkOf = compileMaker<(stored: LinkState, source: unknown, target: unknown, inTrash: boolean) => LinkState>(
  ['stored', 'source', 'target', 'inTrash'],
  namesWhere(LINK_FIELDS, (field) => isStored(field) && field.optional !== true).map((name) => {
    if (BESIDE.has(name)) return [name, name];
    return [name, 'orNull' in LINK_FIELDS[name] ? `stored.${name} ?? null` : `stored.${name}`];
  }),
);

/**
 * The fields are in one order, in whichever order the database met their names: clients receive
 * them so.
 */
export function decodeLink(row: { type: unknown; properties: unknown; source: unknown; target: unknown }): LinkState {
  const stored = row.properties as LinkState;
  const link = linkOf(stored, row.source, row.target, row.type === 'TRASHED');
  const { unmarkedTime } = stored;
  return unmarkedTime === undefined ? link : { ...link, unmarkedTime };
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
