// Tokens of users, including sessions: look-up and creation. token-endings.ts ends them. Rules:
// AUTH1, AUTH2.
import type { IdentityMessage, TokenKind } from '@taskgraph/wire/bus/gateway-reads';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { type AccountCall, executeCall } from './account-calls.ts';
import { actingUserOf } from './users.ts';

/** Maximum API tokens of a user. */
export const MAXIMUM_API_TOKENS = 100;
/** Maximum sessions of a user; a further one ends the oldest. */
const MAXIMUM_SESSIONS = 100;
/** How long a revoked token is stored, so that a repeated request gets the first answer. */
const REMEMBERED_MS = 10 * 60_000;
/**
 * Minimum interval between updates of a last use: a write for each use would cost more than the
 * use.
 */
const LAST_USE_MS = 60_000;

/** A token as its owner sees it. Times are ISO 8601 UTC. */
export interface TokenFacts {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdTime: string;
  readonly expires: string | null;
  readonly readOnly: boolean;
  /** The scopes, unless it has all or only reads (SCOPE1). */
  readonly scopes?: string[];
  readonly lastUsed: string | null;
}

/** A token to store. `hash` is the SHA-256 of its text in hex; the text itself is never stored. */
export interface NewToken {
  readonly id: string;
  readonly hash: string;
  readonly prefix: string;
  readonly name: string;
  readonly readOnly: boolean;
  readonly expires: string | null;
}

/** A token to store that has scopes (SCOPE1). */
export type NewScopedToken = Omit<NewToken, 'readOnly'> & { readonly scopes: readonly string[] };

/** The holder of a token: a user, or a bot that `maintainer` maintains. */
export interface TokenHolder {
  readonly userId: string;
  /** Only for a bot: the id of the user who must maintain it. */
  readonly maintainer?: string | undefined;
}

/** A change of the tokens of a holder, with the token or session of the call (account-calls.ts). */
export type HolderCall = TokenHolder & Pick<AccountCall, 'caller'>;

/** The call by the user who holds the tokens, or who maintains the holder. */
export function callOf({ userId, maintainer, caller }: HolderCall, now: string): AccountCall {
  return { userId: maintainer ?? userId, caller, now };
}

/** The parameters of LOCK_HOLDER. */
export function holderParameters({ userId, maintainer }: TokenHolder): Row {
  return { userId, maintainer: maintainer ?? null };
}

/**
 * The beginning of statements on the tokens of a holder. In: userId, maintainer (or null). Out: u;
 * no row for a bot that the maintainer does not have. Locks: the maintainer, then the holder, so
 * that the tokens of a removed bot stay ended. Cost: two index look-ups.
 */
export const LOCK_HOLDER = `MATCH (m:User {id: coalesce($maintainer, $userId)})
SET m.lock = true
WITH m WHERE $maintainer IS NULL OR $userId IN coalesce(m.bots, [])
MATCH (u:User {id: $userId})
SET u.lock = true
WITH u`;

/**
 * The stored hash of a token with scopes, or of a bot. The previous release, which knows neither,
 * does not find it.
 */
export function hiddenHash(hash: string): string {
  return `2:${hash}`;
}

function plainHash(stored: string): string {
  return stored.replace(/^2:/, '');
}

/**
 * Keeps the rows of holders whose tokens are valid (BOT2). In: t, u. Out: t, u. Locks: none. Cost:
 * one index look-up. A bot needs a maintainer who is not disabled and has not removed it.
 */
const WHERE_ENABLED = `OPTIONAL MATCH (m:User {id: u.maintainer})
WITH t, u, m WHERE coalesce(u.disabled, false) = false
  AND (u.maintainer IS NULL OR (u.id IN coalesce(m.bots, []) AND coalesce(m.disabled, false) = false))`;

/**
 * In: hashes, now. Out: the user, the maintainer's id and the token of each valid hash. Locks:
 * none. Cost: two index look-ups each.
 */
const RESOLVE_TOKENS = `UNWIND $hashes AS hash
MATCH (t:Token {hash: hash})<-[:HAS_TOKEN]-(u:User) USING INDEX SEEK t:Token(hash)
WHERE t.expires IS NULL OR t.expires > $now
${WHERE_ENABLED}
RETURN u.id AS id, u.username AS username, u.email AS email, u.maintainer AS maintainer, properties(t) AS token`;

/**
 * In: ids, in order, now, before. Out: nothing. Locks: each Token whose last use is older, in that
 * order. Cost: one index look-up each.
 */
const NOTE_USES = `UNWIND $ids AS id
MATCH (t:Token {id: id}) WHERE t.lastUsed IS NULL OR t.lastUsed < $before SET t.lastUsed = $now`;

/** A valid token with its hash. */
interface ResolvedToken extends IdentityMessage {
  readonly hash: string;
}

/**
 * The owners of tokens by hash, without unknown, expired and revoked tokens and disabled users.
 * Records their use, at most once a minute. Without `knowsScopes`, tokens with scopes and of bots
 * are unknown.
 */
