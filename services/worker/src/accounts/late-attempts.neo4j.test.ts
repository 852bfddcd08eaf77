// Late attempts of account operations: an attempt that a worker executes after another attempt of the same
// request was answered, and after a later request was. By the handlers that workers answer with, on a real
// database.
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import { integer } from '@taskgraph/graph-store/driver/codec';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountAnswer, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CALENDAR,
  type Call,
  newHash,
  newSecret,
  nextToken,
  type OpenedAccount,
  OTHER_HASH,
  openAccount,
  openSessionOf,
  storedOf,
  WEBHOOK,
} from '../test/support/account-fixtures.ts';
import { changing, HASH, NOW, newToken, operations, tickets } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let admin: ActingUser;
let { done, ask }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ done, ask } = operations(database));
  await warmUp(database);
  admin = await makeUser(database);
  await makeAdministrator(database, admin.id);
});
afterAll(() => database.close());

const DAY_MS = 86_400_000;

const make = ([event, payload]: Call, actor: ActingUser) => done(event, payload as never, actor);

/** An operation, and what is done after it. */
interface Scenario {
  readonly first: Call;
  /** By the account's user, unless it names another. */
  readonly by?: ActingUser;
  readonly later: readonly (Call | (() => Promise<unknown>))[];
}

const disable = (user: ActingUser, disabled: boolean): Call => [
  'account:disable',
  { id: user.id, disabled, request: newId(0) },
];
const update = ({ hook, mine }: OpenedAccount, changes: object): Call => [
  'account:hook:update',
  { id: hook, caller: mine, request: newId(0), ...changes },
];
const rotateSecret = ({ hook, mine }: OpenedAccount, overlapMs: number): Call => [
  'account:hook:rotate',
  { id: hook, caller: mine, request: newId(0), secret: newSecret(), overlapMs },
];
const rotateCalendar = ({ calendar, mine }: OpenedAccount): Call => [
  'account:calendar:rotate',
  { id: calendar, hash: newHash(), caller: mine, request: newId(0) },
];
const replay = ({ hook, mine }: OpenedAccount, days: number): Call => [
  'account:hook:replay',
  { id: hook, caller: mine, request: newId(0), since: new Date(NOW - days * DAY_MS).toISOString() },
];
const run =
  ({ hook }: OpenedAccount, properties: object) =>
  () =>
    database.write('MATCH (w:Webhook {id: $hook}) SET w += $properties', { hook, properties: { ...properties } });
const addToken =
  ({ user }: OpenedAccount) =>
  () =>
    done('account:token:add', { token: newToken() }, user);
const openSession =
  ({ user }: OpenedAccount) =>
  () =>
    openSessionOf(database, user.id);
const NO_ROWS = { tasks: [], links: [], droppedTasks: [], droppedLinks: [], batch: null, complete: false };
const SETTINGS = { under: null, format: null, reading: null, origin: null, fingerprint: '' };
const row = (base: string) => ({ id: '1', node: '01985f0e-3d10-7a11-9c4a-6e8f0a124b53', base });

function begin(mode: AccountPayload<'account:import:begin'>['mode'], id = newId(0)): Call {
  return ['account:import:begin', { ...SETTINGS, id, name: 'x', run: newId(0), mode }];
}

/** A begun import of the account. */
async function importOf({ user }: OpenedAccount) {
  const start = { ...SETTINGS, id: newId(0), name: 'x', run: newId(0), mode: 'import' as const };
  const { source } = (await done(
    'account:import:begin',
    start,
    user,
  )) as unknown as AccountAnswer<'account:import:begin'>;
  const store = (rows: object): Call => [
    'account:import:store',
    { source: source.id, run: start.run, ...NO_ROWS, ...rows, request: newId(0) },
  ];
  return { store };
}

type Prepare = (account: OpenedAccount) => Scenario | Promise<Scenario>;

