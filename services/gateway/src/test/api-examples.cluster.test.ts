// Makes every call and request with its example in libs/wire/src/operations, and writes the answers
// and pushes to docs/api/examples.json, the source of the examples in the API's descriptions. `npm
// run docs:examples` renews it.
import { LIMITS, variableOf } from '@taskgraph/commands/rate-limits';
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { openRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { EXAMPLE } from '@taskgraph/wire/operations/examples';
import { type Operation, routesOf } from '@taskgraph/wire/operations/operation';
import { type EventName, OPERATIONS, operations, socketOperations } from '@taskgraph/wire/operations/operations';
import { PUSHES, type PushName } from '@taskgraph/wire/operations/pushes';
import type { ServiceDetails, ServiceStatus } from '@taskgraph/wire/public-types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call as ask } from './support/account-calls.ts';
import { sendRest } from './support/calls.ts';
import { type Names, withNames, withReal } from './support/described/names.ts';
import { exampleDetails, exampleStatus } from './support/described/service-examples.ts';
import { openStage, prepare } from './support/described/stages.ts';
import { linkIn, type Mailbox, openMailbox } from './support/mailbox.ts';

const FILE = '../../../../docs/api/examples.json';
/** The only limit that these tests run into. */
const TOKENS = 8;
const WAIT = { timeout: 120_000, interval: 25 };

let stack: TestStack;
let mailbox: Mailbox;
let url = '';

const calls: Record<string, { payload: object; answer: object }> = {};
const refusals: Record<string, object> = {};
const pushes: Record<string, object> = {};
const open: RawSocket[] = [];

beforeAll(async () => {
  mailbox = await openMailbox();
  const limits = LIMITS.map(({ name }) => [variableOf(name), name === 'token:create' ? `${TOKENS}/60` : '10000/60']);
  stack = await startTestStack({
    workers: 1,
    environment: {
      COMMAND_DEADLINE_MS: '60000',
      HEADS_INTERVAL_MS: '500',
      REGISTRATION: 'on',
      DOCS: 'off',
      CONSOLE: 'off',
      PUBLIC_URL: 'https://tasks.example.com',
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'tasks@example.com',
      TASKGRAPH_LIMITS: 'on',
      SOCKET_REFUSALS_PER_MINUTE: '3',
      ...Object.fromEntries(limits),
    },
  });
  [url = ''] = stack.urls;
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await stack?.stop();
  await mailbox?.close();
});

const person = async (email: string) => ({ email, token: await stack.token(email) });

/** A socket that notes the first push of each kind. */
async function listen(auth: object, names: Names): Promise<RawSocket> {
  const socket = openRawSocket(url, { auth });
  open.push(socket);
  socket.onAny((event: PushName, body: object) => {
    pushes[event] ??= withNames(body, names);
  });
  await once(socket, 'connected');
  return socket;
}

/** The first push of heads that equals the received slices of a branch. Earlier ones may lack the last. */
function finalHeads(socket: RawSocket): Promise<object> {
  let reached: number | null = null;
  return new Promise((resolve) => {
    socket.on('graph:diff', ({ feed, seq, nodes }: { feed: string; seq: number; nodes: { after: object }[] }) => {
      const isOver = nodes.some(({ after }) => 'publicBranch' in after && after.publicBranch === false);
      if (feed.startsWith('root:') && isOver) reached = seq;
    });
    socket.on('feeds:heads', (body: { feeds: Record<string, number> }) => {
      const isFinal = ([feed, seq]: [string, number]) => feed.startsWith('root:') && seq === reached;
      if (Object.entries(body.feeds).some(isFinal)) resolve(body);
    });
  });
}

function once(socket: RawSocket, event: PushName): Promise<void> {
  return new Promise((resolve) => socket.once(event, () => resolve()));
}

describe.each(socketOperations)('$name', (operation) => {
  const { name: event, example } = operation;

  test('answers its example', async () => {
    const domain = `${event.replaceAll(':', '-')}.example`;
    const [ann, bob] = [await person(`ann@${domain}`), await person(`bob@${domain}`)];
    const stage = openStage(url, ann, bob);
    await prepare(stage, event as EventName);
    const by = event === 'node:showing' ? stage.bob : stage.ann;
    const { status, body } = await by(event, withReal(example, stage.names));
    expect(status, JSON.stringify(body)).toBe(200);
    calls[event] = { payload: example, answer: withNames(body, stage.names) };
    const [, alsoPost] = routesOf(operation);
    if (alsoPost !== undefined) {
      const payload = withReal(example, stage.names);
      const posted = await sendRest(url + alsoPost.path, { method: 'POST', payload, token: ann.token });
      expect(withNames(posted.body, stage.names)).toEqual(calls[event]?.answer);
    }
  });
});

describe('routes of accounts', () => {
  const names: Names = new Map();
  let session = '';

  /** Asks a route by its example; gives the answer, which must be that it was done. */
  async function perform(operation: Operation): Promise<Record<string, unknown>> {
    const { name, transports, caller, example } = operation;
    const { rest } = transports;
    const token = caller === 'anybody' ? undefined : session;
    const payload = withReal(example, names);
    const { status, body } =
      rest.method === 'GET'
        ? await sendRest(url + rest.path, { method: 'GET', payload, token })
        : await ask(url, rest.method, rest.path, { token, body: payload });
    expect(status, JSON.stringify(body)).toBe(200);
    calls[name] = { payload: example, answer: withNames(body, names) };
    return body;
  }

  async function mailedToken(): Promise<string> {
    const seen = mailbox.mails.length;
    await expect.poll(() => mailbox.mails.length, WAIT).toBeGreaterThanOrEqual(seen);
    return new URLSearchParams(new URL(linkIn(mailbox.mails.at(-1)!), url).hash.slice(1)).get('token') ?? '';
  }

  /** The status and the details of a worker. */
  async function performOfServices(): Promise<void> {
    const routes = OPERATIONS;
    const readStatus = async () => (await perform(routes['admin:status'])) as unknown as ServiceStatus;
    // A worker that is busy may answer too late.
    await expect.poll(async () => (await readStatus()).leases, WAIT).not.toBeNull();
    const status = exampleStatus(await readStatus());
    names.set(EXAMPLE.process, status.services[0]?.process ?? '');
    calls['admin:status'] = { payload: {}, answer: withNames(status, names) };
    const details = exampleDetails((await perform(routes['admin:service'])) as unknown as ServiceDetails);
    calls['admin:service'] = { payload: routes['admin:service'].example, answer: withNames(details, names) };
  }

  /** The calls of administrators on the session, the token and the webhook of bob. */
  async function performOnUser(email: string, token: string): Promise<void> {
    const routes = OPERATIONS;
    const user = names.get(EXAMPLE.ann) ?? '';
    const linked = await runAdmin(stack, 'sign-in-link', ['--email', email]);
    const link = linked.output.match(/#link=(\S+)/)?.[1] ?? '';
    expect(await ask(url, 'POST', '/api/login/link', { body: { token: link } })).toMatchObject({ status: 200 });
    await perform(routes['admin:sessions']);
    await perform(routes['admin:session:end']);
    const { body: added } = await ask(url, 'POST', '/api/hook', { token, body: { url: EXAMPLE.hookUrl } });
    names.set(EXAMPLE.hook, (added.hook as { id: string }).id);
    await perform(routes['admin:hooks']);
    // Earlier webhooks of the database are not part of the example.
    const payload = { limit: 1_000, after: user };
    const { body: page } = await sendRest(`${url}/api/admin/hooks`, { method: 'GET', payload, token: session });
    const hooks = (page.hooks as { id: string }[]).filter(({ id }) => id === names.get(EXAMPLE.hook));
    const answer = withNames({ ...page, hooks, hasMore: false, next: null }, names);
    calls['admin:hooks'] = { payload: routes['admin:hooks'].example, answer };
    await perform(routes['admin:hook:disable']);
    const found = await ask(url, 'GET', `/api/admin/tokens?user=${user}`, { token: session });
    names.set(EXAMPLE.tokenId, (found.body.tokens as { id: string }[])[0]?.id ?? '');
    await perform(routes['admin:tokens']);
    await perform(routes['admin:token:revoke']);
  }

  test('answer their examples, from a registration to the last token', async () => {
    const routes = OPERATIONS;
    await perform(routes.register);
    names.set(EXAMPLE.mailed, await mailedToken());
    const { user } = await perform(routes['register:verify']);
    names.set(EXAMPLE.ann, (user as { id: string }).id);
    session = String((await perform(routes.login)).session);
    const linked = await runAdmin(stack, 'sign-in-link', ['--email', EXAMPLE.email]);
    expect(linked.code, linked.output).toBe(0);
    names.set(EXAMPLE.mailed, linked.output.match(/#link=(\S+)/)?.[1] ?? '');
    session = String((await perform(routes['login:link'])).session);
    await perform(routes.me);
    await perform(routes.password);
    const mailed = mailbox.mails.length;
    await perform(routes['password:forgot']);
    await expect.poll(() => mailbox.mails.length, WAIT).toBe(mailed + 1);
    names.set(EXAMPLE.mailed, await mailedToken());
    await perform(routes['password:reset']);
    const signedIn = await ask(url, 'POST', '/api/login', {
      body: { email: EXAMPLE.email, password: EXAMPLE.password },
    });
    session = String(signedIn.body.session);
    await perform(routes['session:list']);
    await perform(routes['session:end']);
    const { token } = await perform(routes['token:create']);
    names.set(EXAMPLE.tokenId, (token as { id: string }).id);
    await perform(routes['token:list']);
    const rotated = await perform(routes['token:rotate']);
    names.set(EXAMPLE.tokenId, (rotated.token as { id: string }).id);
    await perform(routes['token:revoke']);
    const added = await perform(routes['bot:create']);
    const { bot } = added as { bot: { id: string; email: string } };
    names.set(EXAMPLE.bot, bot.id);
    // The address ends like the id.
    names.set(`importer-${EXAMPLE.bot.slice(-12)}@bots.invalid`, bot.email);
    calls['bot:create'] = { payload: routes['bot:create'].example, answer: withNames(added, names) };
    await perform(routes['bot:list']);
    await perform(routes['bot:remove']);
    const defined = await perform(routes['calendar:create']);
    names.set(EXAMPLE.calendar, (defined.calendar as { id: string }).id);
    calls['calendar:create'] = { payload: routes['calendar:create'].example, answer: withNames(defined, names) };
    await perform(routes['calendar:list']);
    await perform(routes['calendar:rotate']);
    await perform(routes['calendar:remove']);
    const hooked = await perform(routes['hook:add']);
    names.set(EXAMPLE.hook, (hooked.hook as { id: string }).id);
    calls['hook:add'] = { payload: routes['hook:add'].example, answer: withNames(hooked, names) };
    await perform(routes['hook:list']);
    await perform(routes['hook:update']);
    await perform(routes['hook:rotate']);
    await perform(routes['hook:test']);
    await perform(routes['hook:deliveries']);
    await perform(routes['hook:replay']);
    await perform(routes['hook:delete']);
    // The service does not look up the nodes of rows.
    names.set(EXAMPLE.node, EXAMPLE.node);
    const begun = await perform(routes['import:begin']);
    names.set(EXAMPLE.importSource, (begun.source as { id: string }).id);
    calls['import:begin'] = { payload: routes['import:begin'].example, answer: withNames(begun, names) };
    await perform(routes['import:store']);
    await perform(routes['import:rows']);
    await perform(routes['import:list']);
    await perform(routes['import:revert']);
    await perform(routes['import:delete']);
    const made = await runAdmin(stack, 'user', ['--email', EXAMPLE.email, '--admin']);
    expect(made.code, made.output).toBe(0);
    const other = await person('bob@example.com');
    const found = await ask(url, 'GET', '/api/me', { token: other.token });
    names.set(EXAMPLE.ann, (found.body.user as { id: string }).id);
    let page = await perform(routes['admin:users']);
    const users: { readonly email: string }[] = [];
    // Other users of the database are not part of the example.
    const isShown = ({ email }: { readonly email: string }) => email === EXAMPLE.email || email === EXAMPLE.guest;
    for (;;) {
      users.push(...(page.users as typeof users).filter(isShown));
      if (page.next === null) break;
      const payload = { limit: 1_000, after: page.next };
      ({ body: page } = await sendRest(`${url}/api/admin/users`, { method: 'GET', payload, token: session }));
    }
    users.sort((one, other) => (one.email < other.email ? -1 : 1));
    calls['admin:users'] = { payload: routes['admin:users'].example, answer: withNames({ ...page, users }, names) };
    await perform(routes['admin:user:find']);
    await perform(routes['admin:user']);
    await performOfServices();
    await performOnUser(other.email, other.token);
    await perform(routes.logout);
    const offered = await perform(routes.capabilities);
    // This stack has other rates than a service by default.
    const rates = Object.fromEntries(
      LIMITS.map(({ name, points, seconds }) => [name, { calls: points, seconds }] as const),
    );
    const limits = offered.limits as { readonly rates: object };
    expect(Object.keys(limits.rates)).toEqual(Object.keys(rates));
    calls.capabilities = { payload: {}, answer: withNames({ ...offered, limits: { ...limits, rates } }, names) };
  });
});

describe('the service', () => {
  test('reports its health', async () => {
    const { body } = await sendRest(`${url}/api/health`, { method: 'GET', payload: {} });
    calls.health = { payload: {}, answer: withNames(body, new Map()) };
  });

  test('has no page if DOCS is off, but its descriptions', async () => {
    const statuses = ['/docs', '/docs/sockets', '/docs/rest.js', '/openapi.json'].map(
      async (path) => (await fetch(url + path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404, 200]);
  });

  test('[CON1] has no console if CONSOLE is off', async () => {
    for (const path of ['/', '/ready', '/assets/console.js']) {
      const response = await fetch(url + path);
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
    }
  });

  test('[EVT1 EVT2 PUB5 LIM4] pushes match their declarations', async () => {
    const [ann, bob] = [await person('ann@pushes.example'), await person('bob@pushes.example')];
    const stage = openStage(url, ann, bob);
    await prepare(stage, 'node:access');
    const socket = await listen({ api_token: bob.token }, stage.names);
    await stage.ann('node:access', withReal(OPERATIONS['node:access'].example, stage.names));
    await stage.ann('node:update', { id: stage.names.get(EXAMPLE.node), title: 'Go live on Monday' });
    const { body } = await stage.ann('node:publish', { id: stage.names.get(EXAMPLE.node) });
    const [published] = (body.diff as { nodes: { after: { publicToken: string } }[] }).nodes;
    await listen({ public_token: published?.after.publicToken }, stage.names);
    const heads = finalHeads(socket);
    await stage.ann('node:unpublish', { id: stage.names.get(EXAMPLE.node) });
    pushes['feeds:heads'] = withNames(await heads, stage.names);
    const refused = once(socket, 'request_error');
    socket.emit('graph:get', {});
    await refused;
    // The service disconnects after a few calls without an ack callback.
    for (let tries = 0; tries < 5; tries++) socket.emit('graph:get', {});
    const told = Object.keys(PUSHES).filter((name) => name !== 'rate_limited');
    await expect.poll(() => told.filter((name) => pushes[name] === undefined), WAIT).toEqual([]);
  });

  test('[GEN3 LIM2] refusals match their declarations', async () => {
    const [ann, bob] = [await person('ann@refused.example'), await person('bob@refused.example')];
    const stage = openStage(url, ann, bob);
    const { names } = stage;
    await prepare(stage, 'link:swap');
    const real = (name: string) => names.get(name);
    const note = (code: string, body: object) => {
      expect(body).toMatchObject({ ok: false });
      refusals[code] = withNames(body, names);
    };
    const [id, other] = [real(EXAMPLE.node), real(EXAMPLE.other)];
    note('unauthorized', (await sendRest(`${url}/api/graph`, { method: 'GET', payload: {} })).body);
    note('bad_request.missing_<field>', (await stage.ann('node:update', { title: 'x' })).body);
    note('bad_request.unknown_field', (await stage.ann('node:add', { colour: 'red' })).body);
    note('bad_request.invalid_<field>', (await stage.ann('node:add', { title: 7 })).body);
    note('bad_request.out_of_range', (await stage.ann('graph:get', { limit: 0 })).body);
    note('bad_request.invalid_after', (await stage.ann('graph:get', { after: 'there' })).body);
    note('forbidden', (await stage.bob('node:update', { id, title: 'x' })).body);
    note('not_found', (await stage.ann('node:update', { id: EXAMPLE.batch, title: 'x' })).body);
    note('version_conflict', (await stage.ann('node:update', { id, title: 'x', version: 99 })).body);
    note('conflict.node_blocked', (await stage.ann('node:update', { id, status: 3 })).body);
    note('conflict.duplicate_link', (await stage.ann('link:add', { source: other, target: id })).body);
    note('not_trashed_node', (await stage.ann('node:restore', { id })).body);
    const makeToken = async () => (await ask(url, 'POST', '/api/token', { token: ann.token, body: {} })).body;
    note('forbidden.session_required', await makeToken());
    for (let tries = 1; tries < TOKENS; tries++) await makeToken();
    const limited = await makeToken();
    const { details } = limited as { details?: { retryAfterMs?: unknown } };
    // How long it is depends on the moment.
    expect(details?.retryAfterMs).toBeTypeOf('number');
    const message = String(limited.message).replace(/[\d.]+ s/, '41.2 s');
    note('rate_limited', { ...limited, message, details: { ...details, retryAfterMs: 41_200 } });
    for (const [code, body] of Object.entries(refusals)) {
      expect((body as { error: string }).error).toMatch(new RegExp(`^${code.replace('<field>', '\\w+')}$`));
    }
  });
});

test('docs/api/examples.json contains the actual answers', async () => {
  const named = [...socketOperations.map(({ name }) => name), 'health', ...answering()];
  expect(Object.keys(calls).sort()).toEqual(named.sort());
  await expect(`${JSON.stringify({ calls, refusals, pushes: sorted(pushes) }, null, 2)}\n`).toMatchFileSnapshot(FILE);
});

/** Routes whose answers are JSON, and which need no browser. */
function answering(): string[] {
  const accounts = operations.filter(({ kind }) => kind === 'account');
  return accounts.flatMap(({ name, answer }) => (typeof answer === 'object' ? [name] : []));
}

function sorted(bodies: Record<string, object>): object {
  return Object.fromEntries(Object.entries(bodies).sort(([one], [other]) => (one < other ? -1 : 1)));
}
