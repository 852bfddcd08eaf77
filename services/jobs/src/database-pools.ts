// The connections of a jobs service to Neo4j: two pools, so that ends of access and maintenance never
// wait behind webhooks.
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { type Neo4jSettings, neo4jOptions } from '@taskgraph/runtime/service/backends';

/** Runs need a connection for a few milliseconds of each attempt, and their sweep needs one. */
const WEBHOOK_CONNECTIONS = 16;

interface Pools {
  readonly database: Database;
  /** For the runs of webhooks and their sweep. */
  readonly webhookDatabase: Database;
  close(): Promise<void>;
}

/** Opens the pools. Connections are made when they are first used. */
export function openPools(settings: Neo4jSettings): Pools {
  const database = openDatabase(neo4jOptions(settings));
  const webhookDatabase = openDatabase({ ...neo4jOptions(settings), poolSize: WEBHOOK_CONNECTIONS });
  return {
    database,
    webhookDatabase,
    async close() {
      await Promise.all([database.close(), webhookDatabase.close()]);
    },
  };
}
