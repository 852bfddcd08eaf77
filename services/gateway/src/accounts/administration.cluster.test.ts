// The calls of administrators, on a running stack.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { PARTITIONS } from '@taskgraph/wire/ids';
import { adminOperations } from '@taskgraph/wire/operations/admin/admin-operations';
import type { Operation } from '@taskgraph/wire/operations/operation';
import type { ServiceStatus } from '@taskgraph/wire/public-types';
import { beforeAll, expect, test } from 'vitest';
import { call, dial, type Reply, signIn } from '../test/support/account-calls.ts';
import { auditLines } from '../test/support/logs.ts';

const PASSWORD = 'correct horse battery staple';
/** What users write; no administrator may see it. */
const WRITTEN = 'Hush4711';
const WAIT = { timeout: 60_000, interval: 50 };
const OPERATIONS: readonly Operation[] = Object.values(adminOperations);

const stack = sharedStack();
const url = stack.urls[0] as string;
const ids: Record<string, string> = {};
const sessions: Record<string, string> = {};

async function idOf(token: string): Promise<string> {
  return ((await call(url, 'GET', '/api/me', { token })).body.user as { id: string }).id;
}

async function must(token: string, method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const reply = await call(url, method, path, { token, body });
  expect(reply.body, `${method} ${path}`).toMatchObject({ ok: true });
  return reply.body;
}

beforeAll(async () => {
  for (const name of ['root', 'ann']) {
    await makePassword(stack.environment, emailOf(name), PASSWORD);
    sessions[name] = await signIn(url, emailOf(name), PASSWORD);
    ids[name] = await idOf(sessions[name]);
  }
  const made = await runAdmin(stack, 'user', ['--email', emailOf('root'), '--admin']);
  expect(made.code, made.output).toBe(0);
  const ann = sessions.ann as string;
  const added = await must(ann, 'POST', '/api/node', { title: WRITTEN, description: WRITTEN, tags: [WRITTEN] });
  const [node] = (added.diff as { nodes: { after: { id: string } }[] }).nodes;
  const id = node?.after.id ?? '';
  ids.node = id;
  const { token } = await must(ann, 'POST', '/api/token', { name: WRITTEN });
  ids.token = (token as { id: string }).id;
  const definition = {
    url: `https://${WRITTEN}.example/${WRITTEN}`,
    name: WRITTEN,
    root: id,
    where: { tag: [WRITTEN] },
  };
  const { hook } = await must(ann, 'POST', '/api/hook', definition);
  ids.hook = (hook as { id: string }).id;
  await must(ann, 'POST', '/api/calendar', { name: WRITTEN, where: { tag: [WRITTEN] } });
  await must(ann, 'POST', '/api/node/access', { id, email: `${WRITTEN}@example.com`, level: 2, branch: true });
});

/** A call with its fields; of a read they are in the query. */
function ask(operation: Operation, fields: Readonly<Record<string, string>>, token: string): Promise<Reply> {
  const { method, path } = operation.transports.rest;
  if (method !== 'GET') return call(url, method, path, { token, body: fields });
  return call(url, method, `${path}?${new URLSearchParams(fields)}`, { token });
}

const status = async () =>
  (await ask(adminOperations['admin:status'], {}, sessions.root as string)).body as unknown as ServiceStatus;

/** Fields for each call, which the calls that change something refuse as unknown. */
async function fieldsOf(name: string): Promise<Record<string, string>> {
  const user = ids.ann as string;
  const unknown = ids.node as string;
  if (name === 'admin:service') return { process: (await status()).services[0]?.process ?? '' };
  if (name === 'admin:user:find') return { email: emailOf('ann') };
  if (name === 'admin:user') return { id: unknown, disabled: true as never };
  if (name === 'admin:session:end' || name === 'admin:token:revoke') return { user, id: unknown };
  if (name === 'admin:hook:disable') return { id: unknown };
  return name === 'admin:sessions' || name === 'admin:tokens' ? { user } : {};
}

test('[ADMIN1] other users and API tokens, also of administrators, are refused by every call, and each call is in the audit log', async () => {
  const token = await stack.token(emailOf('root'));
  for (const operation of OPERATIONS) {
    const fields = await fieldsOf(operation.name);
    const verdicts = [
      await ask(operation, fields, sessions.ann as string),
      await ask(operation, fields, token),
      await ask(operation, fields, 'tg_unknown'),
    ].map(({ status: code, body }) => [code, body.error]);
    expect([operation.name, verdicts]).toEqual([
      operation.name,
      [
        [403, 'forbidden'],
        [403, 'forbidden.session_required'],
        [401, 'unauthorized'],
      ],
    ]);
    const { body } = await ask(operation, fields, sessions.root as string);
    expect([operation.name, body.ok, body.error]).toEqual(
      operation.changes ? [operation.name, false, 'not_found'] : [operation.name, true, undefined],
    );
  }
  const acts = () => {
    const mine = auditLines(stack.logFolder).filter(({ event }) => String(event).startsWith('admin:'));
    return mine.map(({ event, outcome, who, what }) => {
      const { call: read } = what as { call?: string };
      return `${read ?? event} ${outcome} ${(who as { email: string }).email}`;
    });
  };
  const expected = OPERATIONS.flatMap(({ name, changes }) => [
    `${name} forbidden ${emailOf('ann')}`,
    `${name} forbidden.session_required ${emailOf('root')}`,
    `${name} ${changes ? 'not_found' : 'ok'} ${emailOf('root')}`,
  ]);
  await expect.poll(acts, WAIT).toEqual(expect.arrayContaining(expected));
});

