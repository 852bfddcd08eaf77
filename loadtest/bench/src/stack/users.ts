// Writes users and tokens straight into the database, in the form in which the service stores them.
// One process for each token, as `npm run token` needs, would be too slow for thousands.
import { createHash } from 'node:crypto';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import neo4j from 'neo4j-driver';
import { type DatabaseAccess, withDirectWrites } from '../direct-writes.ts';

export interface BenchUser {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

const CREATE_USERS = `
UNWIND $rows AS row
CREATE (:Principal {email: row.email, rev: $one, userId: row.id})
CREATE (u:User {id: row.id, username: row.username, email: row.email, verified: true, createdTime: $now, rev: $zero, lastTs: ''})
CREATE (:Feed {id: 'user:' + row.id, ownerId: row.id, seq: $zero, first: $one, epoch: $one, grants: $zero, public: false})
CREATE (u)-[:HAS_TOKEN]->(:Token {id: row.tokenId, hash: row.hash, prefix: row.prefix, name: '', readOnly: false, kind: 'api', createdTime: $now})`;

const newId = createIdFactory();

/** Creates users whose e-mails begin with the name, which must be unused in this database. */
export async function createUsers(access: DatabaseAccess, name: string, count: number): Promise<BenchUser[]> {
  const users = Array.from({ length: count }, (_, index) => ({
    id: newId(randomSlot()),
    email: `${name}-${index}@example.com`,
    token: newTokenText(),
  }));
  const rows = users.map(({ id, email, token }) => ({
    id,
    email,
    username: email.slice(0, email.indexOf('@')),
    tokenId: newId(0),
    hash: createHash('sha256').update(token).digest('hex'),
    prefix: shownPrefix(token),
  }));
  const numbers = { zero: neo4j.int(0), one: neo4j.int(1) };
  await withDirectWrites(access, (runStatement) =>
    runStatement(CREATE_USERS, { rows, now: new Date().toISOString(), ...numbers }),
  );
  return users;
}
