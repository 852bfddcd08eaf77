// The database of a test run.
import { type Database, type DatabaseOptions, openDatabase } from '../../driver/database.ts';
import { migrate } from '../../driver/migrations.ts';

/** How the test run's database is reached: from the variables that vitest's set-up leaves. */
export function testDatabaseOptions(): DatabaseOptions {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  return { url, user, password };
}

/** Opens it, migrated. */
export async function openTestDatabase(): Promise<Database> {
  const database = openDatabase(testDatabaseOptions());
  await migrate(database, () => undefined);
  return database;
}
