// Tables for people: columns as wide as their cells, the last one cut to the terminal.
import stringWidth from 'string-width';

interface Options {
  readonly heads: readonly string[];
  /** Columns of the terminal; null where nothing is cut. */
  readonly columns: number | null;
  readonly paintHead: (text: string) => string;
}

/** The lines of a table, one for each row; cells may hold colours. */
export function tableOf(given: readonly (readonly string[])[], { heads, columns, paintHead }: Options): string[] {
  // A title with a line break would look like rows of its own.
  const rows = given.map((row) => row.map((cell) => cell.replaceAll('\n', ' ')));
  const widths = heads.map((head, index) =>
    Math.max(...[head, ...rows.map((row) => row[index] ?? '')].map((cell) => stringWidth(cell))),
  );
  const lineOf = (row: readonly string[]) => {
    const cells = row.map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell))));
    return cut(cells.join('  ').trimEnd(), columns);
  };
  return [paintHead(lineOf(heads)), ...rows.map(lineOf)];
}

/** Cuts a text without colours in its tail; one that fits stays as it is. */
function cut(text: string, columns: number | null): string {
  if (columns === null || stringWidth(text) <= columns) return text;
  const letters = [...text];
  // Colours have no width: taking letters off the end cuts none, since titles stand last and are plain.
  while (letters.length > 0 && stringWidth(letters.join('')) >= columns) letters.pop();
  return `${letters.join('')}…`;
}
