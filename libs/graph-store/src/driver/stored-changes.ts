// Parses a batch's stored changes in chunks: one batch may be far longer than a page. Rule: GEN11.
import type { StoredChange } from '@taskgraph/domain/state/batch';

/** Approximate characters of a chunk. */
export const CHARACTERS_AT_ONCE = 500_000;

/** The changes of a batch in order, chunk by chunk, from their stored JSON. */
export function* changeChunksOf(json: string): Generator<StoredChange[]> {
  if (json.length <= CHARACTERS_AT_ONCE) {
    yield JSON.parse(json);
    return;
  }
  let start = 1;
  for (const end of endsOf(json)) {
    if (end - start < CHARACTERS_AT_ONCE && end < json.length - 1) continue;
    yield JSON.parse(`[${json.slice(start, end)}]`);
    start = end + 1;
  }
}

/** The end of each element of a JSON array: at the comma after it, or at the array's end. */
function* endsOf(json: string): Generator<number> {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at);
        break;
      case '[':
      case '{':
        depth++;
        break;
      case ']':
      case '}':
        depth--;
        if (depth === 0) yield at;
        break;
      case ',':
        if (depth === 1) yield at;
    }
  }
}

/** The end of a string that begins here: the next unescaped quote. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}
