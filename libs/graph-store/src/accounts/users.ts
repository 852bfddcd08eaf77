// Users: look-up, creation and changes. tokens.ts holds their tokens. Rules: AUTH1, ACL4.
import type { ActingUser } from '@taskgraph/wire/actor';
import { userFeed } from '@taskgraph/wire/feeds';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';

/**
 * In: id, username, email (case-folded), now, feed. Out: id, username, email of the user, created
 * or found by e-mail. Locks: the Principal of the e-mail, so that two creations of the same user
 * queue. Cost: constant.
 */
export const ENSURE_USER = `
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

/** A user to find by e-mail, or to create with this id. */
export interface WantedUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly now: string;
}

/** The parameters of ENSURE_USER. E-mails are compared case-folded. */
export function ensureUserParameters(wanted: WantedUser): Row {
  return {
    id: wanted.id,
    username: wanted.username,
    email: wanted.email.toLowerCase(),
    now: wanted.now,
    feed: userFeed(wanted.id),
    zero: integer(0),
    one: integer(1),
  };
}

/** Finds a user by e-mail or creates one with a verified e-mail. */
export async function ensureUser(database: Database, wanted: WantedUser): Promise<ActingUser> {
  const [row] = await retry(() => database.write(ENSURE_USER, ensureUserParameters(wanted)));
  if (row === undefined) throw new Error('the user was neither found nor created');
  return actingUserOf(row);
}

/** A user with the fields that decide about a sign-in. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly admin: boolean;
  readonly disabled: boolean;
  readonly createdTime: string;
  /** An argon2id hash in its standard text form; null if no password was ever set. */
  readonly passwordHash: string | null;
  /** Only of a bot (BOT1). */
  readonly maintainer?: { readonly id: string; readonly email: string };
}

/**
 * The end of statements about a user u. In: u. Out: user, its properties, and maintainerEmail, the e-mail of a
 * bot's maintainer, null for others. Locks: none. Cost: one index look-up.
 */
const RETURN_ACCOUNT = `OPTIONAL MATCH (m:User {id: u.maintainer})
RETURN properties(u) AS user, m.email AS maintainerEmail`;

/**
 * In: email (case-folded). Out: user, the properties of the user with this e-mail, and the e-mail of a
 * bot's maintainer. Locks: none. Cost: at most three index look-ups.
 */
const FIND_ACCOUNT = `MATCH (p:Principal {email: $email}) MATCH (u:User {id: p.userId})
${RETURN_ACCOUNT}`;

/** The account of an e-mail, or null. */
export async function findAccount(database: Database, email: string): Promise<Account | null> {
  const [row] = await database.read(FIND_ACCOUNT, { email: email.toLowerCase() });
  return row === undefined ? null : accountOf(row);
}

/** In: id. Out: as FIND_ACCOUNT. Locks: none. Cost: at most two index look-ups. */
const READ_ACCOUNT = `MATCH (u:User {id: $id})
${RETURN_ACCOUNT}`;

/** The account of a user's id, or null. */
export async function readAccount(database: Database, id: string): Promise<Account | null> {
  const [row] = await database.read(READ_ACCOUNT, { id });
  return row === undefined ? null : accountOf(row);
}

/**
 * In: after (an id, '' for the start), limit. Out: user, the properties of users by id, and the
 * e-mail of a bot's maintainer. Locks: none. Cost: proportional to the page.
 */
const LIST_ACCOUNTS = `MATCH (u:User) WHERE u.id > $after
WITH u ORDER BY u.id LIMIT $limit
${RETURN_ACCOUNT} ORDER BY u.id`;

/** A page of all accounts, by id. */
export async function listAccounts(database: Database, page: { after: string; limit: number }): Promise<Account[]> {
  const rows = await database.read(LIST_ACCOUNTS, { after: page.after, limit: integer(page.limit) });
  return rows.map(accountOf);
}

/** In: id. Out: nothing. Locks: the User. Cost: one index look-up. */
const MAKE_ADMINISTRATOR = 'MATCH (u:User {id: $id}) SET u.admin = true';

export async function makeAdministrator(database: Database, id: string): Promise<void> {
  await retry(() => database.write(MAKE_ADMINISTRATOR, { id }));
}

/**
 * In: nothing. Out: one row if there is an administrator who may sign in. Locks: none. Cost: the
 * number of administrators.
 */
const FIND_ADMINISTRATOR = `MATCH (u:User {admin: true}) USING INDEX SEEK u:User(admin)
WHERE coalesce(u.disabled, false) = false RETURN u.id AS id LIMIT 1`;

export async function hasAdministrator(database: Database): Promise<boolean> {
  return (await database.read(FIND_ADMINISTRATOR, {})).length > 0;
}

/** In: email. Out: rev. Locks: none. Cost: one index look-up. */
const READ_REVISION = 'MATCH (p:Principal {email: $email}) RETURN p.rev AS rev';

/**
 * A number that grows with every change to a grant for this e-mail; null if there never was one.
 */
export async function readRevision(database: Database, email: string): Promise<number | null> {
  const [row] = await database.read(READ_REVISION, { email: email.toLowerCase() });
  return (row?.rev as number | undefined) ?? null;
}

/** A row of a statement that returns no `maintainer` is of a user who is not a bot. */
export function actingUserOf(row: Row): ActingUser {
  const user = { id: row.id as string, username: row.username as string, email: row.email as string };
  const maintainer = (row.maintainer ?? null) as string | null;
  return maintainer === null ? user : { ...user, maintainer };
}

function accountOf(row: Row): Account {
  const { maintainer, ...user } = row.user as Row;
  const maintainerEmail = (row.maintainerEmail ?? '') as string;
  return {
    id: user.id as string,
    username: user.username as string,
    email: user.email as string,
    ...(maintainer === undefined ? {} : { maintainer: { id: maintainer as string, email: maintainerEmail } }),
    admin: user.admin === true,
    disabled: user.disabled === true,
    createdTime: user.createdTime as string,
    passwordHash: (user.passwordHash as string | undefined) ?? null,
  };
}
