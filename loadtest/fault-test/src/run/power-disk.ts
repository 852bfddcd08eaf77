// A disk for the data of all backends that can lose power. A power cut discards everything that was
// not forced to the disk, as a machine loses its page cache; `kill -9` keeps that cache. All
// backends share the disk, as on most machines: one program's forced write also writes the journal
// with the other programs' changes. It is an ext4 file system in a file, so the test needs the
// privilege to mount.
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repairAfterPowerCut } from '@taskgraph/launcher/backends/after-power-cut';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { FOLDERS, MAY_NOT_MOUNT, type UnsupportedFault } from './disks.ts';
import { BACKENDS } from './schedule.ts';

/** The size of a sparse file, which takes only the space of its content. */
const MEGABYTES = 2_048;
const BYTES_IN_A_MEGABYTE = 1024 * 1024;
/** A killed process keeps its files open until the kernel has freed its memory. */
const UNMOUNT_LIMIT_MS = 20_000;
const UNMOUNT_POLL_MS = 10;

/**
 * Shuts a file system down as file system tests do: EXT4_IOC_SHUTDOWN with
 * EXT4_GOING_FLAGS_NOLOGFLUSH, after which nothing reaches the disk, not even the journal. Node has
 * no ioctl. The number is valid on x86 and ARM.
 */
const SHUT_DOWN = `
my ($folder) = @ARGV;
open(my $disk, '<', $folder) or die "$folder: $!";
my $flags = pack('L', 2);
ioctl($disk, 0x8004587d, $flags) or die "$folder: $!";`;

export interface PowerDisk {
  /**
   * Cuts the power, calls `kill`, which must end every program with files on the disk, and mounts
   * the disk again, which replays its journal. Then it makes the repairs of a launcher's start,
   * because no launcher survives a power cut.
   *
   * It blocks the event loop of this process until the disk is mounted. The launcher runs in this
   * process and restarts programs from that loop, so none can start meanwhile. While the disk is
   * unmounted the backends' folders are dangling links, in which no program can create files.
   */
  cut(kill: () => void): void;
  /** Unmounts the disk and deletes its content. */
  clear(): void;
}

/** Mounts a disk for all backends, none of which may run, or returns why this machine cannot. */
export function mountPowerDisk(dataDir: string): PowerDisk | UnsupportedFault {
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
      repairAfterPowerCut(dataDir);
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

/** Waits without running the event loop. */
function wait(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, forMs);
}
