// The copy of the graph that the command line keeps: brought up to date where the service can be reached, and read as it is elsewhere.
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

/** A kept file, and how to give it back. */
interface Kept {
  readonly path: string;
  release(): Promise<void>;
}

/** One program at a time may have the file: another one works on a copy of its own, which it throws away. */
async function keptFile(folder: string): Promise<Kept> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'replica.log');
  const lock = join(folder, 'replica.lock');
  if (await takeLock(lock)) return { path, release: () => rm(lock, { force: true }) };
  const own = await mkdtemp(join(tmpdir(), 'taskgraph-'));
  const copied = join(own, 'replica.log');
  await copyWithTime(path, copied).catch(unlessMissing);
  return { path: copied, release: () => rm(own, { recursive: true, force: true }) };
}

/** A copy is as old as the file was: its time tells how old the graph is. */
async function copyWithTime(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from);
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

/** The lock of a program that has ended counts no more. */
async function takeLock(lock: string): Promise<boolean> {
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

/** A lock without a number was taken this moment. */
function isRunning(pid: number): boolean {
  if (pid === 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The copy as it lies there, and since when; null where there is none yet. */
export async function readKept({ folder }: Account): Promise<{ graph: Graph; asOf: Date } | null> {
  const kept = await keptFile(folder);
  try {
    const times = await stat(kept.path).catch(unlessMissing);
    const storage = fileStorage(kept.path);
    const stored = storedGraph(await storage.load());
    await storage.close();
    if (stored === null || times === undefined) return null;
    // Loading may have mended the file, which makes its content no newer.
    await utimes(kept.path, times.atime, times.mtime);
    return {
      graph: graphOf(
        stored.nodes.map(({ entity }) => entity),
        stored.links,
      ),
      asOf: times.mtime,
    };
  } finally {
    await kept.release();
  }
}

/** How far it is, for people who wait. */
export type OnProgress = (nodes: number) => void;

/** A replica that is up to date, and how to close it. */
export interface LiveCopy {
  readonly replica: Replica;
  close(): Promise<void>;
}

const CATCHING_UP_LIMIT_MS = 120_000;
const REACHING_LIMIT_MS = 5_000;

/** Opens the replica and waits until it is live. Throws a TaskgraphError or a CliError where that can't be. */
export async function openLive(
  account: Account,
  onProgress: OnProgress,
  patience: Pick<ReplicaOptions, 'onRateLimit'>,
): Promise<LiveCopy> {
  await reach(account.url);
  const kept = await keptFile(account.folder);
  const { url, token } = account;
  const replica = await openReplica({ url, token, storage: fileStorage(kept.path), ...patience }).catch(
    async (error) => {
      await kept.release();
      throw error;
    },
  );
  const close = async () => {
    await replica.close();
    await kept.release();
  };
  const state = await settled(replica, onProgress);
  if (state === 'live') return { replica, close };
  await close();
  if (state === 'signed-out') throw new CliError('signedOut', 'The token is refused.', 'Sign in: taskgraph login');
  throw new CliError('unreachable', 'The graph did not come in time.', 'Try again, or read what is here: --offline');
}

/** Asks the service whether it is there: a socket that nobody answers goes on trying. */
async function reach(url: string): Promise<void> {
  const answered = await fetch(new URL('/api/health', url), { signal: AbortSignal.timeout(REACHING_LIMIT_MS) }).catch(
    (error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const message = `${url} can't be reached: ${cause}`;
      throw new TaskgraphError({ code: 'client.disconnected', message, traceId: null });
    },
  );
  await answered.body?.cancel();
}

function settled(replica: Replica, onProgress: OnProgress): Promise<ReplicaState> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('offline'), CATCHING_UP_LIMIT_MS);
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
