// Reads tables of tasks, one in each row: our own, and those of spreadsheets and trackers. Columns
// and the meaning of their cells are in `tables`. Rules: IO2, IO7, IO9, IO10.

import { definedFields } from '@taskgraph/wire/defined-fields';
import { WRITABLE_FIELDS } from '../../../node-fields.ts';
import { createLossReport } from '../../graph/loss-report.ts';
import { fitNode } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  excerpt,
  type NodeHints,
  push,
  type ReadOptions,
  type TableColumn,
  type TransferFields,
  type TransferGraph,
  type TransferNode,
} from '../../graph/transfer-graph.ts';
import { parseTable, type RawTable } from '../../text/csv-table.ts';
import { reportUnit } from '../../values/duration-units.ts';
import { durationOf, smallestUnit, unitNamed } from '../../values/durations.ts';
import { isBlank, numberOf } from '../../values/words.ts';
import { LISTS_OF_PEOPLE, PLAIN_COLUMNS, REPORTED_IDS, UNITS_BY_NAME } from './column-names.ts';
import {
  type Column,
  type ColumnMapping,
  columnLabelled,
  columnName,
  columnsOf,
  headParts,
  knownHeads,
  labelOf,
} from './columns.ts';
import { type DateOrder, orderShownBy } from './dates.ts';
import { levelOf, outlineNumber, parentsByOutline } from './outline.ts';
import { taskReferences } from './references.ts';
import { sourceIdsOfRows, unstatedByColumns } from './row-ids.ts';
import {
  type CellContext,
  type DateColumn,
  dueDateIn,
  flagIn,
  numberIn,
  peopleIn,
  priorityIn,
  statusIn,
  statusOfCompletion,
  statusOfGroup,
  tagsIn,
  type VolumeColumn,
  volumeIn,
} from './table-cells.ts';
import { type LinkRow, linksOf } from './table-links.ts';
import { programOf, type TableProgram } from './table-programs.ts';
import { createTableReport, type TableReport } from './table-report.ts';

/** A row with its fields. */
interface TaskRow extends LinkRow {
  /** The cell of a field with one column; '' if the table has none. */
  cell(column: Column): string;
  readonly rowNumber: number;
  readonly cellAt: (place: number) => string;
  /** The cell of the id, which other rows may have too. */
  readonly id: string;
  /** The places of the columns that have a value in this row. */
  readonly filled: readonly number[];
}

/**
 * Reads a table. It needs a column for titles. Links name rows by their ids or titles. Throws a
 * BrokenFile.
 */
export function readCsv(text: string, options: ReadOptions = {}): TransferGraph {
  const mapped = mappingOf(options);
  const table = parseTable(text, (cells) => knownHeads(cells, mapped));
  checkMapping(mapped, table, options);
  const isFilled = (place: number) => table.rows.some(({ cells }) => (cells[place] ?? '').trim() !== '');
  const program = programOf(table.heads);
  const columns = columnsOf(table.heads, withUnread(mapped, program), isFilled);
  if (!columns.has('title')) throw new BrokenFile(table.headLine, `there is no column title${headList(table.heads)}`);
  const losses = createLossReport();
  const report = createTableReport(losses, options.strict === true);
  const context: CellContext = { report, program };
  const rows = rowsOf(table, columns, report);
  reportUnread(table, rows, columns, report);
  const [due, volume] = [dateColumn(table, columns, options, report), volumeColumn(table, rows, columns, report)];
  const completionScale = scaleOfCompletion(rows);
  const parents = new Set(parentsByOutline(rows).values());
  const ids = sourceIdsOfRows(rows, { heads: table.heads, columns, mapped, program });
  const unstated = new Map<string, (keyof TransferFields)[]>();
  const missing = unstatedByColumns(columns, program);
  const nodes = rows.map((row) =>
    nodeOf(row, {
      onUnread: (name) => push(unstated, row.key, name),
      context,
      due,
      volume,
      completionScale,
      hasStatus: columns.has('status'),
      listsPeople: (columns.get('assignee') ?? []).some((place) =>
        LISTS_OF_PEOPLE.has(columnName(table.heads[place] ?? '')),
      ),
      isParent: parents.has(row.key),
    }),
  );
  for (const { key } of rows) unstated.set(key, [...missing, ...(unstated.get(key) ?? [])]);
  const references = taskReferences(
    rows.map((row, index) => ({
      key: row.key,
      title: nodes[index]?.title ?? '',
      aliases: [...row.cells('alias'), row.number, row.cell('outline')].filter((alias) => alias !== ''),
      number: row.rowNumber,
    })),
    columns.has('key') || columns.has('alias') || columns.has('outline'),
  );
  const links = linksOf(rows, references, report);
  const columnsRead = columnList(table.heads, columns);
  return { nodes, links, leftOut: report.list(), columns: columnsRead, hints: createHints(ids, unstated) };
}

