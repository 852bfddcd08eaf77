// Guards cells of tables by an apostrophe, so that no spreadsheet reads them as formulas. Rule:
// IO2.

const FORMULA_SIGNS: ReadonlySet<string> = new Set('=+-@\uff1d\uff0b\uff0d\uff20');
const LINE_END = /[\t-\r\u0085\u2028\u2029]/;
const IGNORED = /["\s\p{Cc}\p{Cf}]/u;

/**
 * The offsets of the parts of a cell that a spreadsheet could read as a formula or as a guard. A
 * spreadsheet may split a cell at other delimiters and line ends despite quotes, and may ignore
 * quotes, spaces and invisible characters.
 */
function formulaOffsets(cell: string): number[] {
  const offsets: number[] = [];
  const endsPart = (at: number) => cell[at] === ';' || cell[at] === ',' || LINE_END.test(cell[at] ?? '');
  for (let start = 0; start < cell.length; start++) {
    let at = start;
    while (cell[at] === "'") at++;
    while (at < cell.length && !endsPart(at) && IGNORED.test(cell[at] as string)) at++;
    // Some programs drop a line end at the beginning of a cell.
    if (FORMULA_SIGNS.has(cell[at] ?? '') || (start === 0 && LINE_END.test(cell[at] ?? ''))) offsets.push(start);
    while (at < cell.length && !endsPart(at)) at++;
    start = at;
  }
  return offsets;
}

/**
 * Adds an apostrophe to each part that could be a formula. An apostrophe that is there is doubled.
 */
export function guardFormulas(cell: string): string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(cell);
  return isNumber ? cell : changeParts(cell, formulaOffsets(cell), (part) => `'${part}`);
}

/** The reverse of `guardFormulas`. */
export function removeGuards(cell: string): string {
  if (!cell.includes("'")) return cell;
  const guarded = formulaOffsets(cell).filter((start) => cell[start] === "'");
  return changeParts(cell, guarded, (part) => part.slice(1));
}

/** Changes the parts of a text that begin at these offsets. */
function changeParts(text: string, offsets: readonly number[], change: (part: string) => string): string {
  const parts = offsets.map((start, index) => change(text.slice(start, offsets[index + 1])));
  return text.slice(0, offsets[0]) + parts.join('');
}
