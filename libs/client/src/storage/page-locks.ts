// The pages of one browser that share a storage, by Web Locks. The browser releases the locks of a
// page when it ends, however it ends.
//
// 1. One page at a time is the writer of the graph. When it ends, another one takes over.
// 2. Each page holds a lock of its own. Whoever gets it afterwards takes over its commands: exactly
//    one of the other pages.
// 3. All pages share one lock while they have the storage open. A page that gets it for itself is the
//    only one, and keeps others from opening the storage meanwhile.

import { randomKey } from '../random-key.ts';

/** The part of Web Locks that is used. A browser's `navigator.locks` implements it. */
export interface Locks {
  request(
    name: string,
    options: { readonly mode?: 'shared'; readonly ifAvailable?: boolean; readonly signal?: unknown },
    callback: (lock: unknown) => Promise<void> | undefined,
  ): Promise<unknown>;
}

/** The part of BroadcastChannel that is used. */
export interface Channel {
  onmessage: ((event: never) => unknown) | null;
  postMessage(message: unknown): void;
  close(): void;
}

export interface PageLocks {
  readonly page: string;
  isWriter(): boolean;
  /** Whether the commands of a page are this page's: its own, and those that it has taken over. */
  isOwn(page: string): boolean;
  /** Gets the lock of a page if it has ended. */
  claim(page: string): Promise<boolean>;
  /** The same once the page ends: calls `ended`. */
  awaitEnd(page: string): void;
  /** Lets the other pages wait for the end of this one, since it has commands. */
  announce(): void;
  /** Resolves when all locks of this page are free. */
  stop(): Promise<void>;
}

interface PageLocksDependencies {
  readonly name: string;
  readonly locks: Locks;
  readonly openChannel: (name: string) => Channel;
  /** This page became the writer later than at its start. */
  readonly promoted: () => void;
  /** Another page ended, and its lock is this page's. */
  readonly ended: (page: string) => void;
}

/** Resolves once this page has its own lock, and it is known whether it is the writer. */
export async function openPageLocks(dependencies: PageLocksDependencies): Promise<PageLocks> {
  const { name, locks, openChannel, promoted, ended } = dependencies;
  const page: string = randomKey();
  const stopped = new AbortController();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [awaited, claimed] = [new Set([page]), new Set([page])];
  let isWriter = false;
  /** Each ends when its lock is free again. */
  const requests: Promise<unknown>[] = [];

  /** Resolves with whether the lock was free. It is held until the end. */
  function take(lock: string, options: Parameters<Locks['request']>[1] = { ifAvailable: true }): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const callback = (granted: unknown) => {
        resolve(granted !== null);
        return granted === null ? undefined : released;
      };
      requests.push(locks.request(lock, options, callback).catch(reject));
    });
  }

  /** Waits for the lock, and then holds it until the end. */
  function queue(lock: string, granted: () => void): void {
    const callback = () => {
      if (!stopped.signal.aborted) granted();
      return released;
    };
    // Rejects only if it is aborted.
    requests.push(locks.request(lock, { signal: stopped.signal }, callback).catch(() => undefined));
  }

  const lockOf = (of: string) => `${name}.page.${of}`;
  const awaitEnd = (other: string) => {
    if (awaited.has(other) || claimed.has(other)) return;
    awaited.add(other);
    queue(lockOf(other), () => {
      claimed.add(other);
      ended(other);
    });
  };
  await take(sharedLockOf(name), { mode: 'shared' });
  await take(lockOf(page));
  isWriter = await take(`${name}.writer`);
  if (!isWriter)
    queue(`${name}.writer`, () => {
      isWriter = true;
      promoted();
    });
  const channel = openChannel(name);
  channel.onmessage = ({ data }: { readonly data: unknown }) => awaitEnd(String(data));
  return {
    page,
    isWriter: () => isWriter,
    isOwn: (of) => claimed.has(of),
    async claim(other) {
      if (claimed.has(other)) return true;
      if (awaited.has(other) || !(await take(lockOf(other)))) return false;
      claimed.add(other);
      return true;
    },
    awaitEnd,
    announce() {
      // The channel is closed then, and the others hear of the end by the locks.
      if (stopped.signal.aborted) return;
      // Each time: a page that was opened since does not know.
      channel.postMessage(page);
    },
    async stop() {
      stopped.abort();
      release();
      channel.close();
      await Promise.all(requests);
    },
  };
}

/**
 * Acts unless a page has the storage open, and keeps all pages from opening it meanwhile. Resolves with
 * whether it has acted.
 */
export async function whileUnused(name: string, locks: Locks, act: () => Promise<void>): Promise<boolean> {
  let isUnused = false;
  await locks.request(sharedLockOf(name), { ifAvailable: true }, (granted) => {
    isUnused = granted !== null;
    return isUnused ? act() : undefined;
  });
  return isUnused;
}

function sharedLockOf(name: string): string {
  return `${name}.open`;
}
