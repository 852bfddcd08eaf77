// Notes on imports: how far each got, so that one that the service has forgotten is not made twice, and which content a file had.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Older ones are forgotten. */
const MOST_KEPT = 1_000;

export interface Receipt {
  /** The file, by its whole path. */
  readonly path: string;
  /** When it was last gone on with, ISO 8601. */
  readonly at: string;
  readonly done: number;
  readonly parts: number;
}

export type Receipts = Awaited<ReturnType<typeof openReceipts>>;

/** The receipts of an account, in its folder. */
export async function openReceipts(folder: string) {
  const path = join(folder, 'imports.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const receipts = new Map(Object.entries(readReceipts(text)));

  async function write(): Promise<void> {
    const newest = [...receipts].sort(([, one], [, other]) => (one.at < other.at ? 1 : -1)).slice(0, MOST_KEPT);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = `${path}.${process.pid}.new`;
    await writeFile(beside, `${JSON.stringify(Object.fromEntries(newest))}\n`, { mode: 0o600 });
    await rename(beside, path);
  }

  return {
    of: (name: string): Receipt | undefined => receipts.get(name),
    /** An import of the same file with another content. */
    otherOf: (name: string, file: string): Receipt | undefined =>
      [...receipts].find(([each, receipt]) => each !== name && receipt.path === file)?.[1],
    async keep(name: string, receipt: Receipt): Promise<void> {
      receipts.set(name, receipt);
      await write();
    },
    async forget(name: string): Promise<void> {
      if (receipts.delete(name)) await write();
    },
  };
}

/** A file that a crash has cut off says nothing; the service knows its keys all the same. */
function readReceipts(text: string): Record<string, Receipt> {
  try {
    return JSON.parse(text) as Record<string, Receipt>;
  } catch {
    return {};
  }
}
