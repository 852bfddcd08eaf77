// The database of a test run.
import neo4j, { type Driver } from 'neo4j-driver';
import { type Database, type DatabaseOptions, type OpenTransaction, openDatabase } from '../../driver/database.ts';
import { migrate } from '../../migration/migrations.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The connection settings from these variables; by default those of the test run. */
export function testDatabaseOptions(variables: Variables = process.env): DatabaseOptions {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = variables;
  return { url, user, password };
}

/** Opens the database, migrated. */
export async function openTestDatabase(variables?: Variables): Promise<Database> {
  const database = openDatabase(testDatabaseOptions(variables));
  await migrate(database, () => undefined);
  return database;
}

/** The plain driver of the same database, for tests beyond the store, such as plans. */
export function openTestDriver(variables?: Variables): Driver {
  const { url, user, password } = testDatabaseOptions(variables);
  return neo4j.driver(url, neo4j.auth.basic(user, password));
}

/** Wraps a database and counts its reads' store hits, statements and characters. */
export function profiled(database: Database) {
  const counts = { hits: 0, statements: 0, characters: 0 };
  const read: Database['read'] = async (cypher, parameters) => {
    const driver = openTestDriver();
    const { summary } = await driver.executeQuery(`PROFILE ${cypher}`, parameters);
    await driver.close();
    counts.hits += hitsOf(summary.profile as never);
    const rows = await database.read(cypher, parameters);
    counts.statements++;
    counts.characters += JSON.stringify(rows).length;
    return rows;
  };
  return { database: { ...database, read }, counts };
}

interface Profile {
  readonly dbHits: number;
  readonly children: readonly Profile[];
}

function hitsOf({ dbHits, children }: Profile): number {
  return children.reduce((sum, each) => sum + hitsOf(each), Number(dbHits));
}

/**
 * Wraps a database and counts the statements of its transactions and their characters: all of them,
 * and those under the usual time limit, as for groups but not large commands.
 */
export function metered(database: Database) {
  const counts = { statements: 0, characters: 0, together: 0 };
  const begin: Database['begin'] = (timeoutMs) => {
    const transaction = database.begin(timeoutMs);
    const run: OpenTransaction['run'] = async (...statement) => {
      const rows = await transaction.run(...statement);
      counts.statements++;
      const { length } = JSON.stringify(rows);
      counts.characters += length;
      if (timeoutMs === undefined) counts.together += length;
      return rows;
    };
    return { ...transaction, run };
  };
  return { database: { ...database, begin }, counts };
}
