// A data folder belongs to one launcher at a time. Its `stack.json` names that launcher, and
// contains the addresses of the running stack.
import { existsSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { LauncherError } from '../errors.ts';
import { startGuardian } from '../processes/guardian.ts';
import { endProcess, identityOf, isRunning, type ProcessIdentity } from '../processes/process-identity.ts';
import type { Report } from '../progress.ts';
import { linkOnce, readJson, writePrivateJson } from './private-files.ts';
import { removeStaleLock } from './stale-lock.ts';

/**
 * The content of `stack.json` while the stack runs. Other programs read `port` and `environment`.
 */
export interface StackFile {
  readonly pid: number;
  readonly startMark: string;
  readonly port: number | null;
  readonly environment: Readonly<Record<string, string>>;
  /** The child processes, so that the next start can end the ones that a killed launcher left. */
  readonly processes: Readonly<Record<string, ProcessIdentity>>;
}

export interface DataDirectory {
  readonly path: string;
  /** Publishes the port and the environment of the running stack. */
  publish(port: number | null, environment: Readonly<Record<string, string>>): void;
  recordProcess(name: string, pid: number | undefined): void;
  release(): void;
}

const LEAST_FREE_BYTES = 1024 ** 3;
const LEFTOVER_TIMEOUT_MS = 20_000;
const CLAIM_ATTEMPTS = 3;

/**
 * Takes the folder, or fails with the name of its holder. Ends the processes that a killed launcher
 * left in it.
 */
export async function claimDataDirectory(path: string, report: Report): Promise<DataDirectory> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  requireFreeSpace(path);
  const own = identityOf(process.pid);
  if (own === undefined) throw new Error('this process has no identity');
  let file: StackFile = { ...own, port: null, environment: {}, processes: {} };
  await claim(path, file, report);
  const guardian = startGuardian();
  const write = (change: Partial<StackFile>) => {
    file = { ...file, ...change };
    if (existsSync(path)) writePrivateJson(stackPath(path), file);
  };
  return {
    path,
    publish: (port, environment) => write({ port, environment }),
    recordProcess(name, pid) {
      const { [name]: _gone, ...others } = file.processes;
      const identity = pid === undefined ? undefined : identityOf(pid);
      const processes = identity === undefined ? others : { ...others, [name]: identity };
      guardian.watch(Object.values(processes).map((running) => running.pid));
      try {
        write({ processes });
      } catch (error) {
        // A full disk must not stop the supervision of running processes.
        report.line(`could not note ${name} in ${stackPath(path)}: ${error instanceof Error ? error.message : error}`);
      }
    },
    release() {
      guardian.release();
      rmSync(stackPath(path), { force: true });
    },
  };
}

async function claim(path: string, file: StackFile, report: Report): Promise<void> {
  const wanted = join(path, `stack.${file.pid}.json`);
  writePrivateJson(wanted, file);
  try {
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
      if (linkOnce(wanted, stackPath(path))) return;
      await clearLeftovers(path, wanted, report);
    }
  } finally {
    rmSync(wanted, { force: true });
  }
  throw new LauncherError(`another launcher is claiming ${path}`, 'Wait a moment and start again.');
}

async function clearLeftovers(path: string, wanted: string, report: Report): Promise<void> {
  const old = readJson<StackFile>(stackPath(path));
  if (old === undefined) return;
  if (isRunning(old)) {
    throw new LauncherError(
      `${path} is in use by the stack of process ${old.pid}`,
      `Stop that one (kill ${old.pid}), or start another beside it with its own DATA_DIR and PORT.`,
    );
  }
  for (const [name, identity] of Object.entries(old.processes)) {
    if (!isRunning(identity)) continue;
    report.line(`stopping ${name} (pid ${identity.pid}), left behind by an earlier start`);
    await endProcess(identity, LEFTOVER_TIMEOUT_MS);
  }
  removeStaleLock(stackPath(path), old, wanted);
}

function requireFreeSpace(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize >= LEAST_FREE_BYTES) return;
  const megabytes = Math.floor((bavail * bsize) / 1024 ** 2);
  throw new LauncherError(
    `only ${megabytes} MB are free on the disk of ${path}, and at least 1024 are needed`,
    'Free some space, or set DATA_DIR to a folder on another disk.',
  );
}

function stackPath(path: string): string {
  return join(path, 'stack.json');
}
