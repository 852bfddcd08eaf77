// Takes away what a test made under a deliberate fault, so that later looks through the whole database find nothing of it.
import type { Database } from '@taskgraph/graph-store/database';

/** Deletes users and all that is theirs. */
export async function forget(
  database: Database,
  users: readonly { readonly id: string; readonly email: string }[],
): Promise<void> {
  const parameters = { ids: users.map(({ id }) => id), emails: users.map(({ email }) => email) };
  for (const matching of [
    'MATCH (e:Entry) WHERE e.feed IN $feeds',
    'MATCH (x:Node) WHERE x.ownerId IN $ids',
    'MATCH (x:Feed) WHERE x.ownerId IN $ids',
    'MATCH (x:Batch) WHERE x.actorId IN $ids',
    'MATCH (x:Principal) WHERE x.email IN $emails',
    'MATCH (x:User) WHERE x.id IN $ids',
  ]) {
    const [, name] = /\((\w):/.exec(matching) as unknown as [string, string];
    const feeds = await database.read('MATCH (f:Feed) WHERE f.ownerId IN $ids RETURN f.id AS id', parameters);
    await database.write(`${matching} DETACH DELETE ${name}`, { ...parameters, feeds: feeds.map(({ id }) => id) });
  }
}
