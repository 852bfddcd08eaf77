// A folder of exports, named by their times. Only the newest are retained.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^taskgraph-\d{8}T\d{6}Z\.jsonl$/;
const UNFINISHED = /^taskgraph-\d{8}T\d{6}Z\.jsonl\.part$/;
/** An export ends after four hours at the latest, so an older unfinished file was abandoned. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

export const MOST_RETAINED = 1_000;

/** A name whose order is that of the times. */
export function exportName(time: Date): string {
  return `taskgraph-${time.toISOString().replace(/[-:]|\.\d+/g, '')}.jsonl`;
}

/** The paths of the complete exports, the newest first. */
export function listExports(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  return names
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

/** The path of the newest complete export. Throws if there is none. */
export function newestExport(folder: string): string {
  const [newest] = listExports(folder);
  if (newest === undefined) throw new Error(`${folder} contains no export.`);
  return newest;
}

/**
 * Deletes all but the newest exports, and files of exports that were killed. Other files stay.
 * Returns the paths of the deleted exports.
 */
export function removeOldExports(folder: string, retain: number, now: Date): string[] {
  const old = listExports(folder).slice(retain);
  for (const path of old) rmSync(path);
  for (const name of readdirSync(folder).filter((each) => UNFINISHED.test(each))) {
    const path = join(folder, name);
    if (now.getTime() - statSync(path).mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
  return old;
}
