// Account operations whose session or token ends between its authentication and their execution, by the
// handlers that workers answer with, on a real database.
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountEvent } from '@taskgraph/wire/bus/account-messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Call,
  newSecret,
  type OpenedAccount,
  OTHER_HASH,
  openAccount,
  openSessionOf,
  rightsBy,
  storedOf,
  WEBHOOK,
} from '../test/support/account-fixtures.ts';
import { changing, HASH, newToken, operations, tickets } from '../test/support/account-operations.ts';
import { statementsBehindLocksOf } from '../test/support/blocked-statements.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let admin: ActingUser;
let { ask, done, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, setClock } = operations(database));
  await warmUp(database);
  admin = await makeUser(database);
  await makeAdministrator(database, admin.id);
});
afterAll(() => database.close());

const HOUR_MS = 3_600_000;

/** The refusals of these calls by event. */
async function refusals(calls: readonly Call[], actor: ActingUser): Promise<(readonly [string, string])[]> {
  const answers: [string, string][] = [];
  for (const [event, payload] of calls) {
    const reply = await ask(event, payload as never, actor);
    answers.push([event, reply.ok ? 'ok' : reply.error]);
  }
  return answers;
}
const all = (calls: readonly Call[], outcome: string) => calls.map(([event]) => [event, outcome]);

const provider = ({ id, email }: ActingUser) =>
  done('account:vouch', {
    id: newId(0),
    issuer: 'https://id.example.com',
    subject: id,
    email,
    username: 'x',
    mayRegister: false,
  });

/** What ends the second session of an account. */
const ENDS: Readonly<Record<string, (account: OpenedAccount) => unknown>> = {
  'a change of the password that ends API tokens': ({ user, mine }) => {
    const change = changing(user.id, HASH, { keep: mine, after: OTHER_HASH });
    return done('account:password', { ...change, endTokens: true }, user);
  },
  'a reset of the password': ({ user }) =>
    done('account:reset', { ticket: tickets.reset(user, HASH), passwordHash: OTHER_HASH, endTokens: true }),
  'the end of all other sessions': ({ user, mine }) => done('account:sessions:end', { keep: mine }, user),
  'the end of that session': ({ user, other }) => done('account:session:end', { id: other, request: newId(0) }, user),
  'signing out': ({ user, other }) => done('account:logout', { id: other, request: newId(0) }, user),
  'an administrator who ends all sessions': ({ user }) =>
    done('account:admin:session:end', { user: user.id, id: null, request: newId(0) }, admin),
  'an administrator who disables the user': ({ user }) =>
    done('account:disable', { id: user.id, disabled: true }, admin),
  'the first sign-in by a provider': ({ user }) => provider(user),
  'its expiry': () => setClock(HOUR_MS),
};

test.each(Object.keys(ENDS))(
  '[AUTH2 ICAL1 HOOK3 BOT2] after %s, no call in progress creates or renews a right',
  async (what) => {
    const account = await openAccount(database, { done });
    const { user, bot, other } = account;
    try {
      await ENDS[what]?.(account);
      const before = await storedOf(database, user, bot);
      const hasPassword = what !== 'the first sign-in by a provider';
      const late = rightsBy(account, other).filter(([event]) => hasPassword || event !== 'account:password');
      // After a change of the password, its proof is of the former one.
      const isOutdated = what.includes('of the password');
      const expected = late.map(([event]) => [
        event,
        isOutdated && event === 'account:password' ? 'forbidden.wrong_password' : 'unauthorized',
      ]);
      expect(await refusals(late, user)).toEqual(expected);
      expect(await storedOf(database, user, bot)).toEqual(before);
    } finally {
      setClock(0);
    }
  },
);

test('[AUTH2 BOT2] a valid session makes these calls, and that of another user does not', async () => {
  const account = await openAccount(database, { done });
  const stranger = await openSessionOf(database, (await makeUser(database)).id);
  const foreign = rightsBy(account, stranger);
  expect(await refusals(foreign, account.user)).toEqual(all(foreign, 'unauthorized'));
  const own = rightsBy(account, account.mine);
  expect(await refusals(own, account.user)).toEqual(all(own, 'ok'));
});

test('[AUTH2] calls of a gateway of the previous release, which names no caller, are executed', async () => {
  const account = await openAccount(database, { done });
  const calls = rightsBy(account, account.mine).map(([event, payload]) => {
    // Calls on webhooks have always named their caller.
    if (event.includes('hook')) return [event, payload];
    const { caller: _caller, request, ...known } = payload as { caller?: string; request?: string };
    return [event, event.endsWith(':rotate') && request ? { ...known, request } : known];
  }) as unknown as readonly Call[];
  expect(await refusals(calls, account.user)).toEqual(all(calls, 'ok'));
});

/** The operations of a token of a bot: its webhooks. */
const ofToken = (hook: string, caller: string): readonly Call[] => [
  ['account:hook:add', { ...WEBHOOK, events: [], id: newId(0), caller, secret: newSecret() }],
  ['account:hook:update', { id: hook, caller, request: newId(0), url: 'https://other.example.com/' }],
  ['account:hook:rotate', { id: hook, caller, request: newId(0), secret: newSecret(), overlapMs: 0 }],
];

