// The interface of all loads.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { World } from '@taskgraph/domain/state/world';
import type { OpenTransaction, Row } from '../../driver/database.ts';
import type { LoadBounds } from './bounds.ts';

/** One kind of load, for the items of a read set. */
export interface Loader<T> {
  /**
   * The part of the statement that takes the list `$in.<kind>` and returns a list named like the
   * kind. Absent for kinds that only large commands load.
   */
  readonly cypher?: string;
  /** Other kinds of loads that these items require. */
  readonly implies?: (items: readonly T[], bounds: LoadBounds) => ReadSet;
  /** The items that are not loaded yet. */
  readonly missing: (world: World, items: readonly T[], bounds: LoadBounds) => readonly T[];
  /**
   * Puts the results into the world. A walk beyond its bound is recorded as overflowing instead.
   */
  readonly hydrate?: (world: World, missing: readonly T[], rows: readonly Row[], load: Load) => void;
  /** Replaces both for a large command. */
  readonly large?: (transaction: OpenTransaction, world: World, missing: readonly T[], load: Load) => Promise<void>;
}

/** A load in progress. */
export interface Load {
  readonly bounds: LoadBounds;
  /** Starts whose surroundings exceed the bound. */
  readonly overflowing: Set<string>;
  /** Batches by idempotency key. */
  readonly stored: Map<string, StoredBatch>;
}

export function distinct<T>(items: Iterable<T>): T[] {
  return [...new Set(items)];
}

export function notIn(loaded: ReadonlyMap<string, unknown>, ids: readonly string[]): string[] {
  return distinct(ids).filter((id) => !loaded.has(id));
}

/** The batches with short enough changes; the others overflow. */
export function withoutLongBatches(rows: readonly Row[], { overflowing }: Load): Row[] {
  for (const { start, long } of rows) if (long === true) overflowing.add(start as string);
  return rows.filter(({ long }) => long !== true);
}

/**
 * Rows by the start in their field `name`. A start with more rows than `most` overflows and is
 * omitted.
 */
export function byStart(
  rows: readonly Row[],
  name: string,
  { bounds, overflowing }: Load,
  most = bounds.entities,
): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const start = row[name] as string;
    const group = grouped.get(start);
    if (group) group.push(row);
    else grouped.set(start, [row]);
  }
  for (const [start, group] of grouped) {
    if (group.length <= most) continue;
    overflowing.add(start);
    grouped.delete(start);
  }
  return grouped;
}
