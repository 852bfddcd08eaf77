// Users and their tokens.
import type { ActingUser } from '@taskgraph/wire/messages';
import { userFeed } from '@taskgraph/wire/messages';
import { integer } from './codec.ts';
import type { Database, Row } from './database.ts';

/**
 * In: id, username, email (case-folded), now, feed. Out: id, username, email of the user, made or found by e-mail.
 * Locks: the Principal of the e-mail, so that two that make the same user at once queue. Cost: constant.
 */
const ENSURE_USER = `
MERGE (p:Principal {email: $email}) ON CREATE SET p.rev = $zero
SET p.lock = true
WITH p
CALL (p) {
  WITH p WHERE p.userId IS NULL
  CREATE (:User {id: $id, username: $username, email: $email, verified: true, createdTime: $now, rev: $zero, lastTs: ''})
  CREATE (:Feed {id: $feed, ownerId: $id, seq: $zero, first: $one, epoch: $one, grants: $zero, public: false})
  SET p.userId = $id, p.rev = p.rev + 1
  RETURN count(*) AS made
}
MATCH (u:User {id: p.userId})
RETURN u.id AS id, u.username AS username, u.email AS email`;

/** Finds a user by e-mail or makes one, whose e-mail counts as verified. E-mails are compared case-folded. */
export async function ensureUser(
  database: Database,
  wanted: { id: string; username: string; email: string; now: string },
): Promise<ActingUser> {
  const [row] = await database.write(ENSURE_USER, {
    ...wanted,
    email: wanted.email.toLowerCase(),
    feed: userFeed(wanted.id),
    zero: integer(0),
    one: integer(1),
  });
  if (row === undefined) throw new Error('the user was neither found nor made');
  return actingUserOf(row);
}

/** In: userId, hash (SHA-256, hex), id, prefix, now. Out: nothing. Locks: the new Token. Cost: constant. */
const ADD_TOKEN = `MATCH (u:User {id: $userId})
CREATE (u)-[:HAS_TOKEN]->(:Token {id: $id, hash: $hash, prefix: $prefix, createdTime: $now})`;

/** Stores a token's hash; its plaintext is never stored. */
export async function addToken(
  database: Database,
  token: { id: string; userId: string; hash: string; prefix: string; now: string },
): Promise<void> {
  await database.write(ADD_TOKEN, token);
}

/** In: hash. Out: the user of the token, or no row. Locks: none. Cost: one index look-up. */
const RESOLVE_TOKEN = `MATCH (t:Token {hash: $hash})<-[:HAS_TOKEN]-(u:User)
RETURN u.id AS id, u.username AS username, u.email AS email`;

/** The user that a token stands for, or null. `hash` is the SHA-256 of the plaintext in hex. */
export async function resolveToken(database: Database, hash: string): Promise<ActingUser | null> {
  const [row] = await database.read(RESOLVE_TOKEN, { hash });
  return row === undefined ? null : actingUserOf(row);
}

/** In: email. Out: rev. Locks: none. Cost: one index look-up. */
const READ_REVISION = 'MATCH (p:Principal {email: $email}) RETURN p.rev AS rev';

/** A number that grows with every grant to an e-mail that is made, changed or taken away; null where there never was one. */
export async function readRevision(database: Database, email: string): Promise<number | null> {
  const [row] = await database.read(READ_REVISION, { email: email.toLowerCase() });
  return (row?.rev as number | undefined) ?? null;
}

function actingUserOf(row: Row): ActingUser {
  return { id: row.id as string, username: row.username as string, email: row.email as string };
}
