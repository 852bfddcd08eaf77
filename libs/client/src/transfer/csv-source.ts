// Tables of comma-separated values, by papaparse: rows with their lines, and cells that no spreadsheet takes for a formula. Rule: IO2.
import Papa from 'papaparse';
import { foldText } from '../values/collation.ts';
import { BrokenFile, TRANSFER_BOUNDS } from './model.ts';

export interface Row {
  readonly line: number;
  /** The cell below this head; '' where there is none. */
  cell(head: string): string;
  /** The heads above all cells that say something. */
  filled(): string[];
}

export interface Table {
  /** As they are written, in their order. */
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
}

/** With those that are empty. */
const MOST_ROWS = 4 * TRANSFER_BOUNDS.nodes;
const MOST_COLUMNS = 1_000;
/** Of all rows together: several times as many as the largest table of tasks has. */
const MOST_CELLS = 5_000_000;
/** Words of one cell. */
const MOST_WORDS = TRANSFER_BOUNDS.links;
const DELIMITERS = [',', ';', '\t'] as const;

/** Reads a table whose first line has the heads, compared without case and blanks. Throws a BrokenFile. */
export function readTable(text: string): Table {
  const source = withPlainLines(text);
  const delimiter = delimiterOf(source);
  refuseBroken(source, delimiter);
  const { data, errors } = Papa.parse<string[]>(source, { delimiter, newline: '\n' });
  const [error] = errors;
  if (error !== undefined) throw new BrokenFile(source.slice(0, error.index ?? 0).split('\n').length, LOOSE_QUOTE);
  const [heads = [], ...rest] = data;
  const exact = new Map(heads.map((head, index) => [withoutCase(head), index]));
  if (exact.size !== heads.length) throw new BrokenFile(1, 'two columns have one name');
  // Of names that are the same words the first counts (IO7).
  const places = new Map([...heads.entries()].reverse().map(([index, head]) => [plainWord(head), index]));
  const columnOf = remembered((head: string) => exact.get(withoutCase(head)) ?? places.get(plainWord(head)) ?? -1);
  const rows: Row[] = [];
  let line = 1 + linesIn(heads);
  for (const cells of rest) {
    const at = line;
    line += linesIn(cells);
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (cells.length > heads.length)
      throw new BrokenFile(at, `it has ${cells.length} cells, and there are ${heads.length} columns`);
    rows.push({
      line: at,
      cell: (head) => unguarded(cells[columnOf(head)] ?? ''),
      filled: () => cells.flatMap((cell, index) => (cell.trim() === '' ? [] : (heads[index] ?? []))),
    });
  }
  return { heads, rows };
}

/** Lines that end as in a Unix file, also those of old Macs, which end with a carriage return alone. */
function withPlainLines(text: string): string {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return source.includes('\n') ? source : source.replaceAll('\r', '\n');
}

/** The one that stands most often in the first line. */
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

const LOOSE_QUOTE = 'a quote is not closed, or something follows it';

/**
 * One walk over all characters, before anything is kept of them: what is past the bounds is refused while it takes no memory, and a quote that is not closed
 * before the parser looks for its end again and again. Throws a BrokenFile.
 */
function refuseBroken(source: string, delimiter: string): void {
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let [line, rows, columns, cells, opened] = [1, 1, 1, 1, 1];
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
      if (rows > MOST_ROWS) throw new BrokenFile(null, `it has more than ${MOST_ROWS} rows`);
      if (columns > MOST_COLUMNS) throw new BrokenFile(line, `it has more than ${MOST_COLUMNS} columns`);
      if (cells > MOST_CELLS) throw new BrokenFile(null, `it has more than ${MOST_CELLS} cells`);
    } else if (state === 'start' && character === '"') [state, opened] = ['quoted', line];
    else if (state !== 'closed') state = 'plain';
    else if (character.trim() !== '') throw new BrokenFile(opened, LOOSE_QUOTE);
  }
  if (state === 'quoted') throw new BrokenFile(opened, LOOSE_QUOTE);
}

