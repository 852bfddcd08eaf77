// A thread of the worker for large commands: to read, decide and write 20,000 nodes keeps a
// processor for hundreds of milliseconds at a time, in which the worker's other commands would
// stand still.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { packSlices } from '@taskgraph/bus/events/slices';
import { encodeReply, type Reply } from '@taskgraph/bus/requests/reply-encoding';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { isRefusal, refusalReply } from '@taskgraph/wire/errors';
import type { CommandMessage } from '@taskgraph/wire/messages';
import { isSystem } from '@taskgraph/wire/system';
import { storesNothing } from '../attempt-registry.ts';
import { createGraphCache } from '../cache/graph-cache.ts';
import { commandOf } from '../command-handler.ts';
import { createCommitter } from '../committer.ts';
import { groupModes } from '../group-modes.ts';
import { jobOf } from '../job.ts';
import { createOwnerCache } from '../owner-cache.ts';
import type { FromThread, LargeSettings, ToThread } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('this is a thread of the worker, and nothing by itself');
/** One for the command, one for planning. */
const CONNECTIONS = 2;

/**
 * Large commands can wait for a processor; others can't. Elsewhere than on Linux a priority would
 * be the whole process's.
 */
const PRIORITY = 10;
if (process.platform === 'linux') setPriority(PRIORITY);

const { neo4j, entities, name, logLevel } = workerData as LargeSettings;
const log = createLog({ name, level: logLevel });
const database = openDatabase({ ...neo4j, poolSize: CONNECTIONS });
const tell = (message: FromThread, moved: Uint8Array[] = []) =>
  port.postMessage(
    message,
    moved.map(({ buffer }) => buffer as ArrayBuffer),
  );
/** Texts of Node's pool share their memory, which can't be moved to another thread. */
const ownMemory = (content: Uint8Array) => Uint8Array.from(content);

/** Only the worker knows its leases: it is asked before each commit. */
let isLeaseHeld = true;
let heard: () => void = () => undefined;
const confirm = () =>
  new Promise<void>((resolve) => {
    heard = resolve;
    tell({ kind: 'asked' });
  });

let clockAheadMs = 0;
const nowMs = () => Date.now() - clockAheadMs;

const committer = createCommitter(
  {
    database,
    owners: createOwnerCache(),
    // Large commands are rare, and what they load is large: nothing of it is remembered.
    graphCache: createGraphCache(0),
    newId: createIdFactory({ nowMs }),
    nowMs,
    newToken: newPublicToken,
    confirm,
    publish(slices, control, expirations) {
      const packed = packSlices(slices).map(ownMemory);
      tell({ kind: 'published', slices: packed, count: slices.length, control, expirations }, packed);
    },
    onUnpublished: (error) => tell({ kind: 'unpublished', error }),
    onFailure: (failure) => tell({ kind: 'failed', failure }),
    onLate: () => tell({ kind: 'late' }),
    onAhead: (aheadMs) => tell({ kind: 'ahead', aheadMs }),
  },
  groupModes(entities),
  log,
);

async function commit(message: CommandMessage): Promise<void> {
  // The worker has judged who speaks: nobody else comes here as the system.
  const sender = isSystem(message.actor) ? 'system' : 'users';
  isLeaseHeld = true;
  const answer = (reply: Reply) => {
    if (storesNothing(reply)) return tell({ kind: 'refused', reply });
    const encoded = ownMemory(('encoded' in reply ? reply : encodeReply(log, reply)).encoded);
    tell({ kind: 'answered', encoded }, [encoded]);
  };
  const job = jobOf(message, commandOf(message, sender), answer, () => isLeaseHeld);
  if (isRefusal(job)) answer(refusalReply(job));
  else await committer.commitLarge(job);
  tell({ kind: 'done' });
}

port.on('message', (message: ToThread) => {
  if (message === null) {
    database.close().finally(() => port.close());
    return;
  }
  if ('isLeaseHeld' in message) {
    isLeaseHeld = message.isLeaseHeld;
    heard();
    return;
  }
  clockAheadMs = message.clockAheadMs;
  void commit(message.message);
});
