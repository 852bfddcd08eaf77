// Writes a decided group: builds the rows for its one write statement.

import type { NewBatch } from '@taskgraph/domain/state/batch';
import { type Change, subjectOf } from '@taskgraph/domain/state/change';
import type { LockedUser, NodeState } from '@taskgraph/domain/state/state';
import { encode, integer } from '../driver/codec.ts';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { collect } from './collect.ts';
import { type HistoryForm, historyRows } from './history-rows.ts';
import { WRITE_GROUP } from './write-statement.ts';

export interface WritePlan {
  /** All changes of the group in order; only the last state of each entity is written. */
  readonly changes: readonly Change[];
  readonly batches: readonly NewBatch[];
  /** New heads of the feeds. */
  readonly feeds: ReadonlyMap<string, number>;
  readonly nodeOf: (id: string) => Pick<NodeState, 'ownerId'>;
  /** The owners of the changed feeds and entities: their revisions grow by one. */
  readonly bumped: ReadonlySet<string>;
  /** The time of the newest batch of each concerned owner (HIS7). */
  readonly lastTs: ReadonlyMap<string, string>;
  readonly historyForm: HistoryForm;
}

/** A transaction that locked, read and checked before its decision expects nothing more. */
const NEVER = integer(Number.MAX_SAFE_INTEGER);
const NOTHING_EXPECTED = { expected: [], keys: [], leftMs: NEVER, startByMs: NEVER, endByMs: NEVER };

/** Writes a group under the transaction's locks. The caller commits. */
export async function writeGroup(transaction: OpenTransaction, plan: WritePlan): Promise<void> {
  await transaction.run(WRITE_GROUP, { in: { ...rowsOf(plan), ...NOTHING_EXPECTED } }, 'WRITE_GROUP');
}

/** The state on which a group was decided without locks. */
export interface ExpectedState {
  /** All users to lock, at their expected revisions. */
  readonly users: Iterable<Pick<LockedUser, 'id' | 'rev' | 'lastTs'>>;
  /** The keys of all its commands, none of which may have a batch (GEN8). */
  readonly keys: readonly string[];
  /** Milliseconds to the first deadline; after a longer wait for locks nothing is written. */
  readonly leftMs: number;
  /**
   * Times by the database's clock, in milliseconds since 1970. If the statement gets its locks
   * after the first, it writes nothing. If it ends after the second, it fails as `slow` (HISX2).
   */
  readonly startByMs: number;
  readonly endByMs: number;
}

/**
 * Locks, compares, writes and commits a group in one statement and one round trip. Returns false,
 * without a write, if the expected state has changed. Throws as a transaction does.
 */
export async function writeIfUnchanged(
  database: Pick<Database, 'writeAgain'>,
  plan: WritePlan,
  { users, keys, leftMs, startByMs, endByMs }: ExpectedState,
  timeoutMs: number | undefined,
): Promise<boolean> {
  const expected = [...users]
    .map(({ id, rev, lastTs }) => ({ id, rev: integer(rev), lastTs }))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const times = { leftMs: integer(leftMs), startByMs: integer(startByMs), endByMs: integer(endByMs) };
  const parameters = { in: { ...rowsOf(plan), expected, keys, ...times } };
  const rows = await database.writeAgain(WRITE_GROUP, parameters, timeoutMs, 'WRITE_IF_UNCHANGED');
  return rows.length > 0;
}

function rowsOf(plan: WritePlan): Row {
  return {
    ...collect(plan.changes, plan.nodeOf),
    ...historyRows(plan.batches.toSorted(byKey), plan.historyForm),
    feeds: [...plan.feeds].map(([feed, seq]) => encode({ feed, seq })),
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

function byKey(one: NewBatch, other: NewBatch): number {
  return one.key < other.key ? -1 : 1;
}
