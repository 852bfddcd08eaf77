// Puts right what a power cut leaves of files that were not forced to the disk, where a backend refuses to start on it though it lacks nothing that counts.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

/** Redis' own name for the folder of its append-only files. */
const APPENDED = 'appendonlydir';
const PIECE_BYTES = 64 * 1024;

/** For the backends of a data folder, none of which may run. */
export function mendAfterPowerCut(dataDir: string): void {
  mendNeo4j(join(dataDir, 'neo4j'));
  mendRedis(join(dataDir, 'redis'));
}

/**
 * Neo4j writes at its first start who it is and does not force it to the disk: a power cut within half a minute leaves the file empty, and Neo4j does not
 * start on an empty one. Without the file it takes another identity, by which Community keeps nothing.
 */
export function mendNeo4j(home: string): void {
  const identity = join(home, 'data', 'server_id');
  if (statSync(identity, { throwIfNoEntry: false })?.size === 0) rmSync(identity);
}

/**
 * Redis forces what it appends once a second. A file system that is told by somebody else to force its journal meanwhile, such as ext4 by Neo4j on the same
 * disk, has the new length of Redis' file before what was appended: it ends with zero bytes after a power cut. Redis overlooks an unfinished
 * command at the end, but starts on no zeros; no command ends with them.
 */
export function mendRedis(folder: string): void {
  const appended = join(folder, APPENDED);
  if (!existsSync(appended)) return;
  for (const name of readdirSync(appended)) if (name.endsWith('.incr.aof')) cutZeros(join(appended, name));
}

function cutZeros(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let end = size; end >= 0; end -= PIECE_BYTES) {
      const start = Math.max(0, end - PIECE_BYTES);
      readSync(file, piece, 0, end - start, start);
      const kept = piece.subarray(0, end - start).findLastIndex((byte) => byte !== 0) + 1;
      if (kept === 0 && start > 0) continue;
      if (start + kept < size) ftruncateSync(file, start + kept);
      return;
    }
  } finally {
    closeSync(file);
  }
}
