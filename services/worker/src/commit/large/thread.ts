// The worker's thread for large commands. To read, decide and write 20,000 nodes blocks an event
// loop for hundreds of milliseconds; on the main loop it would delay all other commands.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { packSlices } from '@taskgraph/bus/events/slices';
import { encodeReply, type Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { ClaimCandidates } from '@taskgraph/commands/define-command';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { isSystem } from '@taskgraph/wire/actor';
import { type CommandMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal } from '@taskgraph/wire/errors';
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

/** Large commands yield the processor to others. Only Linux has priorities for single threads. */
const PRIORITY = 10;
if (process.platform === 'linux') setPriority(PRIORITY);

const { neo4j, entities, historyForm, name, logLevel } = workerData as LargeSettings;
const log = createLog({ name, level: logLevel });
const database = openDatabase({ ...neo4j, poolSize: CONNECTIONS });
const post = (message: FromThread, moved: Uint8Array[] = []) =>
  port.postMessage(
    message,
    moved.map(({ buffer }) => buffer as ArrayBuffer),
  );
/** Small buffers share Node's pool, which can't be transferred to another thread. */
const ownMemory = (content: Uint8Array) => Uint8Array.from(content);

/** Only the worker knows its leases, so the thread asks before each commit. */
let isLeaseHeld = true;
let onLeaseAnswer: () => void = () => undefined;
const confirm = () =>
  new Promise<void>((resolve) => {
    onLeaseAnswer = resolve;
    post({ kind: 'asked' });
  });

let clockAheadMs = 0;
const nowMs = () => Date.now() - clockAheadMs;

const committer = createCommitter(
  {
    database,
    owners: createOwnerCache(),
    // Large commands are rare and load much, so nothing of it is cached.
    graphCache: createGraphCache(0),
    newId: createIdFactory({ nowMs }),
    nowMs,
    historyForm,
    newToken: newPublicToken,
    confirm,
    publish(slices, control, expirations) {
      const packed = packSlices(slices).map(ownMemory);
      post({ kind: 'published', slices: packed, count: slices.length, control, expirations }, packed);
    },
    onUnpublished: (error) => post({ kind: 'unpublished', error }),
    onFailure: (failure) => post({ kind: 'failed', failure }),
    onLate: () => post({ kind: 'late' }),
    onAhead: (aheadMs) => post({ kind: 'ahead', aheadMs }),
  },
  groupModes(entities),
  log,
);

async function commit(message: CommandMessage, candidates: ClaimCandidates | undefined): Promise<void> {
  // The worker has already checked the sender.
  const sender = isSystem(message.actor) ? 'system' : 'users';
  isLeaseHeld = true;
  const answer = (reply: Reply) => {
    if (storesNothing(reply)) return post({ kind: 'refused', reply });
    const encoded = ownMemory(('encoded' in reply ? reply : encodeReply(log, reply)).encoded);
    post({ kind: 'answered', encoded }, [encoded]);
  };
  const job = jobOf(message, commandOf(message, sender), answer, { isLeaseHeld: () => isLeaseHeld });
  if (isRefusal(job)) answer(refusalReply(job));
  else await committer.commitLarge({ ...job, candidates });
  post({ kind: 'done' });
}

port.on('message', (message: ToThread) => {
  if (message === null) {
    database.close().finally(() => port.close());
    return;
  }
  if ('isLeaseHeld' in message) {
    isLeaseHeld = message.isLeaseHeld;
    onLeaseAnswer();
    return;
  }
  clockAheadMs = message.clockAheadMs;
  void commit(message.message, message.candidates);
});
