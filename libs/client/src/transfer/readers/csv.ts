// Reads tables of tasks, one in each row: our own, and those with the usual columns of
// spreadsheets. Rules: IO2, IO7, IO9.

import { foldText } from '@taskgraph/domain/find/fold-text';
import { WRITABLE_FIELDS } from '../../node-fields.ts';
import { dueDateInFile } from '../../values/days.ts';
import { COLUMNS, type Column, NO, PLAIN_COLUMNS, STATUS_WORDS, YES } from '../fields/csv.ts';
import { addLink, blockingLink, relatedLink } from '../graph/links.ts';
import { createLossReport, type LossReport } from '../graph/loss-report.ts';
import { fitNode } from '../graph/node-draft.ts';
import {
  BrokenFile,
  push,
  STATUS_NAMES,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../graph/transfer-graph.ts';
import { comparableWord, readTable, splitWords, splitWordsOrCommas, type TableRow } from '../text/csv-table.ts';

/** The trimmed cell of a row in this column; '' if the table has no such column. */
type Cell = (column: Column) => string;

/**
 * Reads a table. It needs a column `title`. Links name rows by their `id` or title. Throws a
 * BrokenFile.
 */
export function readCsv(text: string): TransferGraph {
  const { heads, rows } = readTable(text);
  const columns = columnHeads(heads);
  if (!columns.has('title')) throw new BrokenFile(1, 'there is no column title');
  const losses = createLossReport();
  const readHeads = new Set(columns.values());
  const cellsOf =
    (row: TableRow): Cell =>
    (column) =>
      row.cell(columns.get(column) ?? '\0').trim();
  const keys = new Set<string>();
  const nodes = rows.map((row, index) => {
    const cell = cellsOf(row);
    // No id begins with a space.
    const key = cell('key') || ` row ${index + 1}`;
    if (keys.has(key)) throw new BrokenFile(row.line, `two tasks have the id ${JSON.stringify(key.slice(0, 60))}`);
    keys.add(key);
    for (const head of row.filled()) {
      if (!readHeads.has(head)) losses.note(`the column ${JSON.stringify(head.slice(0, 60))}`, `line ${row.line}`);
    }
    return nodeOf(row, key, cell, losses);
  });
  const references = taskReferences(keys, nodes);
  const links: TransferLink[] = [];
  for (const [index, row] of rows.entries()) {
    const own = linksOf(row, nodes[index]?.key ?? '', cellsOf(row), references);
    for (const link of own) addLink(links, link);
  }
  return { nodes, links, leftOut: losses.list() };
}

/** The head of each column that the table has. */
function columnHeads(heads: readonly string[]): Map<Column, string> {
  const byName = new Map(heads.toReversed().map((head) => [comparableWord(head), head]));
  const columns = new Map<Column, string>();
  for (const [column, names] of COLUMNS) {
    const name = names.find((each) => byName.has(each));
    if (name !== undefined) columns.set(column, byName.get(name) ?? '');
  }
  return columns;
}

/** Finds the key of a task by the words of a cell. */
type TaskReferences = Pick<ReadonlyMap<string, string>, 'has' | 'get'>;

/**
 * A cell names a task by its id, its exact title, or the words of its title (IO7), in this order. A
 * title that several tasks have names none.
 */
function taskReferences(ids: ReadonlySet<string>, nodes: readonly TransferNode[]): TaskReferences {
  const byTitle = new Map<string, TransferNode[]>();
  for (const node of nodes) push(byTitle, node.title, node);
  const exact = new Map([...ids].map((id) => [id, id]));
  for (const [title, [node, another]] of byTitle) {
    if (!exact.has(title) && node !== undefined && another === undefined) exact.set(title, node.key);
  }
  const finders = [(text: string) => text.normalize(), foldText].map((fold) => {
    const folded = new Map<string, string | null>();
    for (const { key, title } of nodes) folded.set(fold(title), folded.has(fold(title)) ? null : key);
    return (name: string) => folded.get(fold(name));
  });
  const get = (name: string) => {
    if (exact.has(name) || byTitle.has(name)) return exact.get(name);
    // If several titles match the stricter comparison, the other one cannot choose between them.
    const key = finders.map((find) => find(name)).find((each) => each !== undefined);
    return key ?? undefined;
  };
  return { get, has: (name) => get(name) !== undefined };
}

function nodeOf({ line }: TableRow, key: string, cell: Cell, losses: LossReport): TransferNode {
  const number = (column: Column) => {
    const [text, value] = [cell(column), Number(cell(column))];
    if (text === '' || Number.isFinite(value)) return value;
    throw new BrokenFile(line, `${JSON.stringify(text.slice(0, 60))} is no ${column}`);
  };
  const flag = (column: Column) => {
    const word = comparableWord(cell(column));
    if (!YES.has(word) && !NO.has(word)) losses.note(`a ${column} that is neither yes nor no`, `line ${line}`);
    return YES.has(word);
  };
  return fitNode(
    {
      key,
      line,
      dueDate: dueDateOf(cell('due'), line),
      title: cell('title'),
      description: cell('description'),
      status: statusOf(cell('status'), line),
      tags: splitWordsOrCommas(cell('tags'), line),
      assignee: peopleIn(cell('assignee'), line, losses),
      priority: number('priority'),
      volume: number('volume'),
      ...(Object.fromEntries(
        PLAIN_COLUMNS.map((name) => [name, WRITABLE_FIELDS[name].kind === 'flag' ? flag(name) : number(name)]),
      ) as Partial<TransferFields>),
    },
    losses,
  );
}

function dueDateOf(cell: string, line: number): string | null {
  if (cell === '') return null;
  const dueDate = dueDateInFile(cell);
  if (dueDate !== null) return dueDate;
  throw new BrokenFile(line, `${JSON.stringify(cell.slice(0, 60))} is not a time such as 2026-12-24`);
}

/**
 * A comma separates addresses. Between names it is ambiguous, because it may separate a last from a
 * first name.
 */
function peopleIn(cell: string, line: number, losses: LossReport): string[] {
  if (cell === '') return [];
  const parts = splitWordsOrCommas(cell, line);
  if (parts.every((name) => /^[^\s@]+@[^\s@]+$/.test(name))) return parts;
  const people = splitWords(cell, line);
  if (parts.length > people.length) losses.note('that a comma may separate two people', `line ${line}`);
  return people;
}

function statusOf(cell: string, line: number): TransferNode['status'] {
  const status = STATUS_WORDS.get(comparableWord(cell));
  if (status !== undefined) return status;
  throw new BrokenFile(
    line,
    `${JSON.stringify(cell.slice(0, 60))} is not a status: it is one of ${STATUS_NAMES.join(', ')}`,
  );
}

function linksOf({ line }: TableRow, key: string, cell: Cell, references: TaskReferences): TransferLink[] {
  const keysIn = (column: Column) => {
    const words = splitWords(cell(column), line);
    const [word = ''] = words;
    // Without semicolons, commas separate the names unless the whole cell is one.
    const names = words.length === 1 && !references.has(word) ? splitWordsOrCommas(cell(column), line) : words;
    return (names.every((name) => references.has(name)) ? names : words).map((name) => {
      const found = references.get(name);
      if (found !== undefined) return found;
      throw new BrokenFile(line, `no task, or more than one, is named ${JSON.stringify(name.slice(0, 60))}`);
    });
  };
  return [
    ...keysIn('parent').map((parent) => blockingLink(key, parent)),
    ...keysIn('waitsFor').map((source) => blockingLink(source, key)),
    ...keysIn('related').map((source) => relatedLink(source, key)),
  ];
}
