// Converts the changes of a group to the rows of the write statement. Each entity has one row,
// whatever its changes: the steps of the statement run in their own fixed order.
import { readersOfDeletedLink } from '@taskgraph/domain/decision/apply-change';
import { type Change, grantKey, subjectOf } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { NO_CLAIM } from '@taskgraph/wire/node-fields';
import {
  encode,
  encodeGrant,
  encodeLink,
  RELATIONSHIP_TYPES,
  type RelationshipType,
  relationshipTypeOf,
} from '../driver/codec.ts';
import type { Row } from '../driver/database.ts';

/** Rows by the step of write-statement.ts that consumes them. */
export interface GroupRows {
  readonly createdNodes: Row[];
  readonly updatedNodes: Row[];
  readonly deletedNodes: string[];
  readonly createdLinks: ByType<Row>;
  readonly updatedLinks: ByType<Row>;
  readonly deletedLinks: ByType<string>;
  readonly unmarkedLinks: Row[];
  readonly createdFeeds: Row[];
  readonly updatedFeeds: Row[];
  readonly lostRows: Row[];
  readonly movedRows: Row[];
  readonly gainedRows: Row[];
  readonly createdGrants: Row[];
  readonly updatedGrants: Row[];
  readonly deletedGrants: string[];
  readonly tombstones: Row[];
  readonly undone: Row[];
}

type ByType<T> = Record<RelationshipType, T[]>;
type NodeOf = (id: string) => Pick<NodeState, 'ownerId'>;

/** The first and last state of a changed entity. */
interface NetChange<T> {
  before: T | null;
  after: T | null;
}

export function collect(changes: readonly Change[], nodeOf: NodeOf): GroupRows {
  const collected: GroupRows = {
    createdNodes: [],
    updatedNodes: [],
    deletedNodes: [],
    createdLinks: byType(),
    updatedLinks: byType(),
    deletedLinks: byType(),
    unmarkedLinks: [],
    createdFeeds: [],
    updatedFeeds: [],
    lostRows: [],
    movedRows: [],
    gainedRows: [],
    createdGrants: [],
    updatedGrants: [],
    deletedGrants: [],
    tombstones: [],
    undone: [],
  };
  collectNodes(collected, changes);
  collectLinks(collected, changes, nodeOf);
  collectFeeds(collected, changes);
  collectGrants(collected, changes, nodeOf);
  collectRows(collected, changes);
  const undone = new Map(changes.filter(({ kind }) => kind === 'undone').map((change) => [change.id, change]));
  for (const { kind: _kind, ...row } of undone.values()) collected.undone.push({ ...row });
  return collected;
}

/** Every type has a list, even if empty: the statement reads each. */
function byType<T>(): ByType<T> {
  return Object.fromEntries(RELATIONSHIP_TYPES.map((type) => [type, []])) as unknown as ByType<T>;
}

/** Records one more step of an entity. */
function step<T>(ends: Map<string, NetChange<T>>, key: string, { before, after }: Readonly<NetChange<T>>): void {
  const first = ends.get(key);
  ends.set(key, { before: first === undefined ? before : first.before, after });
}

interface NodeNetChange {
  readonly created: boolean;
  deleted: NodeState | null;
  readonly fields: Record<string, unknown>;
}

/**
 * Writes only a node's changed fields: a changed blocker count must not write back fields of an
 * outline.
 */
function collectNodes(collected: GroupRows, changes: readonly Change[]): void {
  const nodes = new Map<string, NodeNetChange>();
  for (const change of changes) {
    if (change.kind !== 'node' && change.kind !== 'counter') continue;
    const created = change.kind === 'node' && change.before === null;
    const entry = nodes.get(change.id) ?? { created, deleted: null, fields: {} };
    nodes.set(change.id, entry);
    if (change.kind === 'counter') entry.fields.openBlockers = change.openBlockers;
    else if (change.after === null) entry.deleted = change.before;
    else if (change.before === null) Object.assign(entry.fields, change.after);
    else for (const field of writtenFields(change.fields)) entry.fields[field] = change.after[field];
  }
  for (const [id, { created, deleted, fields }] of nodes) {
    if (deleted !== null) collected.tombstones.push(tombstone(id, [deleted.ownerId]));
    if (created && deleted === null) collected.createdNodes.push(encode(fields));
    else if (!created && deleted !== null) collected.deletedNodes.push(id);
    else if (!created) collected.updatedNodes.push({ id, fields: encode(fields) });
  }
}

/** The tombstone of a deleted entity; a job still has to remove its content from history (TRS5). */
function tombstone(id: string, readers: readonly string[]): Row {
  return { id, readers: [...readers], unwritten: true };
}

const STEP_FIELDS = ['version', 'lastEditedTime'] as const;
const CLAIM_FIELDS = Object.keys(NO_CLAIM) as (keyof typeof NO_CLAIM)[];
/** The fields that decide whether a stored claim counts (`withoutStaleClaim`). */
const PROGRESS_FIELDS: ReadonlySet<string> = new Set(['status', 'statusBefore', 'inTrash']);

/**
 * The fields of a step that are written. A worker of a release without claims leaves a claim on a
 * node that it completes. It would count again once the node is in progress, so a step of the status
 * writes the whole claim.
 */
