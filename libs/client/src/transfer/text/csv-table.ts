// Reads and writes tables of comma-separated values with papaparse. Rows know their lines, and
// spreadsheets read no written cell as a formula. Rule: IO2.

import { foldText } from '@taskgraph/domain/find/fold-text';
import Papa from 'papaparse';
import { BrokenFile, TRANSFER_BOUNDS } from '../graph/transfer-graph.ts';
import { guardFormulas, removeGuards } from './formula-guard.ts';

export interface TableRow {
  readonly line: number;
  /** The cell below this head; '' if there is none. */
  cell(head: string): string;
  /** The heads of all cells that are not blank. */
  filled(): string[];
}

export interface Table {
  /** As written, in their order. */
  readonly heads: readonly string[];
  /** All rows except blank ones. */
  readonly rows: readonly TableRow[];
}

/** Including blank rows. */
const MAXIMUM_ROWS = 4 * TRANSFER_BOUNDS.nodes;
const MAXIMUM_COLUMNS = 1_000;
/** Of all rows together: several times the number in the largest table of tasks. */
const MAXIMUM_CELLS = 5_000_000;
/** Words of one cell. */
const MAXIMUM_WORDS = TRANSFER_BOUNDS.links;
const DELIMITERS = [',', ';', '\t'] as const;

/** A row as it is written. Cells below no head are at the end. */
export interface RawRow {
  readonly line: number;
  /** The number of the row below the heads, from 1, blank rows included. */
  readonly number: number;
  readonly cells: readonly string[];
}

export interface RawTable {
  readonly heads: readonly string[];
  readonly headLine: number;
  /** Rows above the heads, except blank ones. */
  readonly before: readonly RawRow[];
  /** All rows below the heads, except blank ones. */
  readonly rows: readonly RawRow[];
}

/** Rows among which the heads are searched. */
const MAXIMUM_ROWS_BEFORE = 50;
/** Characters in which they are searched. */
const MAXIMUM_CHARACTERS_BEFORE = 200_000;

/**
 * Reads a table whose heads may follow other lines. `headsIn` counts the known heads in a row; 0 if
 * the row cannot be the heads. If there are no heads, the first row has them. Throws a BrokenFile.
 */
export function parseTable(text: string, headsIn: (cells: readonly string[]) => number): RawTable {
  const source = withUnixLines(text);
  const declared = /^"?sep=([^\n])"?(?=\n|$)/i.exec(source);
  const start = declared === null ? 0 : declared[0].length + 1;
  const table = source.slice(start);
  const head = headOf(table, declared === null ? DELIMITERS : [declared[1] as string], headsIn);
  const all = recordsOf(table, head?.delimiter ?? declared?.[1] ?? delimiterOf(table), start === 0 ? 1 : 2);
  const index = head?.index ?? 0;
  const { cells: heads = [], line: headLine = 1 } = all[index] ?? {};
  const rows = all.slice(index + 1).map((row, place) => ({ ...row, number: place + 1 }));
  return {
    heads,
    headLine,
    before: all.slice(0, index).filter(isFilled),
    rows: rows.filter(isFilled).map((row) => ({ ...row, cells: row.cells.map(removeGuards) })),
  };
}

function isFilled({ cells }: RawRow): boolean {
  return cells.some((cell) => cell.trim() !== '');
}

/** The row with the heads, and the delimiter with which most of them are known. */
function headOf(
  source: string,
  delimiters: readonly string[],
  headsIn: (cells: readonly string[]) => number,
): { readonly index: number; readonly delimiter: string } | null {
  const candidates = delimiters.flatMap((delimiter) =>
    firstRecords(source, delimiter).map((cells, index) => ({ index, delimiter, cells, known: headsIn(cells) })),
  );
  const known = candidates.filter((each) => each.known > 0);
  const first = known.filter(({ index }) => index === 0).reduce(better, undefined);
  const later = known.filter((each) => each.known > 1).toSorted((one, other) => one.index - other.index)[0];
  const best = known.filter(({ index }) => index === later?.index).reduce(better, undefined);
  // A first line of one word may be the name of the table.
  if (first !== undefined && (first.cells.length > 1 || best === undefined)) return first;
  return best ?? known.toSorted((one, other) => one.index - other.index)[0] ?? null;
}

