// Self-service accounts: registrations awaiting verification of their e-mail, and identities of
// external providers. Rules: AUTH1, ACL4.
import { isBotAddress } from '@taskgraph/wire/account-fields';
import type { ActingUser } from '@taskgraph/wire/actor';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { transact } from '../driver/transaction.ts';
import { END_CALENDARS } from './calendars.ts';
import { actingUserOf, ENSURE_USER, ensureUserParameters } from './users.ts';
import { END_WEBHOOKS } from './webhook-ends.ts';

/**
 * Maximum pending registrations of one e-mail, the newest. Each has its own link, so that nobody
 * can invalidate another's.
 */
const MAXIMUM_WAITING = 5;
/** Expired registrations that one new one deletes. */
const CLEARED_AT_ONCE = 100;

export interface Registration {
  readonly id: string;
  /** Case-folded. */
  readonly email: string;
  readonly username: string;
  readonly expires: string;
}

/**
 * In: registration (its properties), email, waiting, cleared, now. Out: known, whether a user has
 * the e-mail: then nothing is stored. Locks: the new Registration. Cost: constant.
 */
const ADD_REGISTRATION = `OPTIONAL MATCH (p:Principal {email: $email}) WHERE p.userId IS NOT NULL
WITH p IS NOT NULL AS known
CALL () {
  MATCH (old:Registration) WHERE old.expires <= $now WITH old LIMIT $cleared DELETE old
}
CALL (known) {
  WITH known WHERE NOT known
  MERGE (r:Registration {id: $registration.id}) SET r += $registration
}
CALL () {
  MATCH (r:Registration {email: $email}) WITH r ORDER BY r.expires DESC, r.id DESC SKIP $waiting DELETE r
}
RETURN known`;

/**
 * Stores a registration until its e-mail is verified. Returns whether the e-mail already has an
 * account.
 */
export async function addRegistration(database: Database, registration: Registration, now: string): Promise<boolean> {
  const bounds = { waiting: integer(MAXIMUM_WAITING), cleared: integer(CLEARED_AT_ONCE) };
  const parameters = { registration, email: registration.email, now, ...bounds };
  const [row] = await retry(() => database.write(ADD_REGISTRATION, parameters));
  return row?.known === true;
}

/**
 * In: email, id, now, zero. Out: userId (of the e-mail's user, or null), registration (its
 * properties, or null). Locks: the Principal of the e-mail before anything is read, so that two
 * links of one e-mail queue. Cost: two index look-ups.
 */
const TAKE_REGISTRATION = `MERGE (p:Principal {email: $email}) ON CREATE SET p.rev = $zero
SET p.lock = true
WITH p
OPTIONAL MATCH (r:Registration {id: $id}) WHERE r.email = $email AND r.expires > $now
RETURN p.userId AS userId, properties(r) AS registration`;

/** In: id, passwordHash. Out: nothing. Locks: the User. Cost: one index look-up. */
const GIVE_PASSWORD = 'MATCH (u:User {id: $id}) SET u.passwordHash = $passwordHash';

/** In: email. Out: nothing. Locks: the Registrations. Cost: their number. */
const DROP_REGISTRATIONS = 'MATCH (r:Registration {email: $email}) DELETE r';

/** A followed link: its registration, and the id of the user to create. */
export interface Verification {
  readonly id: string;
  readonly email: string;
  readonly userId: string;
  /** Hash of the password chosen by the person who followed the link. */
  readonly passwordHash: string;
  readonly now: string;
}

/**
 * Creates the user of a registration, once. `taken`: the e-mail got an account in the meantime,
 * whose password stays; `gone`: the link was used or has expired. A repeated request returns the
 * same user.
 */
export function verifyRegistration(database: Database, input: Verification): Promise<ActingUser | 'taken' | 'gone'> {
  return retry(() => transact(database, (transaction) => verify(transaction, input)));
}

async function verify(
  transaction: OpenTransaction,
  { id, email, userId, passwordHash, now }: Verification,
): Promise<ActingUser | 'taken' | 'gone'> {
  const [found] = await transaction.run(TAKE_REGISTRATION, { id, email, now, zero: integer(0) });
  const registration = (found?.registration ?? null) as Registration | null;
  const isAskedAgain = found?.userId === userId;
  if (registration === null && !isAskedAgain) return 'gone';
  const username = registration?.username ?? '';
  const [row] = await transaction.run(ENSURE_USER, ensureUserParameters({ id: userId, username, email, now }));
  if (row === undefined) throw new Error('the user was neither found nor created');
  if (row.id === userId && registration !== null) {
    await transaction.run(GIVE_PASSWORD, { id: userId, passwordHash });
  }
  await transaction.run(DROP_REGISTRATIONS, { email });
  return row.id === userId ? actingUserOf(row) : 'taken';
}

