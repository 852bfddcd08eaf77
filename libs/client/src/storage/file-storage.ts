// A storage in one file, for Node: a log of batches. Each batch wipes the entries that it replaces
// or deletes at once. A log that is mostly blank is rewritten.
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { blanks, COMMIT, type EntryLine, type LineRange, linesOf, MARK, readLog } from './entry-log.ts';
import { createSerialQueue } from './serial-queue.ts';
import type { ReplicaStorage } from './storage.ts';

/**
 * The log is rewritten if it has more than this many times the bytes of its entries, and at least
 * this size.
 */
const BYTES_PER_BYTE = 4;
const FEWEST_BYTES = 64 * 1024;
/** Wiping a line costs about as much as writing this many. */
const LINES_PER_WIPE = 10;
const FEWEST_WIPES = 100;
/** After a failed rewrite, the next attempt follows once the log has grown by this factor. */
const RETRY_GROWTH = 1.25;
const PIECE_BYTES = 1024 * 1024;

/**
 * Stores a replica in the file at this path, which one program at a time may use. A batch that a
 * crash or a full disk has cut off counts as not written. Rejects with the system's error if the
 * file cannot be read or written. The next write repairs a failed one.
 */
export function fileStorage(path: string): ReplicaStorage {
  const beside = `${path}.new`;
  let log: FileHandle | null = null;
  let isLoaded = false;
  let ranges = new Map<string, LineRange>();
  let stale: LineRange[] = [];
  /** The bytes up to the end of the last commit, and those of its entries. */
  let length = 0;
  let liveBytes = 0;
  /** Whether there may be bytes after the last commit. */
  let isTorn = false;
  let isOld = false;
  /** The log is not rewritten up to this length, since that failed. */
  let compactFrom = 0;
  /** A batch that overtook another would be undone by it. */
  const queue = createSerialQueue();

  async function opened(): Promise<FileHandle> {
    log ??= await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    return log;
  }

  async function closeLog(): Promise<void> {
    const closing = log;
    log = null;
    await closing?.close();
  }

  async function load(): Promise<Map<string, unknown>> {
    await closeLog();
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    const content = readLog(bytes);
    ({ ranges, stale, length, isOld } = content);
    liveBytes = [...ranges.values()].reduce((sum, range) => sum + range.bytes + 1, 0);
    isTorn = bytes.length > length;
    isLoaded = true;
    // If this fails, the next write retries it and rejects.
    await rm(beside, { force: true }).catch(() => undefined);
    if (isTorn || isOld || stale.length > 0) await mend().catch(() => undefined);
    return content.entries;
  }

  /**
   * Truncates the rest of a failed write, and wipes the lines that are no longer current.
   */
  async function mend(): Promise<void> {
    const file = await opened();
    if (isTorn) await file.truncate(length);
    isTorn = false;
    const isCheaper = stale.length > Math.max(FEWEST_WIPES, ranges.size / LINES_PER_WIPE);
    const isMostlyBlank = length > Math.max(FEWEST_BYTES, BYTES_PER_BYTE * liveBytes);
    if (length > compactFrom && (isOld || isCheaper || isMostlyBlank)) await compact();
    await wipe();
  }

  /**
   * Writes a new log next to the old one and replaces it. After a failure, such as a full disk, the
   * old log stays.
   */
  async function compact(): Promise<void> {
    try {
      const { entries } = readLog(await readFile(path));
      const written = await writeBeside(linesOf(entries));
      await closeLog();
      await rename(beside, path);
      ({ ranges, length } = written);
      [liveBytes, stale, isOld, compactFrom] = [length, [], false, 0];
    } catch {
      compactFrom = RETRY_GROWTH * length;
      await rm(beside, { force: true }).catch(() => undefined);
    }
  }

  async function writeBeside(lines: readonly EntryLine[]): Promise<{ ranges: Map<string, LineRange>; length: number }> {
    const newRanges = new Map<string, LineRange>();
    const file = await open(beside, 'w', 0o600);
    let [at, pieces, size]: [number, Buffer[], number] = [0, [], 0];
    try {
      for (const { key, line } of lines) {
        newRanges.set(key, { at: at + size, bytes: line.length - 1 });
        pieces.push(line);
        size += line.length;
        if (size < PIECE_BYTES) continue;
        await writeAll(file, Buffer.concat(pieces), at);
        [at, pieces, size] = [at + size, [], 0];
      }
      await writeAll(file, Buffer.concat([...pieces, COMMIT]), at);
      await file.sync();
    } finally {
      await file.close();
    }
    return { ranges: newRanges, length: at + size + COMMIT.length };
  }

  async function wipe(): Promise<void> {
    if (stale.length === 0) return;
    const file = await opened();
    for (const { at } of stale) await writeAll(file, MARK, at);
    await file.datasync();
    for (const { at, bytes } of stale) await writeAll(file, blanks(bytes - 1), at + 1);
    await file.datasync();
    stale = [];
  }

  async function append(lines: readonly EntryLine[]): Promise<void> {
    const file = await opened();
    if (isTorn) await file.truncate(length);
    isTorn = true;
    await writeAll(file, Buffer.concat([...lines.map(({ line }) => line), COMMIT]), length);
    await file.datasync();
    isTorn = false;
    for (const { key, isDeleted, line } of lines) {
      const replaced = ranges.get(key);
      if (replaced !== undefined) stale.push(replaced);
      ranges.delete(key);
      liveBytes -= replaced === undefined ? 0 : replaced.bytes + 1;
      if (!isDeleted) {
        ranges.set(key, { at: length, bytes: line.length - 1 });
        liveBytes += line.length;
      }
      length += line.length;
    }
    length += COMMIT.length;
  }

  return {
    load: () => queue.run(load),
    async write(batch) {
      // The values of this moment, since the write may wait.
      const lines = linesOf(batch);
      if (lines.length === 0) return;
      await queue.run(async () => {
        if (!isLoaded) await load();
        await append(lines).catch(async (error: unknown) => {
          // On a full disk this frees the bytes of the failed write.
          await mend().catch(() => undefined);
          throw error;
        });
        await mend();
      });
    },
    close: () =>
      queue.run(async () => {
        isLoaded = false;
        await closeLog();
      }),
  };
}

/** Writes all bytes: the system may write them in parts. */
async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