interface HeadCandidate {
  readonly index: number;
  readonly delimiter: string;
  readonly cells: readonly string[];
  readonly known: number;
}

function better(one: HeadCandidate | undefined, other: HeadCandidate): HeadCandidate {
  return one === undefined || other.known > one.known ? other : one;
}

/** The first rows, read in one pass and without errors, to find the heads. */
function firstRecords(source: string, delimiter: string): string[][] {
  const records: string[][] = [];
  const end = Math.min(source.length, MAXIMUM_CHARACTERS_BEFORE);
  let [cells, from, isQuoted] = [[] as string[], 0, false];
  const cellAt = (at: number) => {
    const cell = source.slice(from, at).trim();
    return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  };
  for (let at = 0; at <= end && records.length < MAXIMUM_ROWS_BEFORE; at++) {
    const character = source[at];
    if (character === '"' && (isQuoted || at === from)) isQuoted = !isQuoted;
    else if (character === '"' && source[at - 1] === '"' && source[from] === '"') isQuoted = true;
    if (isQuoted && at < end) continue;
    if (at !== end && character !== '\n' && character !== delimiter) continue;
    if (cells.length < MAXIMUM_COLUMNS) cells.push(cellAt(at));
    from = at + 1;
    if (character === delimiter && at < end) continue;
    records.push(cells);
    cells = [];
  }
  return records;
}

/** All rows, with blank ones. */
function recordsOf(source: string, delimiter: string, firstLine: number): RawRow[] {
  checkTable(source, delimiter);
  const { data, errors } = Papa.parse<string[]>(source, { delimiter, newline: '\n' });
  const [error] = errors;
  if (error !== undefined) throw new BrokenFile(source.slice(0, error.index ?? 0).split('\n').length, UNCLOSED_QUOTE);
  let line = firstLine;
  return data.map((cells, index) => {
    const row = { line, number: index + 1, cells };
    line += linesIn(cells);
    return row;
  });
}

/**
 * Reads a table whose first line has the heads. Heads are compared as words (IO7). Throws a
 * BrokenFile.
 */
export function readTable(text: string): Table {
  const source = withUnixLines(text);
  const [head, ...rest] = recordsOf(source, delimiterOf(source), 1);
  const heads = head?.cells ?? [];
  const columnOf = columnFinder(heads);
  const rows = rest.filter(isFilled).map(({ line, cells }) => {
    if (cells.length > heads.length)
      throw new BrokenFile(line, `it has ${cells.length} cells, and there are ${heads.length} columns`);
    return {
      line,
      cell: (name: string) => removeGuards(cells[columnOf(name)] ?? ''),
      filled: () => cells.flatMap((cell, index) => (cell.trim() === '' ? [] : (heads[index] ?? []))),
    };
  });
  return { heads, rows };
}

/**
 * Finds the column of a head. An exact name wins; of several names with the same words the first
 * counts (IO7).
 */
function columnFinder(heads: readonly string[]): (head: string) => number {
  const byName = new Map(heads.map((head, index) => [exactHead(head), index]));
  if (byName.size !== heads.length) throw new BrokenFile(1, 'two columns have the same name');
  const byWords = new Map([...heads.entries()].reverse().map(([index, head]) => [comparableWord(head), index]));
  // Every row looks up the same few heads.
  const columns = new Map<string, number>();
  return (head) => {
    const known = columns.get(head);
    if (known !== undefined) return known;
    const column = byName.get(exactHead(head)) ?? byWords.get(comparableWord(head)) ?? -1;
    columns.set(head, column);
    return column;
  };
}

/** Old Macs end lines with a carriage return alone. */
function withUnixLines(text: string): string {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return source.includes('\n') ? source : source.replaceAll('\r', '\n');
}

/** The most frequent delimiter of the first line. */
function delimiterOf(source: string): string {
  const end = source.indexOf('\n');
  const first = end < 0 ? source : source.slice(0, end);
  const counts = DELIMITERS.map((delimiter) => {
    let count = 0;
    for (let at = first.indexOf(delimiter); at >= 0; at = first.indexOf(delimiter, at + 1)) count++;
    return { delimiter, count };
  });
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).delimiter;
}

