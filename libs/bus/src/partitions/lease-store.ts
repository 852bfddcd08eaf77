// Leases and heartbeats in a NATS KV bucket: opens, writes and watches it.
import { JetStreamApiCodes, JetStreamApiError, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { Bus } from '../nats/connect.ts';
import { LEASE_BUCKET } from '../nats/subjects.ts';
import type { Heartbeat } from './lease-view.ts';

const WRITE_LIMIT_MS = 2_000;
const STREAM = `KV_${LEASE_BUCKET}`;

/** One change in the bucket. */
export type LeaseChange =
  | { kind: 'lease'; partition: number; worker: string | null; revision: number }
  | { kind: 'heartbeat'; worker: string; heartbeat: Heartbeat | null; revision: number };

export interface LeaseStore {
  /**
   * Whether writes survive the loss of any one server, even if it returns: the bucket has several
   * replicas in files.
   */
  readonly lasting: boolean;
  /**
   * Writes a worker's name, or null, into a lease if its revision still matches (0: no key).
   * Returns the new revision, or null if another write was first.
   */
  writeLease(partition: number, worker: string | null, revision: number): Promise<number | null>;
  writeHeartbeat(worker: string, heartbeat: Heartbeat): Promise<number>;
  /**
   * Deletes a heartbeat, which announces that the worker left, unless another process has written
   * it since.
   */
  deleteHeartbeat(worker: string, revision: number): Promise<void>;
  /** Removes the keys of a worker that left long ago, to bound the bucket's size. */
  forget(worker: string): Promise<void>;
  /**
   * Delivers the current state key by key, then every change, until `close`. Rejects if the watch
   * fails.
   */
  watch(): Promise<{ changes: AsyncIterable<LeaseChange>; close(): void }>;
}

/**
 * Opens the bucket, or creates it. `replicas` is 1, 3 or 5, each on its own server.
 *
 * One replica lives in memory: leases are useless without their workers, and a slow disk would look
 * like the death of all. After a restart of NATS the workers write the leases again.
 *
 * Several replicas live in files, without waiting for the disk. A server that returned with an
 * empty memory could elect a leader that lacks a lease, and the lease would be lost.
 *
 * Only the watch reads, and only a write decides a lease, which a majority confirms. So only the
 * leader may answer: `allow_direct` would let a server answer that lacks a recent write.
 */
export async function openLeaseStore(bus: Bus, replicas: number): Promise<LeaseStore> {
  const kv = await new Kvm(jetstream(bus.connection, { timeout: WRITE_LIMIT_MS })).create(LEASE_BUCKET, {
    replicas,
    storage: replicas > 1 ? StorageType.File : StorageType.Memory,
    allow_direct: false,
  });
  const lasting = await raiseReplicas(bus, replicas);
  return {
    lasting,
    async writeLease(partition, worker, revision) {
      const options = { previousSeq: revision, timeout: WRITE_LIMIT_MS };
      try {
        return await kv.put(`partition.${partition}`, JSON.stringify({ worker }), options);
      } catch (error) {
        if (isTooLate(error)) return null;
        throw error;
      }
    },
    writeHeartbeat: (worker, heartbeat) =>
      kv.put(heartbeatKey(worker), JSON.stringify(heartbeat), { timeout: WRITE_LIMIT_MS }),
    async deleteHeartbeat(worker, revision) {
      try {
        await kv.delete(heartbeatKey(worker), { previousSeq: revision });
      } catch (error) {
        if (!isTooLate(error)) throw error;
      }
    },
    async forget(worker) {
      const manager = await jetstreamManager(bus.connection);
      await manager.streams.purge(STREAM, { filter: `$KV.${LEASE_BUCKET}.${heartbeatKey(worker)}` });
    },
    async watch() {
      const entries = await kv.watch();
      return { changes: readChanges(bus, entries), close: () => entries.stop() };
    },
  };
}

/**
 * Raises the bucket's number of replicas and returns whether the bucket is lasting. It never lowers
 * the number: during a roll-out workers of two settings would alternate. If the servers can't
 * provide the replicas, the bucket keeps its current ones.
 */
async function raiseReplicas(bus: Bus, replicas: number): Promise<boolean> {
  const { streams } = await jetstreamManager(bus.connection, { checkAPI: false, timeout: WRITE_LIMIT_MS });
  const { config } = await streams.info(STREAM);
  if (replicas > 1 && isTooOld(bus)) {
    bus.log.warn({ version: bus.connection.info?.version }, 'several replicas of the leases need NATS 2.11 or newer');
  }
  const inFiles = config.storage === StorageType.File;
  if (config.num_replicas >= replicas) return inFiles && config.num_replicas > 1;
  try {
    await streams.update(STREAM, { num_replicas: replicas });
    bus.log.info({ replicas }, 'the bucket of leases has more replicas now');
    return inFiles;
  } catch (error) {
    bus.log.warn(
      { error, replicas, copies: config.num_replicas },
      'the bucket of leases could not be given more copies',
    );
    return inFiles && config.num_replicas > 1;
  }
}

/**
 * After a kill, servers of 2.9 can disagree about the number of a bucket's entries; hand-overs of
 * leases then fail.
 */
function isTooOld(bus: Bus): boolean {
  const [major = 0, minor = 0] = (bus.connection.info?.version ?? '').split('.').map(Number);
  return major < 2 || (major === 2 && minor < 11);
}

/** Ids may contain any character but keys may not, so the key holds base64url. */
function heartbeatKey(worker: string): string {
  return `worker.${Buffer.from(worker).toString('base64url')}`;
}

function isTooLate(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === JetStreamApiCodes.StreamWrongLastSequence ||
      error.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown)
  );
}

async function* readChanges(bus: Bus, entries: AsyncIterable<KvWatchEntry>): AsyncIterable<LeaseChange> {
  for await (const entry of entries) {
    try {
      const change = changeOf(entry);
      if (change !== null) yield change;
    } catch (error) {
      bus.log.warn({ error, key: entry.key }, 'an entry of the lease bucket is invalid');
    }
  }
}

function changeOf(entry: KvWatchEntry): LeaseChange | null {
  const [kind, name = ''] = entry.key.split('.');
  const { revision } = entry;
  const content = entry.operation === 'PUT' ? entry.json<unknown>() : null;
  if (kind === 'worker') {
    const worker = Buffer.from(name, 'base64url').toString();
    return { kind: 'heartbeat', worker, heartbeat: content as Heartbeat | null, revision };
  }
  if (kind !== 'partition') return null;
  const worker = (content as { worker?: unknown } | null)?.worker;
  return { kind: 'lease', partition: Number(name), worker: typeof worker === 'string' ? worker : null, revision };
}
