// The worker's connections to Neo4j: three pools, so that commits, reads and probes never compete
// for connections. The thread for large commands opens its own pool.
import { countStatements } from '@taskgraph/graph-store/driver/counted-statements';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { type Neo4jSettings, neo4jOptions } from '@taskgraph/runtime/service/backends';
import { PARTS_AT_ONCE } from './commit/committer.ts';

/** Most concurrent queries of a read: its own, and those for the reader's rights. */
const STATEMENTS_OF_A_READ = 2;
/** One for the probe and one for the clock. */
const WATCH_CONNECTIONS = 2;
/** For a command that is committed alone, and for planning. */
const OTHER_CONNECTIONS = 2;

interface Settings extends Neo4jSettings {
  readonly COMMIT_CONCURRENCY: number;
  readonly READS_AT_ONCE: number;
}

interface Pools {
  /** For groups: one connection for each concurrent transaction. */
  readonly database: Database;
  /** For reads of clients, and for look-ups and account operations of gateways. */
  readonly readDatabase: Database;
  /** For probes and the clock. */
  readonly watchDatabase: Database;
}

/** Names of the pools, by the purpose of their statements. */
export type Pool = 'commits' | 'reads' | 'watch';

/** Opens the pools. Connections are made when they are first used. */
export function openPools(settings: Settings, onStatement: (pool: Pool) => void): Pools {
  const open = (pool: Pool, poolSize: number) =>
    countStatements(openDatabase({ ...neo4jOptions(settings), poolSize }), () => onStatement(pool));
  return {
    database: open('commits', settings.COMMIT_CONCURRENCY + PARTS_AT_ONCE + OTHER_CONNECTIONS),
    // Pages and look-ups have separate bounds of the same size.
    readDatabase: open('reads', 2 * settings.READS_AT_ONCE * STATEMENTS_OF_A_READ),
    watchDatabase: open('watch', WATCH_CONNECTIONS),
  };
}
