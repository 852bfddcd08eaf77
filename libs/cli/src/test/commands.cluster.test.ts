// Commands against a running service, as scripts run them: JSON, exit codes and offline reads.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../failures.ts';
import { type Home, openHome, PROGRAM } from './support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
/** No service listens there. */
const NOWHERE = { TASKGRAPH_URL: 'http://127.0.0.1:9' };

interface Node {
  readonly title: string;
  readonly status: number;
}
const titles = (nodes: readonly Node[]) => nodes.map(({ title }) => title);

let home: Home;
beforeAll(async () => {
  home = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) });
  await home.run(['add', 'Go', 'live', '--due', '2026-12-24', '--tag', 'launch']);
  await home.run(['add', 'Set up the domain', '--under', 'go live']);
  await home.run(['add', 'Write the text', '--under', 'go-live', '--priority', '3']);
});
afterAll(() => home?.remove());

test('a plan is created, worked on and read', async () => {
  expect(titles(await home.json('ready'))).toEqual(['Write the text', 'Set up the domain']);
  const [blocked] = await home.json<(Node & { blockers: string[] })[]>('blocked');
  expect([blocked?.title, blocked?.blockers.length]).toEqual(['Go live', 2]);
  expect((await home.run(['tree'])).stdout.split('\n').map((line) => line.replace(/[0-9a-f]{6} /, ''))).toEqual([
    'Blocked Go live #launch',
    '├─ Available Write the text',
    '└─ Available Set up the domain',
    '',
  ]);
  const refused = await home.run(['done', 'go live']);
  expect(refused.code).toBe(EXIT.conflict);
  expect(refused.stderr).toMatch(/^error: .* \(conflict\.node_blocked\)\n {2}\S/);
  await home.run(['start', 'write']);
  expect((await home.run(['done', 'write', 'set-up-the-domain'])).stdout).toMatch(/Go live is now Available/);
  expect(titles(await home.json('ls', '--status', 'completed'))).toEqual(['Write the text', 'Set up the domain']);
  expect(titles(await home.json('search', 'LAUNCH', 'live'))).toEqual(['Go live']);
});

test('[FIND10] ls filters, sorts and cuts its list', async () => {
  const other = await openHome({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf('cleo')) });
  try {
    await other.run(['add', 'Late', '--due', '2020-01-01', '--assignee', 'cleo']);
    await other.run(['add', 'Soon', '--due', '2999-12-24', '--priority', '2', '--assignee', 'bob']);
    await other.run(['add', 'Some day', '--priority', '5', '--assignee', 'Cleo']);
    const list = async (...flags: readonly string[]) => titles(await other.json('ls', ...flags));
    expect(await list('--due', '2999-12-24')).toEqual(['Late', 'Soon']);
    expect(await list('--due', '2999-12-23')).toEqual(['Late']);
    expect(await list('--due', 'none')).toEqual(['Some day']);
    expect(await list('--overdue')).toEqual(['Late']);
    expect(await list('--assignee', 'me')).toEqual(['Late', 'Some day']);
    expect(await list('--offline', '--assignee', 'me', '--sort', 'title', '--desc')).toEqual(['Some day', 'Late']);
    expect(await list('--sort', 'priority', '--desc', '--limit', '2')).toEqual(['Some day', 'Soon']);
    for (const wrong of [
      ['--desc'],
      ['--sort', 'size'],
      ['--limit', '0'],
      ['--due', '2026-02-30'],
      ['--trash', '--overdue'],
    ]) {
      const { code, stdout } = await other.run(['ls', ...wrong]);
      expect([wrong, code, stdout]).toEqual([wrong, EXIT.usage, '']);
    }
  } finally {
    await other.remove();
  }
});

test('[WHY1 WHY2] a node is explained', async () => {
  await home.run(['add', 'Open the shop']);
  await home.run(['add', 'Paint the door', '--under', 'open the shop']);
  const { stdout } = await home.run(['why', 'open', 'the', 'shop']);
  expect(stdout.split('\n').map((line) => line.replace(/[0-9a-f]{6} /, ''))).toEqual([
    'Open the shop',
    'waits for',
    '└─ Available Paint the door',
    'first steps',
    '└─ Available Paint the door',
    'visible',
    '└─ as owner',
    '',
  ]);
  expect(await home.json('why', 'open the shop', '--all')).toMatchObject({
    access: [{ by: 'owner', level: 0, email: emailOf('ann') }],
  });
});

test('links are added, removed and moved', async () => {
  await home.run(['add', 'Print']);
  await home.run(['link', 'print', 'go live']);
  const circle = await home.run(['link', 'go live', 'print']);
  expect([circle.code, circle.stderr]).toEqual([
    EXIT.conflict,
    expect.stringContaining('(conflict.duplicate_reversed_link)'),
  ]);
  await home.run(['unlink', 'print', 'go live']);
  await home.run(['move', 'print', 'write']);
  expect((await home.run(['show', 'print'])).stdout).toMatch(/^below +\S+ \S+ Write the text$/m);
  await home.run(['move', 'print', '--top']);
  expect((await home.run(['show', 'print'])).stdout).not.toMatch(/^below/m);
});

