// Leases and heartbeats in a NATS KV bucket: opens it, writes to it, and follows its changes.
import { JetStreamApiCodes, JetStreamApiError, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm, type KvWatchEntry } from '@nats-io/kv';
import type { Bus } from '../nats/connect.ts';
import { LEASE_BUCKET } from '../nats/subjects.ts';
import type { Heartbeat } from './lease-view.ts';

const WRITE_LIMIT_MS = 2_000;
const STREAM = `KV_${LEASE_BUCKET}`;

/** One change in the bucket. */
export type LeaseNews =
  | { kind: 'lease'; partition: number; worker: string | null; revision: number }
  | { kind: 'heartbeat'; worker: string; heartbeat: Heartbeat | null; revision: number };

export interface LeaseStore {
  /** Whether what was written survives the loss of any one server, also of one that comes back: it has several copies, in files. */
  readonly lasting: boolean;
  /** Writes a worker's name, or null, into a lease if its revision is still the one given (0: no key). Gives the new one; null: too late. */
  writeLease(partition: number, worker: string | null, revision: number): Promise<number | null>;
  writeHeartbeat(worker: string, heartbeat: Heartbeat): Promise<number>;
  /** Deletes a heartbeat, which tells all that the worker has left; not if another process wrote it meanwhile. */
  deleteHeartbeat(worker: string, revision: number): Promise<void>;
  /** Removes what is left of a worker that has been gone for long, so that the bucket does not grow. */
  forget(worker: string): Promise<void>;
  /** Brings the present state, key by key, then every change, until `close`. Rejects where the watch can't be had. */
  watch(): Promise<{ news: AsyncIterable<LeaseNews>; close(): void }>;
}

/**
 * Opens the bucket, and makes it where it is missing. replicas: 1, 3 or 5, each on a server of its own.
 *
 * One copy lives in memory, because it says nothing of use once its workers are gone, and a slow disk would look like the death of all; after a
 * restart of NATS the workers write it anew. Several live in files, which nobody waits for the disk to take: a server that came back with an empty
 * memory could vote for another one that lacks a lease, and the lease would be gone.
 *
 * Nothing is read but by the watch, and no lease decided but by a write, which the majority agrees to. So no server but the leader need answer, and
 * none may: `allow_direct` would let one do so that has not heard of a write yet.
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
      return { news: readNews(bus, entries), close: () => entries.stop() };
    },
  };
}

/**
 * Gives a bucket that was made with fewer copies more of them, and says whether it is lasting now. It is never given fewer: while workers are rolled
 * out, those of two settings would change it to and fro. Where the servers can't have as many now, it goes on with what it has.
 */
async function raiseReplicas(bus: Bus, replicas: number): Promise<boolean> {
  const { streams } = await jetstreamManager(bus.connection, { checkAPI: false, timeout: WRITE_LIMIT_MS });
  const { config } = await streams.info(STREAM);
  if (replicas > 1 && isOld(bus)) {
    bus.log.warn(
      { version: bus.connection.info?.version },
      'NATS is too old for several copies of the leases: 2.11 is needed',
    );
  }
  const inFiles = config.storage === StorageType.File;
  if (config.num_replicas >= replicas) return inFiles && config.num_replicas > 1;
  try {
    await streams.update(STREAM, { num_replicas: replicas });
    bus.log.info({ replicas }, 'the bucket of leases has more copies now');
    return inFiles;
  } catch (error) {
    bus.log.warn(
      { error, replicas, copies: config.num_replicas },
      'the bucket of leases could not be given more copies',
    );
    return inFiles && config.num_replicas > 1;
  }
}

/** Servers of 2.9 come to count the entries of a bucket apart after one was killed; then leases can't be handed over any more. */
function isOld(bus: Bus): boolean {
  const [major = 0, minor = 0] = (bus.connection.info?.version ?? '').split('.').map(Number);
  return major < 2 || (major === 2 && minor < 11);
}

/** Ids may hold any letter, keys not: so the id is written in the alphabet of base64url. */
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

async function* readNews(bus: Bus, entries: AsyncIterable<KvWatchEntry>): AsyncIterable<LeaseNews> {
  for await (const entry of entries) {
    try {
      const news = newsOf(entry);
      if (news !== null) yield news;
    } catch (error) {
      bus.log.warn({ error, key: entry.key }, 'an entry of the lease bucket is broken');
    }
  }
}

function newsOf(entry: KvWatchEntry): LeaseNews | null {
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
