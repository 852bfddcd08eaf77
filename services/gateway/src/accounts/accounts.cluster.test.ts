// Sessions and API tokens on a running stack of two gateways, whose own token checks are too rare
// to matter.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountSocket, call, dial, type Reply, signIn } from '../test/support/account-calls.ts';
import { foundInLogs } from '../test/support/logs.ts';

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'another horse altogether';
/** The first commands of a new database take long on a busy machine. */
const LOOSE = { COMMAND_DEADLINE_MS: '60000', LOG_LEVEL: 'debug' };
const WAIT = { timeout: 120_000, interval: 20 };
const TOKEN = { id: expect.any(String), prefix: expect.stringMatching(/^tg_.{4}$/), lastUsed: null };

let stack: TestStack;
let [one, two] = ['', ''];
const lines: AccountSocket[] = [];
/** Secrets that no log may contain. */
const secrets = new Set<string>([PASSWORD, NEW_PASSWORD]);

beforeAll(async () => {
  stack = await startTestStack({ gateways: 2, environment: { ...LOOSE, HEADS_INTERVAL_MS: '600000' } });
  [one = '', two = ''] = stack.urls;
  for (const name of ['ann', 'bob', 'carol', 'dan']) await makeUser(name);
});
afterAll(async () => {
  for (const { socket } of lines) socket.close();
  await stack?.stop();
});

async function makeUser(name: string): Promise<void> {
  const given = ['--email', emailOf(name), '--password', PASSWORD];
  const { code, output } = await runAdmin(stack, 'token', [
    ...given,
    '--read-only',
    '--expires',
    '2100-01-01T00:00:00Z',
  ]);
  expect(code, output).toBe(0);
  secrets.add(output.trim().split('\n').at(-1) ?? '');
}

async function sessionOf(name: string, password = PASSWORD): Promise<string> {
  const session = await signIn(one, emailOf(name), password);
  secrets.add(session);
  return session;
}

async function makeToken(session: string, body: object = {}): Promise<{ id: string; plaintext: string; reply: Reply }> {
  const reply = await call(one, 'POST', '/api/token', { token: session, body });
  const { token, plaintext } = reply.body as unknown as { token: { id: string }; plaintext: string };
  secrets.add(plaintext);
  return { id: token.id, plaintext, reply };
}

async function connect(url: string, auth: object, headers?: Record<string, string>): Promise<AccountSocket> {
  const line = await dial(url, auth, headers);
  lines.push(line);
  return line;
}

const refusal = (status: number, error: string) => ({ status, body: { ok: false, error } });

test('[CAP1] tells everyone what the service offers, and revalidates it', async () => {
  const first = await fetch(`${one}/api/capabilities`);
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  const offered = { registration: false, mail: false, provider: null, docs: true, console: true };
  expect(await first.json()).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/), ...offered });
  // Gateways with the same settings have the same tag.
  const again = await fetch(`${two}/api/capabilities`, { headers: { 'If-None-Match': etag } });
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  // A wrong token does not matter.
  const headers = { Authorization: 'Bearer tgs_wrong' };
  expect((await fetch(`${one}/api/capabilities`, { headers })).status).toBe(200);
});

