// All kinds of load. A new one is a file below this folder and a line here; without it, nothing compiles.
import type { ReadItem, ReadKind } from '@taskgraph/domain/state/read-set';
import { access } from './access/access.ts';
import { below } from './access/below.ts';
import { copiesOf } from './access/copies-of.ts';
import { feeds } from './access/feeds.ts';
import { grants } from './access/grants.ts';
import { grantsOn } from './access/grants-on.ts';
import { grantsTo } from './access/grants-to.ts';
import { linkAccess } from './access/link-access.ts';
import { members } from './access/members.ts';
import { neighbours } from './access/neighbours.ts';
import { readers } from './access/readers.ts';
import { activeOn } from './graph/active-on.ts';
import { between } from './graph/between.ts';
import { blockersOf } from './graph/blockers-of.ts';
import { closuresOf } from './graph/closures-of.ts';
import { links } from './graph/links.ts';
import { linksBy } from './graph/links-by.ts';
import { linksOn } from './graph/links-on.ts';
import { nodes } from './graph/nodes.ts';
import { paths } from './graph/paths.ts';
import { returningOn } from './graph/returning-on.ts';
import { sourcesOf } from './graph/sources-of.ts';
import { targetsOf } from './graph/targets-of.ts';
import { batchHeads } from './history/batch-heads.ts';
import { batches } from './history/batches.ts';
import { deleted } from './history/deleted.ts';
import { keys } from './history/keys.ts';
import { laterThan } from './history/later-than.ts';
import type { Loader } from './loader.ts';

/** Principals are read as they are locked (lock.ts). */
type ReadSetLoaders = { readonly [K in Exclude<ReadKind, 'principals'>]: Loader<ReadItem<K>> };

/** In the order in which what they found is put into the world. */
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