const SCENARIOS: Readonly<Record<string, Prepare>> = {
  'a user is enabled, then disabled': async ({ user }) => {
    await make(disable(user, true), admin);
    return { first: disable(user, false), by: admin, later: [disable(user, true)] };
  },
  'a user is disabled, then enabled': (account) => ({
    first: disable(account.user, true),
    by: admin,
    later: [disable(account.user, false), openSession(account)],
  }),
  'a calendar gets an address, then another': (account) => ({
    first: rotateCalendar(account),
    later: [rotateCalendar(account)],
  }),
  'a webhook gets an address, then another': (account) => ({
    first: update(account, { url: 'https://one.example.com/', enabled: true }),
    later: [update(account, { url: 'https://two.example.com/' })],
  }),
  'a webhook is enabled, then disabled': async (account) => {
    await make(update(account, { enabled: false }), account.user);
    return { first: update(account, { enabled: true }), later: [update(account, { enabled: false })] };
  },
  'a webhook is disabled, then enabled': (account) => ({
    first: update(account, { enabled: false }),
    later: [update(account, { enabled: true })],
  }),
  'a webhook is changed, then deleted': (account) => ({
    first: update(account, { name: 'one' }),
    later: [['account:hook:delete', { id: account.hook, caller: account.mine, request: newId(0) }]],
  }),
  'a webhook gets a secret, then another at once': (account) => ({
    first: rotateSecret(account, 0),
    later: [rotateSecret(account, 0)],
  }),
  'a webhook gets a secret, then another with an overlap': (account) => ({
    first: rotateSecret(account, DAY_MS),
    later: [rotateSecret(account, DAY_MS)],
  }),
  'a webhook is replayed, runs, and is changed': (account) => ({
    first: replay(account, 3),
    later: [run(account, { position: 'later' }), update(account, { name: 'two' })],
  }),
  'a webhook is changed, then replayed': (account) => ({
    first: update(account, { events: ['node.due'] }),
    later: [replay(account, 1), run(account, { duePosition: '{"time":"2027-01-01","id":""}', version: integer(9) })],
  }),
  'a test of a webhook is requested, then sent': (account) => ({
    first: ['account:hook:test', { id: account.hook, caller: account.mine, request: newId(0) }],
    later: [run(account, { testMs: null, nextMs: integer(5) })],
  }),
  'a webhook of a bot is enabled, then disabled': ({ bot, botHook, mine }) => {
    const change = (enabled: boolean): Call => [
      'account:bot:hook:update',
      { bot: bot.id, id: botHook, caller: mine, request: newId(0), enabled },
    ];
    return { first: change(true), later: [change(false)] };
  },
  'an administrator disables a webhook, and again after its user enabled it twice': (account) => {
    const off = (): Call => ['account:admin:hook:disable', { id: account.hook, request: newId(0) }];
    const on = () => make(update(account, { enabled: true }), account.user);
    return { first: off(), by: admin, later: [on, off(), on] };
  },
  'a bot is created, then removed': ({ user, mine }) => {
    const id = newId(0);
    const remove = () => done('account:bot:remove', { id }, user);
    return { first: ['account:bot:add', { id, name: 'Another', caller: mine }], later: [remove] };
  },
  'all sessions end, then one is opened': (account) => ({
    first: ['account:sessions:end', { keep: account.mine, caller: account.mine, request: newId(0) }],
    later: [openSession(account)],
  }),
  'an administrator ends all sessions, then one is opened': (account) => ({
    first: ['account:admin:session:end', { user: account.user.id, id: null, request: newId(0) }],
    by: admin,
    later: [openSession(account)],
  }),
  'a new password ends everything, then a session and a token are created': (account) => ({
    first: [
      'account:password',
      { ...changing(account.user.id, HASH, { keep: account.mine, after: OTHER_HASH }), endTokens: true },
    ],
    later: [openSession(account), addToken(account)],
  }),
  'a reset ends everything, then a session and a token are created': (account) => ({
    first: ['account:reset', { ticket: tickets.reset(account.user, HASH), passwordHash: OTHER_HASH, endTokens: true }],
    later: [openSession(account), addToken(account)],
  }),
  'a token is created, then revoked': ({ user, mine }) => {
    const token = newToken();
    const revoke = () => done('account:token:revoke', { id: token.id, request: newId(0) }, user);
    return { first: ['account:token:add', { token, caller: mine }], later: [revoke] };
  },
  'a token is rotated, and the new one revoked': ({ user, token, mine }) => {
    const next = nextToken();
    const revoke = () => done('account:token:revoke', { id: next.id, request: newId(0) }, user);
    return {
      first: ['account:token:rotate', { id: token, request: newId(0), token: next, caller: mine }],
      later: [revoke],
    };
  },
  'a calendar is created, then removed': ({ mine }) => {
    const id = newId(0);
    return {
      first: ['account:calendar:add', { ...CALENDAR, id, hash: newHash(), session: mine }],
      later: [['account:calendar:remove', { id, request: newId(0) }]],
    };
  },
  'a webhook is created, then deleted': ({ mine }) => {
    const id = newId(0);
    return {
      first: ['account:hook:add', { ...WEBHOOK, events: [], id, caller: mine, secret: newSecret() }],
      later: [['account:hook:delete', { id, caller: mine, request: newId(0) }]],
    };
  },
  'a row of an import is stored, then another value': async (account) => {
    const { store } = await importOf(account);
    return { first: store({ tasks: [row('one')] }), later: [store({ tasks: [row('two')] })] };
  },
  'a row of an import is stored, then removed, and the import completed': async (account) => {
    const { store } = await importOf(account);
    return { first: store({ tasks: [row('one')] }), later: [store({ droppedTasks: ['1'], complete: true })] };
  },
  'an update begins, then another': async (account) => {
    const { store } = await importOf(account);
    await make(store({ tasks: [row('one')], complete: true }), account.user);
    return { first: begin('update'), later: [begin('update')] };
  },
  'an update begins and completes': async (account) => {
    const { store } = await importOf(account);
    await make(store({ tasks: [row('one')], complete: true }), account.user);
    const first = begin('update');
    const [, { run }] = first as ['account:import:begin', AccountPayload<'account:import:begin'>];
    const [event, stored] = store({ complete: true }) as [
      'account:import:store',
      AccountPayload<'account:import:store'>,
    ];
    return { first, later: [[event, { ...stored, run }]] };
  },
};

