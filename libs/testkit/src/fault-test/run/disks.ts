// Small disks under the backends' data, which can be filled and freed. They are mounted, so that a test needs the right to mount.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BACKENDS, type Backend } from './schedule.ts';

/** Folders with all that a backend keeps, below the data folder. */
export const FOLDERS: Readonly<Record<Backend, readonly string[]>> = {
  neo4j: ['neo4j', 'data'],
  nats: ['nats', 'store'],
  redis: ['redis'],
};
/** In memory. A run of some minutes is far from filling them. */
const SIZES: Readonly<Record<Backend, string>> = { neo4j: '512m', nats: '32m', redis: '64m' };
const FILLER = 'filler';
const PIECE_BYTES = 1024 * 1024;

/** Why something can't be brought about on this machine. */
export interface LeftOut {
  readonly leftOut: string;
}

export const MAY_NOT_MOUNT: LeftOut = { leftOut: 'this user may not mount a disk' };

export interface Disks {
  /** Leaves not a byte. */
  fill(backend: Backend): void;
  free(backend: Backend): void;
  /** Takes the disks away with all that is on them. */
  clear(): void;
}

/** Mounts a disk for each backend, none of which may run; or says why that can't be here. */
export function mountDisks(dataDir: string): Disks | LeftOut {
  const folders = new Map(BACKENDS.map((name) => [name, join(dataDir, ...FOLDERS[name])]));
  const mounted: string[] = [];
  const clear = () => {
    for (const folder of mounted.splice(0)) execFileSync('umount', [folder]);
  };
  for (const [name, folder] of folders) {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZES[name]}`, 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      clear();
      return MAY_NOT_MOUNT;
    }
    mounted.push(folder);
  }
  const fillerOf = (backend: Backend) => join(folders.get(backend) as string, FILLER);
  return {
    fill: (backend) => fill(fillerOf(backend)),
    free: (backend) => rmSync(fillerOf(backend)),
    clear,
  };
}

/** Writes until there is no room for a single byte more. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  const piece = Buffer.alloc(PIECE_BYTES, 1);
  try {
    for (let bytes = PIECE_BYTES; bytes >= 1; ) {
      try {
        writeSync(file, piece, 0, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        bytes >>= 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
