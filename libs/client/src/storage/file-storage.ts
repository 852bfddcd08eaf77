// A storage in one file, for Node: a log of batches, each a line, which is written anew where most of it is out of date.
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import type { ReplicaStorage } from './storage.ts';

/** The log is written anew past so many lines for each entry that is left, and never below this number of entries. */
const LINES_PER_ENTRY = 4;
const FEWEST_LINES = 1_000;

type Line = readonly (readonly [key: string, value?: unknown])[];

/**
 * Keeps a replica in the file at this path, of which one program at a time may have one. A line that a crash cut off counts as never
 * written. Rejects with the system's error where the file can't be read or written.
 */
export function fileStorage(path: string): ReplicaStorage {
  const entries = new Map<string, unknown>();
  let changes = 0;
  let log: FileHandle | null = null;
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: a batch that overtook another would be undone by it. */
  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = last.then(act);
    last = done.catch(() => undefined);
    return done;
  }

  function take(line: Line): void {
    for (const [key, value] of line) {
      if (value === undefined) entries.delete(key);
      else entries.set(key, value);
      changes++;
    }
  }

  /** Batches are pairs; one without a value deletes. */
  const textOf = (batch: Iterable<readonly [string, unknown]>) =>
    `${JSON.stringify([...batch].map(([key, value]) => (value === undefined ? [key] : [key, value])))}\n`;

  async function rewrite(): Promise<void> {
    const beside = `${path}.new`;
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(textOf(entries));
      await file.sync();
    } finally {
      await file.close();
    }
    await log?.close();
    log = null;
    await rename(beside, path);
    log = await open(path, 'a', 0o600);
    changes = entries.size;
  }

  return {
    load: () =>
      inTurn(async () => {
        const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return '';
          throw error;
        });
        entries.clear();
        changes = 0;
        const lines = text.split('\n');
        // After the last line's end there is nothing, or what a crash left of a batch.
        const torn = lines.pop() ?? '';
        for (const line of lines) take(JSON.parse(line) as Line);
        await rm(`${path}.new`, { force: true });
        if (torn !== '') await rewrite();
        return new Map(entries);
      }),
    write(batch) {
      // As it is now, whenever its turn comes.
      const text = textOf(batch);
      return inTurn(async () => {
        log ??= await open(path, 'a', 0o600);
        await log.appendFile(text);
        await log.datasync();
        take(JSON.parse(text) as Line);
        if (changes > Math.max(FEWEST_LINES, LINES_PER_ENTRY * entries.size)) await rewrite();
      });
    },
    close: () =>
      inTurn(async () => {
        await log?.close();
        log = null;
      }),
  };
}
