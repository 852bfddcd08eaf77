// The entries of an outline that are open at one place of a file: each is below the one before.
import { BrokenFile, TRANSFER_BOUNDS } from './transfer-graph.ts';

export interface OutlineStack<Entry> {
  /** Closes the entries that are not above a level, and returns the parent; null if there is none. */
  parentAt(level: number): Entry | null;
  /** Opens an entry below its parent. Throws a BrokenFile if it is nested too deeply. */
  open(level: number, entry: Entry, line: number): void;
  /** The innermost entry. */
  last(): Entry | null;
  clear(): void;
}

/** `what` names an entry in a message, such as `a headline`. */
export function createOutlineStack<Entry>(what: string): OutlineStack<Entry> {
  let entries: { readonly level: number; readonly entry: Entry }[] = [];
  const last = () => entries.at(-1)?.entry ?? null;
  return {
    parentAt(level) {
      while ((entries.at(-1)?.level ?? Number.NEGATIVE_INFINITY) >= level) entries.pop();
      return last();
    },
    open(level, entry, line) {
      if (entries.length >= TRANSFER_BOUNDS.depth)
        throw new BrokenFile(line, `${what} is below more than ${TRANSFER_BOUNDS.depth} others`);
      entries.push({ level, entry });
    },
    last,
    clear() {
      entries = [];
    },
  };
}