test.each(Object.keys(SCENARIOS))('[AUTH6] %s: a late attempt of the former changes nothing', async (what) => {
  const account = await openAccount(database, { done });
  const { user, bot } = account;
  const { first, by = user, later } = await (SCENARIOS[what] as Prepare)(account);
  const state = () => storedOf(database, user, bot);
  await make(first, by);
  const once = await state();
  await make(first, by);
  expect(await state(), 'a repetition').toEqual(once);
  for (const step of later) await (typeof step === 'function' ? step() : make(step, by));
  const after = await state();
  expect(after, 'the later operation').not.toEqual(once);
  await ask(first[0], first[1] as never, by);
  expect(await state(), 'a late attempt').toEqual(after);
});

test('[AUTH6] a user has the ids of the last hundred operations', async () => {
  const account = await openAccount(database, { done });
  const { user, hook, mine } = account;
  const requests: string[] = [];
  for (let count = 0; count < 103; count++) {
    const request = newId(0);
    requests.unshift(request);
    await done('account:hook:test', { id: hook, caller: mine, request }, user);
  }
  const [found] = await database.read('MATCH (u:User {id: $id}) RETURN u.requests AS requests', { id: user.id });
  expect(found?.requests).toEqual(requests.slice(0, 100));
});

test('[AUTH6] two attempts at the same moment have the effect of one', async () => {
  const account = await openAccount(database, { done });
  const secrets = async () => {
    const [found] = await database.read('MATCH (w:Webhook {id: $hook}) RETURN w.version AS version', account as never);
    return found?.version;
  };
  const call = update(account, { name: 'one', url: 'https://one.example.com/' });
  const before = (await secrets()) as number;
  await Promise.all([make(call, account.user), make(call, account.user)]);
  expect(await secrets()).toBe(before + 1);
});