function mappingOf({ columns = {} }: ReadOptions): ColumnMapping {
  try {
    return new Map(Object.entries(columns).map(([head, label]) => [columnName(head), columnLabelled(label)]));
  } catch (error) {
    throw new BrokenFile(null, (error as Error).message);
  }
}

/** The mapping of the caller, who may also map a column that the program's tables do not use. */
function withUnread(mapped: ColumnMapping, program: TableProgram | null): ColumnMapping {
  return new Map<string, Column | null>([...(program?.unread ?? []).map((head) => [head, null] as const), ...mapped]);
}

function checkMapping(mapped: ColumnMapping, { heads, headLine }: RawTable, { columns = {} }: ReadOptions): void {
  const names = new Set(heads.map(columnName));
  for (const head of Object.keys(columns)) {
    if (!names.has(columnName(head)))
      throw new BrokenFile(headLine, `there is no column ${excerpt(head)}${headList(heads)}`);
  }
  if (mapped.size < Object.keys(columns).length) throw new BrokenFile(null, 'a column is mapped twice');
}

/** Most heads that a message lists. */
const MAXIMUM_LISTED = 12;

function headList(heads: readonly string[]): string {
  const named = heads.filter((head) => head.trim() !== '').map((head) => excerpt(head));
  const more = named.length > MAXIMUM_LISTED ? ` and ${named.length - MAXIMUM_LISTED} more` : '';
  return named.length === 0 ? '' : `: the columns are ${named.slice(0, MAXIMUM_LISTED).join(', ')}${more}`;
}

function rowsOf(table: RawTable, columns: ReadonlyMap<Column, readonly number[]>, report: TableReport): TaskRow[] {
  for (const { line, cells } of table.before) report.reportLoss('a line above the heads', line, cells.join(' ').trim());
  const keys = new Set<string>();
  const idsAreNumbers = !columns.has('outline') && isOutlineOfIds(table, columns);
  return table.rows.map(({ line, number: rowNumber, cells: all }) => {
    const cells = (column: Column) =>
      (columns.get(column) ?? []).map((place) => (all[place] ?? '').trim()).filter((cell) => cell !== '');
    const cell = (column: Column) => cells(column)[0] ?? '';
    const surplus = all.slice(table.heads.length).filter((each) => each.trim() !== '');
    if (surplus.length > 0) report.reportUnreadable('a cell beyond the last column', line, surplus.join(', '));
    // No id begins with a space.
    let key = cell('key') || ` row ${rowNumber}`;
    if (keys.has(key)) {
      report.reportUnreadable('another task has the same id', line, key);
      key = ` row ${rowNumber}`;
    }
    keys.add(key);
    return {
      key,
      id: cell('key'),
      line,
      rowNumber,
      cell,
      cells,
      cellAt: (place) => (all[place] ?? '').trim(),
      number: outlineNumber(cell('outline') || (idsAreNumbers ? cell('key') : '')),
      level: levelOf(cell('level')),
      filled: all.flatMap((each, place) => (place < table.heads.length && each.trim() !== '' ? [place] : [])),
    };
  });
}

