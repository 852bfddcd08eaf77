// Loads the part of the graph on which a group is decided, under the locks, into a world.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { World } from '@taskgraph/domain/state/world';
import { integer } from '../driver/codec.ts';
import type { OpenTransaction, Row } from '../driver/database.ts';
import { LoadTooLarge } from '../driver/failures.ts';
import { charactersBoundOf, type LoadBounds, linksBoundOf } from './load/bounds.ts';
import type { Loader } from './load/loader.ts';
import { LOAD_STATEMENTS, type LoadStatement, statementFor } from './load/statement.ts';
import { LOAD_KINDS, LOADERS, type LoadKind } from './load/table.ts';

/** Maximum blockers of a node that an error names. */
const SHOWN_BLOCKERS = 100;

export interface LoadResult {
  /**
   * Starts whose surroundings exceed the bound, and batches (by id or key) whose changes do. Their
   * items stay unloaded.
   */
  readonly overflowing: ReadonlySet<string>;
  readonly batches: ReadonlyMap<string, StoredBatch>;
}

/** Requested items of one kind that are not loaded yet. */
interface MissingItems {
  readonly kind: LoadKind;
  readonly loader: Loader<unknown>;
  readonly items: readonly unknown[];
}

type LoadedRows = Partial<Record<LoadKind, Row[]>>;

/** Loads missing items, and the batches stored under `keys`. Run it after the locks. */
export async function loadInto(
  transaction: OpenTransaction,
  world: World,
  readSet: ReadSet,
  bounds: LoadBounds,
  keys: readonly string[],
  choose: (kinds: readonly LoadKind[]) => LoadStatement = statementFor,
): Promise<LoadResult> {
  const load = { bounds, overflowing: new Set<string>(), stored: new Map<string, StoredBatch>() };
  const missing = missingOf(world, { ...withImplied(readSet, bounds), keys }, bounds);
  const large = missing.filter(({ loader }) => bounds.large && loader.large);
  const together = missing.filter((one) => !large.includes(one));
  // Sent together in one round trip.
  const [found] = await Promise.all([
    together.length === 0 ? {} : runStatement(transaction, choose(together.map(({ kind }) => kind)), together, bounds),
    Promise.all(large.map(({ loader, items }) => loader.large?.(transaction, world, items, load))),
  ]);
  if (Object.values(found as LoadedRows).some((rows) => rows.length > bounds.rows)) throw new LoadTooLarge();
  for (const { kind, loader, items } of together)
    loader.hydrate?.(world, items, (found as LoadedRows)[kind] ?? [], load);
  return { overflowing: load.overflowing, batches: load.stored };
}

function withImplied(readSet: ReadSet, bounds: LoadBounds): ReadSet {
  const implied = LOAD_KINDS.map((kind) => loaderOf(kind).implies?.(itemsOf(readSet, kind), bounds) ?? {});
  return mergeReadSets([readSet, ...implied]);
}

function missingOf(
  world: World,
  requested: ReadSet & { readonly keys: readonly string[] },
  bounds: LoadBounds,
): MissingItems[] {
  return LOAD_KINDS.map((kind) => {
    const loader = loaderOf(kind);
    return { kind, loader, items: loader.missing(world, itemsOf(requested, kind), bounds) };
  }).filter(({ items }) => items.length > 0);
}

function loaderOf(kind: LoadKind): Loader<unknown> {
  return LOADERS[kind] as Loader<unknown>;
}

function itemsOf(requested: ReadSet & { readonly keys?: readonly string[] }, kind: LoadKind): readonly unknown[] {
  return requested[kind] ?? [];
}

/**
 * Runs an empty load, so that the database plans the statement. The default is the largest
 * statement, which can replace every other.
 */
export async function planLoad(
  transaction: OpenTransaction,
  statement: LoadStatement = LOAD_STATEMENTS.at(-1) as LoadStatement,
): Promise<void> {
  await runStatement(transaction, statement, [], { entities: 1, rows: 1, large: false });
}

async function runStatement(
  transaction: OpenTransaction,
  { cypher, kinds }: LoadStatement,
  missing: readonly MissingItems[],
  bounds: LoadBounds,
): Promise<LoadedRows> {
  const lists: Record<string, readonly unknown[]> = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (const { kind, items } of missing) lists[kind] = items;
  const parameters = {
    in: lists,
    bound: integer(bounds.entities + 1),
    linksBound: integer(linksBoundOf(bounds) + 1),
    rows: integer(bounds.rows + 1),
    characters: integer(charactersBoundOf(bounds)),
    shown: integer(SHOWN_BLOCKERS),
  };
  const [row] = await transaction.run(cypher, parameters, 'LOAD_WORLD');
  return row as LoadedRows;
}