/** Each row is asked for the same few heads. */
function remembered<K, V>(find: (key: K) => V): (key: K) => V {
  const found = new Map<K, V>();
  return (key) => {
    const there = found.get(key);
    if (there !== undefined) return there;
    const value = find(key);
    found.set(key, value);
    return value;
  };
}

/** Two columns whose names differ in an accent are two. */
function withoutCase(head: string): string {
  return head
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
}

/** A name or a status of a table as it is compared (IO7), also without blanks. */
export function plainWord(word: string): string {
  return foldText(word).replaceAll(/[\s_-]/g, '');
}

function linesIn(cells: readonly string[]): number {
  return 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/** Writes a table with lines ended as the standard says. Cells that another delimiter would part are in quotes. */
export function writeTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [heads, ...rows.map((row) => row.map(guarded))] as string[][];
  return `${Papa.unparse(table, { newline: '\r\n', quotes: (cell) => /[;\t']/.test(String(cell)) })}\r\n`;
}

const SIGNS: ReadonlySet<string> = new Set('=+-@\uff1d\uff0b\uff0d\uff20');
const ENDS_LINE = /[\t-\r\u0085\u2028\u2029]/;
const BLANK = /["\s\p{Cc}\p{Cf}]/u;

/**
 * Where a part of the cell begins that spreadsheets take for a formula, unless an apostrophe stands first; one more says that one is meant. They may part a
 * cell at other delimiters and at line breaks, whatever quotes are around it, and leave quotes, blanks and invisible characters out.
 */
function formulasIn(cell: string): number[] {
  const found: number[] = [];
  const endsPart = (at: number) => cell[at] === ';' || cell[at] === ',' || ENDS_LINE.test(cell[at] ?? '');
  for (let start = 0; start < cell.length; start++) {
    let at = start;
    while (cell[at] === "'") at++;
    while (at < cell.length && !endsPart(at) && BLANK.test(cell[at] as string)) at++;
    // The beginning of a cell may be left out too.
    if (SIGNS.has(cell[at] ?? '') || (start === 0 && ENDS_LINE.test(cell[at] ?? ''))) found.push(start);
    while (at < cell.length && !endsPart(at)) at++;
    start = at;
  }
  return found;
}

function guarded(cell: string): string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(cell);
  return isNumber ? cell : replacedAt(cell, formulasIn(cell), (rest) => `'${rest}`);
}

function unguarded(cell: string): string {
  if (!cell.includes("'")) return cell;
  const places = formulasIn(cell).filter((start) => cell[start] === "'");
  return replacedAt(cell, places, (rest) => rest.slice(1));
}

/** The text with each part that begins at one of these places changed. */
function replacedAt(text: string, places: readonly number[], change: (part: string) => string): string {
  const parts = places.map((start, index) => change(text.slice(start, places[index + 1])));
  return text.slice(0, places[0]) + parts.join('');
}

/** Several words in one cell. A comma is escaped, since it stands between words where no semicolon does. */
export function joined(words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[\\;,]/g, '\\$&')).join('; ');
}

/** The words of a cell in this line, with semicolons between them. Throws a BrokenFile where they are too many. */
export function split(cell: string, line: number): string[] {
  return wordsOf(partsOf(cell, ';', line));
}

/** The same; where the cell has no semicolon, commas stand between the words. */
export function splitAtCommas(cell: string, line: number): string[] {
  const parts = partsOf(cell, ';', line);
  return wordsOf(parts.length > 1 ? parts : partsOf(cell, ',', line));
}

/** The parts of a cell between separators that no backslash precedes. */
function partsOf(cell: string, separator: ';' | ',', line: number): string[] {
  if (cell === '') return [];
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < cell.length; at++) {
    if (cell[at] === '\\') at++;
    else if (cell[at] === separator) {
      parts.push(cell.slice(from, at));
      // Another part follows.
      if (parts.length === MOST_WORDS) throw new BrokenFile(line, `a cell has more than ${MOST_WORDS} words`);
      from = at + 1;
    }
  }
  return [...parts, cell.slice(from)];
}

/** The character after a backslash stands for itself. */
function wordsOf(parts: readonly string[]): string[] {
  return parts.map((part) => part.replaceAll(/\\([\s\S])/g, '$1').trim()).filter((word) => word !== '');
}
