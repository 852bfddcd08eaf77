// tokens, bots, calendars and webhooks of the command line, against a running service.
import { signIn } from '@taskgraph/client';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome } from './support/home.ts';

const PASSWORD = 'correct horse battery staple';
const stack = sharedStack();
const [url = ''] = stack.urls;

let home: Home;
beforeAll(async () => {
  const email = emailOf('ann');
  await makePassword(stack.environment, email, PASSWORD);
  const { session } = await signIn({ url, email, password: PASSWORD });
  home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: session });
});
afterAll(() => home?.remove());

/** The command line with another token. */
async function withToken<T>(token: string, act: (other: Home) => Promise<T>): Promise<T> {
  const other = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token });
  try {
    return await act(other);
  } finally {
    await other.remove();
  }
}

test('[AUTH2 SCOPE1] tokens are created with scopes, listed, replaced and revoked', async () => {
  expect((await home.run(['tokens'])).stdout).toContain('There are no tokens.');
  const added = await home.run(['tokens', 'create', 'nightly', '--scopes', 'read,edit', '--until', '2099-12-24']);
  const token = added.stdout.trim();
  expect([added.code, token]).toEqual([0, expect.stringMatching(/^tg_\w{36}$/)]);
  const [listed] = await home.json<{ prefix: string; scopes: string[] }[]>('tokens');
  expect(listed).toMatchObject({ name: 'nightly', scopes: ['read', 'edit'], prefix: token.slice(0, 7) });
  expect((await home.run(['tokens', 'list'])).stdout).toMatch(/nightly {2}read,edit {2}/);
  await withToken(token, async (other) => {
    await other.run(['add', 'Go live']);
    const refused = await other.run(['trash', 'Go live']);
    expect([refused.code, refused.stderr]).toEqual([EXIT.forbidden, expect.stringContaining('forbidden.scope')]);
    expect((await other.run(['tokens'])).stderr).toContain('forbidden.session_required');
  });
  const next = (await home.run(['tokens', 'rotate', 'nightly'])).stdout.trim();
  expect(next).toMatch(/^tg_\w{36}$/);
  await withToken(token, async (other) => expect((await other.run(['whoami'])).code).toBe(EXIT.signedOut));
  expect((await home.run(['tokens', 'revoke', 'nightly'])).stdout).toBe(`revoked ${next.slice(0, 7)} nightly\n`);
  expect((await home.run(['tokens', 'revoke', 'nightly'])).code).toBe(EXIT.notFound);
  const wrong = await home.run(['tokens', 'create', 'x', '--scopes', 'everything']);
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.usage, expect.stringContaining('bad_request.invalid_scopes')]);
});

test('[BOT1 BOT2 BOT3] bots are created, get tokens and webhooks, and are removed', async () => {
  const address = (await home.run(['bots', 'create', 'importer'])).stdout.trim();
  expect(address).toMatch(/^importer-[0-9a-f]{12}@bots\.invalid$/);
  expect((await home.run(['bots'])).stdout).toContain(address);
  const token = (await home.run(['tokens', 'create', 'nightly', '--bot', 'importer'])).stdout.trim();
  await home.run(['add', 'Imports']);
  await home.run(['share', 'Imports', address, '--level', 'editor']);
  await withToken(token, async (bot) => {
    expect((await bot.run(['whoami'])).stdout).toContain(`importer <${address}>`);
    expect((await bot.run(['add', 'One', '--under', 'Imports'])).code).toBe(0);
    const refused = await bot.run(['add', 'Two']);
    expect([refused.code, refused.stderr]).toEqual([
      EXIT.forbidden,
      expect.stringContaining('forbidden.target_required'),
    ]);
  });
  expect(await home.json('tokens', '--bot', address)).toMatchObject([{ name: 'nightly' }]);
  await withToken(token, async (bot) => {
    expect((await bot.run(['hooks', 'add', 'https://hooks.example.com/x', '--name', 'Deploy'])).code).toBe(0);
  });
  expect(await home.json('hooks', '--bot', 'importer')).toMatchObject([{ name: 'Deploy', state: 'pending' }]);
  expect((await home.run(['hooks', 'disable', 'Deploy', '--bot', 'importer'])).stdout).toBe('Deploy is disabled\n');
  expect((await home.run(['hooks', 'log', 'Deploy', '--bot', 'importer'])).code).toBe(0);
  expect((await home.run(['hooks', 'delete', 'Deploy'])).code).toBe(EXIT.notFound);
  expect((await home.run(['hooks', 'delete', 'Deploy', '--bot', 'importer'])).stdout).toBe('deleted Deploy\n');
  await home.run(['tokens', 'revoke', 'nightly', '--bot', address]);
  expect(await home.json('tokens', '--bot', 'importer')).toEqual([]);
  expect((await home.run(['bots', 'remove', 'importer'])).stdout).toBe('removed importer\n');
  expect((await home.run(['bots', 'remove', 'importer'])).code).toBe(EXIT.notFound);
});