export async function resolveTokens(
  database: Database,
  hashes: readonly string[],
  { nowMs, knowsScopes }: { readonly nowMs: number; readonly knowsScopes: boolean },
): Promise<ResolvedToken[]> {
  const now = new Date(nowMs).toISOString();
  const stored = knowsScopes ? [...hashes, ...hashes.map(hiddenHash)] : [...hashes];
  const rows = await database.read(RESOLVE_TOKENS, { hashes: stored, now });
  const before = new Date(nowMs - LAST_USE_MS).toISOString();
  const used = rows
    .map(({ token }) => token as Row)
    .filter(({ lastUsed }) => lastUsed === undefined || (lastUsed as string) < before);
  if (used.length > 0) {
    const ids = used.map(({ id }) => id as string).sort();
    await retry(() => database.write(NOTE_USES, { ids, now, before }));
  }
  return rows.map((row) => {
    const token = row.token as Row;
    const { lastUsed: _used, name: _name, prefix: _prefix, createdTime: _created, ...facts } = factsOf(token);
    const kind: TokenKind = token.kind === 'session' ? 'session' : 'api';
    return { hash: plainHash(token.hash as string), user: actingUserOf(row), token: { ...facts, kind } };
  });
}

/** In: ids, now. Out: id of each valid token. Locks: none. Cost: two index look-ups each. */
const FIND_VALID = `UNWIND $ids AS id
MATCH (t:Token {id: id})<-[:HAS_TOKEN]-(u:User) USING INDEX SEEK t:Token(id)
WHERE t.revoked IS NULL AND (t.expires IS NULL OR t.expires > $now)
${WHERE_ENABLED}
RETURN t.id AS id`;

/** The given tokens that are neither expired nor revoked and whose user is not disabled. */
export async function findValidTokens(database: Database, ids: readonly string[], now: string): Promise<string[]> {
  return (await database.read(FIND_VALID, { ids, now })).map(({ id }) => id as string);
}

/**
 * In: userId, token (its properties), passwordHash (or null), link (or null), keep, now, forgotten.
 * Out: the user's id, username, email and admin, and ended: the ids of excess sessions; no row if the
 * user is disabled or a bot, the password has changed, or the link was used. A used link is
 * replaced by the id of its session, so that a repetition has the same answer. Locks: the User
 * first: a concurrent password change must not leave this session behind. Cost: the number of the
 * user's tokens.
 */
const OPEN_SESSION = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u WHERE coalesce(u.disabled, false) = false AND u.maintainer IS NULL
  AND ($passwordHash IS NULL OR u.passwordHash = $passwordHash)
  AND ($link IS NULL OR u.signInLink IN [$link, $token.id])
FOREACH (_ IN CASE WHEN $link IS NULL THEN [] ELSE [1] END | SET u.signInLink = $token.id)
WITH u
CALL (u) {
  MATCH (u)-[:HAS_TOKEN]->(t:Token) WHERE t.revoked < $forgotten OR (t.kind = 'session' AND t.expires <= $now)
  DETACH DELETE t
}
MERGE (u)-[:HAS_TOKEN]->(t:Token {id: $token.id}) ON CREATE SET t += $token, t.createdTime = $now, t.kind = 'session'
WITH u
CALL (u) {
  MATCH (u)-[:HAS_TOKEN]->(t:Token {kind: 'session'}) WHERE t.revoked IS NULL
  WITH t ORDER BY t.createdTime DESC, t.id DESC SKIP $keep
  SET t.revoked = $now REMOVE t.hash
  RETURN collect(t.id) AS ended
}
RETURN u.id AS id, u.username AS username, u.email AS email, coalesce(u.admin, false) AS admin, ended`;

/** The result of a sign-in. */
export interface OpenedSession {
  readonly user: { id: string; username: string; email: string; admin: boolean };
  /** Excess sessions, the oldest ones. */
  readonly ended: readonly string[];
}

interface SessionRequest {
  readonly userId: string;
  readonly token: NewToken;
  /** The verified hash; null if a provider or a link vouches for a user, or the user has none. */
  readonly passwordHash: string | null;
  /** The id of the sign-in link to use up; null for other sign-ins. */
  readonly link: string | null;
}

/** Opens a session; null if the request is not valid any more. */
export async function openSession(
  database: Database,
  { userId, token, passwordHash, link }: SessionRequest,
  nowMs: number,
): Promise<OpenedSession | null> {
  const parameters = { userId, token, passwordHash, link, keep: integer(MAXIMUM_SESSIONS), ...timeParameters(nowMs) };
  const [row] = await retry(() => database.write(OPEN_SESSION, parameters));
  if (row === undefined) return null;
  return { user: { ...actingUserOf(row), admin: row.admin as boolean }, ended: row.ended as string[] };
}

/**
 * In: userId, maintainer (or null), token (its properties), hiddenHash, most, now, forgotten. Out:
 * token, the properties of the new one; no row above the limit, or for a bot of others. Locks: the
 * maintainer, then the User, so that concurrent requests count each other. Cost: the number of the
 * user's tokens.
 *
 * A token that the previous release must not replace has another kind, which that release ignores.
 */
const ADD_TOKEN = `${LOCK_HOLDER}
CALL (u) {
  MATCH (u)-[:HAS_TOKEN]->(t:Token) WHERE t.revoked < $forgotten OR (t.kind = 'session' AND t.expires <= $now)
  DETACH DELETE t
}
WITH u
WHERE COUNT {
  (u)-[:HAS_TOKEN]->(t:Token) WHERE t.kind <> 'session' AND t.revoked IS NULL AND t.id <> $token.id
} < $most
WITH u, u.maintainer IS NOT NULL OR $token.scopes IS NOT NULL AS isHidden
MERGE (u)-[:HAS_TOKEN]->(t:Token {id: $token.id})
ON CREATE SET t += $token, t.createdTime = $now, t.kind = CASE WHEN isHidden THEN 'api:2' ELSE 'api' END,
  t.hash = CASE WHEN isHidden THEN $hiddenHash ELSE $token.hash END
