// Writes test data straight into the database, in the form in which the service stores it.
import neo4j from 'neo4j-driver';

export interface DatabaseAccess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** A database that has just started is slow, and the server's own limit suits groups. */
const TIMEOUT = { timeout: 60_000 };

/** Runs one statement and returns its rows. */
export type RunStatement = (statement: string, parameters: object) => Promise<Record<string, unknown>[]>;

/** Connects for the duration of the work. */
export async function withDirectWrites<T>(
  { url, user, password }: DatabaseAccess,
  work: (runStatement: RunStatement) => Promise<T>,
): Promise<T> {
  const driver = neo4j.driver(url, neo4j.auth.basic(user, password), { disableLosslessIntegers: true });
  const session = driver.session();
  try {
    return await work(async (statement, parameters) => {
      const { records } = await session.executeWrite((transaction) => transaction.run(statement, parameters), TIMEOUT);
      return records.map((record) => record.toObject());
    });
  } finally {
    await session.close();
    await driver.close();
  }
}
