// Forces files and the names in folders to the disk, where they must outlive a power cut.
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Returns when the disk has what the file holds, or the names in the folder. */
export function force(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
