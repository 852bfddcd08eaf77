// Small disks for the backends' data, which a test can fill and free. They are mounted, so the test
// needs the privilege to mount.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BACKENDS, type Backend } from './schedule.ts';

/** The folders with all data of a backend, below the data folder. */
export const FOLDERS: Readonly<Record<Backend, readonly string[]>> = {
  neo4j: ['neo4j', 'data'],
  nats: ['nats', 'store'],
  redis: ['redis'],
};
/** In memory. A run of several minutes uses only a small part. */
const SIZES: Readonly<Record<Backend, string>> = { neo4j: '512m', nats: '32m', redis: '64m' };
const FILLER = 'filler';
const PIECE_BYTES = 1024 * 1024;

/** The reason why this machine does not support a fault. */
export interface UnsupportedFault {
  readonly leftOut: string;
}

export const MAY_NOT_MOUNT: UnsupportedFault = { leftOut: 'this user may not mount a disk' };

export interface Disks {
  /** Fills the disk to the last byte. */
  fill(backend: Backend): void;
  free(backend: Backend): void;
  /** Unmounts the disks and deletes their content. */
  clear(): void;
}

/** Mounts a disk for each backend, none of which may run, or returns why this machine cannot. */
export function mountDisks(dataDir: string): Disks | UnsupportedFault {
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

/** Writes until not a single byte is free. */
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
