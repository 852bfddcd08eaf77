// Writing a decided group: the rows for the one statement that does it, whatever the number of commands.

import type { NewBatch } from '@taskgraph/domain/state/batch';
import { type Change, concernedOwners, subjectOf } from '@taskgraph/domain/state/change';
import type { NodeState } from '@taskgraph/domain/state/state';
import { encode, integer } from '../driver/codec.ts';
import type { OpenTransaction, Row } from '../driver/database.ts';
import { collect } from './collect.ts';
import { WRITE_GROUP } from './write-statement.ts';

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
