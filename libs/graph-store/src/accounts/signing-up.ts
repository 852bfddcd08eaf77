// How an account begins by itself: a registration that waits for its e-mail to be verified, or an identity that a provider vouches for.
// Rules: AUTH1, ACL4.
import type { ActingUser } from '@taskgraph/wire/messages';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { transact } from '../driver/transaction.ts';
import { actingUserOf, ENSURE_USER, ensuring } from './users.ts';

/** Registrations of one e-mail that may wait at once, the newest: each has a link of its own, so that nobody can make another's link void. */
const MAXIMUM_WAITING = 5;
/** Expired registrations that one new one clears away. */
const CLEARED_AT_ONCE = 100;

export interface Registration {
  readonly id: string;
  /** Case-folded. */
  readonly email: string;
  readonly username: string;
  readonly expires: string;
}

/**
 * In: registration (its properties), email, waiting, cleared, now. Out: known, whether the e-mail is a user's: then nothing is kept.
 * Locks: the new Registration. Cost: constant.
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

/** Keeps a registration until its e-mail is verified; says whether the e-mail has an account already. */
export async function addRegistration(database: Database, registration: Registration, now: string): Promise<boolean> {
  const bounds = { waiting: integer(MAXIMUM_WAITING), cleared: integer(CLEARED_AT_ONCE) };
  const parameters = { registration, email: registration.email, now, ...bounds };
  const [row] = await retry(() => database.write(ADD_REGISTRATION, parameters));
  return row?.known === true;
}

/**
 * In: email, id, now, zero. Out: userId (whose the e-mail is, or null), registration (its properties, or null).
 * Locks: the Principal of the e-mail, before anything is read: two links of one e-mail queue. Cost: two index look-ups.
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

/** A link that was followed: which registration it is of, and the id for the user that it makes. */
export interface Verification {
  readonly id: string;
  readonly email: string;
  readonly userId: string;
  /** Of the password that whoever followed the link has chosen: nobody else sets one. */
  readonly passwordHash: string;
  readonly now: string;
}

/**
 * Makes the user of a registration, once. `taken`: the e-mail has become an account meanwhile, whose password is left alone;
 * `gone`: the link was used or has expired. The same request again gives the same user.
 */
export function verifyRegistration(database: Database, asked: Verification): Promise<ActingUser | 'taken' | 'gone'> {
  return retry(() => transact(database, (transaction) => verify(transaction, asked)));
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
  const [row] = await transaction.run(ENSURE_USER, ensuring({ id: userId, username, email, now }));
  if (row === undefined) throw new Error('the user was neither found nor made');
  if (row.id === userId && registration !== null) {
    await transaction.run(GIVE_PASSWORD, { id: userId, passwordHash });
  }
  await transaction.run(DROP_REGISTRATIONS, { email });
  return row.id === userId ? actingUserOf(row) : 'taken';
}

/**
 * In: key. Out: id, username, email of the user that an identity was bound to, or no row. Locks: the Identity, made if there is none, so
 * that two sign-ins of one identity queue. Cost: one index look-up.
 */
const TAKE_IDENTITY = `MERGE (i:Identity {key: $key})
SET i.lock = true
WITH i
MATCH (i)-[:OF]->(u:User)
RETURN u.id AS id, u.username AS username, u.email AS email`;

/**
 * In: key, issuer, userId. Out: id, or no row where the user has another identity of the same issuer. Locks: the User, then the Identity.
 * Cost: the number of the user's identities.
 */
const BIND_IDENTITY = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u WHERE NOT EXISTS { (u)<-[:OF]-(other:Identity {issuer: $issuer}) WHERE other.key <> $key }
MATCH (i:Identity {key: $key})
SET i.issuer = $issuer
MERGE (i)-[:OF]->(u)
RETURN u.id AS id`;

/**
 * In: userId, now. Out: ended, ids of tokens. Locks: the User is locked already; its Tokens. Cost: the number of the user's tokens. API tokens
 * end with a password, since whoever had it could make them; without one they are of who runs the service.
 */
const END_EARLIER_WAYS_IN = `MATCH (u:User {id: $userId})
WITH u, u.passwordHash IS NOT NULL AS hadPassword
REMOVE u.passwordHash
WITH u, hadPassword
CALL (u, hadPassword) {
  MATCH (u)-[:HAS_TOKEN]->(t:Token) WHERE t.revoked IS NULL AND (hadPassword OR t.kind = 'session')
  SET t.revoked = $now REMOVE t.hash
  RETURN collect(t.id) AS ended
}
RETURN ended`;

/** In: email. Out: id, username, email of the user with this e-mail, or no row. Locks: none. Cost: two index look-ups. */
const FIND_USER = `MATCH (p:Principal {email: $email}) MATCH (u:User {id: p.userId})
RETURN u.id AS id, u.username AS username, u.email AS email`;

/** Somebody for whom a provider vouches, e-mail included; `id` is for the user if there is none yet. */
export interface VouchedUser {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly username: string;
  readonly mayRegister: boolean;
  readonly now: string;
}

/** A user for whom a provider vouches, and the ids of tokens that ended when it did so for the first time. */
export interface Vouched {
  readonly user: ActingUser;
  readonly ended: readonly string[];
}

/**
 * The user of a provider's identity. The first sign-in finds the user by the e-mail, or makes one, and binds the identity to it;
 * from then on the identity alone counts, whatever its e-mail becomes. By that, a password from before and what was opened with it end:
 * somebody else may have set it. `unknown`: nobody has this e-mail and nobody may be made; `another`: the user of this e-mail signs in by
 * another identity of that provider.
 */
export function ensureVouchedUser(database: Database, asked: VouchedUser): Promise<Vouched | 'unknown' | 'another'> {
  return retry(() => transact(database, (transaction) => vouch(transaction, asked)));
}

async function vouch(transaction: OpenTransaction, asked: VouchedUser): Promise<Vouched | 'unknown' | 'another'> {
  const { issuer, subject, email } = asked;
  // Neither holds a blank before the first one: an issuer is a URL.
  const key = `${issuer} ${subject}`;
  const [bound] = await transaction.run(TAKE_IDENTITY, { key });
  if (bound !== undefined) return { user: actingUserOf(bound), ended: [] };
  const [known] = await transaction.run(FIND_USER, { email: email.toLowerCase() });
  if (known === undefined && !asked.mayRegister) return 'unknown';
  // A user who is there already is not looked for under the lock of the e-mail: groups lock users before e-mails.
  const row = known ?? (await transaction.run(ENSURE_USER, ensuring(asked)))[0];
  if (row === undefined) throw new Error('the user was neither found nor made');
  const [binding] = await transaction.run(BIND_IDENTITY, { key, issuer, userId: row.id });
  if (binding === undefined) return 'another';
  const [dropped] = await transaction.run(END_EARLIER_WAYS_IN, { userId: row.id, now: asked.now });
  return { user: actingUserOf(row), ended: (dropped?.ended ?? []) as string[] };
}
