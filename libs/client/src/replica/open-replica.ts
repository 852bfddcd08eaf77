// Opens a replica of the graph: the way in for programs and pages.
import type { PatienceOptions } from '../patience.ts';
import { createPatience } from '../patience.ts';
import { credentialsHash } from '../reader.ts';
import { openSession } from '../session.ts';
import { type Credentials, socketTo } from '../socket.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import type { Replica, ReplicaBounds } from './contract.ts';
import { startReplica } from './replica.ts';

export type ReplicaOptions = Credentials &
  PatienceOptions &
  ReplicaBounds & {
    /** The service's base URL. */
    url: string;
    /** Where the replica outlasts the program; it is kept in memory alone if not given. One replica at a time may use a storage. */
    storage?: ReplicaStorage;
  };

/** Codes with which the service tells a reader that there is nothing here for them. */
const FINAL = /^(unauthorized|forbidden|not_found)(\.|$)/;

/**
 * Opens a replica. It resolves once the storage is read, with what is in it, and connects in the background: `state` tells. Rejects with the
 * storage's error.
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, token, publicToken, storage = memoryStorage() } = options;
  const credentials = token === undefined ? { publicToken } : { token };
  // Before the socket is opened, which nobody would close if this failed.
  const hash = await credentialsHash(credentials);
  const session = openSession(socketTo(url, credentials), createPatience(options), ({ code }) => FINAL.test(code));
  return startReplica(session, storage, hash, options);
}