/** Whether all ids are outline numbers, and one of them is below another. */
function isOutlineOfIds({ rows }: RawTable, columns: ReadonlyMap<Column, readonly number[]>): boolean {
  const [place] = columns.get('key') ?? [];
  if (place === undefined || columns.has('parent')) return false;
  const ids = rows.map(({ cells }) => (cells[place] ?? '').trim()).filter((id) => id !== '');
  return ids.every((id) => outlineNumber(id) !== '') && ids.some((id) => outlineNumber(id).includes('.'));
}

/** Reports the columns that no field reads, and levels that are none. */
function reportUnread(
  { heads }: RawTable,
  rows: readonly TaskRow[],
  columns: ReadonlyMap<Column, readonly number[]>,
  report: TableReport,
): void {
  const reportedIds = new Set(REPORTED_IDS.map(columnName));
  const isReported = (column: Column, place: number) =>
    column === 'group' || (column === 'alias' && reportedIds.has(columnName(heads[place] ?? '')));
  const read = new Set(
    [...columns].flatMap(([column, places]) => places.filter((place) => !isReported(column, place))),
  );
  for (const { line, filled, cell } of rows) {
    for (const place of filled) {
      if (read.has(place)) continue;
      const head = (heads[place] ?? '').trim();
      const name = head === '' ? `the column ${place + 1}, which has no name` : `the column ${excerpt(head)}`;
      report.reportLoss(name, line);
    }
    if (cell('level') !== '' && levelOf(cell('level')) === null)
      report.reportUnreadable('the text is not a level', line, cell('level'));
    if (cell('outline') !== '' && outlineNumber(cell('outline')) === '')
      report.reportLoss('an outline number that is not made of numbers and dots', line, cell('outline'));
  }
}

/** The words in heads of columns whose dates show the order of day and month. */
const DATED_HEAD = /date|start|finish|end|due|deadline|created|updated|closed|completed/;

function dateColumn(
  { heads, rows }: RawTable,
  columns: ReadonlyMap<Column, readonly number[]>,
  { dates }: ReadOptions,
  report: TableReport,
): DateColumn {
  const [place = -1] = columns.get('due') ?? [];
  const head = heads[place] ?? '';
  if (dates !== undefined) return { head, order: dates, isGuess: false };
  const ordersAt = (at: number): DateOrder[] =>
    rows.map(({ cells }) => orderShownBy((cells[at] ?? '').trim())).filter((order) => order !== null);
  const hint = orderOfForm(headParts(head).hint);
  const own = hint === null ? ordersAt(place) : [hint];
  const others = heads.flatMap((each, at) => (DATED_HEAD.test(columnName(each)) ? [at] : []));
  const shown: readonly (DateOrder | null)[] = own.length > 0 ? own : others.flatMap(ordersAt);
  const [isDayFirst, isMonthFirst] = [shown.includes('day-first'), shown.includes('month-first')];
  const order = isDayFirst && !isMonthFirst ? 'day-first' : 'month-first';
  if (isDayFirst !== isMonthFirst)
    report.reportColumn('the order of day and month in dates, which all dates of the column decide', head, order);
  return { head, order, isGuess: isDayFirst === isMonthFirst };
}

/** The order that a head such as `Due (DD/MM/YYYY)` names. */
function orderOfForm(form: string): DateOrder | null {
  if (/^d{1,2}[^a-z]/.test(form)) return 'day-first';
  return /^m{1,2}[^a-z]/.test(form) ? 'month-first' : null;
}

function volumeColumn(
  { heads }: RawTable,
  rows: readonly TaskRow[],
  columns: ReadonlyMap<Column, readonly number[]>,
  report: TableReport,
): VolumeColumn {
  const [place] = columns.get('volume') ?? [];
  const head = heads[place ?? -1] ?? '';
  const { name, hint } = headParts(head);
  const own = programOf(heads)?.units?.[columnName(head)];
  const unit = unitNamed(hint) ?? own ?? UNITS_BY_NAME.get(columnName(head)) ?? UNITS_BY_NAME.get(name) ?? null;
  const durations = rows.flatMap((row) =>
    isBlank(row.cell('volume')) ? [] : (durationOf(row.cell('volume'), unit) ?? []),
  );
  const writtenUnit = smallestUnit(durations);
  if (writtenUnit !== null) reportUnit(writtenUnit, report.losses, excerpt(head));
  return { head, unit, writtenUnit };
}