function writtenFields(changed: readonly (keyof NodeState)[]): readonly (keyof NodeState)[] {
  const step = [...changed, ...STEP_FIELDS];
  return changed.some((field) => PROGRESS_FIELDS.has(field)) ? [...step, ...CLAIM_FIELDS] : step;
}

/** A link's first and last state, and the state in which it was deleted. */
interface LinkNetChange extends NetChange<LinkState> {
  deleted: LinkState | null;
}

/**
 * A removed mark is part of the link's row if the group writes the link, and otherwise a row of its
 * own.
 */
function collectLinks(collected: GroupRows, changes: readonly Change[], nodeOf: NodeOf): void {
  const links = new Map<string, LinkNetChange>();
  const unmarked = new Map<string, string>();
  for (const change of changes) {
    const known = links.get(change.id);
    if (change.kind === 'link') {
      const { before, after } = change;
      links.set(change.id, { before: known ? known.before : before, after, deleted: after === null ? before : null });
      unmarked.delete(change.id);
    } else if (change.kind === 'mark') {
      if (known?.after) known.after = { ...known.after, trashedWithNode: false, unmarkedTime: change.time };
      else unmarked.set(change.id, change.time);
    }
  }
  for (const ends of links.values()) collectLink(collected, ends, nodeOf);
  for (const [id, time] of unmarked) collected.unmarkedLinks.push({ id, time });
}

function collectLink(collected: GroupRows, { before, after, deleted }: LinkNetChange, nodeOf: NodeOf): void {
  if (after === null) {
    if (before !== null) collected.deletedLinks[relationshipTypeOf(before)].push(before.id);
    // A link that this group also created needs a tombstone too: its batches mention it.
    if (deleted === null) return;
    const readers = readersOfDeletedLink(deleted, (id) => nodeOf(id).ownerId);
    collected.tombstones.push(tombstone(deleted.id, readers));
    return;
  }
  const type = relationshipTypeOf(after);
  const owners = { sourceOwnerId: nodeOf(after.source).ownerId, targetOwnerId: nodeOf(after.target).ownerId };
  const fields = encodeLink(after, owners);
  const stays = before !== null && relationshipTypeOf(before) === type && before.source === after.source;
  if (stays) {
    collected.updatedLinks[type].push({ id: after.id, fields });
    return;
  }
  // Neo4j can change neither the type nor the ends of a relationship: delete it and create it again
  // in this transaction.
  if (before !== null) collected.deletedLinks[relationshipTypeOf(before)].push(before.id);
  collected.createdLinks[type].push({ source: after.source, target: after.target, fields });
}

function collectFeeds(collected: GroupRows, changes: readonly Change[]): void {
  const feeds = new Map<string, NetChange<FeedState>>();
  for (const change of changes) if (change.kind === 'feed') step(feeds, change.id, change);
  for (const { before, after } of feeds.values()) {
    if (after === null) continue;
    const { id, ownerId, seq, epoch, grants, public: open } = after;
    // A separate step writes a feed's head.
    if (before === null)
      collected.createdFeeds.push(encode({ id, ownerId, seq, first: 1, epoch, grants, public: open }));
    else collected.updatedFeeds.push({ id, fields: encode({ epoch, grants, public: open }) });
  }
}

/**
 * Visibility in lists is part of the grant's row if the group writes the grant, and otherwise a row
 * of its own.
 */
function collectGrants(collected: GroupRows, changes: readonly Change[], nodeOf: NodeOf): void {
  const grants = new Map<string, NetChange<GrantState>>();
  const shown = new Map<string, boolean>();
  for (const change of changes) {
    if (change.kind === 'grant') {
      const key = grantKey(change.id, subjectOf(change).email);
      step(grants, key, change);
      shown.delete(key);
    } else if (change.kind === 'showing') {
      const key = grantKey(change.id, change.email);
      const known = grants.get(key);
      if (known?.after) known.after = { ...known.after, showing: change.showing };
      else shown.set(key, change.showing);
    }
  }
  for (const [key, { before, after }] of grants) {
    if (after === null) {
      if (before !== null) collected.deletedGrants.push(key);
      continue;
    }
    const fields = encodeGrant(after, nodeOf(after.nodeId).ownerId);
    if (before === null) collected.createdGrants.push({ ...fields, key });
    else collected.updatedGrants.push({ key, fields });
  }
  for (const [key, showing] of shown) collected.updatedGrants.push({ key, fields: { showing } });
}

function collectRows(collected: GroupRows, changes: readonly Change[]): void {
  type Via = { readonly via: string | null } | null;
  const rows = new Map<string, { id: string; feed: string; before: Via; after: Via }>();
  for (const change of changes) {
    if (change.kind !== 'member') continue;
    const { id, feed, before, after } = change;
    const key = `${id}|${feed}`;
    const first = rows.get(key);
    rows.set(key, { id, feed, before: first === undefined ? before : first.before, after });
  }
  for (const { id, feed, before, after } of rows.values()) {
    if (after === null) {
      if (before !== null) collected.lostRows.push({ id, feed });
    } else if (before === null) collected.gainedRows.push({ id, feed, via: after.via });
    else collected.movedRows.push({ id, feed, via: after.via });
  }
}
