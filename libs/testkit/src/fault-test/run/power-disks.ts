// Disks under the backends' data which a cut of the power can hit: all that was not forced to them is gone then, as with the page cache of a machine that
// stands without power. `kill -9` leaves that cache alone. Each is an ext4 file system in a file, so that a test needs the right to mount.
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { FOLDERS, type LeftOut, MAY_NOT_MOUNT } from './disks.ts';
import { BACKENDS, type Backend } from './schedule.ts';

/** Of files that are as large as what was written to them. */
const MEGABYTES: Readonly<Record<Backend, number>> = { neo4j: 2_048, nats: 64, redis: 256 };
const BYTES_IN_A_MEGABYTE = 1024 * 1024;
/** A process that was killed goes on holding its files until the kernel has taken its memory away. */
const UNMOUNT_LIMIT_MS = 20_000;
const UNMOUNT_POLL_MS = 10;

/**
 * Shuts file systems down as those do who test them: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, under which nothing goes to the disk any more, not
 * even the journal. Node has no ioctl. The number is that of x86 and ARM.
 */
const SHUT_DOWN = `
for my $folder (@ARGV) {
  open(my $disk, '<', $folder) or die "$folder: $!";
  my $flags = pack('L', 2);
  ioctl($disk, 0x8004587d, $flags) or die "$folder: $!";
}`;

export interface PowerDisks {
  /**
   * Cuts the power of all disks, calls `kill`, which must end all that has files on them, and mounts them again, by which their journals are replayed.
   *
   * It keeps the event loop of this process until the disks are back. The launcher runs in this process and starts what died from that loop, so nothing
   * can be started meanwhile that would make its files in the empty folder below a disk, or begin anew there.
   */
  cut(kill: () => void): void;
  /** Takes the disks away with all that is on them. */
  clear(): void;
}

/** Mounts a disk for each backend, none of which may run; or says why that can't be here. */
export function mountPowerDisks(dataDir: string): PowerDisks | LeftOut {
  const [mkfs, perl] = [findProgram(['mkfs.ext4']), findProgram(['perl'])];
  if (mkfs === undefined) return { leftOut: 'mkfs.ext4 is not on this machine' };
  if (perl === undefined) return { leftOut: 'perl is not on this machine' };
  const disks = BACKENDS.map((name) => ({
    image: join(dataDir, `${name}.ext4`),
    folder: join(dataDir, ...FOLDERS[name]),
    bytes: MEGABYTES[name] * BYTES_IN_A_MEGABYTE,
  }));
  const mounted = new Set<string>();
  const mount = () => {
    for (const { image, folder } of disks) {
      execFileSync('mount', ['-t', 'ext4', '-o', 'loop', image, folder], { stdio: 'ignore' });
      mounted.add(folder);
    }
  };
  const unmount = () => {
    for (const folder of mounted) {
      unmountSoon(folder);
      mounted.delete(folder);
    }
  };
  for (const { image, folder, bytes } of disks) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(image, '');
    truncateSync(image, bytes);
    execFileSync(mkfs, ['-q', '-F', image]);
  }
  try {
    mount();
  } catch {
    unmount();
    return MAY_NOT_MOUNT;
  }
  return {
    cut(kill) {
      execFileSync(perl, ['-e', SHUT_DOWN, ...mounted]);
      kill();
      unmount();
      mount();
    },
    clear: unmount,
  };
}

function unmountSoon(folder: string): void {
  const deadline = Date.now() + UNMOUNT_LIMIT_MS;
  for (;;) {
    try {
      execFileSync('umount', [folder], { stdio: ['ignore', 'ignore', 'pipe'] });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      wait(UNMOUNT_POLL_MS);
    }
  }
}

/** Without letting the event loop run. */
function wait(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, forMs);
}