RETURN properties(t) AS token`;

/**
 * Stores a new API token of a user or a bot; null above the limit. `ended`: the session of the call has
 * ended. A repetition with the same id creates one token.
 */
export async function addToken(
  database: Database,
  { token, ...holder }: HolderCall & { readonly token: NewToken | NewScopedToken },
  nowMs: number,
): Promise<TokenFacts | 'ended' | null> {
  const stored = 'scopes' in token ? { ...token, readOnly: true } : token;
  const times = timeParameters(nowMs);
  const parameters = {
    ...holderParameters(holder),
    token: stored,
    hiddenHash: hiddenHash(token.hash),
    most: integer(MAXIMUM_API_TOKENS),
    ...times,
  };
  const rows = await executeCall(database, callOf(holder, times.now), (transaction) =>
    transaction.run(ADD_TOKEN, parameters),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  return row === undefined ? null : factsOf(row.token as Row);
}

/**
 * In: userId. Out: token, the properties of each API token, oldest first. Locks: none. Cost: the
 * number of the user's tokens.
 */
const LIST_TOKENS = `MATCH (u:User {id: $userId})-[:HAS_TOKEN]->(t:Token) USING INDEX SEEK u:User(id)
WHERE t.kind <> 'session' AND t.revoked IS NULL RETURN properties(t) AS token ORDER BY t.createdTime, t.id`;

/** The API tokens of a user, at most 100, including expired ones. */
export async function listTokens(database: Database, userId: string): Promise<TokenFacts[]> {
  return (await database.read(LIST_TOKENS, { userId })).map(({ token }) => factsOf(token as Row));
}

/** A session as its user sees it. Times are ISO 8601 UTC. */
export type SessionFacts = Pick<TokenFacts, 'id' | 'createdTime' | 'expires' | 'lastUsed'>;

/**
 * In: userId, now. Out: token, the properties of each valid session, oldest first. Locks: none.
 * Cost: the number of the user's tokens.
 */
const LIST_SESSIONS = `MATCH (u:User {id: $userId})-[:HAS_TOKEN]->(t:Token {kind: 'session'}) USING INDEX SEEK u:User(id)
WHERE t.revoked IS NULL AND t.expires > $now RETURN properties(t) AS token ORDER BY t.createdTime, t.id`;

/** The sessions of a user; there are at most 100. */
export async function listSessions(database: Database, userId: string, now: string): Promise<SessionFacts[]> {
  const rows = await database.read(LIST_SESSIONS, { userId, now });
  return rows.map(({ token }) => {
    const { id, createdTime, expires, lastUsed } = factsOf(token as Row);
    return { id, createdTime, expires, lastUsed };
  });
}

/** In: userId, link. Out: id of the user. Locks: the User. Cost: one index look-up. */
const SET_SIGN_IN_LINK = 'MATCH (u:User {id: $userId}) SET u.signInLink = $link RETURN u.id AS id';

/** Sets the id of the one sign-in link of a user that is valid. Throws if there is no such user. */
export async function setSignInLink(database: Database, link: { userId: string; link: string }): Promise<void> {
  const [row] = await retry(() => database.write(SET_SIGN_IN_LINK, link));
  if (row === undefined) throw new Error(`there is no user ${link.userId}`);
}

/** The times to compare with stored ones. */
function timeParameters(nowMs: number): { now: string; forgotten: string } {
  return { now: new Date(nowMs).toISOString(), forgotten: new Date(nowMs - REMEMBERED_MS).toISOString() };
}

/**
 * A token's properties as its owner sees them. One with scopes is stored as read-only, so a gateway
 * of the previous release shows it as that.
 */
export function factsOf(token: Row): TokenFacts {
  const { id, name, prefix, createdTime, readOnly } = token as unknown as TokenFacts;
  const { scopes, expires = null, lastUsed = null } = token as Partial<TokenFacts>;
  const facts = { id, name, prefix, createdTime, expires, lastUsed };
  return scopes === undefined ? { ...facts, readOnly } : { ...facts, readOnly, scopes };
}
