// A disk under the data of all backends which a cut of the power can hit: all that was not forced to it is gone then, as with the page cache of a machine that
// stands without power. `kill -9` leaves that cache alone. It is one disk as on most machines, where what one program forces takes the journal along, with
// what others have not. It is an ext4 file system in a file, so that a test needs the right to mount.
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mendAfterPowerCut } from '@taskgraph/launcher/backends/after-power-cut';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { FOLDERS, type LeftOut, MAY_NOT_MOUNT } from './disks.ts';
import { BACKENDS } from './schedule.ts';

/** Of a file that is as large as what was written to it. */
const MEGABYTES = 2_048;
const BYTES_IN_A_MEGABYTE = 1024 * 1024;
/** A process that was killed goes on holding its files until the kernel has taken its memory away. */
const UNMOUNT_LIMIT_MS = 20_000;
const UNMOUNT_POLL_MS = 10;

/**
 * Shuts a file system down as those do who test them: EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, under which nothing goes to the disk any more, not
 * even the journal. Node has no ioctl. The number is that of x86 and ARM.
 */
const SHUT_DOWN = `
my ($folder) = @ARGV;
open(my $disk, '<', $folder) or die "$folder: $!";
my $flags = pack('L', 2);
ioctl($disk, 0x8004587d, $flags) or die "$folder: $!";`;

export interface PowerDisk {
  /**
   * Cuts the power of the disk, calls `kill`, which must end all that has files on it, and mounts it again, by which its journal is replayed. Then it does as a launcher
   * does first when it starts, since no launcher outlives the power of its machine.
   *
   * It keeps the event loop of this process until the disk is back. The launcher runs in this process and starts what died from that loop, so nothing can
   * be started meanwhile; and as long as the disk is away the backends' folders are links to nowhere, in which nobody could make files.
   */
  cut(kill: () => void): void;
  /** Takes the disk away with all that is on it. */
  clear(): void;
}

/** Mounts a disk for all backends, none of which may run; or says why that can't be here. */
export function mountPowerDisk(dataDir: string): PowerDisk | LeftOut {
  const [mkfs, perl] = [findProgram(['mkfs.ext4']), findProgram(['perl'])];
  if (mkfs === undefined) return { leftOut: 'mkfs.ext4 is not on this machine' };
  if (perl === undefined) return { leftOut: 'perl is not on this machine' };
  const [image, disk] = [join(dataDir, 'disk.ext4'), join(dataDir, 'disk')];
  writeFileSync(image, '');
  truncateSync(image, MEGABYTES * BYTES_IN_A_MEGABYTE);
  execFileSync(mkfs, ['-q', '-F', image]);
  mkdirSync(disk);
  const mount = () => execFileSync('mount', ['-t', 'ext4', '-o', 'loop', image, disk], { stdio: 'ignore' });
  try {
    mount();
  } catch {
    return MAY_NOT_MOUNT;
  }
  for (const name of BACKENDS) {
    const [folder, target] = [join(dataDir, ...FOLDERS[name]), join(disk, name)];
    mkdirSync(target);
    mkdirSync(dirname(folder), { recursive: true });
    symlinkSync(target, folder);
  }
  const folders = openSync(disk, 'r');
  fsyncSync(folders);
  closeSync(folders);
  return {
    cut(kill) {
      execFileSync(perl, ['-e', SHUT_DOWN, disk]);
      kill();
      unmountSoon(disk);
      mount();
      mendAfterPowerCut(dataDir);
    },
    clear: () => unmountSoon(disk),
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