/** The number that means the whole: 1, or 100 if a number is above 1. */
function scaleOfCompletion(rows: readonly TaskRow[]): number {
  return rows.some((row) => (numberOf(row.cell('completed')) ?? 0) > 1) ? 100 : 1;
}

interface NodeContext {
  readonly context: CellContext;
  readonly due: DateColumn;
  readonly volume: VolumeColumn;
  readonly completionScale: number;
  /** Whether the table has a column of statuses. */
  readonly hasStatus: boolean;
  /** Whether commas separate people. */
  readonly listsPeople: boolean;
  /** Whether the outline has rows below it. */
  readonly isParent: boolean;
  /** Called for each field whose cell cannot be read. */
  readonly onUnread: (name: keyof TransferFields) => void;
}

function nodeOf(
  row: TaskRow,
  { context, due, volume, completionScale, hasStatus, listsPeople, isParent, onUnread }: NodeContext,
): TransferNode {
  const { key, line, cell, cells } = row;
  const { report } = context;
  const read = <T>(name: keyof TransferFields, readCell: () => T): T => {
    const before = report.unreadable();
    const value = readCell();
    if (report.unreadable() > before) onUnread(name);
    return value;
  };
  const completion = () => statusOfCompletion(cell('completed'), line, completionScale, context);
  const status = read('status', () =>
    hasStatus
      ? statusIn(cell('status'), line, context)
      : (cell('completed') === '' ? 0 : completion()) || statusOfGroup(cell('group'), context),
  );
  let own = read('volume', () => volumeIn(cell('volume'), line, volume, context));
  if (isParent && own > 0 && volume.writtenUnit !== null) {
    report.reportLoss('the duration of a task with subtasks, which have durations of their own', line, cell('volume'));
    own = 0;
  }
  return fitNode(
    {
      key,
      line,
      dueDate: read('dueDate', () => dueDateIn(cell('due'), line, due, context)),
      title: cell('title'),
      description: cell('description'),
      status: status ?? 0,
      tags: [
        ...(context.program?.hasListTags === true ? [cell('group')] : []),
        ...tagsIn(cells('tags'), line, context),
      ],
      assignee: peopleIn(cells('assignee'), line, listsPeople, context),
      priority: read('priority', () => priorityIn(cell('priority'), line, context)),
      volume: own,
      ...(Object.fromEntries(
        PLAIN_COLUMNS.map((name) => [
          name,
          read(name, () =>
            WRITABLE_FIELDS[name].kind === 'flag'
              ? flagIn(name, cell(name), line, context)
              : numberIn(name, cell(name), line, context),
          ),
        ]),
      ) as Partial<TransferFields>),
    },
    report.losses,
  );
}

/** The hints of the rows that differ from the usual ones. */
function createHints(
  ids: ReadonlyMap<string, string | null>,
  unstated: ReadonlyMap<string, readonly (keyof TransferFields)[]>,
): ReadonlyMap<string, NodeHints> {
  const hints = new Map<string, NodeHints>();
  for (const key of new Set([...ids.keys(), ...unstated.keys()]))
    hints.set(key, { ...definedFields({ sourceId: ids.get(key) }), unstated: unstated.get(key) ?? [] });
  return hints;
}

/** Each column with the field that it becomes. */
function columnList(heads: readonly string[], columns: ReadonlyMap<Column, readonly number[]>): TableColumn[] {
  const fields = new Map(
    [...columns].flatMap(([column, places]) => places.map((place): [number, string] => [place, labelOf(column)])),
  );
  return heads.map((head, place) => ({ head: head.trim(), field: fields.get(place) ?? null }));
}
