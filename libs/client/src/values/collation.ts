// The order of titles, names and tags. Rule: IO7.

let collator: Intl.Collator | null = null;

/**
 * The order of texts in the language of their reader, with digits as numbers: `Step 9` before `Step
 * 10`.
 */
export function compareText(one: string, other: string): number {
  collator ??= new Intl.Collator(undefined, { numeric: true });
  return collator.compare(one, other);
}
