// Opens a replica of the graph, for programs and pages.
import type { RateLimitOptions } from '../rate-limit-wait.ts';
import { createRateLimitWaits } from '../rate-limit-wait.ts';
import { credentialsHash } from '../reader.ts';
import { openSession } from '../session.ts';
import { type Credentials, socketTo } from '../socket.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import type { Replica, ReplicaBounds } from './contract.ts';
import { startReplica } from './replica.ts';

export type ReplicaOptions = Credentials &
  RateLimitOptions &
  ReplicaBounds & {
    /** The service's base URL. */
    url: string;
    /**
     * Stores the replica between runs. Default: memory alone. One replica at a time may use a
     * storage, except for `indexedDbStorage`, which several pages may share.
     */
    storage?: ReplicaStorage;
    /**
     * With `session`: shows the stored graph before the service has named the user. The program must
     * delete the storage when a session ends. Default: false, since a browser's session may be
     * another user's by now.
     */
    showStored?: boolean;
  };

/** Codes of refusals that end the replica. */
const FINAL = /^(unauthorized|forbidden|not_found)(\.|$)/;

/**
 * Opens a replica. Resolves with the stored graph once the storage is read, and connects in the
 * background: see `state`. Rejects with the storage's error.
 */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { url, storage = memoryStorage(), showStored = false } = options;
  // Before the socket is created: a failure here would leave it open.
  const hash = await credentialsHash(options, showStored ? url : null);
  const session = openSession(socketTo(url, options), createRateLimitWaits(options), ({ code }) => FINAL.test(code));
  // The code arrives while the socket connects; a page of a browser loads it as a file of its own.
  const restPage = import('./rest/rest-pages.ts').then(
    (module) => module.createRestPages(session, url, options),
    () => null,
  );
  return startReplica(session, storage, hash, options, restPage);
}
