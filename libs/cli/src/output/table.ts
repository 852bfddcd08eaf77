// Tables for people: columns fit their cells, and lines are truncated to the terminal.
import stringWidth from 'string-width';
import { sanitize, truncate } from './paint.ts';

interface TableOptions {
  readonly heads: readonly string[];
  /** Columns of the terminal; null for no limit. */
  readonly columns: number | null;
  readonly paintHead: (text: string) => string;
}

/** The lines of a table, one per row. Cells may contain colours. */
export function tableOf(given: readonly (readonly string[])[], { heads, columns, paintHead }: TableOptions): string[] {
  // Measure the cells as they are printed.
  const rows = given.map((row) => row.map(sanitize));
  const widths = heads.map((head, index) =>
    Math.max(...[head, ...rows.map((row) => row[index] ?? '')].map((cell) => stringWidth(cell))),
  );
  const lineOf = (row: readonly string[]) => {
    const cells = row.map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell))));
    const line = cells.join('  ').trimEnd();
    return columns === null ? line : truncate(line, columns);
  };
  return [paintHead(lineOf(heads)), ...rows.map(lineOf)];
}
