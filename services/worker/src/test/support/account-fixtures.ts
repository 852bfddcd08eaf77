// An account with one of everything that account operations change, and the operations on it.
import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { openSession } from '@taskgraph/graph-store/accounts/tokens';
import type { Database, Row } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountEvent, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import { changing, HASH, NOW, newToken, type operations } from './account-operations.ts';
import { makeUser, newId } from './harness.ts';

export const OTHER_HASH = HASH.replace('c2FsdA$aGFzaA', 'b3RoZXI$b3RoZXI');
const THIRD_HASH = HASH.replace('c2FsdA$aGFzaA', 'dGhpcmQ$dGhpcmQ');
const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();

export const CALENDAR = { name: 'Due dates', root: null, where: null, as: 'event', planned: null } as const;
export const WEBHOOK = { name: 'Deploy', url: 'https://hooks.example.com/', root: null, events: [], where: null };

let sealed = 0;
export const newSecret = () => `sealed-${sealed++}`;
export const newHash = () => newToken().hash;

/** The parts of a new token that a rotation sends. */
export function nextToken() {
  const { id, hash, prefix } = newToken();
  return { id, hash, prefix };
}

export interface OpenedAccount {
  readonly user: ActingUser;
  /** Ids of two sessions. The second expires after an hour. */
  readonly mine: string;
  readonly other: string;
  readonly token: string;
  readonly calendar: string;
  readonly hook: string;
  readonly bot: ActingUser;
  readonly botToken: string;
  readonly botHook: string;
}

/** The id of a new session of the user. */
export async function openSessionOf(database: Database, userId: string, lastsMs = DAY_MS): Promise<string> {
  const token = newToken({ expires: at(lastsMs) });
  await openSession(database, { userId, token, passwordHash: null, link: null }, NOW);
  return token.id;
}

/** A new user with the password of HASH. */
export async function openAccount(
  database: Database,
  { done }: Pick<ReturnType<typeof operations>, 'done'>,
): Promise<OpenedAccount> {
  const user = await makeUser(database);
  await setPassword(database, { userId: user.id, before: null, after: HASH, keep: '', endTokens: false, now: at(0) });
  const mine = await openSessionOf(database, user.id);
  const other = await openSessionOf(database, user.id, DAY_MS / 24);
  const [token, botToken] = [newToken(), newToken({ expires: at(DAY_MS) })];
  await done('account:token:add', { token }, user);
  const [calendar, hook, botHook, botId] = [newId(0), newId(0), newId(0), newId(0)];
  await done('account:calendar:add', { ...CALENDAR, id: calendar, hash: newHash(), session: mine }, user);
  await done('account:hook:add', { ...WEBHOOK, id: hook, caller: mine, secret: newSecret() }, user);
  const made = await done('account:bot:add', { id: botId, name: 'Importer' }, user);
  const { name, email } = (made as unknown as { bot: { name: string; email: string } }).bot;
  const bot = { id: botId, username: name, email, maintainer: user.id };
  await done('account:bot:token:add', { bot: botId, token: botToken }, user);
  await done('account:hook:add', { ...WEBHOOK, id: botHook, caller: botToken.id, secret: newSecret() }, bot);
  return { user, mine, other, token: token.id, calendar, hook, bot, botToken: botToken.id, botHook };
}

/** An operation of a user. */
export type Call = {
  [E in AccountEvent]: readonly [event: E, payload: AccountPayload<E>];
}[AccountEvent];

/** Every operation of an account that creates, renews or extends a right, by a session; each time with new ids. */
export function rightsBy(account: OpenedAccount, caller: string): readonly Call[] {
  const { user, token, calendar, hook, bot, botToken, botHook } = account;
  const request = newId(0);
  const since = at(-DAY_MS);
  return [
    ['account:token:add', { token: newToken(), caller }],
    ['account:token:rotate', { id: token, request, token: nextToken(), caller }],
    ['account:bot:add', { id: newId(0), name: 'Another', caller }],
    ['account:bot:token:add', { bot: bot.id, token: newToken({ expires: at(DAY_MS) }), caller }],
    ['account:bot:token:rotate', { bot: bot.id, id: botToken, request, token: nextToken(), caller }],
    ['account:calendar:add', { ...CALENDAR, id: newId(0), hash: newHash(), session: caller }],
    ['account:calendar:rotate', { id: calendar, hash: newHash(), caller, request: newId(0) }],
    ['account:hook:add', { ...WEBHOOK, events: [], id: newId(0), caller, secret: newSecret() }],
    ['account:hook:update', { id: hook, caller, request: newId(0), url: 'https://other.example.com/' }],
    ['account:hook:update', { id: hook, caller, request: newId(0), enabled: true }],
    ['account:hook:rotate', { id: hook, caller, request: newId(0), secret: newSecret(), overlapMs: 0 }],
    ['account:hook:test', { id: hook, caller, request: newId(0) }],
    ['account:hook:replay', { id: hook, caller, request: newId(0), since }],
    ['account:bot:hook:update', { bot: bot.id, id: botHook, caller, request: newId(0), enabled: true }],
    ['account:sessions:end', { keep: caller, caller, request: newId(0) }],
    ['account:password', { ...changing(user.id, HASH, { keep: caller, after: THIRD_HASH }), caller }],
  ];
}

/**
 * Everything that is stored about users, without locks and the ids of executed calls: properties of the users,
 * and of what belongs to them.
 */
export async function storedOf(database: Database, ...users: readonly ActingUser[]): Promise<Row[]> {
  const ids = users.map(({ id }) => id);
  const rows = await database.read(
    `MATCH (u:User) WHERE u.id IN $ids
    OPTIONAL MATCH (u)-[:HAS_TOKEN|HAS_CALENDAR|HAS_WEBHOOK|HAS_IMPORT]->(n)
    OPTIONAL MATCH (r:ImportRow {source: n.id})
    UNWIND [properties(u), properties(n), properties(r)] AS each
    WITH DISTINCT each WHERE each IS NOT NULL
    RETURN each ORDER BY coalesce(each.id, each.source), each.key`,
    { ids },
  );
  return rows.map(({ each }) => {
    const { lock: _lock, requests: _requests, runs: _runs, ...stored } = each as Row;
    return stored;
  });
}
