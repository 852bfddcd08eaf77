// Removes the data of a test with a deliberate fault, so that later checks of the whole database do
// not find it.
import type { Database } from '@taskgraph/graph-store/driver/database';

const KNOWN = 'MATCH (p:Principal) WHERE p.email IN $emails AND p.userId IS NOT NULL RETURN p.userId AS id';

const SWEEP = [
  `MATCH (b:Batch) WHERE b.actorId IN $users WITH collect(b.id) AS batches
   MATCH (t:Touch) WHERE t.batch IN batches DELETE t`,
  'MATCH (b:Batch) WHERE b.actorId IN $users DELETE b',
  `MATCH (f:Feed) WHERE f.ownerId IN $users MATCH (b:Batch {feed: f.id}) WHERE b.seq > 0
   REMOVE b.feed, b.seq, b.nodes, b.links, b.reset`,
  'MATCH (f:Feed) WHERE f.ownerId IN $users MATCH (e:Entry {feed: f.id}) WHERE e.seq > 0 DELETE e',
  'MATCH (f:Feed) WHERE f.ownerId IN $users DETACH DELETE f',
  'MATCH (n:Node) WHERE n.ownerId IN $users DETACH DELETE n',
  'MATCH (u:User) WHERE u.id IN $users DETACH DELETE u',
  'MATCH (p:Principal) WHERE p.email IN $emails DETACH DELETE p',
];

/** Deletes the users of these e-mails with their data, and grants to e-mails without a user. */
export async function forget(database: Database, emails: readonly string[]): Promise<void> {
  const users = (await database.read(KNOWN, { emails })).map(({ id }) => id);
  for (const statement of SWEEP) await database.write(statement, { users, emails });
}
