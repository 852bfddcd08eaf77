// The parents of rows by their outline numbers or levels. Rule: IO10.

export interface OutlineRow {
  readonly key: string;
  /** `1.2.3`, or '' */
  readonly number: string;
  /** Null if the row has none. */
  readonly level: number | null;
}

const MAXIMUM_DEPTH = 64;
const NUMBER = /^\d{1,6}(?:\.\d{1,6}){0,63}$/;

/** An outline number without a dot or zero at its end; '' if the text is none. */
export function outlineNumber(text: string): string {
  const plain = text.trim().replace(/\.$/, '');
  if (!NUMBER.test(plain)) return '';
  // `1.0` is the number of the task that has `1.1` below it.
  return plain.replace(/\.0$/, '');
}

/** A level from 0; null if the text is none. */
export function levelOf(text: string): number | null {
  const level = Number(text);
  return text.trim() !== '' && Number.isInteger(level) && level >= 0 && level <= MAXIMUM_DEPTH ? level : null;
}

/** The key of the parent of each row that has one: the nearest by number, or else by level. */
export function parentsByOutline(rows: readonly OutlineRow[]): Map<string, string> {
  const byNumber = new Map<string, string>();
  for (const { key, number } of rows) if (number !== '' && !byNumber.has(number)) byNumber.set(number, key);
  const parents = new Map<string, string>();
  let above: { readonly level: number; readonly key: string }[] = [];
  for (const { key, number, level } of rows) {
    let parent: string | undefined;
    for (let at = number.lastIndexOf('.'); at > 0 && parent === undefined; at = number.lastIndexOf('.', at - 1))
      parent = byNumber.get(number.slice(0, at));
    if (level !== null) {
      above = above.filter((each) => each.level < level);
      parent ??= above.at(-1)?.key;
      above.push({ level, key });
    }
    if (parent !== undefined && parent !== key) parents.set(key, parent);
  }
  return parents;
}
