// All kinds of load. A new kind without an entry here does not compile.
import type { ReadItem, ReadKind } from '@taskgraph/domain/state/read-set';
import {
  access,
  below,
  copiesOf,
  feeds,
  grants,
  grantsOn,
  grantsTo,
  linkAccess,
  members,
  neighbours,
  readers,
} from './access-loads.ts';
import {
  activeOn,
  between,
  blockersOf,
  closuresOf,
  links,
  linksBy,
  linksOn,
  nodes,
  paths,
  returningOn,
  sourcesOf,
  targetsOf,
} from './graph-loads.ts';
import { batches, batchHeads, deleted, laterThan } from './history-loads.ts';
import { keys } from './idempotency-keys.ts';
import type { Loader } from './loader.ts';

/** Locking also reads the principals (lock.ts). */
type ReadSetLoaders = { readonly [K in Exclude<ReadKind, 'principals'>]: Loader<ReadItem<K>> };

/** In the order in which results enter the world. */
export const LOADERS = {
  keys,
  nodes,
  links,
  linksOn,
  activeOn,
  returningOn,
  between,
  targetsOf,
  sourcesOf,
  blockersOf,
  closuresOf,
  paths,
  members,
  neighbours,
  below,
  feeds,
  grants,
  access,
  linkAccess,
  linksBy,
  grantsOn,
  copiesOf,
  grantsTo,
  readers,
  batches,
  batchHeads,
  deleted,
  laterThan,
} as const satisfies ReadSetLoaders & { readonly keys: Loader<string> };

export type LoadKind = keyof typeof LOADERS;
export const LOAD_KINDS = Object.keys(LOADERS) as LoadKind[];
