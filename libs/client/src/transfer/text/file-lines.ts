// The lines of a text file, within bounds. Rule: IO2.
import { BrokenFile, TRANSFER_BOUNDS } from '../graph/transfer-graph.ts';

/** A task has few lines on average. */
const MAXIMUM_LINES = 20 * TRANSFER_BOUNDS.nodes;
const MAXIMUM_LINE_LENGTH = 1_000_000;

/** The lines without their ends, which may be those of any system. Throws a BrokenFile. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, MAXIMUM_LINES + 1);
  if (lines.length > MAXIMUM_LINES) throw new BrokenFile(null, `it has more than ${MAXIMUM_LINES} lines`);
  const long = lines.findIndex(({ length }) => length > MAXIMUM_LINE_LENGTH);
  if (long >= 0) throw new BrokenFile(long + 1, `it has more than ${MAXIMUM_LINE_LENGTH} characters`);
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
