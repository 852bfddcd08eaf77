// The columns of tables of tasks: which field a head means, in our own tables and in those of other
// programs. Rules: IO2, IO7, IO10.

import { excerpt } from '../../graph/transfer-graph.ts';
import { comparableWord } from '../../text/csv-table.ts';
import { type ColumnRule, first, NAMED_COLUMNS, PLAIN_COLUMNS, type PlainColumn } from './column-names.ts';

/** Characters of a head that are compared. */
const MAXIMUM_HEAD_LENGTH = 200;

export type Column = keyof typeof NAMED_COLUMNS | PlainColumn;
const RULES: ReadonlyMap<Column, ColumnRule> = new Map<Column, ColumnRule>([
  ...(Object.entries(NAMED_COLUMNS) as [Column, ColumnRule][]).map(([column, rule]): [Column, ColumnRule] => [
    column,
    { ...rule, names: rule.names.map(columnName) },
  ]),
  ...PLAIN_COLUMNS.map((name): [Column, ColumnRule] => [name, first(name, [name.toLowerCase()])]),
]);

/** Each field with its name in `--map` and the names of its columns, for documents. */
export const COLUMN_NAMES: readonly (readonly [label: string, names: readonly string[]])[] = [
  ...Object.values(NAMED_COLUMNS).map(({ label, names }): [string, readonly string[]] => [label, names]),
  ...PLAIN_COLUMNS.map((name): [string, readonly string[]] => [name, [name]]),
];

/** The fields that a column can become, by their names in `ReadOptions.columns`. */
export const TABLE_FIELDS: readonly string[] = COLUMN_NAMES.map(([label]) => label);

/** A head in the form of the names above. */
export function columnName(head: string): string {
  const word = comparableWord(head.slice(0, MAXIMUM_HEAD_LENGTH)).replaceAll('.', '');
  let end = word.length;
  while (':*?'.includes(word[end - 1] ?? '.')) end--;
  return word.slice(0, end);
}

/** A head without the words in brackets at its end, such as the unit in `Duration (days)`. */
export function headParts(head: string): { readonly name: string; readonly hint: string } {
  const name = columnName(head);
  const at = name.indexOf('(');
  return at > 0 && name.endsWith(')') ? { name: name.slice(0, at), hint: name.slice(at + 1, -1) } : { name, hint: '' };
}

const ALL_NAMES: ReadonlySet<string> = new Set([...RULES.values()].flatMap(({ names }) => [...names]));

/** The number of heads that are known; 0 if none of them is a title. */
export function knownHeads(cells: readonly string[], mapped: ColumnMapping): number {
  const isKnown = (cell: string) =>
    mapped.has(columnName(cell)) || ALL_NAMES.has(columnName(cell)) || ALL_NAMES.has(headParts(cell).name);
  const titles = RULES.get('title')?.names ?? [];
  const isTitle = (cell: string) => {
    const field = mapped.get(columnName(cell));
    if (field !== undefined) return field === 'title';
    return titles.includes(columnName(cell)) || titles.includes(headParts(cell).name);
  };
  if (!cells.some((cell) => cell !== '' && isTitle(cell))) return 0;
  return cells.filter((cell) => cell !== '' && isKnown(cell)).length;
}

/** The field that the caller chose for a head, by `columnName`; null for a column that is not read. */
export type ColumnMapping = ReadonlyMap<string, Column | null>;

/** Throws an Error that names the fields. */
export function columnLabelled(label: string): Column | null {
  const word = comparableWord(label);
  if (word === 'none') return null;
  for (const [column, rule] of RULES) {
    if (comparableWord(rule.label) === word) return column;
  }
  const labels = [...RULES.values()].map((rule) => rule.label);
  throw new Error(`${excerpt(label)} is not a field: it is one of ${labels.join(', ')}, none`);
}

export function labelOf(column: Column): string {
  return RULES.get(column)?.label ?? column;
}

/** The columns of each field, by their places in a row, in their order. */
export function columnsOf(
  heads: readonly string[],
  mapped: ColumnMapping,
  isFilled: (place: number) => boolean,
): ReadonlyMap<Column, readonly number[]> {
  const columns = matchedColumns(heads, mapped, isFilled);
  // A status says more than a completion.
  if (columns.has('status')) columns.delete('completed');
  return columns;
}

function matchedColumns(
  heads: readonly string[],
  mapped: ColumnMapping,
  isFilled: (place: number) => boolean,
): Map<Column, number[]> {
  const taken = new Set<number>();
  const columns = new Map<Column, number[]>();
  for (const [place, head] of heads.entries()) {
    const field = mapped.get(columnName(head));
    if (field === undefined) continue;
    taken.add(place);
    if (field !== null) columns.set(field, [...(columns.get(field) ?? []), place]);
  }
  const byName = new Map<string, number[]>();
  for (const nameOf of [columnName, (head: string) => headParts(head).name]) {
    const found = new Map<string, number[]>();
    for (const [place, head] of heads.entries()) {
      if (!taken.has(place)) found.set(nameOf(head), [...(found.get(nameOf(head)) ?? []), place]);
    }
    for (const [name, places] of found) if (!byName.has(name)) byName.set(name, places);
  }
  for (const [column, { names, reads }] of RULES) {
    if (columns.has(column)) continue;
    const free = names.flatMap((name) => {
      const places = (byName.get(name) ?? []).filter((place) => !taken.has(place));
      return places.length === 0 ? [] : [places];
    });
    const chosen = free.find((places) => places.some(isFilled)) ?? free[0];
    if (chosen === undefined) continue;
    const places = reads === 'all' ? free.flat() : reads === 'same-name' ? chosen : chosen.slice(0, 1);
    for (const place of places) taken.add(place);
    columns.set(column, [...new Set(places)]);
  }
  return columns;
}
