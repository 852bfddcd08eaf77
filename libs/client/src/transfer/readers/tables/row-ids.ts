// The ids by which a later table finds the rows of a table, and the fields that it does not state. Rule:
// IO12.
import type { TransferFields } from '../../graph/transfer-graph.ts';
import { PLAIN_COLUMNS } from './column-names.ts';
import { type Column, type ColumnMapping, columnName } from './columns.ts';
import type { TableProgram } from './table-programs.ts';

/** Heads of columns that number the rows. */
const POSITION_HEADS: ReadonlySet<string> = new Set(['no', 'nr', '#', 'sno'].map(columnName));
/** Heads of ids that stay when rows move. */
const STABLE_HEADS: ReadonlySet<string> = new Set(['unique id', 'uuid'].map(columnName));

interface IdRow {
  readonly key: string;
  /** The cell of the id; '' for none. */
  readonly id: string;
  /** The outline number if the ids are outline numbers; '' otherwise. */
  readonly number: string;
  cell(column: Column): string;
  readonly cellAt: (place: number) => string;
}

interface IdTable {
  readonly heads: readonly string[];
  readonly columns: ReadonlyMap<Column, readonly number[]>;
  /** The fields that the caller chose for columns. */
  readonly mapped: ColumnMapping;
  readonly program: TableProgram | null;
}

/**
 * The ids of rows by their keys: null for a row that only its position identifies. The id of any other
 * row is its key.
 */
export function sourceIdsOfRows(rows: readonly IdRow[], table: IdTable): ReadonlyMap<string, string | null> {
  const counts = new Map<string, number>();
  for (const { id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  const arePositions = hasPositions(rows, table);
  const stable = arePositions ? stableIds(rows, table) : null;
  return new Map(
    rows.flatMap(({ key, id }, index): [string, string | null][] => {
      if (stable !== null) return [[key, `unique ${stable[index]}`]];
      // Of several rows with one id, none is known to have it.
      return arePositions || id === '' || counts.get(id) !== 1 ? [[key, null]] : [];
    }),
  );
}

/** Whether the ids are numbers of rows, which a new row above changes. */
function hasPositions(rows: readonly IdRow[], { heads, columns, mapped, program }: IdTable): boolean {
  const [place] = columns.get('key') ?? [];
  if (place === undefined) return true;
  const head = columnName(heads[place] ?? '');
  if (mapped.get(head) === 'key') return false;
  if (POSITION_HEADS.has(head) || (program?.name === 'Microsoft Project' && head === 'id')) return true;
  if (!columns.has('outline') && rows.some(({ number }) => number.includes('.'))) return true;
  return rows.length > 1 && rows.every(({ id }, index) => id === String(index + 1));
}

/** The ids of a column of stable ids that all rows have; null without one. */
function stableIds(rows: readonly IdRow[], { heads, columns }: IdTable): readonly string[] | null {
  for (const place of columns.get('alias') ?? []) {
    if (!STABLE_HEADS.has(columnName(heads[place] ?? ''))) continue;
    const ids = rows.map(({ cellAt }) => cellAt(place));
    if (ids.every((id) => id !== '') && new Set(ids).size === ids.length) return ids;
  }
  return null;
}

/** The columns of each field that has several or another name. */
const COLUMNS_OF: Partial<Record<keyof TransferFields, readonly Column[]>> = {
  status: ['status', 'completed', 'group'],
  dueDate: ['due'],
};
const NAMED: readonly (keyof TransferFields)[] = [
  'description',
  'status',
  'dueDate',
  'tags',
  'priority',
  'volume',
  'assignee',
];

/** The fields of which the table has no column. */
export function unstatedByColumns(
  columns: ReadonlyMap<Column, readonly number[]>,
  program: TableProgram | null,
): (keyof TransferFields)[] {
  const columnsOf = (name: keyof TransferFields): readonly Column[] => {
    if (name === 'tags' && program?.hasListTags === true) return ['tags', 'group'];
    return COLUMNS_OF[name] ?? [name as Column];
  };
  return [...NAMED, ...PLAIN_COLUMNS].filter((name) => !columnsOf(name).some((column) => columns.has(column)));
}
