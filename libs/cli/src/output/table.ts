// Tables for people: columns as wide as their cells, the last one cut to the terminal.
import stringWidth from 'string-width';
import { cleaned, cut } from './paint.ts';

interface Options {
  readonly heads: readonly string[];
  /** Columns of the terminal; null where nothing is cut. */
  readonly columns: number | null;
  readonly paintHead: (text: string) => string;
}

/** The lines of a table, one for each row; cells may hold colours. */
export function tableOf(given: readonly (readonly string[])[], { heads, columns, paintHead }: Options): string[] {
  // They are measured as they are shown.
  const rows = given.map((row) => row.map(cleaned));
  const widths = heads.map((head, index) =>
    Math.max(...[head, ...rows.map((row) => row[index] ?? '')].map((cell) => stringWidth(cell))),
  );
  const lineOf = (row: readonly string[]) => {
    const cells = row.map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell))));
    const line = cells.join('  ').trimEnd();
    return columns === null ? line : cut(line, columns);
  };
  return [paintHead(lineOf(heads)), ...rows.map(lineOf)];
}
