// Repairs files that a power cut left unfinished because they were not forced to the disk. Without
// the repair a backend refuses to start although no data of value is lost.
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

/** Redis' name for the folder of its append-only files. */
const APPENDED = 'appendonlydir';
const PIECE_BYTES = 64 * 1024;

/** Repairs the backends of a data folder. None of them may run. */
export function repairAfterPowerCut(dataDir: string): void {
  repairNeo4j(join(dataDir, 'neo4j'));
  repairRedis(join(dataDir, 'redis'));
}

/**
 * Neo4j writes its server id at the first start and does not force it to the disk. A power cut
 * within half a minute leaves the file empty, and Neo4j does not start on an empty file. Without
 * the file Neo4j makes a new id, which the Community edition uses for nothing.
 */
export function repairNeo4j(home: string): void {
  const identity = join(home, 'data', 'server_id');
  if (statSync(identity, { throwIfNoEntry: false })?.size === 0) rmSync(identity);
}

/**
 * Redis forces its appended commands once a second. If another program forces the journal of the
 * file system in between, as Neo4j does on the same ext4 disk, the file already has its new length
 * but not its new content. After a power cut it then ends with zero bytes. Redis ignores an
 * unfinished command at the end, but does not start on zeros; no command ends with zeros.
 */
export function repairRedis(folder: string): void {
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