test('[AUTH1 AUTH2] a login returns a session, which identifies its user until logout', async () => {
  const body = { email: emailOf('ANN'), password: PASSWORD };
  const login = await call(one, 'POST', '/api/login', { body });
  const user = { id: expect.any(String), email: emailOf('ann'), username: 'ann' };
  const session = String(login.body.session);
  secrets.add(session);
  expect(login).toMatchObject({ status: 200, body: { ok: true, session: expect.stringMatching(/^tgs_/), user } });
  expect(Object.keys(login.body).sort()).toEqual(['expires', 'ok', 'session', 'trace_id', 'user']);
  const days = (Date.parse(String(login.body.expires)) - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(14, 1);
  expect(login.cookies.taskgraph_session).toBe(`${session}; Max-Age=1209600; Path=/; HttpOnly; Secure; SameSite=Lax`);
  const me = await call(two, 'GET', '/api/me', { token: session });
  expect(me).toMatchObject({ status: 200, body: { user: { ...user, admin: false } } });
  const line = await connect(two, { api_token: session });
  const logout = await call(two, 'POST', '/api/logout', { token: session });
  expect(logout).toMatchObject({
    status: 200,
    cookies: { taskgraph_session: expect.stringMatching(/^; .*Max-Age=0/) },
  });
  expect(await call(one, 'GET', '/api/me', { token: session })).toMatchObject(refusal(401, 'unauthorized'));
  await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
});

test('[AUTH4 GEN3] without a mail server no link is promised', async () => {
  const reply = await call(one, 'POST', '/api/password/forgot', { body: { email: 'ann@example.com' } });
  expect(reply).toMatchObject({ status: 403, body: { ok: false, error: 'forbidden.mail_off' } });
});

test('[AUTH1] an unknown e-mail and a wrong password get the same answer after the same time', async () => {
  const attempt = async (email: string) => {
    const startedMs = performance.now();
    const { status, body } = await call(one, 'POST', '/api/login', { body: { email, password: 'a wrong password' } });
    const { trace_id: _differs, ...rest } = body;
    return { ms: performance.now() - startedMs, seen: JSON.stringify([status, rest]) };
  };
  const [unknown, wrong]: [number[], number[]] = [[], []];
  const answers = new Set<string>();
  for (let round = 0; round < 25; round++) {
    // In turns, so that other load on the machine affects both.
    for (const [email, times] of [
      [emailOf(`nobody${round}`), unknown],
      [emailOf('bob'), wrong],
    ] as const) {
      const { ms, seen } = await attempt(email);
      times.push(ms);
      answers.add(seen);
    }
  }
  expect([...answers]).toEqual([expect.stringContaining('"unauthorized"')]);
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[12] ?? 0;
  const ratio = median(unknown) / median(wrong);
  // A login that does not hash is several times as fast.
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.7);
});

