// Opens the connections of an administration command.
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { neo4jOptions } from '@taskgraph/runtime/service/backends';
import { type ConfigOf, readConfig } from '@taskgraph/runtime/service/config';
import { configuration } from './configuration.ts';
import { stackEnvironment } from './stack-environment.ts';

interface Connection {
  readonly config: ConfigOf<typeof configuration>;
  /** The caller closes it. */
  readonly database: Database;
}

/**
 * Reads the settings, by default those of the running stack, and opens their database. Throws if a
 * setting is invalid.
 */
export function connect(environment: NodeJS.ProcessEnv = stackEnvironment()): Connection {
  const config = readConfig(configuration, environment);
  return { config, database: openDatabase(neo4jOptions(config)) };
}
