// The byte budget of a page. Rule: GEN11.

/** The byte budget of one page: entities consume it in order. */
export interface ByteBudget {
  /** Counts one more entity; false if the page must end before it. The first entity always fits. */
  take(bytes: number): boolean;
  /** The remaining bytes, never negative. */
  leftBytes(): number;
}

/** Creates the budget of a page. */
export function createByteBudget(bytes: number): ByteBudget {
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

/** Bytes of a text in JSON, with quotes and escapes. */
export function textBytes(text: string): number {
  // Most texts need no escapes, so measure them without encoding.
  return ESCAPED.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2;
}

/** Characters that JSON escapes. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;