test.each([
  [
    'is revoked',
    ({ bot, botToken, user }: OpenedAccount) =>
      done('account:bot:token:revoke', { bot: bot.id, id: botToken, request: newId(0) }, user),
  ],
  ['has expired', () => setClock(25 * HOUR_MS)],
  ['is of a removed bot', ({ bot, user }: OpenedAccount) => done('account:bot:remove', { id: bot.id }, user)],
  [
    'is of a bot whose maintainer is disabled',
    ({ user }: OpenedAccount) => done('account:disable', { id: user.id, disabled: true }, admin),
  ],
  ['is of a disabled bot', ({ bot }: OpenedAccount) => done('account:disable', { id: bot.id, disabled: true }, admin)],
] as const)('[HOOK3 BOT2 BOT3] a token that %s changes no webhook', async (_what, end) => {
  const account = await openAccount(database, { done });
  const { bot, botHook, botToken } = account;
  try {
    expect(await refusals(ofToken(botHook, botToken), bot)).toEqual(all(ofToken(botHook, botToken), 'ok'));
    await end(account);
    const before = await storedOf(database, bot);
    const late = ofToken(botHook, botToken);
    expect(await refusals(late, bot)).toEqual(all(late, 'unauthorized'));
    expect(await storedOf(database, bot)).toEqual(before);
  } finally {
    setClock(0);
  }
});

test('[ADMIN1 AUTH1] the ended session of an administrator enables and disables nobody', async () => {
  const [chief, user] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, chief.id);
  const [mine, other] = [await openSessionOf(database, chief.id), await openSessionOf(database, chief.id)];
  await openSessionOf(database, user.id);
  await done('account:sessions:end', { keep: mine }, chief);
  const calls = (caller: string): readonly Call[] => [
    ['account:disable', { id: user.id, disabled: true, caller, request: newId(0) }],
    ['account:disable', { id: user.id, disabled: false, caller, request: newId(0) }],
    ['account:admin:session:end', { user: user.id, id: null, caller, request: newId(0) }],
  ];
  const before = await storedOf(database, user);
  expect(await refusals(calls(other), chief)).toEqual(all(calls(other), 'unauthorized'));
  expect(await storedOf(database, user)).toEqual(before);
  expect(await refusals(calls(mine), chief)).toEqual(all(calls(mine), 'ok'));
});

test('[AUTH2] a call that waits for the lock of its user learns what ended meanwhile', async () => {
  const { user, mine, other } = await openAccount(database, { done });
  const holder = database.begin(60_000);
  await holder.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: user.id });
  const token = newToken();
  const late = ask('account:token:add', { token, caller: other }, user);
  await statementsBehindLocksOf(database, [user.id]);
  await holder.run('MATCH (t:Token {id: $id}) SET t.revoked = $now REMOVE t.hash', { id: other, now: '2026-06-01' });
  await holder.commit();
  expect(await late).toMatchObject({ ok: false, error: 'unauthorized' });
  await done('account:token:add', { token, caller: mine }, user);
});

/** How the operations treat the session or token of their call. A new one needs a decision here. */
const KINDS: Readonly<Record<AccountEvent, 'right' | 'end' | 'data' | 'read' | 'no session'>> = {
  'account:find': 'no session',
  'account:me': 'read',
  'account:session': 'no session',
  'account:link': 'no session',
  'account:logout': 'end',
  'account:sessions': 'read',
  'account:session:end': 'end',
  'account:sessions:end': 'right',
  'account:password': 'right',
  'account:reset': 'no session',
  'account:register': 'no session',
  'account:verify': 'no session',
  'account:vouch': 'no session',
  'account:tokens': 'read',
  'account:token:add': 'right',
  'account:token:rotate': 'right',
  'account:token:revoke': 'end',
  'account:bots': 'read',
  'account:bot:add': 'right',
  'account:bot:remove': 'end',
  'account:bot:tokens': 'read',
  'account:bot:token:add': 'right',
  'account:bot:token:rotate': 'right',
  'account:bot:token:revoke': 'end',
  'account:bot:hooks': 'read',
  'account:bot:hook:update': 'right',
  'account:bot:hook:delete': 'end',
  'account:bot:hook:deliveries': 'read',
  'account:calendars': 'read',
  'account:calendar:add': 'right',
  'account:calendar:rotate': 'right',
  'account:calendar:remove': 'end',
  'account:hooks': 'read',
  'account:hook:add': 'right',
  'account:hook:update': 'right',
  'account:hook:delete': 'end',
  'account:hook:rotate': 'right',
  'account:hook:test': 'right',
  'account:hook:deliveries': 'read',
  'account:hook:replay': 'right',
  'account:imports': 'read',
  'account:import:begin': 'data',
  'account:import:store': 'data',
  'account:import:rows': 'read',
  'account:import:revert': 'data',
  'account:import:delete': 'data',
  'account:users': 'read',
  'account:disable': 'right',
  'account:admin:status': 'read',
  'account:admin:service': 'read',
  'account:admin:sessions': 'read',
  'account:admin:session:end': 'end',
  'account:admin:tokens': 'read',
  'account:admin:token:revoke': 'end',
  'account:admin:hooks': 'read',
  'account:admin:hook:disable': 'end',
};

test('[AUTH2] these tests make every call that creates, renews or extends a right', async () => {
  const account = await openAccount(database, { done });
  const tested = new Set<string>([...rightsBy(account, account.mine).map(([event]) => event), 'account:disable']);
  const rights = Object.entries(KINDS).flatMap(([event, kind]) => (kind === 'right' ? [event] : []));
  expect([...tested].sort()).toEqual(rights.sort());
});

test('[AUTH6] a repeated call that ended its own session has its answer, and a new one is refused', async () => {
  const chief = await makeUser(database);
  await makeAdministrator(database, chief.id);
  const caller = await openSessionOf(database, chief.id);
  const end = { user: chief.id, id: null, request: newId(0), caller };
  expect(await ask('account:admin:session:end', end, chief)).toMatchObject({ ok: true });
  expect(await ask('account:admin:session:end', end, chief)).toMatchObject({ ok: true });
  const another = { ...end, request: newId(0) };
  expect(await ask('account:admin:session:end', another, chief)).toMatchObject({ error: 'unauthorized' });
});
