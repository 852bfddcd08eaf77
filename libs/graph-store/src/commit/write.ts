// Writing a decided group: the rows for the one statement that does it, whatever the number of commands.

import type { NewBatch } from '@taskgraph/domain/state/batch';
import { type Change, subjectOf } from '@taskgraph/domain/state/change';
import type { LockedUser, NodeState } from '@taskgraph/domain/state/state';
import { encode, integer } from '../driver/codec.ts';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { collect } from './collect.ts';
import { WRITE_GROUP } from './write-statement.ts';

export interface WritePlan {
  /** All changes of the group in order; the last state of each entity is written. */
  readonly changes: readonly Change[];
  readonly batches: readonly NewBatch[];
  /** New heads of the feeds. */
  readonly feeds: ReadonlyMap<string, number>;
  readonly nodeOf: (id: string) => Pick<NodeState, 'ownerId'>;
  /** The owners of the feeds that move, and of all that the changes touch: their revisions rise by one. */
  readonly bumped: ReadonlySet<string>;
  /** The time of the newest batch of each owner whom the changes concern (HIS7). */
  readonly lastTs: ReadonlyMap<string, string>;
}

/** A transaction that has locked, read and looked up before it was decided expects nothing more. */
const NOTHING_EXPECTED = { expected: [], keys: [], leftMs: integer(Number.MAX_SAFE_INTEGER) };

/** Writes a group under the locks that the transaction has. Commit is the caller's. */
export async function writeGroup(transaction: OpenTransaction, plan: WritePlan): Promise<void> {
  await transaction.run(WRITE_GROUP, { in: { ...rowsOf(plan), ...NOTHING_EXPECTED } }, 'WRITE_GROUP');
}

/** The state that a group was decided on without a lock. */
export interface Expected {
  /** All users whom it has to lock, as they were. */
  readonly users: Iterable<Pick<LockedUser, 'id' | 'rev' | 'lastTs'>>;
  /** The keys of all its commands, none of which may be done yet (GEN8). */
  readonly keys: readonly string[];
  /** Milliseconds to the first deadline: behind locks that are had later it is not written. */
  readonly leftMs: number;
}

/**
 * Locks, compares, writes and commits a group, in one statement and one round trip. False where what it was decided on has changed since:
 * then nothing is written. Throws as a transaction does.
 */
export async function writeIfUnchanged(
  database: Pick<Database, 'writeAgain'>,
  plan: WritePlan,
  { users, keys, leftMs }: Expected,
  timeoutMs: number | undefined,
): Promise<boolean> {
  const expected = [...users]
    .map(({ id, rev, lastTs }) => ({ id, rev: integer(rev), lastTs }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const parameters = { in: { ...rowsOf(plan), expected, keys, leftMs: integer(leftMs) } };
  const rows = await database.writeAgain(WRITE_GROUP, parameters, timeoutMs, 'WRITE_IF_UNCHANGED');
  return rows.length > 0;
}

function rowsOf(plan: WritePlan): Row {
  return {
    ...collect(plan.changes, plan.nodeOf),
    batches: plan.batches.map(batchRow).sort(byKey),
    feeds: [...plan.feeds].map(([feed, seq]) => encode({ feed, seq })),
    entries: plan.batches.flatMap(entryRows),
    owners: [...plan.bumped].sort().map((id) => ({ id, ts: plan.lastTs.get(id) ?? null })),
    emails: concernedEmails(plan.changes),
  };
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
