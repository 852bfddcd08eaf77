// Who plays in random runs, and how a run says how it went.
import type { Database } from '@taskgraph/graph-store/database';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import { makeUser } from '../harness.testing.ts';

/** Four new users, who share nothing yet. */
export function makeFour(database: Database): Promise<ModelUser[]> {
  return Promise.all(['ada', 'bob', 'cy', 'dee'].map((name) => makeUser(database, name)));
}

/** Prints a line at once: the reporter would hold it back until the end of a long run. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
