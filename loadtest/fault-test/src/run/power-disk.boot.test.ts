// A power cut loses exactly the data that was not forced to the disk. Without the privilege to
// mount, the disk must report that.
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writePrivateJson } from '@taskgraph/launcher/data/private-files';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { afterAll, expect, test } from 'vitest';
import { mountPowerDisk } from './power-disk.ts';

/** The bit of CAP_SYS_ADMIN, the privilege to mount. */
const MAY_MOUNT = 1n << 21n;
const PIECE = 'a piece of a log\n'.repeat(1_000);

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-power-'));
const disk = mountPowerDisk(folder);
const data = join(folder, 'neo4j', 'data');
afterAll(() => {
  if ('clear' in disk) disk.clear();
  rmSync(folder, { recursive: true, force: true });
});

test('mounting gives a disk with the privilege, and otherwise the reason', () => {
  if (mayMount()) expect(disk).toHaveProperty('cut');
  else expect(disk).toEqual({ leftOut: expect.stringMatching(/may not|is not/) });
});

test('unforced writes are lost, and forced ones are kept', () => {
  // The test above verifies that this is permitted.
  if ('leftOut' in disk) return;
  const open = (name: string) => openSync(join(data, name), 'w');
  const [written, forced, log] = [open('written'), open('forced'), open('log')];
  for (const file of [written, forced, log]) writeSync(file, PIECE);
  fsyncSync(forced);
  fdatasyncSync(log);
  writeSync(log, PIECE);

  const whileOff: (string | undefined)[] = [];
  disk.cut(() => {
    whileOff.push(
      failureOf(() => fsyncSync(written)),
      failureOf(() => closeSync(open('late'))),
    );
    for (const file of [written, forced, log]) closeSync(file);
  });

  // Nothing reaches a disk without power.
  expect(whileOff).toEqual(['EIO', 'EIO']);
  expect(['written', 'late', 'forced', 'log'].map(contentOf)).toEqual(['', '', PIECE, PIECE]);
  const late = open('late');
  expect(failureOf(() => fsyncSync(late))).toBeUndefined();
  closeSync(late);
});

test('the launcher keeps its files, including the passwords that backends already use', () => {
  if ('leftOut' in disk) return;
  const path = join(data, 'secrets', 'secrets.json');
  for (const password of ['first', 'second']) {
    writePrivateJson(path, { password });
    disk.cut(() => undefined);
    expect(readJson(path)).toEqual({ password });
  }
});

function failureOf(act: () => void): string | undefined {
  try {
    act();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
  return undefined;
}

/** A missing file counts as empty. */
function contentOf(name: string): string {
  const path = join(data, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Whether this machine supports such disks. */
function mayMount(): boolean {
  if (process.platform !== 'linux' || !existsSync('/dev/loop-control')) return false;
  if (['mkfs.ext4', 'perl'].some((name) => findProgram([name]) === undefined)) return false;
  // Backtracks: the kernel prints the name once, at the start of a line.
  const [, capabilities = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (BigInt(`0x${capabilities}`) & MAY_MOUNT) !== 0n;
}