test('[ADMIN2 ADMIN4] no answer contains what a user writes, or a secret', async () => {
  const root = sessions.root as string;
  const texts: string[] = [];
  const note = async (operation: Operation, fields: Readonly<Record<string, string>>) => {
    const { body } = await ask(operation, fields, root);
    expect([operation.name, body.ok]).toEqual([operation.name, true]);
    texts.push(JSON.stringify(body));
    return body;
  };
  for (const operation of OPERATIONS.filter(({ changes, name }) => !changes && name !== 'admin:service'))
    await note(operation, await fieldsOf(operation.name));
  const { services } = await status();
  for (const { process } of services) await note(adminOperations['admin:service'], { process });
  const { hooks } = await note(adminOperations['admin:hooks'], { after: ids.ann as string, limit: '1000' });
  expect(hooks).toContainEqual(expect.objectContaining({ id: ids.hook, user: { id: ids.ann, email: emailOf('ann') } }));
  const { tokens } = await note(adminOperations['admin:tokens'], { user: ids.ann as string });
  expect(tokens).toMatchObject([{ id: ids.token }]);
  const secrets = Object.entries(stack.environment).filter(([name]) => /SECRET|PASSWORD/.test(name));
  expect(secrets.length).toBeGreaterThan(1);
  const hidden = [WRITTEN, ids.node as string, ...Object.values(sessions), ...secrets.map(([, value]) => value)];
  for (const text of hidden) expect(texts.filter((each) => each.includes(text)).length, text).toBe(0);
});

test('[ADMIN3] the status has all services, and each partition has a lease of the worker that serves it', async () => {
  const problem = async () => {
    const { services, leases } = await status();
    const kinds = services.map(({ kind, backends }) => `${kind} ${backends.every(({ isUp }) => isUp)}`);
    const workers = services.filter(({ kind }) => kind === 'worker');
    const served = workers.flatMap(({ name, serves }) => serves.map((partition) => [partition, name] as const));
    const leased = (leases?.partitions ?? []).map((name, partition) => [partition, name] as const);
    expect(served.toSorted(([one], [other]) => one - other)).toEqual(leased);
    expect([kinds, leased.length, leases?.workers.length]).toEqual([
      ['gateway true', 'gateway true', 'worker true', 'worker true'],
      PARTITIONS,
      2,
    ]);
    return null;
  };
  // A service may be slow to answer, and partitions move while workers start.
  await expect.poll(() => problem().catch(String), WAIT).toBeNull();
});

test('[ADMIN5] an ended session and a revoked token close their sockets at once', async () => {
  const root = sessions.root as string;
  const email = emailOf('bob');
  await makePassword(stack.environment, email, PASSWORD);
  const session = await signIn(url, email, PASSWORD);
  const user = await idOf(session);
  const created = await must(session, 'POST', '/api/token', {});
  const plaintext = String(created.plaintext);
  const lines = [await dial(url, { api_token: session }), await dial(url, { api_token: plaintext })];
  const found = await must(root, 'POST', '/api/admin/user/find', { email: email.toUpperCase() });
  expect(found.user).toMatchObject({ id: user, email });
  const statusOfSession = async () => (await call(url, 'GET', '/api/me', { token: session })).status;
  for (const body of [{ user }, { user, id: user, all: true }, { user, all: false }])
    expect((await call(url, 'DELETE', '/api/admin/session', { token: root, body })).status).toBe(400);
  expect(await statusOfSession()).toBe(200);
  await must(root, 'DELETE', '/api/admin/session', { user, all: true });
  await must(root, 'DELETE', '/api/admin/token', { user, id: (created.token as { id: string }).id });
  for (const line of lines) await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
  for (const token of [session, plaintext]) expect((await call(url, 'GET', '/api/me', { token })).status).toBe(401);
});

test('[ADMIN6] a disabled webhook is shown to its user as disabled', async () => {
  await must(sessions.root as string, 'POST', '/api/admin/hook/disable', { id: ids.hook });
  const { body } = await call(url, 'GET', '/api/hook', { token: sessions.ann as string });
  expect(body.hooks).toMatchObject([{ id: ids.hook, state: 'disabled', reason: null }]);
});
