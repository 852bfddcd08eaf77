// admin of the command line, against a stack with all kinds of services and with secrets in its
// settings.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rest, signIn } from '@taskgraph/client';
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { readArchive } from '../service/archive.ts';
import { type Home, openHome } from './support/home.ts';

const PASSWORD = 'correct horse battery staple';
/** In settings, in which an operator may put a secret. */
const PLANTED = 'planted-secret-4711';
/** What users write. */
const WRITTEN = 'Hush4712';
const WAIT = { timeout: 60_000, interval: 100 };

const SETTINGS = {
  SMTP_URL: `smtp://user:${PLANTED}@127.0.0.1:9`,
  MAIL_FROM: `${PLANTED}@example.com`,
  PUBLIC_URL: `http://${PLANTED}.example`,
  ALLOWED_ORIGINS: `https://${PLANTED}.example`,
  HOOKS_PROXY_URL: `http://user:${PLANTED}@127.0.0.1:9`,
  HOOKS_ALLOWED_HOSTS: `${PLANTED}.example`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${PLANTED}@127.0.0.1:9`,
};

let stack: TestStack;
let home: Home;
let folder = '';
let url = '';
const sessions: Record<string, string> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-bundle-'));
  stack = await startTestStack({ workers: 2, gateways: 1, jobs: 1, hooks: 1, environment: SETTINGS });
  url = stack.urls[0] as string;
  for (const name of ['root', 'ann']) {
    const email = emailOf(name);
    await makePassword(stack.environment, email, PASSWORD);
    sessions[name] = (await signIn({ url, email, password: PASSWORD })).session;
  }
  const made = await runAdmin(stack, 'user', ['--email', emailOf('root'), '--admin']);
  expect(made.code, made.output).toBe(0);
  home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: sessions.root as string });
  const { request } = rest({ url, token: sessions.ann as string });
  await request('POST', '/api/node', { body: { title: WRITTEN, description: WRITTEN, tags: [WRITTEN] } });
  const { token, plaintext } = await request<{ token: { id: string }; plaintext: string }>('POST', '/api/token', {
    body: { name: WRITTEN },
  });
  ids.token = token.id;
  sessions.token = plaintext;
  const hook = await request<{ hook: { id: string }; secret: string }>('POST', '/api/hook', {
    body: { url: `https://${WRITTEN}.example/${WRITTEN}`, name: WRITTEN, where: { tag: [WRITTEN] } },
  });
  ids.hook = hook.hook.id;
  sessions.hook = hook.secret;
  const { url: calendar } = await request<{ url: string }>('POST', '/api/calendar', { body: { name: WRITTEN } });
  sessions.calendar = new URL(calendar).pathname;
});
afterAll(async () => {
  await home?.remove();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Until all services answer: one may be slow. */
async function kindsIn(kinds: () => Promise<readonly string[]>): Promise<void> {
  await expect
    .poll(async () => (await kinds()).toSorted(), WAIT)
    .toEqual(['gateway', 'hooks', 'jobs', 'worker', 'worker']);
}

interface StatusOutput {
  readonly services: readonly { readonly kind: string; readonly queues: readonly { readonly name: string }[] }[];
  readonly leases: { readonly partitions: readonly (string | null)[] };
}

test('[ADMIN3] status shows the services, the leases, the queues and the lags', async () => {
  let status: StatusOutput = { services: [], leases: { partitions: [] } };
  await kindsIn(async () => {
    status = await home.json('admin', 'status');
    return status.services.map(({ kind }) => kind);
  });
  const queues = status.services.flatMap((each) => each.queues.map(({ name }) => name));
  expect(queues).toEqual(['expiries', 'sweeps', 'upkeep', 'webhooks', 'slow-webhooks', 'webhook-sweeps']);
  expect(status.leases.partitions).toHaveLength(64);
  const shown = async () => (await home.run(['admin', 'status'])).stdout;
  await expect.poll(shown, WAIT).toMatch(/^jobs +jobs-1 +0\.1\.0 +v\d+\.\S+ .* neo4j up/m);
  const lines = await shown();
  expect(lines).toMatch(/^worker-1 +\d+ +\d+ +\d+ ms/m);
  expect(lines).toMatch(/^webhook-sweeps +\d+ +\d+ +\d+$/m);
  expect(lines).toMatch(/taskgraph_slices_held +0$/m);
  expect(lines).toMatch(/taskgraph_hook_lag_seconds +\d/m);
});

test('[ADMIN1] users are found by their address, disabled and enabled; others may not', async () => {
  const email = emailOf('bob');
  await makePassword(stack.environment, email, PASSWORD);
  const { users } = await home.json<{ users: { id: string }[] }>('admin', 'users', '--email', email);
  const [bob] = users;
  expect((await home.run(['admin', 'disable', email])).stdout).toBe(`${email} is disabled\n`);
  expect((await home.run(['admin', 'users', '--email', email])).stdout).toMatch(
    new RegExp(`^${bob?.id} .* disabled `, 'm'),
  );
  await expect(signIn({ url, email, password: PASSWORD })).rejects.toMatchObject({ code: 'unauthorized' });
  expect((await home.run(['admin', 'enable', bob?.id ?? ''])).code).toBe(0);
  const { session } = await signIn({ url, email, password: PASSWORD });
  const page = await home.run(['admin', 'users', '--limit', '1']);
  expect([page.code, page.stderr]).toEqual([0, expect.stringMatching(/--after [0-9a-f-]{36}/)]);
  for (const [words, code] of [
    [['admin', 'disable', 'nobody@nowhere.example'], EXIT.notFound],
    [['admin', 'users', '--limit', 'many'], EXIT.usage],
    [['admin', 'sessions', email, '--end', 'x', '--end-all'], EXIT.usage],
    [['admin', 'disable', emailOf('root')], EXIT.conflict],
  ] as const)
    expect([words, (await home.run(words)).code]).toEqual([words, code]);
  const refused = await home.run(['admin', 'status'], { environment: { TASKGRAPH_TOKEN: session } });
  expect([refused.code, refused.stderr]).toEqual([EXIT.forbidden, expect.stringContaining('forbidden')]);
});

test('[ADMIN5] sessions and tokens of a user are listed and ended', async () => {
  const email = emailOf('carl');
  await makePassword(stack.environment, email, PASSWORD);
  const { session } = await signIn({ url, email, password: PASSWORD });
  const { request } = rest({ url, token: session });
  const { token } = await request<{ token: { id: string; prefix: string } }>('POST', '/api/token', {
    body: { scopes: ['read'] },
  });
  const [open] = await home.json<{ id: string }[]>('admin', 'sessions', email);
  expect((await home.run(['admin', 'sessions', email])).stdout).toContain(open?.id);
  expect((await home.run(['admin', 'tokens', email])).stdout).toMatch(
    new RegExp(`^${token.id} +${token.prefix} +read`, 'm'),
  );
  expect((await home.run(['admin', 'tokens', email, '--revoke', token.id])).stdout).toBe(`token ${token.id} revoked\n`);
  expect((await home.run(['admin', 'tokens', email, '--revoke', token.id])).code).toBe(EXIT.notFound);
  expect((await home.run(['admin', 'sessions', email, '--end', open?.id ?? ''])).stdout).toContain('ended');
  expect(await home.json('admin', 'sessions', email)).toEqual([]);
  await signIn({ url, email, password: PASSWORD });
  expect((await home.run(['admin', 'sessions', email, '--end-all'])).stdout).toBe(`all sessions of ${email} ended\n`);
  expect([await home.json('admin', 'sessions', email), await home.json('admin', 'tokens', email)]).toEqual([[], []]);
});

test('[ADMIN7] a bundle contains no secret and nothing that users write', async () => {
  const path = join(folder, 'bundle.zip');
  const written = await home.run(['admin', 'bundle', '--output', path]);
  expect([written.code, written.stdout]).toEqual([0, expect.stringMatching(/bundle\.zip: \d+ files, \d+ bytes/)]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const options = { choose: (names: readonly string[]) => names, wanted: 'files', maximumBytes: 50_000_000 };
  const { files } = readArchive(await readFile(path), options);
  const texts = new Map(files.map(({ name, content }) => [name, Buffer.from(content).toString()]));
  const names = [...texts.keys()]
    .map((name) => name.replace(/-[0-9a-f]{6}\./, '.'))
    .filter((name) => name.endsWith('.json'));
  expect(names).toEqual(expect.arrayContaining(['bundle.json', 'limits.json', 'status.json', 'webhooks.json']));
  expect(names).toContain('services/jobs-jobs-1.json');
  expect(texts.get('webhooks.json')).toContain(ids.hook);
  const all = [...texts.values()].join('\n');
  expect(all).toContain('taskgraph_job_runs_total');
  for (const name of Object.keys(SETTINGS)) expect(all).toContain(`"${name}",\n      "value": "(set)"`);
  const secrets = Object.entries(stack.environment).filter(([name]) => /SECRET|PASSWORD/.test(name));
  expect(secrets.length).toBeGreaterThan(1);
  const hidden = [PLANTED, WRITTEN, PASSWORD, ...Object.values(sessions), ...secrets.map(([, value]) => value)];
  const people = [emailOf('root'), emailOf('ann')];
  for (const text of [...hidden, ...people, 'argon2']) expect(all.includes(text), text).toBe(false);
  const again = await home.run(['admin', 'bundle', '--output', path]);
  expect([again.code, again.stderr]).toEqual([EXIT.usage, expect.stringContaining('bundle.zip exists')]);
});

test('[ADMIN6] webhooks are listed by state, and disabled', async () => {
  expect((await home.run(['admin', 'hooks', '--limit', '1000'])).stdout).toMatch(
    new RegExp(`^${ids.hook} +${emailOf('ann')} +`, 'm'),
  );
  expect((await home.run(['admin', 'hooks', 'disable', ids.hook ?? ''])).stdout).toBe(`${ids.hook} is disabled\n`);
  const { hooks } = await home.json<{ hooks: { id: string }[] }>(
    'admin',
    'hooks',
    '--state',
    'disabled',
    '--limit',
    '1000',
  );
  expect(hooks).toContainEqual(expect.objectContaining({ id: ids.hook, state: 'disabled', reason: null }));
  expect((await home.run(['admin', 'hooks', 'disable', ids.token ?? ''])).code).toBe(EXIT.notFound);
});
