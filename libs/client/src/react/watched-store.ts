// A value of a replica as a store for React: the same object until the value changes. Rules: PLAN7,
// FIND9.
import type { Unsubscribe } from '../session.ts';

/** The two functions that `useSyncExternalStore` needs. */
export interface WatchedStore<T> {
  /** The value; undefined while there is none. The same object until it changes. */
  read(): T | undefined;
  /**
   * Calls the listener when `read` returns another object. Returns a function that ends the
   * subscription. Takes one listener at a time.
   */
  subscribe(listener: () => void): Unsubscribe;
}

interface WatchedValue<T> {
  /** The revision of the replica. */
  readonly revision: () => number;
  /** Computes the value; undefined if there is none. */
  readonly compute: () => T | undefined;
  /** Calls the listener whenever the value changes; with null while there is none. */
  readonly watch: (listener: (value: T | null) => void) => Unsubscribe;
}

export function createWatchedStore<T>({ revision, compute, watch }: WatchedValue<T>): WatchedStore<T> {
  let isWatched = false;
  let last: { readonly revision: number; readonly value: T | undefined } | null = null;
  const store = (value: T | undefined) => {
    last = { revision: revision(), value };
    return value;
  };
  const read = () => {
    // A component reads before it subscribes. The revision reveals changes in between.
    const isCurrent = last !== null && (isWatched || last.revision === revision());
    return isCurrent ? last?.value : store(compute());
  };
  return {
    read,
    subscribe(listener) {
      const end = watch((value) => {
        store(value ?? undefined);
        listener();
      });
      // The watcher reports no earlier changes, so read the current value now.
      read();
      isWatched = true;
      return () => {
        isWatched = false;
        end();
      };
    },
  };
}
