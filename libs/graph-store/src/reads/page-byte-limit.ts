// How many bytes a page may still take. Rule: GEN11.

/** The room of one page: entities are counted as they are put in, in their order. */
export interface PageRoom {
  /** Counts one more entity; false where the page has to end before it. The first of a page always fits. */
  take(bytes: number): boolean;
  /** The rest; never below zero. */
  leftBytes(): number;
}

/** The room of a page of so many bytes. */
export function openRoom(bytes: number): PageRoom {
  let used = 0;
  return {
    take(more) {
      if (used > 0 && used + more > bytes) return false;
      used += more;
      return true;
    },
    leftBytes: () => Math.max(0, bytes - used),
  };
}

/** Bytes of a text in JSON, quotes and escapes included. */
export function textBytes(text: string): number {
  // Most texts stay as they are, and need not be written to be measured.
  return ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}

/** Whatever JSON writes in another way. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
