// The hits of a search in a replica as a store for React. Rule: FIND9.
import { TaskgraphError } from '../error.ts';
import type { Entity } from '../merge-diff.ts';
import type { Replica } from '../replica/contract.ts';
import type { NodeSearch } from '../replica/search-check.ts';
import { createWatchedStore, type WatchedStore } from './watched-store.ts';

/** Reading and subscribing throw a TaskgraphError if the search is invalid. */
export function findStoreOf(
  replica: Pick<Replica, 'find' | 'watchFind' | 'snapshot'>,
  search: NodeSearch,
): WatchedStore<readonly Entity[]> {
  return createWatchedStore<readonly Entity[]>({
    revision: () => replica.snapshot().revision,
    compute: () => hitsNow(replica, search),
    watch: (listener) => replica.watchFind(search, listener),
  });
}

function hitsNow(replica: Pick<Replica, 'find'>, search: NodeSearch): Entity[] | undefined {
  try {
    return replica.find(search);
  } catch (error) {
    if (error instanceof TaskgraphError && error.code === 'not_found') return undefined;
    throw error;
  }
}
