// The connections that a command of an administrator begins with.
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

/** Reads the settings, which are those of the running stack unless others are given, and opens their database. Throws where one is wrong. */
export function connect(environment: NodeJS.ProcessEnv = stackEnvironment()): Connection {
  const config = readConfig(configuration, environment);
  return { config, database: openDatabase(neo4jOptions(config)) };
}
