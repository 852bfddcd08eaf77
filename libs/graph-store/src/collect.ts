// From the changes of a group to the rows that the one writing statement takes: the last state of each entity, and how to get there.
import { readersOfDeletedLink } from '@taskgraph/domain/apply-change';
import { type Change, grantKey } from '@taskgraph/domain/change';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state';
import { encode, encodeLink, RELATIONSHIP_TYPES, type RelationshipType, relationshipTypeOf } from './codec.ts';
import type { Row } from './database.ts';

/** Rows by the step that takes them (write-statement.ts). */
export interface Collected {
  readonly createdNodes: Row[];
  readonly updatedNodes: Row[];
  readonly deletedNodes: string[];
  readonly createdLinks: ByType<Row>;
  readonly updatedLinks: ByType<Row>;
  readonly deletedLinks: ByType<string>;
  readonly unmarkedLinks: string[];
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

/** The first state and the last of everything that changed, by what identifies it. */
interface Ends<T> {
  before: T | null;
  after: T | null;
}

export function collect(changes: readonly Change[], nodeOf: NodeOf): Collected {
  const collected: Collected = {
    createdNodes: [],
    updatedNodes: [],
    deletedNodes: [],
    createdLinks: byType(),
    updatedLinks: byType(),
    deletedLinks: byType(),
    unmarkedLinks: changes.filter(({ kind }) => kind === 'mark').map(({ id }) => id),
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
  for (const ends of endsOf<LinkState>(changes, 'link')) collectLink(collected, ends, nodeOf);
  for (const ends of endsOf<FeedState>(changes, 'feed')) collectFeed(collected, ends);
  collectGrants(collected, changes);
  collectRows(collected, changes);
  const undone = new Map(changes.filter(({ kind }) => kind === 'undone').map((change) => [change.id, change]));
  for (const { kind: _kind, ...row } of undone.values()) collected.undone.push({ ...row });
  return collected;
}

/** Every type has its list, empty or not: the statement asks for each. */
function byType<T>(): ByType<T> {
  return Object.fromEntries(RELATIONSHIP_TYPES.map((type) => [type, []])) as unknown as ByType<T>;
}

function endsOf<T>(changes: readonly Change[], kind: 'link' | 'feed'): Iterable<Ends<T>> {
  const ends = new Map<string, Ends<T>>();
  for (const change of changes) {
    if (change.kind !== kind) continue;
    const { before, after } = change as unknown as Ends<T>;
    const first = ends.get(change.id);
    ends.set(change.id, { before: first === undefined ? before : first.before, after });
  }
  return ends.values();
}

interface CollectedNode {
  readonly created: boolean;
  deleted: NodeState | null;
  readonly fields: Record<string, unknown>;
}

/** Nodes by their changed fields alone: a blocker count that moved must not write back a state that came with less. */
function collectNodes(collected: Collected, changes: readonly Change[]): void {
  const nodes = new Map<string, CollectedNode>();
  for (const change of changes) {
    if (change.kind !== 'node' && change.kind !== 'counter') continue;
    const created = change.kind === 'node' && change.before === null;
    const entry = nodes.get(change.id) ?? { created, deleted: null, fields: {} };
    nodes.set(change.id, entry);
    if (change.kind === 'counter') entry.fields.openBlockers = change.openBlockers;
    else if (change.after === null) entry.deleted = change.before;
    else if (change.before === null) Object.assign(entry.fields, change.after);
    else for (const field of [...change.fields, ...STEP_FIELDS]) entry.fields[field] = change.after[field];
  }
  for (const [id, { created, deleted, fields }] of nodes) {
    if (deleted !== null) collected.tombstones.push(tombstone(id, [deleted.ownerId]));
    if (created && deleted === null) collected.createdNodes.push(encode(fields));
    else if (!created && deleted !== null) collected.deletedNodes.push(id);
    else if (!created) collected.updatedNodes.push({ id, fields: encode(fields) });
  }
}

/** What is left of something deleted; a job has yet to take its content out of history (TRS5). */
function tombstone(id: string, readers: readonly string[]): Row {
  return { id, readers: [...readers], unwritten: true };
}

const STEP_FIELDS = ['version', 'lastEditedTime'] as const;

function collectLink(collected: Collected, { before, after }: Ends<LinkState>, nodeOf: NodeOf): void {
  if (after === null) {
    if (before === null) return;
    collected.deletedLinks[relationshipTypeOf(before)].push(before.id);
    const readers = readersOfDeletedLink(before, (id) => nodeOf(id).ownerId);
    collected.tombstones.push(tombstone(before.id, readers));
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
  // Neo4j can change neither type nor ends of a relationship: it is deleted and made anew, in this one transaction.
  if (before !== null) collected.deletedLinks[relationshipTypeOf(before)].push(before.id);
  collected.createdLinks[type].push({ source: after.source, target: after.target, fields });
}

function collectFeed(collected: Collected, { before, after }: Ends<FeedState>): void {
  if (after === null) return;
  const { id, ownerId, seq, epoch, grants, public: open } = after;
  // A feed's number is moved by a step of its own.
  if (before === null) collected.createdFeeds.push(encode({ id, ownerId, seq, first: 1, epoch, grants, public: open }));
  else collected.updatedFeeds.push({ id, fields: encode({ epoch, grants, public: open }) });
}

function collectGrants(collected: Collected, changes: readonly Change[]): void {
  const ends = new Map<string, Ends<GrantState>>();
  for (const change of changes) {
    if (change.kind !== 'grant') continue;
    const { nodeId, email } = (change.after ?? change.before) as GrantState;
    const first = ends.get(grantKey(nodeId, email));
    ends.set(grantKey(nodeId, email), {
      before: first === undefined ? change.before : first.before,
      after: change.after,
    });
  }
  for (const [key, { before, after }] of ends) {
    if (after === null) {
      if (before !== null) collected.deletedGrants.push(key);
    } else if (before === null) collected.createdGrants.push(encode({ ...after, key }));
    else collected.updatedGrants.push({ key, fields: encode({ ...after }) });
  }
  for (const change of changes) {
    if (change.kind !== 'showing') continue;
    collected.updatedGrants.push({ key: grantKey(change.id, change.email), fields: { showing: change.showing } });
  }
}

function collectRows(collected: Collected, changes: readonly Change[]): void {
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
