// The local copy of the graph. Commands update it from the service, or read it offline.
import { copyFile, mkdir, mkdtemp, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openReplica,
  type Replica,
  type ReplicaOptions,
  type ReplicaState,
  storedGraph,
  TaskgraphError,
} from '@taskgraph/client';
import { fileStorage } from '@taskgraph/client/file-storage';
import { CliError } from '../failures.ts';
import type { Graph } from '../graph/graph.ts';
import { graphOf } from '../graph/graph.ts';
import type { Account } from './profiles.ts';

/** A file of the local copy, and its release. */
interface CopyFile {
  readonly path: string;
  release(): Promise<void>;
}

/** One process at a time uses the file. Other processes work on a temporary duplicate. */
async function openCopyFile(folder: string): Promise<CopyFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'replica.log');
  const lock = join(folder, 'replica.lock');
  if (await acquireLock(lock)) return { path, release: () => rm(lock, { force: true }) };
  const temporary = await mkdtemp(join(tmpdir(), 'taskgraph-'));
  const copied = join(temporary, 'replica.log');
  await copyWithTimes(path, copied).catch(ignoreMissing);
  return { path: copied, release: () => rm(temporary, { recursive: true, force: true }) };
}

/** Copies a file with its times, because they are the age of the graph. */
async function copyWithTimes(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

/** Acquires the lock file. The lock of an ended process is removed. */
async function acquireLock(lock: string): Promise<boolean> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const file = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (file !== null) {
      await file.writeFile(String(process.pid));
      await file.close();
      return true;
    }
    if (isRunning(Number(await readFile(lock, 'utf8').catch(() => '')))) return false;
    await rm(lock, { force: true });
  }
  return false;
}

/** A lock file without a process id has just been created. */
function isRunning(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Reads the local copy and its time; null if there is none. */
export async function readLocalCopy({ folder }: Account): Promise<{ graph: Graph; asOf: Date } | null> {
  const file = await openCopyFile(folder);
  try {
    const times = await stat(file.path).catch(ignoreMissing);
    const storage = fileStorage(file.path);
    const stored = storedGraph(await storage.load());
    await storage.close();
    if (stored === null || times === undefined) return null;
    // Loading may repair the file. Its content is not newer for that.
    await utimes(file.path, times.atime, times.mtime);
    return {
      graph: graphOf(
        stored.nodes.map(({ entity }) => entity),
        stored.links,
        stored.meta.username,
      ),
      asOf: times.mtime,
    };
  } finally {
    await file.release();
  }
}

/** Reports the number of nodes received so far. */
export type OnProgress = (nodes: number) => void;

/** A replica that is live, and its release. */
export interface LiveCopy {
  readonly replica: Replica;
  close(): Promise<void>;
}

const SYNC_TIMEOUT_MS = 120_000;
const HEALTH_TIMEOUT_MS = 5_000;

/** Opens the replica and waits until it is live. Throws a TaskgraphError or a CliError. */
export async function openLiveCopy(
  account: Account,
  onProgress: OnProgress,
  rateLimit: Pick<ReplicaOptions, 'onRateLimit'>,
): Promise<LiveCopy> {
  await checkReachable(account.url);
  const file = await openCopyFile(account.folder);
  const { url, token } = account;
  const replica = await openReplica({ url, token, storage: fileStorage(file.path), ...rateLimit }).catch(
    async (error) => {
      await file.release();
      throw error;
    },
  );
  const close = async () => {
    await replica.close();
    await file.release();
  };
  const state = await waitUntilLive(replica, onProgress);
  if (state === 'live') return { replica, close };
  await close();
  if (state === 'signed-out')
    throw new CliError('signedOut', 'The service rejected the token.', 'Sign in: taskgraph login');
  throw new CliError(
    'unreachable',
    'The graph did not arrive in time.',
    'Try again, or read the local copy: --offline',
  );
}

/** Throws if the service is unreachable. The socket alone would retry forever. */
async function checkReachable(url: string): Promise<void> {
  const response = await fetch(new URL('/api/health', url), { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).catch(
    (error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const message = `${url} can't be reached: ${cause}`;
      throw new TaskgraphError({ code: 'client.disconnected', message, traceId: null });
    },
  );
  await response.body?.cancel();
}

/** Resolves with the state `live`, `signed-out`, or `offline` after the timeout. */
function waitUntilLive(replica: Replica, onProgress: OnProgress): Promise<ReplicaState> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('offline'), SYNC_TIMEOUT_MS);
    const unlisten = [
      replica.on('state', ({ state }) => {
        if (state === 'live' || state === 'signed-out') finish(state);
      }),
      replica.subscribe(({ nodes }) => nodes.size, onProgress),
    ];
    function finish(state: ReplicaState) {
      clearTimeout(timer);
      for (const end of unlisten) end();
      resolve(state);
    }
    if (replica.state === 'live' || replica.state === 'signed-out') finish(replica.state);
  });
}
