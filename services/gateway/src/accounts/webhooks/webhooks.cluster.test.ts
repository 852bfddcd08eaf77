// The calls on webhooks, on a running stack.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, signIn } from '../../test/support/account-calls.ts';
import { auditLines, foundInLogs } from '../../test/support/logs.ts';

const PASSWORD = 'correct horse battery staple';
const WAIT = { timeout: 60_000, interval: 50 };
const URL_PATH = '/services/T0000/secret-path';
const ADDRESS = `https://hooks.example.com${URL_PATH}?key=secret-query`;

const stack = sharedStack();
const url = stack.urls[0] as string;
let session = '';
/** All secrets of this file: no log may contain one. */
const secrets: string[] = [];

beforeAll(async () => {
  await stack.token(emailOf('ann'));
  await makePassword(stack.environment, emailOf('ann'), PASSWORD);
  session = await signIn(url, emailOf('ann'), PASSWORD);
});

const ask = (method: string, path: string, body?: object, token = session) =>
  call(url, method, `/api/hook${path}`, { token, ...(body === undefined ? {} : { body }) });

interface TestHook {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly tokenId: string | null;
}

async function add(fields: object = {}, token = session): Promise<TestHook> {
  const { status, body } = await ask('POST', '', { url: ADDRESS, ...fields }, token);
  expect(body).toMatchObject({ ok: true, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
  expect(status).toBe(200);
  secrets.push(String(body.secret));
  return body.hook as TestHook;
}

const listed = async (token = session) => (await ask('GET', '', undefined, token)).body.hooks as TestHook[];

test('[HOOK1 HOOK11 HOOK12] a webhook is added, changed, tested, replayed and deleted; only some answers have a secret', async () => {
  const where = { assignee: ['me'] };
  const hook = await add({ events: ['node.completed', 'link.*'], where });
  expect(hook).toMatchObject({ name: 'hooks.example.com', url: ADDRESS, state: 'pending', tokenId: null, where });
  const { id } = hook;
  expect(await listed()).toEqual([hook]);
  const { body: updated } = await ask('PUT', '', { id, name: 'Deploy', events: [], where: null });
  expect(updated.hook).toMatchObject({ id, name: 'Deploy', events: [], where: null });
  const { body: rotated } = await ask('POST', '/rotate', { id, overlap: 168 });
  secrets.push(String(rotated.secret));
  expect(new Set(secrets).size).toBe(secrets.length);
  expect(rotated.hook).toMatchObject({ formerSecretEnds: expect.any(String) });
  expect((await ask('POST', '/test', { id })).body).toMatchObject({ ok: true, hook: { id } });
  expect((await ask('GET', `/deliveries?id=${id}`)).body).toMatchObject({ ok: true, deliveries: [] });
  const since = new Date().toISOString();
  const { body: replayed } = await ask('POST', '/replay', { id, since });
  expect(replayed).toMatchObject({ ok: true, hook: { id } });
  const shown = JSON.stringify([await listed(), updated, replayed]);
  for (const secret of secrets) expect(shown).not.toContain(secret);
  expect((await ask('DELETE', '', { id })).body).toMatchObject({ ok: true });
  expect((await ask('DELETE', '', { id })).body).toMatchObject({ error: 'not_found' });
  expect(await listed()).toEqual([]);
});

test('[HOOK1] the audit log has the id and the host of a webhook, and no log its path, query or secret', async () => {
  const { id } = await add();
  await ask('PUT', '', { id, enabled: false });
  await ask('POST', '/rotate', { id }).then(({ body }) => secrets.push(String(body.secret)));
  await ask('DELETE', '', { id });
  const lines = () => auditLines(stack.logFolder).filter(({ what }) => (what as { hookId?: string }).hookId === id);
  await expect
    .poll(() => lines().map(({ event, outcome, what }) => ({ event, outcome, what })), WAIT)
    .toEqual([
      { event: 'hook:add', outcome: 'ok', what: { hookId: id, host: 'hooks.example.com' } },
      { event: 'hook:update', outcome: 'ok', what: { hookId: id, enabled: false } },
      { event: 'hook:rotate', outcome: 'ok', what: { hookId: id, overlap: 24 } },
      { event: 'hook:delete', outcome: 'ok', what: { hookId: id } },
    ]);
  expect(foundInLogs(stack.logFolder, [...secrets, 'secret-path', 'secret-query'])).toEqual([]);
});

describe('[HOOK3] a token', () => {
  test('[SCOPE1] needs the scope hooks, and read for what a webhook receives', async () => {
    const { id } = await add();
    const withScopes = (...scopes: string[]) => stack.token(emailOf('ann'), { scopes } as never);
    const [edits, hooks, reads] = [
      await withScopes('read', 'edit'),
      await withScopes('hooks'),
      await withScopes('read'),
    ];
    for (const [token, error, missing] of [
      [edits, 'forbidden.scope', 'hooks'],
      [reads, 'forbidden.read_only', 'hooks'],
      [hooks, 'forbidden.scope', 'read'],
    ] as const) {
      const refused = { status: 403, body: { error, details: { missing: [missing] } } };
      expect(await ask('POST', '', { url: ADDRESS }, token)).toMatchObject(refused);
    }
    expect(await ask('GET', '', undefined, edits)).toMatchObject({ body: { error: 'forbidden.scope' } });
    expect(await listed(hooks)).toEqual([]);
    await ask('DELETE', '', { id });
  });

  test('manages only the webhooks that it created, which end with it', async () => {
    const of = await add();
    const created = await call(url, 'POST', '/api/token', { token: session, body: { scopes: ['read', 'hooks'] } });
    const { token, plaintext } = created.body as unknown as { token: { id: string }; plaintext: string };
    const own = await add({ name: 'Own' }, plaintext);
    expect(own.tokenId).toBe(token.id);
    expect(await listed(plaintext)).toEqual([own]);
    for (const [method, path, more] of [
      ['PUT', '', { name: 'x' }],
      ['DELETE', '', {}],
      ['POST', '/rotate', {}],
      ['POST', '/test', {}],
      ['POST', '/replay', { since: new Date().toISOString() }],
    ] as const) {
      const refused = await ask(method, path, { id: of.id, ...more }, plaintext);
      expect(refused.body, method + path).toMatchObject({ error: 'not_found' });
    }
    expect((await ask('GET', `/deliveries?id=${of.id}`, undefined, plaintext)).status).toBe(404);
    await call(url, 'DELETE', '/api/token', { token: session, body: { id: token.id } });
    expect(await listed()).toMatchObject([{ id: of.id }, { id: own.id, state: 'disabled', reason: 'token_ended' }]);
    for (const { id } of [of, own]) await ask('DELETE', '', { id });
  });
});

test.each([
  ['no URL', 'hooks.example.com'],
  ['another scheme', 'ftp://hooks.example.com/'],
  ['a user', 'https://ann@hooks.example.com/'],
  ['a password', 'https://:x@hooks.example.com/'],
  ['a fragment', 'https://hooks.example.com/#x'],
  ['white space', 'https://hooks.example.com/a b'],
  ['a line break', 'https://hooks.example.com/\n'],
  ['too many characters', `https://hooks.example.com/${'x'.repeat(2_048)}`],
])('[HOOK9] an address with %s is refused', async (_what, address) => {
  expect(await ask('POST', '', { url: address })).toMatchObject({
    status: 400,
    body: { error: 'bad_request.invalid_url', details: { path: 'url' } },
  });
});

test('[HOOK5] unknown events and conditions are refused', async () => {
  for (const [fields, error] of [
    [{ events: ['node.moved'] }, 'bad_request.invalid_events'],
    [{ events: ['node.*', 'node.*'] }, 'bad_request.invalid_events'],
    [{ where: { unknown: 1 } }, 'bad_request.invalid_where'],
    [{ where: { status: [7] } }, 'bad_request.invalid_where'],
  ] as const) {
    expect(await ask('POST', '', { url: ADDRESS, ...fields })).toMatchObject({ status: 400, body: { error } });
  }
});