describe('[AUTH1] the cookie of a session', () => {
  test('lets pages of this host read and write, and changes nothing for requests without an origin', async () => {
    const cookie = `taskgraph_session=${await sessionOf('ann')}`;
    const write = (headers: object) =>
      call(one, 'POST', '/api/node', { body: { title: 'by a page' }, headers: { cookie, ...headers } });
    expect(await call(one, 'GET', '/api/graph', { headers: { cookie } })).toMatchObject({ status: 200 });
    expect(await write({ origin: one })).toMatchObject({ status: 200 });
    expect(await write({ 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 200 });
    for (const headers of [{}, { origin: 'https://evil.example.com' }, { origin: 'null' }]) {
      expect(await write(headers)).toMatchObject(refusal(403, 'forbidden.origin'));
    }
    expect(await call(one, 'POST', '/api/logout', { headers: { cookie } })).toMatchObject(
      refusal(403, 'forbidden.origin'),
    );
  });

  test('opens a socket, which is marked as a web socket', async () => {
    const cookie = `taskgraph_session=${await sessionOf('ann')}`;
    const line = await connect(two, {}, { cookie, origin: two });
    expect(line.connected).toMatchObject({ ok: true, client: 'web' });
    await expect(dial(two, {}, { cookie })).rejects.toMatchObject({ message: 'forbidden.origin' });
  });
});

test('[AUTH1] a new password requires the current one, and ends all other sessions on both gateways', async () => {
  const [mine, other] = [await sessionOf('carol'), await sessionOf('carol')];
  const { plaintext } = await makeToken(mine);
  const line = await connect(two, { api_token: other });
  const change = (current: string, password: string) =>
    call(one, 'PUT', '/api/password', { token: mine, body: { current, password } });
  expect(await change('a wrong password', NEW_PASSWORD)).toMatchObject(refusal(403, 'forbidden.wrong_password'));
  expect(await change(PASSWORD, 'short')).toMatchObject(refusal(400, 'bad_request.invalid_password'));
  expect(await change(PASSWORD, 'Password123!')).toMatchObject(refusal(400, 'bad_request.common_password'));
  expect(await change(PASSWORD, NEW_PASSWORD)).toMatchObject({ status: 200 });
  await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
  for (const url of [one, two]) {
    expect(await call(url, 'GET', '/api/me', { token: mine })).toMatchObject({ status: 200 });
    expect(await call(url, 'GET', '/api/me', { token: plaintext })).toMatchObject({ status: 200 });
    expect(await call(url, 'GET', '/api/me', { token: other })).toMatchObject(refusal(401, 'unauthorized'));
  }
  await expect(sessionOf('carol')).rejects.toThrow('unauthorized');
  await sessionOf('carol', NEW_PASSWORD);
});

test('[AUTH4] sessions are listed, ended one by one or all others, and with a new password API tokens too', async () => {
  const [mine, other, third] = [await sessionOf('bob'), await sessionOf('bob'), await sessionOf('bob')];
  const [{ plaintext }, line] = [await makeToken(mine), await connect(two, { api_token: third })];
  const list = async (token = mine) =>
    (await call(one, 'GET', '/api/session', { token })).body.sessions as { id: string; current: boolean }[];
  const sessions = await list();
  expect(sessions.map(({ current }) => current)).toEqual([true, false, false]);
  expect(Object.keys(sessions[0] ?? {}).sort()).toEqual(['createdTime', 'current', 'expires', 'id', 'lastUsed']);
  const end = (body: object, token = mine) => call(one, 'DELETE', '/api/session', { token, body });
  const isOpen = async (token: string) => (await call(two, 'GET', '/api/me', { token })).status === 200;
  expect(await end({ id: sessions[1]?.id }, await sessionOf('ann'))).toMatchObject(refusal(404, 'not_found'));
  expect(await end({ id: sessions[1]?.id }, plaintext)).toMatchObject(refusal(403, 'forbidden.session_required'));
  expect(await end({ id: sessions[1]?.id })).toMatchObject({ status: 200, body: { ok: true } });
  expect([await isOpen(mine), await isOpen(other), await isOpen(third)]).toEqual([true, false, true]);
  expect(await end({})).toMatchObject({ status: 200 });
  await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
  expect([await isOpen(mine), await isOpen(third), await isOpen(plaintext)]).toEqual([true, false, true]);
  const body = { current: PASSWORD, password: NEW_PASSWORD, endTokens: true };
  expect(await call(one, 'PUT', '/api/password', { token: mine, body })).toMatchObject({ status: 200 });
  expect([await isOpen(mine), await isOpen(plaintext)]).toEqual([true, false]);
});

describe('[AUTH2] API tokens', () => {
  test('are created, shown once, listed, replaced and revoked by a session', async () => {
    const session = await sessionOf('dan');
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { id, plaintext, reply } = await makeToken(session, { name: 'script', expires, readOnly: true });
    const facts = { ...TOKEN, id, name: 'script', expires, readOnly: true, scopes: ['read'] };
    expect(reply.body).toMatchObject({ ok: true, token: facts, plaintext: expect.stringMatching(/^tg_\w{36}$/) });
    expect(await call(two, 'GET', '/api/graph', { token: plaintext })).toMatchObject({ status: 200 });
    const list = async () =>
      (await call(two, 'GET', '/api/token', { token: session })).body.tokens as { id: string; name: string }[];
    expect((await list()).find((token) => token.id === id)).toEqual({
      ...facts,
      prefix: plaintext.slice(0, 7),
      createdTime: expect.stringMatching(/Z$/),
      lastUsed: expect.stringMatching(/Z$/),
    });
    const rotated = await call(one, 'POST', '/api/token/rotate', { token: session, body: { id } });
    const next = rotated.body as unknown as { token: { id: string }; plaintext: string };
    secrets.add(next.plaintext);
    expect(rotated.body.token).toMatchObject({ ...facts, id: expect.not.stringMatching(id) });
    expect(await call(two, 'GET', '/api/graph', { token: plaintext })).toMatchObject(refusal(401, 'unauthorized'));
    expect(await call(two, 'GET', '/api/graph', { token: next.plaintext })).toMatchObject({ status: 200 });
    const revoke = () => call(one, 'DELETE', '/api/token', { token: session, body: { id: next.token.id } });
    expect(await revoke()).toMatchObject({ status: 200, body: { ok: true } });
    expect(await revoke()).toMatchObject(refusal(404, 'not_found'));
    expect(await call(one, 'GET', '/api/graph', { token: next.plaintext })).toMatchObject(refusal(401, 'unauthorized'));
    expect((await list()).map(({ name }) => name)).toEqual(['']);
  });

  test('revocation closes the token’s sockets on every gateway within a second', async () => {
    const session = await sessionOf('dan');
    const others = await Promise.all([one, two].map((url) => connect(url, { api_token: session })));
    const delaysMs: number[] = [];
    // The best of three: a machine that is busy may keep anything waiting.
    for (let round = 0; round < 3; round++) {
      const { id, plaintext } = await makeToken(session);
      const mine = await Promise.all([one, one, two, two].map((url) => connect(url, { api_token: plaintext })));
      const revokedMs = Date.now();
      await call(one, 'DELETE', '/api/token', { token: session, body: { id } });
      await expect.poll(() => mine.every(({ closed }) => closed !== null), WAIT).toBe(true);
      delaysMs.push(Math.max(...mine.map(({ closed }) => (closed?.atMs ?? 0) - revokedMs)));
      for (const url of [one, two]) {
        await expect(dial(url, { api_token: plaintext })).rejects.toMatchObject({ message: 'unauthorized' });
      }
    }
    expect(Math.min(...delaysMs)).toBeLessThan(1_000);
    expect(others.map(({ closed }) => closed)).toEqual([null, null]);
  });

  test('a socket is closed when its token expires', async () => {
    const expires = new Date(Date.now() + 1_500).toISOString();
    const { plaintext } = await makeToken(await sessionOf('dan'), { expires });
    const line = await connect(one, { api_token: plaintext });
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    expect((line.closed?.atMs ?? 0) - Date.parse(expires)).toBeGreaterThanOrEqual(0);
    expect(await call(two, 'GET', '/api/me', { token: plaintext })).toMatchObject(refusal(401, 'unauthorized'));
  });

  test('a read-only one changes nothing, and none manages tokens', async () => {
    const { plaintext } = await makeToken(await sessionOf('dan'), { readOnly: true });
    const line = await connect(one, { api_token: plaintext });
    expect(await call(one, 'POST', '/api/node', { token: plaintext, body: {} })).toMatchObject(
      refusal(403, 'forbidden.read_only'),
    );
    expect(await line.socket.emitWithAck('node:add', {})).toMatchObject({ error: 'forbidden.read_only' });
    expect(await line.socket.emitWithAck('graph:get', {})).toMatchObject({ ok: true });
    const other = (await makeToken(await sessionOf('dan'))).plaintext;
    for (const [method, path, body] of [
      ['GET', '/api/token', undefined],
      ['POST', '/api/token', {}],
      ['POST', '/api/token/rotate', { id: '01890000-0000-7000-8000-000000000001' }],
      ['DELETE', '/api/token', { id: '01890000-0000-7000-8000-000000000001' }],
      ['PUT', '/api/password', { current: PASSWORD, password: NEW_PASSWORD }],
    ] as const) {
      const request = body === undefined ? { token: other } : { token: other, body };
      expect(await call(one, method, path, request)).toMatchObject(refusal(403, 'forbidden.session_required'));
    }
  });

  test('[SCOPE1] one with scopes keeps them when it is replaced, and shows them', async () => {
    const session = await sessionOf('dan');
    const { id, plaintext, reply } = await makeToken(session, { name: 'editor', scopes: ['link', 'read', 'edit'] });
    const facts = { name: 'editor', readOnly: false, scopes: ['read', 'edit', 'link'] };
    expect(reply.body.token).toMatchObject(facts);
    const trash = (token: string) =>
      call(two, 'POST', '/api/node/trash', { token, body: { id: '01890000-0000-7000-8000-000000000001' } });
    const refused = { status: 403, body: { error: 'forbidden.scope', details: { missing: ['trash'] } } };
    expect(await call(two, 'POST', '/api/node', { token: plaintext, body: { title: 'a' } })).toMatchObject({
      status: 200,
    });
    expect(await trash(plaintext)).toMatchObject(refused);
    const rotated = await call(one, 'POST', '/api/token/rotate', { token: session, body: { id } });
    const next = rotated.body as unknown as { token: { id: string }; plaintext: string };
    secrets.add(next.plaintext);
    expect(rotated.body.token).toMatchObject(facts);
    expect(await trash(next.plaintext)).toMatchObject(refused);
    const listed = (await call(one, 'GET', '/api/token', { token: session })).body.tokens as object[];
    expect(listed).toContainEqual(expect.objectContaining({ id: next.token.id, ...facts }));
    const body = { id: next.token.id };
    expect(await call(one, 'DELETE', '/api/token', { token: session, body })).toMatchObject({ status: 200 });
    expect(await trash(next.plaintext)).toMatchObject(refusal(401, 'unauthorized'));
    // Without scopes, a token has all; with read alone, it is a read-only one.
    expect((await makeToken(session)).reply.body.token).toMatchObject({
      readOnly: false,
      scopes: ['read', 'edit', 'link', 'trash', 'share', 'delete', 'hooks'],
    });
    expect((await makeToken(session, { scopes: ['read'] })).reply.body.token).toMatchObject({
      readOnly: true,
      scopes: ['read'],
    });
  });

  test('[SCOPE1] the operator creates one with scopes, too', async () => {
    const given = ['--email', emailOf('dan'), '--scopes'];
    const { code, output } = await runAdmin(stack, 'token', [...given, 'edit,read']);
    expect(code, output).toBe(0);
    const plaintext = output.trim().split('\n').at(-1) ?? '';
    secrets.add(plaintext);
    expect(await call(one, 'POST', '/api/node', { token: plaintext, body: {} })).toMatchObject({ status: 200 });
    const body = { id: '01890000-0000-7000-8000-000000000001' };
    expect(await call(one, 'POST', '/api/node/trash', { token: plaintext, body })).toMatchObject(
      refusal(403, 'forbidden.scope'),
    );
    for (const scopes of ['', 'everything', 'read,read']) {
      const refused = await runAdmin(stack, 'token', [...given, scopes]);
      expect([refused.code, refused.output], scopes).toEqual([1, expect.stringContaining('is not a list of scopes')]);
    }
  });

  test.each([
    [{ scopes: [] }, 'bad_request.invalid_scopes'],
    [{ scopes: ['all'] }, 'bad_request.invalid_scopes'],
    [{ scopes: ['read', 'read'] }, 'bad_request.invalid_scopes'],
    [{ scopes: ['read', 'edit'], readOnly: true }, 'bad_request.invalid_scopes'],
    [{ expires: '2001-01-01T00:00:00Z' }, 'invalid_due'],
    [{ expires: 'soon' }, 'bad_request.invalid_expires'],
    [{ prefix: 'tg_' }, 'bad_request.immutable_field'],
    [{ scope: 'all' }, 'bad_request.unknown_field'],
  ])('none is created with %j: %s', async (body, error) => {
    const token = await sessionOf('dan');
    expect(await call(one, 'POST', '/api/token', { token, body })).toMatchObject(refusal(400, error));
  });
});

test('[AUTH1 AUTH2] no log holds a token, a password or the hash of either', () => {
  expect(secrets.size).toBeGreaterThan(20);
  expect(foundInLogs(stack.logFolder, secrets)).toEqual([]);
});
