// Tables of comma-separated values, by papaparse: rows with their lines, and cells that no spreadsheet takes for a formula. Rule: IO2.
import Papa from 'papaparse';
import { BrokenFile, TRANSFER_BOUNDS } from './model.ts';

export interface Row {
  readonly line: number;
  /** The cell below this head; '' where there is none. */
  cell(head: string): string;
}

export interface Table {
  /** As they are written, in their order. */
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
}

/** With those that are empty. */
const MOST_ROWS = 4 * TRANSFER_BOUNDS.nodes;
const DELIMITERS = [',', ';', '\t'] as const;

/** Reads a table whose first line has the heads, compared without case and blanks. Throws a BrokenFile. */
export function readTable(text: string): Table {
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const [first = ''] = source.split('\n', 1);
  const count = (delimiter: string) => first.split(delimiter).length;
  const delimiter = DELIMITERS.toSorted((one, other) => count(other) - count(one))[0] ?? ',';
  const { data, errors } = Papa.parse<string[]>(source, { delimiter, newline: '\n', preview: MOST_ROWS });
  if (data.length === MOST_ROWS) throw new BrokenFile(null, `it has ${MOST_ROWS} rows or more`);
  const [error] = errors;
  if (error !== undefined) {
    throw new BrokenFile(
      source.slice(0, error.index ?? 0).split('\n').length,
      'a quote is not closed, or something follows it',
    );
  }
  const [heads = [], ...rest] = data;
  const places = new Map(heads.map((head, index) => [plain(head), index]));
  if (places.size !== heads.length) throw new BrokenFile(1, 'two columns have one name');
  const rows: Row[] = [];
  let line = 1 + linesIn(heads);
  for (const cells of rest) {
    const at = line;
    line += linesIn(cells);
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (cells.length > heads.length)
      throw new BrokenFile(at, `it has ${cells.length} cells, and there are ${heads.length} columns`);
    rows.push({ line: at, cell: (head) => unguarded(cells[places.get(plain(head)) ?? -1] ?? '') });
  }
  return { heads, rows };
}

function plain(head: string): string {
  return head
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
}

function linesIn(cells: readonly string[]): number {
  return 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
}

/** Writes a table with lines ended as the standard says. */
export function writeTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${Papa.unparse([heads, ...rows.map((row) => row.map(guarded))] as string[][], { newline: '\r\n' })}\r\n`;
}

/** Spreadsheets take such a cell for a formula, unless an apostrophe stands first; one more says that one is meant. */
function guarded(cell: string): string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(cell);
  return !isNumber && /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function unguarded(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** Several words in one cell. */
export function joined(words: readonly string[]): string {
  return words.map((word) => word.replaceAll(/[\\;]/g, '\\$&')).join('; ');
}

export function split(cell: string): string[] {
  const words = cell.match(/(?:\\[\s\S]|[^\\;])+/g) ?? [];
  return words.map((word) => word.trim().replaceAll(/\\([\s\S])/g, '$1')).filter((word) => word !== '');
}
