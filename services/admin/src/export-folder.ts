// A folder of exports, named by their times. Only the newest are retained.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^taskgraph-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.jsonl$/;
const UNFINISHED = /^taskgraph-\d{8}T\d{6}Z\.jsonl\.part$/;
/** An export ends after four hours at the latest, so an older unfinished file was abandoned. */
const ABANDONED_AFTER_MS = 6 * 3_600_000;
/** By how much the clock of the machine that wrote an export may be ahead. */
const CLOCK_SKEW_MS = 3_600_000;

export const MOST_RETAINED = 1_000;

/** A name whose order is that of the times. */
export function exportName(time: Date): string {
  return `taskgraph-${time.toISOString().replace(/[-:]|\.\d+/g, '')}.jsonl`;
}

/**
 * The paths of the complete exports, the newest first. Throws if one has a time to come: it would count as
 * the newest until then.
 */
export function listExports(folder: string, now: Date): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name));
  for (const name of names) {
    if (Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z')) > now.getTime() + CLOCK_SKEW_MS)
      throw new Error(`${join(folder, name)} has a time to come: check the clocks, then rename or remove the file.`);
  }
  return names
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

/** The path of the newest complete export. Throws if there is none, or one with a time to come. */
export function newestExport(folder: string, now: Date): string {
  const [newest] = listExports(folder, now);
  if (newest === undefined) throw new Error(`${folder} contains no export.`);
  return newest;
}

/**
 * Deletes all but the newest exports. Never deletes the one that was just written. Other files stay. Returns
 * the paths of the deleted exports.
 */
export function removeOldExports(folder: string, written: string, { retain, now }: { retain: number; now: Date }) {
  const old = listExports(folder, now)
    .slice(retain)
    .filter((path) => path !== written);
  for (const path of old) rmSync(path, { force: true });
  return old;
}

/** Deletes files of exports that were killed, so that they do not fill the disk. */
export function removeAbandoned(folder: string, now: Date): void {
  for (const name of readdirSync(folder).filter((each) => UNFINISHED.test(each))) {
    const path = join(folder, name);
    if (now.getTime() - statSync(path).mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}