test('[BLK11] a completed task shows when it was completed', async () => {
  await home.run(['add', 'Sweep']);
  expect((await home.run(['show', 'sweep'])).stdout).not.toMatch(/^completed/m);
  await home.run(['done', 'sweep']);
  expect((await home.run(['show', 'sweep'])).stdout).toMatch(/^completed +\d{4}-\d\d-\d\d/m);
  await home.run(['trash', 'sweep']);
});

test('the trash, undo and redo', async () => {
  await home.run(['add', 'A mistake']);
  await home.run(['trash', 'mistake']);
  expect((await home.run(['ls', '--trash'])).stdout).toContain('A mistake');
  await home.run(['restore', 'mistake']);
  expect((await home.run(['undo'])).code).toBe(0);
  expect(titles(await home.json('search', 'mistake'))).toEqual([]);
  expect((await home.run(['redo'])).code).toBe(0);
  expect(titles(await home.json('search', 'mistake'))).toEqual(['A mistake']);
  type Batch = { redoOf?: string; ts: string; actor: { username: string }; ops: { type: number }[] };
  const [newest] = await home.json<Batch[]>('history', '--limit', '1');
  expect(newest?.redoOf).toEqual(expect.any(String));
  const [username = '', ts = ''] = [newest?.actor.username, newest?.ts];
  const filters = ['--actor', `nobody,${username}`, '--ops', 'restore, trash'];
  const narrowed = await home.json<Batch[]>('history', ...filters);
  // Earlier tests have trashed nodes too.
  expect(narrowed.slice(0, 4).map(({ ops }) => ops.map(({ type }) => type))).toEqual([[4], [3], [4], [3]]);
  expect(await home.json('history', '--since', ts)).toMatchObject([{ ts }]);
  // The last seconds are missing, so there may be none.
  expect((await home.run(['history', '--oldest', '--since', '2026-01-01'])).code).toBe(0);
  const unknown = await home.run(['history', '--ops', 'redo']);
  expect([unknown.code, unknown.stderr]).toEqual([EXIT.usage, expect.stringContaining('Name some of: add, edit')]);
});

test('grantees read shared nodes, and everyone reads published nodes', async () => {
  const email = emailOf('bob');
  expect((await home.run(['share', 'go live', email, '--level', 'editor'])).code).toBe(0);
  expect(await home.json('share', 'go live')).toMatchObject([{ email, level: 2, branch: true }]);
  const { url: address } = await home.json<{ url: string }>('publish', 'go live');
  expect(titles(((await (await fetch(address)).json()) as { nodes: Node[] }).nodes)).toContain('Go live');
  expect((await home.run(['open', 'go live', '--print'])).stdout).toBe(`${address}\n`);
  const environment = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(email) };
  expect((await home.run(['whoami'], { environment })).stdout).toContain(email);
  expect((await home.run(['ls'], { environment })).stdout).toContain('Go live');
  expect((await home.run(['publish', 'go live', '--end'])).stdout).toMatch(/^\S+ Go live publication ended$/m);
  expect((await home.run(['history', '--limit', '2'])).stdout.match(/(end publication|publish) "Go live"/g)).toEqual([
    'end publication "Go live"',
    'publish "Go live"',
  ]);
  expect((await fetch(address)).status).toBe(404);
});

test('without the service, reads use the local copy and changes fail', async () => {
  const online = await home.json('ls');
  const { code, stdout, stderr } = await home.run(['--json', 'ls'], { environment: NOWHERE });
  // The copy belongs to one service and token. Another address has none.
  expect([code, stdout]).toEqual([EXIT.unreachable, '']);
  expect(stderr).toMatch(/can't be reached.*\n {2}Check that the service is running/);
  const offline = await home.run(['--json', '--offline', 'ls']);
  expect([offline.code, JSON.parse(offline.stdout)]).toEqual([0, online]);
  expect(offline.stderr).toMatch(/^offline: as of /);
  expect((await home.run(['add', 'x'], { environment: NOWHERE })).code).toBe(EXIT.unreachable);
});

test('a usage error shows the correct usage', async () => {
  const unknown = await home.run(['histry']);
  expect([unknown.code, unknown.stderr]).toEqual([EXIT.usage, expect.stringContaining('Did you mean history?')]);
  const nothing = await home.run(['show', 'nothing of that name']);
  expect([nothing.code, nothing.stderr]).toEqual([EXIT.notFound, expect.stringContaining('taskgraph search')]);
  const wrong = await home.run(['whoami'], { environment: { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: 'tg_wrong' } });
  expect([wrong.code, wrong.stderr]).toEqual([EXIT.signedOut, expect.stringContaining('taskgraph login')]);
  const help = await home.run(['--help']);
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes:')]);
});

test('completion suggests commands, and the nodes of the local copy by id and title', async () => {
  const ask = async (...words: readonly string[]) =>
    (
      await promisify(execFile)(process.execPath, [PROGRAM, 'complete', ...words], {
        env: { ...process.env, ...home.environment },
      })
    ).stdout;
  const commands = await ask('--', 're');
  for (const name of ['ready', 'restore', 'redo']) expect(commands).toMatch(new RegExp(`^${name}\\t`, 'm'));
  expect(await ask('--', 'show', 'go-')).toMatch(/^go-live\tGo live$/m);
  for (const shell of ['zsh', 'fish']) expect(await ask(shell)).toContain('taskgraph complete --');
});