/**
 * In: key. Out: id, username, email of the identity's user, or no row. Locks: the Identity, created
 * if absent, so that two sign-ins of one identity queue. Cost: one index look-up.
 */
const TAKE_IDENTITY = `MERGE (i:Identity {key: $key})
SET i.lock = true
WITH i
MATCH (i)-[:OF]->(u:User)
RETURN u.id AS id, u.username AS username, u.email AS email`;

/**
 * In: key, issuer, userId. Out: id, or no row if the user has another identity of the same issuer.
 * Locks: the User, then the Identity. Cost: the number of the user's identities.
 */
const BIND_IDENTITY = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u WHERE NOT EXISTS { (u)<-[:OF]-(other:Identity {issuer: $issuer}) WHERE other.key <> $key }
MATCH (i:Identity {key: $key})
SET i.issuer = $issuer
MERGE (i)-[:OF]->(u)
RETURN u.id AS id`;

/**
 * In: userId, now. Out: ended, ids of tokens of the user and their bots. Locks: the User is locked
 * already; the Calendars and the Webhooks; the bots, so that no token is created meanwhile, and the
 * Tokens. Cost: their number. API tokens, calendars and webhooks end with a password, since its holder
 * could create them; without a password an operator created the tokens.
 */
const END_EARLIER_CREDENTIALS = `MATCH (u:User {id: $userId})
WITH u, u.passwordHash IS NOT NULL AS ends
REMOVE u.passwordHash
WITH u, ends
${END_CALENDARS}
${END_WEBHOOKS}
CALL (u, ends) {
  UNWIND [u.id] + coalesce(u.bots, []) AS holderId
  MATCH (holder:User {id: holderId})
  SET holder.lock = true
  WITH holder, ends
  MATCH (holder)-[:HAS_TOKEN]->(t:Token)
  WHERE t.revoked IS NULL AND (ends OR t.kind = 'session')
  SET t.revoked = $now REMOVE t.hash
  RETURN collect(t.id) AS ended
}
RETURN ended`;

/**
 * In: email. Out: id, username, email of the user with this e-mail, or no row. Locks: none. Cost:
 * two index look-ups.
 */
const FIND_USER = `MATCH (p:Principal {email: $email}) MATCH (u:User {id: p.userId})
RETURN u.id AS id, u.username AS username, u.email AS email`;

/** An identity vouched for by a provider, including the e-mail; `id` is for a new user. */
export interface VouchedUser {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly username: string;
  readonly mayRegister: boolean;
  readonly now: string;
}

/** The user of an identity, and the ids of the tokens ended by its first sign-in. */
export interface VouchedSignIn {
  readonly user: ActingUser;
  readonly ended: readonly string[];
}

/**
 * The user of a provider's identity. The first sign-in finds the user by e-mail, or creates one,
 * and binds the identity; later only the identity counts, even if its e-mail changes. Binding ends
 * an earlier password and its sessions, which somebody else may have set up. `unknown`: no user has
 * this e-mail and none may be created. `another`: the user signs in by another identity of that
 * provider.
 */
export function ensureVouchedUser(
  database: Database,
  input: VouchedUser,
): Promise<VouchedSignIn | 'unknown' | 'another'> {
  return retry(() => transact(database, (transaction) => signInByIdentity(transaction, input)));
}

async function signInByIdentity(
  transaction: OpenTransaction,
  input: VouchedUser,
): Promise<VouchedSignIn | 'unknown' | 'another'> {
  const { issuer, subject, email } = input;
  // No provider knows who a bot is.
  if (isBotAddress(email)) return 'unknown';
  // Neither contains a blank before the separator: an issuer is a URL.
  const key = `${issuer} ${subject}`;
  const [bound] = await transaction.run(TAKE_IDENTITY, { key });
  if (bound !== undefined) return { user: actingUserOf(bound), ended: [] };
  const [known] = await transaction.run(FIND_USER, { email: email.toLowerCase() });
  if (known === undefined && !input.mayRegister) return 'unknown';
  // Look up an existing user without the lock of the e-mail: groups lock users before e-mails.
  const row = known ?? (await transaction.run(ENSURE_USER, ensureUserParameters(input)))[0];
  if (row === undefined) throw new Error('the user was neither found nor created');
  const [binding] = await transaction.run(BIND_IDENTITY, { key, issuer, userId: row.id });
  if (binding === undefined) return 'another';
  const [ended] = await transaction.run(END_EARLIER_CREDENTIALS, { userId: row.id, now: input.now });
  return { user: actingUserOf(row), ended: (ended?.ended ?? []) as string[] };
}