test('[ICAL1] calendars are created, get another address, and are removed', async () => {
  expect((await home.run(['calendars'])).stdout).toContain('There are no calendars.');
  await home.run(['add', 'Ship it', '--due', '2026-12-24']);
  await home.run(['add', 'Announce', '--due', '2026-12-25']);
  const of = ['--root', 'Ship it', '--where', '{"status": [0, 1, 2]}', '--plan', 'day', '--start', '2026-01-05'];
  const address = (await home.run(['calendars', 'create', 'Release', ...of])).stdout.trim();
  expect(new URL(address).pathname).toMatch(/^\/calendar\/cal_\w{36}\.ics$/);
  const textAt = async (text: string) => (await fetch(url + new URL(text).pathname)).text();
  expect(await textAt(address)).toContain('SUMMARY:Ship it\r\n');
  expect(await textAt(address)).not.toContain('Announce');
  expect(await home.json('calendars')).toMatchObject([
    { name: 'Release', as: 'event', where: { status: [0, 1, 2] }, planned: { unit: 'day' } },
  ]);
  expect((await home.run(['calendars', 'list'])).stdout).toMatch(/Release +event +20/);
  const next = (await home.run(['calendars', 'rotate', 'Release'])).stdout.trim();
  expect([(await fetch(url + new URL(address).pathname)).status, await textAt(next)]).toEqual([
    404,
    expect.stringContaining('SUMMARY:Ship it\r\n'),
  ]);
  for (const [flags, message] of [
    [['--where', '{'], '--where is not JSON'],
    [['--start', '2026-01-05'], '--start needs --plan'],
    [['--as', 'both'], 'Allowed choices'],
    [['--where', '{"unknown": 1}'], 'bad_request.invalid_where'],
  ] as const) {
    const refused = await home.run(['calendars', 'create', 'x', ...flags]);
    expect([refused.code, refused.stderr]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  }
  expect((await home.run(['calendars', 'remove', 'Release'])).stdout).toBe('removed Release\n');
  expect((await home.run(['calendars', 'remove', 'Release'])).code).toBe(EXIT.notFound);
});

test('[HOOK1] webhooks are added, listed, disabled, rotated, tested, replayed and deleted', async () => {
  expect((await home.run(['hooks'])).stdout).toContain('There are no webhooks.');
  await home.run(['add', 'Releases']);
  const address = 'https://hooks.example.com/x';
  const of = [
    '--name',
    'Deploy',
    '--root',
    'Releases',
    '--events',
    'node.completed, link.*',
    '--where',
    '{"ready": true}',
  ];
  expect((await home.run(['hooks', 'add', address, ...of])).stdout).toMatch(/^whsec_\S{44}\n$/);
  expect(await home.json('hooks')).toMatchObject([
    { name: 'Deploy', url: address, events: ['node.completed', 'link.*'], where: { ready: true }, state: 'pending' },
  ]);
  expect((await home.run(['hooks', 'list'])).stdout).toMatch(/Deploy +https:\/\/hooks\.example\.com\/x +pending/);
  expect((await home.run(['hooks', 'disable', 'Deploy'])).stdout).toBe('Deploy is disabled\n');
  expect((await home.run(['hooks', 'enable', 'Deploy'])).stdout).toBe('Deploy is pending\n');
  expect((await home.run(['hooks', 'rotate', 'Deploy', '--overlap', '0'])).stdout).toMatch(/^whsec_\S{44}\n$/);
  expect((await home.run(['hooks', 'log', 'Deploy'])).code).toBe(0);
  expect((await home.run(['hooks', 'test', 'Deploy'])).stdout).toContain('a hook.ping to Deploy');
  const since = ['--since', new Date().toISOString()];
  expect((await home.run(['hooks', 'replay', 'Deploy', ...since])).stdout).toContain('Deploy receives the changes');
  for (const [flags, message] of [
    [['--where', '{'], '--where is not JSON'],
    [['--events', 'node.moved'], 'bad_request.invalid_events'],
  ] as const) {
    const refused = await home.run(['hooks', 'add', address, ...flags]);
    expect([refused.code, refused.stderr]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  }
  expect((await home.run(['hooks', 'delete', 'Deploy'])).stdout).toBe('deleted Deploy\n');
  expect((await home.run(['hooks', 'delete', 'Deploy'])).code).toBe(EXIT.notFound);
});
