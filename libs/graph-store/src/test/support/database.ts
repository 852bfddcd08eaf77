// The database of a test run.
import neo4j, { type Driver } from 'neo4j-driver';
import { type Database, type DatabaseOptions, type OpenTransaction, openDatabase } from '../../driver/database.ts';
import { migrate } from '../../driver/migrations.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** How a database is reached, by these variables: those of the run's that vitest's set-up leaves, unless others are given. */
export function testDatabaseOptions(variables: Variables = process.env): DatabaseOptions {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = variables;
  return { url, user, password };
}

/** Opens it, migrated. */
export async function openTestDatabase(variables?: Variables): Promise<Database> {
  const database = openDatabase(testDatabaseOptions(variables));
  await migrate(database, () => undefined);
  return database;
}

/** The bare driver of the same, for what the store does not ask for, such as plans. */
export function openTestDriver(variables?: Variables): Driver {
  const { url, user, password } = testDatabaseOptions(variables);
  return neo4j.driver(url, neo4j.auth.basic(user, password));
}

/** The same database, which counts how many hits on the store all reads take, how many statements, and how many characters they bring. */
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
 * The same database, which counts how many statements its transactions send, and how many characters these bring: all of them, and those alone that
 * have the time of others, as groups do and large commands don't.
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
