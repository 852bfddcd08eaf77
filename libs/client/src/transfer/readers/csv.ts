// Tables of tasks, one in a row: the columns that spreadsheets of tasks tend to have, and those that we write. Rules: IO2, IO9.
import { WRITABLE_FIELDS } from '../../node-fields.ts';
import { foldText } from '../../values/collation.ts';
import { dueDateInFile } from '../../values/days.ts';
import { PLAIN_FIELDS } from '../csv-fields.ts';
import { plainWord, type Row, readTable, split, splitAtCommas } from '../csv-source.ts';
import { fitted } from '../fitting.ts';
import {
  addLink,
  BrokenFile,
  createLedger,
  type Ledger,
  push,
  STATUS_NAMES,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../model.ts';

/** Names of columns, as they are compared: the first one found counts. */
const NAMED_COLUMNS = {
  key: ['id', 'key', 'number'],
  title: ['title', 'name', 'task', 'subject', 'summary'],
  description: ['description', 'notes', 'body', 'text'],
  status: ['status', 'state'],
  due: ['due', 'duedate', 'deadline'],
  tags: ['tags', 'labels'],
  priority: ['priority'],
  volume: ['volume', 'duration', 'estimate'],
  assignee: ['assignee', 'assignees', 'owner'],
  parent: ['under', 'parent'],
  waitsFor: ['waitsfor', 'blockedby', 'dependson', 'predecessors'],
  related: ['related'],
} as const;
type Column = keyof typeof NAMED_COLUMNS | (typeof PLAIN_FIELDS)[number];
const COLUMNS: readonly (readonly [Column, readonly string[]])[] = [
  ...(Object.entries(NAMED_COLUMNS) as [Column, readonly string[]][]),
  ...PLAIN_FIELDS.map((name) => [name, [name.toLowerCase()]] as const),
];

const DONE = new Set(['completed', 'complete', 'done', 'closed', 'yes', 'true', 'x', '3']);
const BEGUN = new Set(['inprogress', 'started', 'doing', 'active', '1']);
const OPEN = new Set([
  '',
  'available',
  'blocked',
  'todo',
  'open',
  'new',
  'notstarted',
  'waiting',
  'no',
  'false',
  '0',
  '2',
]);

const YES = new Set(['true', 'yes', '1', 'x']);
const NO = new Set(['', 'false', 'no', '0']);

/** Reads a table. A column `title` must be there; links name rows by their `id`, or by their title. Throws a BrokenFile. */
export function readCsv(text: string): TransferGraph {
  const { heads, rows } = readTable(text);
  const names = new Map(heads.toReversed().map((head) => [plainWord(head), head]));
  const columns = new Map<Column, string>();
  for (const [column, known] of COLUMNS) {
    const found = known.find((name) => names.has(name));
    if (found !== undefined) columns.set(column, names.get(found) ?? '');
  }
  if (!columns.has('title')) throw new BrokenFile(1, 'there is no column title');
  const ledger = createLedger();
  const used = new Set(columns.values());
  const cell = (row: Row, column: Column) => row.cell(columns.get(column) ?? '\0').trim();
  const keys = new Map<string, string>();
  const nodes = rows.map((row, index) => {
    // No id begins with a blank.
    const key = cell(row, 'key') || ` row ${index + 1}`;
    if (keys.has(key)) throw new BrokenFile(row.line, `two tasks have the id ${JSON.stringify(key.slice(0, 60))}`);
    keys.set(key, key);
    for (const head of row.filled()) {
      if (!used.has(head)) ledger.note(`the column ${JSON.stringify(head.slice(0, 60))}`, `line ${row.line}`);
    }
    return nodeOf(row, key, (column) => cell(row, column), ledger);
  });
  // Titles name rows that no id names; one that several have names none.
  const titles = new Map<string, TransferNode[]>();
  for (const node of nodes) push(titles, node.title, node);
  for (const [title, [node, another]] of titles) {
    if (!keys.has(title) && node !== undefined && another === undefined) keys.set(title, node.key);
  }
  const named = foldedNames(keys, nodes);
  const links: TransferLink[] = [];
  for (const [index, row] of rows.entries()) {
    const own = linksOf(row, nodes[index]?.key ?? '', (column) => cell(row, column), named);
    for (const link of own) addLink(links, link);
  }
  return { nodes, links, leftOut: ledger.list() };
}

/** Names of tasks to their keys. */
type Names = Pick<ReadonlyMap<string, string>, 'has' | 'get'>;

/** Cells that are typed by hand name a title by the same words (IO7), unless several tasks have them; a name that is written alike comes first. */
function foldedNames(keys: ReadonlyMap<string, string>, nodes: readonly TransferNode[]): Names {
  const titles = new Set(nodes.map(({ title }) => title));
  const finds = [(text: string) => text.normalize(), foldText].map((fold) => {
    const folded = new Map<string, string | null>();
    for (const { key, title } of nodes) folded.set(fold(title), folded.has(fold(title)) ? null : key);
    return (name: string) => folded.get(fold(name));
  });
  const get = (name: string) => {
    if (keys.has(name) || titles.has(name)) return keys.get(name);
    // Several that are written alike are not told apart by looking less closely.
    const found = finds.map((find) => find(name)).find((each) => each !== undefined);
    return found ?? undefined;
  };
  return { get, has: (name) => get(name) !== undefined };
}

function nodeOf({ line }: Row, key: string, cell: (column: Column) => string, ledger: Ledger): TransferNode {
  const number = (column: Column) => {
    const [text, value] = [cell(column), Number(cell(column))];
    if (text === '' || Number.isFinite(value)) return value;
    throw new BrokenFile(line, `${JSON.stringify(text.slice(0, 60))} is no ${column}`);
  };
  const truth = (column: Column) => {
    const word = plainWord(cell(column));
    if (!YES.has(word) && !NO.has(word)) ledger.note(`a ${column} that is neither yes nor no`, `line ${line}`);
    return YES.has(word);
  };
  const due = cell('due');
  const dueDate = due === '' ? null : dueDateInFile(due);
  if (due !== '' && dueDate === null)
    throw new BrokenFile(line, `${JSON.stringify(due.slice(0, 60))} is no time such as 2026-12-24`);
  return fitted(
    {
      key,
      line,
      dueDate,
      title: cell('title'),
      description: cell('description'),
      status: statusOf(cell('status'), line),
      tags: splitAtCommas(cell('tags'), line),
      assignee: peopleIn(cell('assignee'), line, ledger),
      priority: number('priority'),
      volume: number('volume'),
      ...(Object.fromEntries(
        PLAIN_FIELDS.map((name) => [name, WRITABLE_FIELDS[name].kind === 'flag' ? truth(name) : number(name)]),
      ) as Partial<TransferFields>),
    },
    ledger,
  );
}

/** Between addresses a comma separates; within a name it may stand between the last name and the first. */
function peopleIn(cell: string, line: number, ledger: Ledger): string[] {
  if (cell === '') return [];
  const apart = splitAtCommas(cell, line);
  if (apart.every((name) => /^[^\s@]+@[^\s@]+$/.test(name))) return apart;
  const people = split(cell, line);
  if (apart.length > people.length) ledger.note('that a comma may stand between two people', `line ${line}`);
  return people;
}

function statusOf(cell: string, line: number): TransferNode['status'] {
  const word = plainWord(cell);
  if (word === 'blocked' || word === '2') return 2;
  if (OPEN.has(word)) return 0;
  if (BEGUN.has(word)) return 1;
  if (DONE.has(word)) return 3;
  throw new BrokenFile(
    line,
    `${JSON.stringify(cell.slice(0, 60))} is no status: it is one of ${STATUS_NAMES.join(', ')}`,
  );
}

function linksOf({ line }: Row, key: string, cell: (column: Column) => string, keys: Names): TransferLink[] {
  const named = (column: Column) => {
    const words = split(cell(column), line);
    const [word = ''] = words;
    // Commas stand between names where all of it is none.
    const names = words.length === 1 && !keys.has(word) ? splitAtCommas(cell(column), line) : words;
    return (names.every((name) => keys.has(name)) ? names : words).map((name) => {
      const found = keys.get(name);
      if (found !== undefined) return found;
      throw new BrokenFile(line, `there is no one task ${JSON.stringify(name.slice(0, 60))}`);
    });
  };
  const link = (source: string, target: string, type: 0 | 1 = 0) => ({ source, target, type, private: false });
  return [
    ...named('parent').map((parent) => link(key, parent)),
    ...named('waitsFor').map((source) => link(source, key)),
    ...named('related').map((source) => link(source, key, 1)),
  ];
}
