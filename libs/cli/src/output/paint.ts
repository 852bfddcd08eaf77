// Colours that other users' texts cannot forge. Paint marks a text with an escape sequence that
// contains a random number of this run. Output turns these marks into colours, and every other
// control character into a blank.
import { randomInt } from 'node:crypto';
import { onOneLine } from '@taskgraph/client/transfer';
import stringWidth from 'string-width';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const satisfies Record<string, readonly [start: number, end: number]>;

export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

/** Groups of at most four digits, as libraries that measure text width expect. */
const NUMBER = Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';');
// Backtracks: over one run of digits, after a fixed text.
const MARK = new RegExp(`(\\u001b\\[${NUMBER};\\d+m)`);

export function createPaint(isColoured: boolean): Paint {
  const mark = (code: number) => `\u001b[${NUMBER};${code}m`;
  const painters = Object.entries(CODES).map(([name, [start, end]]) => [
    name,
    isColoured ? (text: string) => `${mark(start)}${text}${mark(end)}` : String,
  ]);
  return Object.fromEntries(painters) as Paint;
}

/** Puts the text on one line without control characters, except its marks. */
export function sanitize(text: string): string {
  return piecesOf(text).join('');
}

/** The same, with its marks turned into colours. */
export function render(text: string): string {
  return sanitize(text).replaceAll(`\u001b[${NUMBER};`, '\u001b[');
}

/** Truncates a text to this many columns and ends it with an ellipsis; its marks stay. */
export function truncate(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let remaining = columns - 1;
  const pieces = piecesOf(text).map((piece, index) => {
    if (isMark(index)) return piece;
    let end = 0;
    for (const letter of piece) {
      const width = stringWidth(letter);
      if (width > remaining) break;
      remaining -= width;
      end += letter.length;
    }
    if (end === piece.length || remaining < 0) return piece.slice(0, end);
    remaining = -1;
    return `${piece.slice(0, end)}…`;
  });
  return pieces.join('');
}

/** Splits into plain texts with a mark between each two of them. */
function piecesOf(text: string): string[] {
  return text.split(MARK).map((piece, index) => (isMark(index) ? piece : onOneLine(piece)));
}

function isMark(index: number): boolean {
  return index % 2 === 1;
}
