// Writing a decided group: the rows for the one statement that does it, whatever the number of commands.

import type { Batch } from '@taskgraph/domain/state/batch';
import { type Change, isVisible, subjectOf } from '@taskgraph/domain/state/change';
import type { NodeState } from '@taskgraph/domain/state/state';
import { encode, integer } from '../driver/codec.ts';
import type { OpenTransaction, Row } from '../driver/database.ts';
import { collect } from './collect.ts';
import { WRITE_GROUP } from './write-statement.ts';

/** What a batch moved in one feed: the number of its slice, and the ids of all that it changed there, brought or took. */
export interface NewEntry {
  readonly feed: string;
  readonly seq: number;
  readonly nodes: readonly string[];
  readonly links: readonly string[];
  /** Too much moved to be named: who missed it has to read the feed anew. */
  readonly reset: boolean;
}

/** A batch that is about to be stored. */
export interface NewBatch extends Batch {
  readonly slices: readonly NewEntry[];
  /** Ids of the owners of what it touched: under these too it is found in history. */
  readonly owners: readonly string[];
}

export interface WritePlan {
  /** All changes of the group in order; the last state of each entity is written. */
  readonly changes: readonly Change[];
  readonly batches: readonly NewBatch[];
  /** New heads of the feeds. */
  readonly feeds: ReadonlyMap<string, number>;
  readonly nodeOf: (id: string) => Pick<NodeState, 'ownerId'>;
  /** The time of the newest batch of each owner whom the changes concern (HIS7). */
  readonly lastTs: ReadonlyMap<string, string>;
}

/** Writes a group. Commit is the caller's. */
export async function writeGroup(transaction: OpenTransaction, plan: WritePlan): Promise<void> {
  const rows = {
    ...collect(plan.changes, plan.nodeOf),
    batches: plan.batches.map(batchRow).sort(byKey),
    feeds: [...plan.feeds].map(([feed, seq]) => encode({ feed, seq })),
    entries: plan.batches.flatMap(entryRows),
    owners: [...concernedOwners(plan.changes, plan.nodeOf)].sort().map((id) => ownerRow(id, plan)),
    emails: concernedEmails(plan.changes),
  };
  await transaction.run(WRITE_GROUP, { in: rows }, 'WRITE_GROUP');
}

function ownerRow(id: string, { lastTs }: WritePlan): Row {
  const ts = lastTs.get(id);
  if (ts === undefined) throw new Error(`the owner ${id} is concerned, and has no batch`);
  return { id, ts };
}

/** The owners of all nodes, ends of links, grants and memberships that these changes touch. */
export function concernedOwners(changes: readonly Change[], nodeOf: WritePlan['nodeOf']): Set<string> {
  const owners = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'link') {
      const { source, target } = subjectOf(change);
      for (const end of [source, target]) owners.add(nodeOf(end).ownerId);
    } else if (
      change.kind === 'node' ||
      change.kind === 'counter' ||
      change.kind === 'grant' ||
      change.kind === 'member'
    )
      owners.add(nodeOf(change.id).ownerId);
  }
  return owners;
}

function concernedEmails(changes: readonly Change[]): string[] {
  const emails = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'grant') emails.add(subjectOf(change).email);
    if (change.kind === 'showing') emails.add(change.email);
  }
  return [...emails].sort();
}

function batchRow(batch: NewBatch): Row {
  const { changes, slices, owners, skipped, ...fields } = batch;
  const feeds = Object.fromEntries(slices.map(({ feed, seq }) => [feed, seq]));
  return {
    batch: {
      ...fields,
      skipped: [...skipped],
      changes: JSON.stringify(changes),
      feeds: JSON.stringify(feeds),
      undone: false,
    },
    touched: [...new Set([...changes.map(({ id }) => id), ...(changes.length > 0 ? owners : [])])],
  };
}

function byKey(one: Row, other: Row): number {
  return (one.batch as NewBatch).key < (other.batch as NewBatch).key ? -1 : 1;
}

function entryRows(batch: NewBatch): Row[] {
  return batch.slices.map(({ feed, seq, nodes, links, reset }) => ({
    feed,
    seq: integer(seq),
    batch: batch.id,
    ts: batch.ts,
    nodes: [...nodes],
    links: [...links],
    reset,
  }));
}

/** Ids of the nodes and links that visible changes are about, for a feed's entry. */
export function idsOf(changes: readonly Change[]): { nodes: string[]; links: string[] } {
  const ids = { nodes: new Set<string>(), links: new Set<string>() };
  for (const change of changes.filter(isVisible)) ids[change.kind === 'link' ? 'links' : 'nodes'].add(change.id);
  return { nodes: [...ids.nodes], links: [...ids.links] };
}
