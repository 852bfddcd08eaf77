// Ends tokens: by revocation, rotation, or all sessions of a user at once. Rules: AUTH1, AUTH2.
//
// An ended token loses its hash and so authorizes nothing. The rest of it stays for some minutes
// with the id of the request that ended it, so that a repeated request gets the same answer.
import type { TokenKind } from '@taskgraph/wire/bus/gateway-reads';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { transact } from '../driver/transaction.ts';
import { type AccountCall, executeCall } from './account-calls.ts';
import { END_CALENDARS } from './calendars.ts';
import {
  callOf,
  factsOf,
  type HolderCall,
  hiddenHash,
  holderParameters,
  LOCK_HOLDER,
  type NewToken,
  type TokenFacts,
  type TokenHolder,
} from './tokens.ts';
import { END_WEBHOOKS, END_WEBHOOKS_OF_TOKEN, PASS_WEBHOOKS_ON } from './webhook-ends.ts';

/**
 * In: userId, maintainer (or null), id, isSession, request, now. Out: id of the token, or no row.
 * Locks: the maintainer, the User, then the Token, as all writes to tokens do, and the Webhooks that
 * end with it. Cost: three index look-ups, and the user's webhooks.
 */
const REVOKE_TOKEN = `${LOCK_HOLDER}
MATCH (u)-[:HAS_TOKEN]->(t:Token {id: $id})
WHERE (t.kind = 'session') = $isSession AND (t.revoked IS NULL OR t.revokedBy = $request)
SET t.revoked = coalesce(t.revoked, $now), t.revokedBy = $request REMOVE t.hash
WITH u, t
${END_WEBHOOKS_OF_TOKEN}
RETURN t.id AS id`;

/** Identifies a token and the request about it. */
export interface TokenRequest extends TokenHolder {
  readonly id: string;
  /** Id from the gateway; a repeated request gets the first answer. */
  readonly request: string;
  readonly now: string;
}

/** Ends a token of the user; false if there is none. */
export async function revokeToken(database: Database, input: TokenRequest & { kind: TokenKind }): Promise<boolean> {
  const { id, request, now, kind } = input;
  const parameters = { ...holderParameters(input), id, request, now, isSession: kind === 'session' };
  const rows = await retry(() => database.write(REVOKE_TOKEN, parameters));
  return rows.length > 0;
}

/**
 * In: userId, maintainer (or null), id, request, now, token (id, hash and prefix of the new one),
 * hiddenHash. Out: expired, whether the old one has expired, and token, the new one's properties,
 * if not; no row without an old one. Locks: the maintainer, the User, then the Tokens and their
 * Webhooks, which pass to the new one. Cost: four index look-ups, and the user's webhooks.
 */
const ROTATE_TOKEN = `${LOCK_HOLDER}
MATCH (u)-[:HAS_TOKEN]->(t:Token {id: $id})
WHERE t.kind <> 'session' AND (t.revoked IS NULL OR t.revokedBy = $request)
WITH u, t, t.expires IS NOT NULL AND t.expires <= $now AS expired
CALL (u, t, expired) {
  WITH u, t, expired WHERE NOT expired
  SET t.revoked = coalesce(t.revoked, $now), t.revokedBy = $request REMOVE t.hash
  MERGE (u)-[:HAS_TOKEN]->(next:Token {id: $token.id})
  ON CREATE SET
    next = {name: t.name, readOnly: t.readOnly, scopes: t.scopes, expires: t.expires, kind: t.kind, createdTime: $now},
    next += $token, next.hash = CASE t.kind WHEN 'api' THEN $token.hash ELSE $hiddenHash END
  WITH u, t, next
  ${PASS_WEBHOOKS_ON}
  RETURN properties(next) AS token
  UNION
  WITH expired WHERE expired RETURN null AS token
}
RETURN expired, token`;

/**
 * Replaces a token by a new one with the same name, scopes and expiry. Null if there is none. `ended`: the
 * session of the call has ended.
 */
