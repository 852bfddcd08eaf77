// The format of a file storage: a log of batches. Each entry of a batch is one line:
// `["key",value]`, or `["key"]` for a deletion. The line `.` commits the batch. Lines that a later
// batch replaces are wiped in place.
//
// Invariants:
// 1. Bytes after the last commit belong to no batch. A failed write or a crash left them.
// 2. Wiping a line writes `#` at its beginning first and then blanks over the rest, so that a crash
//    in between leaves a valid log.
// 3. Releases up to 0.1.0 wrote a batch as one line of pairs, `[["key",value],["key"]]`. These
//    lines are read but no longer written.

/** The place of a line, without its line end. */
export interface LineRange {
  readonly at: number;
  readonly bytes: number;
}

export interface EntryLine {
  readonly key: string;
  readonly isDeleted: boolean;
  /** With its line end. */
  readonly line: Buffer;
}

export interface LogContent {
  readonly entries: Map<string, unknown>;
  /** The lines of the entries. Entries that an earlier release wrote have no line of their own. */
  readonly ranges: Map<string, LineRange>;
  /** Lines that are replaced but not wiped yet. */
  readonly stale: LineRange[];
  /** The bytes up to the end of the last commit. */
  readonly length: number;
  /** Whether it has lines that cannot be wiped one by one. */
  readonly isOld: boolean;
}

export const COMMIT = Buffer.from('.\n');
export const MARK = Buffer.from('#');
const BLANK = 0x20;
const LINE_END = 0x0a;

export function linesOf(batch: Iterable<readonly [string, unknown]>): EntryLine[] {
  return [...batch].map(([key, value]) => ({
    key,
    isDeleted: value === undefined,
    line: Buffer.from(`${JSON.stringify(value === undefined ? [key] : [key, value])}\n`),
  }));
}

export function blanks(bytes: number): Buffer {
  return Buffer.alloc(bytes, BLANK);
}

type Pair = readonly [key: string, value?: unknown];

/** Reads a log up to its last commit, or up to a line that is damaged. */
export function readLog(bytes: Buffer): LogContent {
  const entries = new Map<string, unknown>();
  const ranges = new Map<string, LineRange>();
  const stale: LineRange[] = [];
  let isOld = false;
  let length = 0;
  let batch: { readonly pair: Pair; readonly range: LineRange | null }[] = [];
  const commit = () => {
    for (const { pair, range } of batch) {
      const [key, value] = pair;
      const replaced = ranges.get(key);
      if (replaced !== undefined) stale.push(replaced);
      ranges.delete(key);
      if (pair.length === 1) entries.delete(key);
      else entries.set(key, value);
      if (pair.length > 1 && range !== null) ranges.set(key, range);
    }
    batch = [];
  };
  for (let at = 0, end = bytes.indexOf(LINE_END); end >= 0; at = end + 1, end = bytes.indexOf(LINE_END, at)) {
    const range = { at, bytes: end - at };
    const first = bytes[at];
    if (first === MARK[0]) {
      if (bytes.toString('latin1', at + 1, end).trim() !== '') stale.push(range);
      continue;
    }
    if (first === COMMIT[0]) {
      commit();
      length = end + 1;
      continue;
    }
    const pairs = pairsOf(bytes.toString('utf8', at, end));
    if (pairs === null) break;
    batch.push(...pairs.list.map((pair) => ({ pair, range: pairs.isWhole ? null : range })));
    if (!pairs.isWhole) continue;
    isOld = true;
    commit();
    length = end + 1;
  }
  return { entries, ranges, stale, length, isOld };
}

/**
 * The pairs of a line; `isWhole` where they are a batch of an earlier release. Null where the line
 * is damaged.
 */
function pairsOf(text: string): { readonly list: readonly Pair[]; readonly isWhole: boolean } | null {
  try {
    const line: unknown = JSON.parse(text);
    if (!Array.isArray(line)) return null;
    const isWhole = typeof line[0] !== 'string';
    const list = (isWhole ? line : [line]) as Pair[];
    return list.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string') ? { list, isWhole } : null;
  } catch {
    return null;
  }
}
