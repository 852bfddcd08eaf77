// The lines of a text file, within bounds. Rule: IO2.
import { BrokenFile, TRANSFER_BOUNDS } from '../graph/transfer-graph.ts';

/** A task has few lines on average. */
const MOST_LINES = 20 * TRANSFER_BOUNDS.nodes;
const LONGEST_LINE = 1_000_000;

/** The lines without their ends, which may be those of any system. Throws a BrokenFile. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, MOST_LINES + 1);
  if (lines.length > MOST_LINES) throw new BrokenFile(null, `it has more than ${MOST_LINES} lines`);
  const long = lines.findIndex(({ length }) => length > LONGEST_LINE);
  if (long >= 0) throw new BrokenFile(long + 1, `it has more than ${LONGEST_LINE} characters`);
  return lines;
}

/** Texts without blank lines at both ends. */
export function joinLines(lines: readonly string[]): string {
  const isBlank = (line: string | undefined) => line === undefined || line.trim() === '';
  let [start, end] = [0, lines.length];
  while (start < end && isBlank(lines[start])) start++;
  while (end > start && isBlank(lines[end - 1])) end--;
  return lines.slice(start, end).join('\n');
}