export async function rotateToken(
  database: Database,
  input: TokenRequest & HolderCall & { token: Pick<NewToken, 'id' | 'hash' | 'prefix'> },
): Promise<TokenFacts | 'expired' | 'ended' | null> {
  const { id, request, now, token } = input;
  const parameters = { ...holderParameters(input), id, request, now, token, hiddenHash: hiddenHash(token.hash) };
  const rows = await executeCall(database, callOf(input, now), (transaction) =>
    transaction.run(ROTATE_TOKEN, parameters),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  if (row === undefined) return null;
  return row.expired === true ? 'expired' : factsOf(row.token as Row);
}

/**
 * In: userId, before (the previous password hash, or null for any), after, keep (the id of a
 * session that stays), endTokens (whether API tokens end too, also those of the user's bots,
 * calendars and webhooks), now. Out: ended, ids of tokens; no row if the password has changed since.
 * Locks: the User first, then its Calendars, its Webhooks, its bots and the Tokens. Cost: the number
 * of these. A repetition, which finds its own hash, ends nothing that was created since.
 */
const SET_PASSWORD = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u WHERE $before IS NULL OR u.passwordHash IN [$before, $after]
WITH u, coalesce(u.passwordHash <> $after, true) AS isFirst
SET u.passwordHash = $after
WITH u, isFirst, isFirst AND $endTokens AS ends
${END_CALENDARS}
${END_WEBHOOKS}
CALL (u, isFirst, ends) {
  UNWIND [u.id] + CASE WHEN ends THEN coalesce(u.bots, []) ELSE [] END AS holderId
  MATCH (holder:User {id: holderId})
  SET holder.lock = true
  WITH holder, isFirst, ends
  MATCH (holder)-[:HAS_TOKEN]->(t:Token)
  WHERE isFirst AND t.revoked IS NULL AND t.id <> $keep AND (t.kind = 'session' OR ends)
  SET t.revoked = $now REMOVE t.hash
  RETURN collect(t.id) AS ended
}
RETURN ended`;

interface NewPassword {
  readonly userId: string;
  readonly after: string;
  /** Whether API tokens end too. */
  readonly endTokens: boolean;
  readonly now: string;
}

/**
 * Sets a password and ends the user's sessions but one. Returns their ids; null if `before` is
 * outdated. `ended`: the session of the call has ended.
 */
export async function setPassword(
  database: Database,
  { caller, ...input }: NewPassword & PasswordChange,
): Promise<string[] | 'ended' | null> {
  const rows = await executeCall(database, { userId: input.userId, caller, now: input.now }, (transaction) =>
    transaction.run(SET_PASSWORD, { ...input }),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  return row === undefined ? null : (row.ended as string[]);
}

interface PasswordChange extends Pick<AccountCall, 'caller'> {
  /** The previous hash; null for any. */
  readonly before: string | null;
  /** The id of a session that stays. */
  readonly keep: string;
}

/**
 * In: userId. Out: email, passwordHash (or null), disabled. Locks: the User. Cost: one index
 * look-up.
 */
const LOCK_USER = `MATCH (u:User {id: $userId})
SET u.lock = true
RETURN u.email AS email, u.passwordHash AS passwordHash, coalesce(u.disabled, false) AS disabled`;

/** The result of a password reset: the user's e-mail and the ids of the ended tokens. */
export interface PasswordReset {
  readonly email: string;
  readonly ended: readonly string[];
}

/**
 * Sets a password if `isExpected` accepts the current hash, and ends all sessions of the user.
 * `gone`: the hash has changed, or the user is disabled or deleted. Safe to repeat.
 */
export function resetPassword(
  database: Database,
  { isExpected, ...input }: NewPassword & { readonly isExpected: (passwordHash: string | null) => boolean },
): Promise<PasswordReset | 'gone'> {
  const reset = async (transaction: OpenTransaction): Promise<PasswordReset | 'gone'> => {
    const [user] = await transaction.run(LOCK_USER, { userId: input.userId });
    if (user === undefined || user.disabled === true) return 'gone';
    const present = (user.passwordHash ?? null) as string | null;
    if (present !== input.after && !isExpected(present)) return 'gone';
    const [row] = await transaction.run(SET_PASSWORD, { ...input, before: null, keep: '' });
    return { email: user.email as string, ended: (row?.ended ?? []) as string[] };
  };
  return retry(() => transact(database, reset));
}

/**
 * In: userId, keep (the id of a session that stays), now. Out: id of each ended session. Locks: the
 * User first, then its Tokens. Cost: their number.
 */
const END_SESSIONS = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_TOKEN]->(t:Token {kind: 'session'}) WHERE t.revoked IS NULL AND t.id <> $keep
SET t.revoked = $now REMOVE t.hash
RETURN t.id AS id`;

/**
 * Ends all sessions of a user but one; returns their ids. A repetition ends none that was opened since.
 * `ended`: the session of the call has ended.
 */
export async function endSessions(
  database: Database,
  call: Omit<AccountCall, 'target'>,
  { userId, keep }: { readonly userId: string; readonly keep: string },
): Promise<string[] | 'ended'> {
  const rows = await executeCall(database, { ...call, target: userId }, async (transaction, isRepeated) =>
    isRepeated ? [] : transaction.run(END_SESSIONS, { userId, keep, now: call.now }),
  );
  return rows === 'ended' ? rows : rows.map(({ id }) => id as string);
}

/**
 * In: actor (the id of the administrator; null without one), userId, ids (both), disabled, isRepeated,
 * now. Out: isPermitted, whether the actor may still do this, and users, the ids of the user and of
 * their bots; no row for an unknown user. Locks: both Users, bots last, in id order, then the Tokens of the
 * user: a change of a bot's webhook locks the maintainer first too. Cost: the number of the user's tokens.
 * Sessions end permanently; API tokens are suspended while their user is disabled.
 *
 * The actor is read under the lock: of administrators who disable each other at the same moment, one
 * remains. A call that changes nothing is permitted: it may repeat one whose answer was lost. A repetition
 * changes nothing, since another call may have changed it back.
 */
const SET_DISABLED = `UNWIND $ids AS id
MATCH (each:User {id: id})
WITH each ORDER BY each.maintainer IS NOT NULL, each.id
SET each.lock = true
WITH count(*) AS locked
OPTIONAL MATCH (a:User {id: $actor})
WITH $actor IS NULL OR (coalesce(a.admin, false) AND NOT coalesce(a.disabled, false)) AS mayAct
MATCH (u:User {id: $userId})
WITH u, mayAct OR coalesce(u.disabled, false) = $disabled AS isPermitted
WITH u, isPermitted, isPermitted AND NOT $isRepeated AS changes
CALL (u, changes) {
  WITH u, changes WHERE changes
  SET u.disabled = $disabled
}
CALL (u, changes) {
  MATCH (u)-[:HAS_TOKEN]->(t:Token {kind: 'session'}) WHERE changes AND $disabled AND t.revoked IS NULL
  SET t.revoked = $now REMOVE t.hash
}
RETURN isPermitted, [u.id] + coalesce(u.bots, []) AS users`;

interface DisableRequest extends Pick<AccountCall, 'caller' | 'request'> {
  /** The administrator who does this; null for a program with access to the database. */
  readonly actor: string | null;
  readonly userId: string;
  readonly disabled: boolean;
  readonly now: string;
}

/**
 * Disables or enables a user. Returns the ids of the users whose tokens this concerns: the user and
 * their bots. `forbidden`: the actor is no longer an administrator, or disabled. `ended`: the session of the
 * call has ended. Null if there is no such user.
 */
export async function setDisabled(
  database: Database,
  { caller, request, ...input }: DisableRequest,
): Promise<string[] | 'forbidden' | 'ended' | null> {
  const { actor, userId, now } = input;
  if (actor === null) {
    const parameters = { ...input, ids: [userId], isRepeated: false };
    return affectedUsers(await retry(() => database.write(SET_DISABLED, parameters)));
  }
  const call = { userId: actor, target: userId, caller, request, now };
  const outcome = await executeCall<Row[] | 'forbidden'>(database, call, async (transaction, isRepeated) => {
    const rows = await transaction.run(SET_DISABLED, { ...input, ids: [actor, userId], isRepeated });
    return rows[0]?.isPermitted === false ? 'forbidden' : rows;
  });
  return typeof outcome === 'string' ? outcome : affectedUsers(outcome);
}

function affectedUsers([row]: readonly Row[]): string[] | null {
  return row === undefined ? null : (row.users as string[]);
}
