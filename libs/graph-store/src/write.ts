// Writing a decided group: the rows for the one statement that does it, whatever the number of commands.
import { type Change, type CounterChange, type NodeChange, subjectOf } from '@taskgraph/domain/change';
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import type { Batch } from './batches.ts';
import { encode, encodeLink, integer, RELATIONSHIP_TYPES, type RelationshipType, relationshipTypeOf } from './codec.ts';
import type { OpenTransaction, Row } from './database.ts';
import { WRITE_GROUP } from './write-statement.ts';

/** A batch that is about to be stored. */
export interface NewBatch extends Batch {
  /** The slice numbers that the batch got, by feed. */
  readonly slices: readonly { readonly feed: string; readonly seq: number; readonly changed: readonly string[] }[];
}

export interface WritePlan {
  /** All changes of the group in order; the last state of each entity is written. */
  readonly changes: readonly Change[];
  readonly batches: readonly NewBatch[];
  /** New heads of the feeds. */
  readonly feeds: ReadonlyMap<string, number>;
  readonly nodeOf: (id: string) => Pick<NodeState, 'ownerId'>;
  readonly ts: string;
}

/** Writes a group. Commit is the caller's. */
export async function writeGroup(transaction: OpenTransaction, plan: WritePlan): Promise<void> {
  const { createdLinks, updatedLinks, deletedLinks, ...rows } = collect(plan.changes, plan.nodeOf);
  await transaction.run(WRITE_GROUP, {
    in: {
      ...rows,
      createdLinks: byType(createdLinks),
      updatedLinks: byType(updatedLinks),
      deletedLinks: byType(deletedLinks),
      batches: plan.batches.map(batchRow).sort(byKey),
      feeds: [...plan.feeds].map(([feed, seq]) => encode({ feed, seq })),
      entries: plan.batches.flatMap(entryRows),
      owners: concernedOwners(plan),
      ts: plan.ts,
    },
  });
}

/** Every type has its list, empty or not: the statement asks for each. */
function byType<T>(lists: ReadonlyMap<RelationshipType, T[]>): Record<string, T[]> {
  return Object.fromEntries(RELATIONSHIP_TYPES.map((type) => [type, lists.get(type) ?? []]));
}

function concernedOwners(plan: WritePlan): string[] {
  const owners = new Set<string>();
  for (const change of plan.changes) {
    if (change.kind === 'link') {
      const { source, target } = subjectOf(change);
      for (const end of [source, target]) owners.add(plan.nodeOf(end).ownerId);
    } else if (change.kind !== 'mark') owners.add(plan.nodeOf(change.id).ownerId);
  }
  return [...owners].sort();
}

function batchRow(batch: NewBatch): Row {
  const { changes, slices, ...fields } = batch;
  const feeds = Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
  return {
    batch: { ...fields, skipped: [...fields.skipped], changes: JSON.stringify(changes), feeds: JSON.stringify(feeds) },
    touched: [...new Set(changes.map(({ id }) => id))],
  };
}

function byKey(one: Row, other: Row): number {
  return (one.batch as NewBatch).key < (other.batch as NewBatch).key ? -1 : 1;
}

function entryRows(batch: NewBatch): Row[] {
  return batch.slices.map(({ feed, seq, changed }) => ({
    feed,
    seq: integer(seq),
    batch: batch.id,
    ts: batch.ts,
    changed: [...changed],
  }));
}

interface Collected {
  createdNodes: Row[];
  updatedNodes: Row[];
  deletedNodes: string[];
  createdLinks: Map<RelationshipType, Row[]>;
  updatedLinks: Map<RelationshipType, Row[]>;
  deletedLinks: Map<RelationshipType, string[]>;
  unmarkedLinks: string[];
}

interface CollectedNode {
  created: boolean;
  deleted: boolean;
  fields: Record<string, unknown>;
}

interface CollectedLink {
  before: LinkState | null;
  after: LinkState | null;
}

/** The last state of every changed entity, and how to get there from what is stored. */
function collect(changes: readonly Change[], nodeOf: WritePlan['nodeOf']): Collected {
  const nodes = new Map<string, CollectedNode>();
  const links = new Map<string, CollectedLink>();
  const unmarked = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'mark') unmarked.add(change.id);
    else if (change.kind === 'link') {
      const first = links.get(change.id);
      links.set(change.id, { before: first === undefined ? change.before : first.before, after: change.after });
    } else collectNode(nodes, change);
  }
  const collected: Collected = {
    createdNodes: [],
    updatedNodes: [],
    deletedNodes: [],
    createdLinks: new Map(),
    updatedLinks: new Map(),
    deletedLinks: new Map(),
    unmarkedLinks: [...unmarked],
  };
  for (const [id, { created, deleted, fields }] of nodes) {
    if (created && !deleted) collected.createdNodes.push(encode(fields));
    else if (!created && deleted) collected.deletedNodes.push(id);
    else if (!created) collected.updatedNodes.push({ id, fields: encode(fields) });
  }
  for (const { before, after } of links.values()) collectLink(collected, before, after, nodeOf);
  return collected;
}

function collectNode(nodes: Map<string, CollectedNode>, change: NodeChange | CounterChange): void {
  const entry = nodes.get(change.id) ?? {
    created: change.kind === 'node' && change.before === null,
    deleted: false,
    fields: {},
  };
  nodes.set(change.id, entry);
  if (change.kind === 'counter') entry.fields.openBlockers = change.openBlockers;
  else if (change.after === null) entry.deleted = true;
  else if (change.before === null) Object.assign(entry.fields, change.after);
  else
    for (const field of [...change.fields, 'version', 'lastEditedTime'] as const)
      entry.fields[field] = change.after[field];
}

function collectLink(
  collected: Collected,
  before: LinkState | null,
  after: LinkState | null,
  nodeOf: WritePlan['nodeOf'],
): void {
  if (after === null) {
    if (before !== null) append(collected.deletedLinks, relationshipTypeOf(before), before.id);
    return;
  }
  const type = relationshipTypeOf(after);
  const owners = { sourceOwnerId: nodeOf(after.source).ownerId, targetOwnerId: nodeOf(after.target).ownerId };
  const fields = encodeLink(after, owners);
  const stays = before !== null && relationshipTypeOf(before) === type && before.source === after.source;
  if (stays) {
    append(collected.updatedLinks, type, { id: after.id, fields });
    return;
  }
  // Neo4j can change neither type nor ends of a relationship: it is deleted and made anew, in this one transaction.
  if (before !== null) append(collected.deletedLinks, relationshipTypeOf(before), before.id);
  append(collected.createdLinks, type, { source: after.source, target: after.target, fields });
}

function append<T>(map: Map<RelationshipType, T[]>, type: RelationshipType, item: T): void {
  const list = map.get(type);
  if (list) list.push(item);
  else map.set(type, [item]);
}
