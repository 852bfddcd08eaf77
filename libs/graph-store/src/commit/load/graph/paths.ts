// Whether one node leads to another: the closure tells; for a large command, the database searches.
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { pathKey, type World } from '@taskgraph/domain/state/world';
import type { OpenTransaction } from '../../../driver/database.ts';
import type { Loader } from '../loader.ts';

/**
 * In: from, to, without (a link's id or null). Out: path (node ids). Locks: none.
 * Cost: breadth first from both ends, so in proportion to the smaller side.
 */
const FIND_PATH = `
MATCH (a:Node {id: $from}), (b:Node {id: $to})
MATCH p = shortestPath((a)-[:BLOCKS*1..]->(b))
WHERE all(r IN relationships(p) WHERE $without IS NULL OR r.id <> $without)
RETURN [n IN nodes(p) | n.id] AS path`;

/**
 * In: nothing. Out: nothing. Locks: one node for all searches of paths, of which only large commands are in need: they read links of owners
 * that they have not locked, so that two of them could close a cycle together. Cost: constant.
 */
const LOCK_PATHS = `MERGE (lock:Lock {id: 'paths'}) SET lock.lock = true`;

async function findPaths(transaction: OpenTransaction, world: World, paths: readonly ReadItem<'paths'>[]) {
  await transaction.run(LOCK_PATHS, {});
  await Promise.all(
    paths.map(async ({ from, to, without }) => {
      const rows = await transaction.run(FIND_PATH, { from, to, without: without ?? null });
      world.paths.set(pathKey(from, to, without), (rows[0]?.path as string[] | undefined) ?? null);
    }),
  );
}

export const paths: Loader<ReadItem<'paths'>> = {
  implies: (wanted, { large }) => (large ? {} : { closuresOf: wanted.map(({ from }) => from) }),
  missing: (_world, wanted, { large }) => (large ? wanted : []),
  large: findPaths,
};
