// The users of one race and their data before it. All of it can be removed, so that a race that
// violated a rule leaves nothing behind.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { forget } from './cleanup.ts';
import { makeUser, newId, startTestWorker, type TestWorker } from './harness.ts';

export interface Cast {
  /** A worker outside the race. */
  readonly worker: TestWorker;
  user(name: string): Promise<ActingUser>;
  /** An unverified e-mail that no other test uses. */
  email(name: string): string;
  node(actor: ActingUser, payload?: object): Promise<string>;
  link(actor: ActingUser, source: string, target: string): Promise<string>;
  grant(actor: ActingUser, terms: { id: string; email: string; level: number; branch: boolean }): Promise<void>;
  /** The only row of a reading statement. */
  ask(cypher: string, parameters: object): Promise<Record<string, unknown>>;
  /** Removes the users, their entities and their batches. */
  clear(): Promise<void>;
}

export function createCast(database: Database): Cast {
  const worker = startTestWorker(database);
  const emails: string[] = [];
  return {
    worker,
    async user(name) {
      const user = await makeUser(database, name);
      emails.push(user.email);
      return user;
    },
    email(name) {
      const email = `${name}-${newId(0)}@example.com`;
      emails.push(email);
      return email;
    },
    async node(actor, payload = {}) {
      return (await worker.run(actor, 'node:add', payload)).nodes[0]?.after.id as string;
    },
    async link(actor, source, target) {
      return (await worker.run(actor, 'link:add', { source, target })).links[0]?.after.id as string;
    },
    async grant(actor, terms) {
      await worker.run(actor, 'node:access', terms);
    },
    async ask(cypher, parameters) {
      const [row] = await database.read(cypher, { ...parameters });
      if (row === undefined) throw new Error('what the race was about is gone');
      return row;
    },
    clear: () => forget(database, emails),
  };
}
