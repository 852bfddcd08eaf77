// Local records of imports: their progress and file. They prevent a second import after the service
// has dropped its own record.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Stored records; older ones are dropped. */
const MAXIMUM_RECORDS = 1_000;

export interface ImportRecord {
  /** The absolute path of the file. */
  readonly path: string;
  /** The time of the last progress, ISO 8601. */
  readonly at: string;
  readonly done: number;
  readonly parts: number;
}

export type ImportRecords = Awaited<ReturnType<typeof loadImportRecords>>;

/** Loads the records from the folder of an account. */
export async function loadImportRecords(folder: string) {
  const path = join(folder, 'imports.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const records = new Map(Object.entries(parseRecords(text)));

  async function write(): Promise<void> {
    const newest = [...records].sort(([, one], [, other]) => (one.at < other.at ? 1 : -1)).slice(0, MAXIMUM_RECORDS);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.new`;
    await writeFile(temporary, `${JSON.stringify(Object.fromEntries(newest))}\n`, { mode: 0o600 });
    await rename(temporary, path);
  }

  return {
    of: (key: string): ImportRecord | undefined => records.get(key),
    /** An earlier import from the same path, with other content or to another place. */
    otherAt: (key: string, file: string): ImportRecord | undefined =>
      [...records].find(([each, record]) => each !== key && record.path === file)?.[1],
    async save(key: string, record: ImportRecord): Promise<void> {
      records.set(key, record);
      await write();
    },
    async remove(key: string): Promise<void> {
      if (records.delete(key)) await write();
    },
  };
}

/** A file truncated by a crash counts as empty: the service still knows the idempotency keys. */
function parseRecords(text: string): Record<string, ImportRecord> {
  try {
    return JSON.parse(text) as Record<string, ImportRecord>;
  } catch {
    return {};
  }
}