const UNCLOSED_QUOTE = 'a quote is not closed, or something follows it';

/**
 * Checks the bounds and the quotes in one pass before the parser runs. A table beyond the bounds
 * takes no memory, and the parser never searches repeatedly for the end of an unclosed quote.
 * Throws a BrokenFile.
 */
function checkTable(source: string, delimiter: string): void {
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let [line, rows, columns, cells, quoteLine] = [1, 1, 1, 1, 1];
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string;
    if (character === '\n') line++;
    if (state === 'quoted') {
      if (character !== '"') continue;
      if (source[at + 1] === '"') at++;
      else state = 'closed';
    } else if (character === '\n' || character === delimiter) {
      state = 'start';
      [rows, columns, cells] = character === '\n' ? [rows + 1, 1, cells + 1] : [rows, columns + 1, cells + 1];
      if (rows > MAXIMUM_ROWS) throw new BrokenFile(null, `it has more than ${MAXIMUM_ROWS} rows`);
      if (columns > MAXIMUM_COLUMNS) throw new BrokenFile(line, `it has more than ${MAXIMUM_COLUMNS} columns`);
      if (cells > MAXIMUM_CELLS) throw new BrokenFile(null, `it has more than ${MAXIMUM_CELLS} cells`);
    } else if (state === 'start' && character === '"') [state, quoteLine] = ['quoted', line];
    else if (state !== 'closed') state = 'plain';
    else if (character.trim() !== '') throw new BrokenFile(quoteLine, UNCLOSED_QUOTE);
  }
  if (state === 'quoted') throw new BrokenFile(quoteLine, UNCLOSED_QUOTE);
}

/** Names that differ in an accent are different columns. */
function exactHead(head: string): string {
  return head
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
}

/** A name or status of a table in the form in which it is compared (IO7), also without spaces. */
export function comparableWord(word: string): string {
  const folded = foldText(word);
  // A word of invisible characters alone is not an empty word.
  return folded === '' ? word.trim() : folded.replaceAll(/[\s_-]/g, '');
}

function linesIn(cells: readonly string[]): number {
  return 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/**
 * Writes a table with the line ends of the standard. Cells that another delimiter would split are
 * in quotes.
 */
export function writeTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [heads, ...rows.map((row) => row.map(guardFormulas))] as string[][];
  return `${Papa.unparse(table, { newline: '\r\n', quotes: (cell) => /[;\t']/.test(String(cell)) })}\r\n`;
}

/**
 * Several words in one cell. Commas are escaped too, because they separate words in cells without
 * semicolons.
 */
export function joinWords(words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[\\;,]/g, '\\$&')).join('; ');
}

/** The words of a cell, separated by semicolons. Throws a BrokenFile if they are too many. */
export function splitWords(cell: string, line: number): string[] {
  return unescapeWords(splitCell(cell, ';', line));
}

/** The words of a cell, separated by semicolons, or by commas if the cell has no semicolon. */
export function splitWordsOrCommas(cell: string, line: number): string[] {
  const parts = splitCell(cell, ';', line);
  return unescapeWords(parts.length > 1 ? parts : splitCell(cell, ',', line));
}

/** Splits at separators that no backslash precedes. */
function splitCell(cell: string, separator: ';' | ',', line: number): string[] {
  if (cell === '') return [];
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < cell.length; at++) {
    if (cell[at] === '\\') at++;
    else if (cell[at] === separator) {
      parts.push(cell.slice(from, at));
      // One more part follows.
      if (parts.length === MAXIMUM_WORDS) throw new BrokenFile(line, `a cell has more than ${MAXIMUM_WORDS} words`);
      from = at + 1;
    }
  }
  return [...parts, cell.slice(from)];
}

/** A backslash escapes the next character. */
function unescapeWords(parts: readonly string[]): string[] {
  return parts.map((part) => part.replaceAll(/\\([\s\S])/g, '$1').trim()).filter((word) => word !== '');
}
