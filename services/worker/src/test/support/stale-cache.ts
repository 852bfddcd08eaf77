// Compares a worker's cache with a fresh load.
import { emptyWorld, pairKey, type World } from '@taskgraph/domain/state/world';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { branchFeed, nodeFeed } from '@taskgraph/wire/feeds';
import type { GraphCache } from '../../commit/cache/graph-cache.ts';
import { findUnwritten } from './stored-rows.ts';

const ON_NODES = [
  'nodes' as const,
  'degrees' as const,
  'linksOn' as const,
  'activeOn' as const,
  'primaryFrom' as const,
  'primaryInto' as const,
  'members' as const,
  'neighbours' as const,
] satisfies (keyof World)[];

interface Entities {
  readonly nodes: readonly { readonly id: string }[];
  readonly links: readonly { readonly id: string; readonly source: string; readonly target: string }[];
}

/**
 * One line for each cached entity that differs from the stored one although its owner's revision
 * matches, and the number of compared entities.
 */
export async function findStale(
  database: Database,
  graphCache: GraphCache,
  { nodes, links }: Entities,
): Promise<{ stale: string[]; compared: number }> {
  const rows = await database.read('MATCH (u:User) RETURN u.id AS id, u.rev AS rev, u.lastTs AS lastTs', {});
  const revisions = new Map(rows.map(({ id, rev, lastTs }) => [id as string, `${rev} ${lastTs}`]));
  const keys: [keyof World, string][] = [
    ...nodes.flatMap(({ id }) => ON_NODES.map((name): [keyof World, string] => [name, id])),
    ...nodes.flatMap(({ id }) => [branchFeed(id), nodeFeed(id)].map((feed): [keyof World, string] => ['feeds', feed])),
    ...links.map(({ id }): [keyof World, string] => ['links', id]),
    ...links.map(({ source, target }): [keyof World, string] => ['between', pairKey(source, target)]),
  ];
  const remembered = emptyWorld();
  let compared = 0;
  for (const [name, key] of keys) {
    const { world, used, users } = graphCache.openWorld();
    const value = world[name].get(key);
    if (value === undefined) continue;
    const standing = [...(users(used)?.values() ?? [])];
    if (!standing.every(({ id, rev, lastTs }) => revisions.get(id) === `${rev} ${lastTs}`)) continue;
    (remembered[name] as Map<string, unknown>).set(key, value);
    compared++;
  }
  return { stale: await findUnwritten(database, { before: emptyWorld(), after: remembered }), compared };
}
