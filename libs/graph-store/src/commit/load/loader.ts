// How one kind of load is read, and what all of them share.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { World } from '@taskgraph/domain/state/world';
import type { OpenTransaction, Row } from '../../driver/database.ts';
import type { LoadBounds } from './bounds.ts';

/** One kind of load, by the items that a read set asks for. */
export interface Loader<T> {
  /** A part of the statement: takes the list `$in.<kind>`, returns one list named like the kind. None for a kind that large commands alone load. */
  readonly cypher?: string;
  /** Loads of other kinds that these items need as well. */
  readonly implies?: (items: readonly T[], bounds: LoadBounds) => ReadSet;
  /** The items that are not loaded yet. */
  readonly missing: (world: World, items: readonly T[], bounds: LoadBounds) => readonly T[];
  /** Puts what was found for the missing items into the world; a walk that passes its bound is noted as overflowing instead. */
  readonly hydrate?: (world: World, missing: readonly T[], rows: readonly Row[], load: Load) => void;
  /** Takes the place of both for a large command. */
  readonly large?: (transaction: OpenTransaction, world: World, missing: readonly T[], load: Load) => Promise<void>;
}

/** A load that is under way. */
export interface Load {
  readonly bounds: LoadBounds;
  /** Starts whose surroundings turn out to pass the bound. */
  readonly overflowing: Set<string>;
  /** Batches by the key under which their command was sent. */
  readonly stored: Map<string, StoredBatch>;
}

export function distinct<T>(items: Iterable<T>): T[] {
  return [...new Set(items)];
}

export function notIn(loaded: ReadonlyMap<string, unknown>, ids: readonly string[]): string[] {
  return distinct(ids).filter((id) => !loaded.has(id));
}

/** The batches among the rows whose changes are not too long; the others overflow. */
export function keepShort(rows: readonly Row[], { overflowing }: Load): Row[] {
  for (const { start, long } of rows) if (long === true) overflowing.add(start as string);
  return rows.filter(({ long }) => long !== true);
}

/** Rows by their start, which stands under `name`; a start with more rows than `most` overflows and is left out. */
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
