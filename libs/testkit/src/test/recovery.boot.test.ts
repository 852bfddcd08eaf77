// A stack with its commands: the state after all of it was killed at once, and recovery after a
// disaster. A backup that is restored after the loss of the data folder, and an export that is
// imported into an empty database, give the same graphs, down to the last checksum. See
// docs/operations.md. The tests run in order, each on the data of the previous one, because a
// database takes long to start.
import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type RestClient, rest } from '@taskgraph/client';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { backUp, restore } from '@taskgraph/launcher/backends/backup';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { silentReport } from '@taskgraph/launcher/progress';
import { startStack } from '@taskgraph/launcher/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAdmin } from '../stack/admin.ts';
import { commandEnvironment, type LaunchedStack, launchStack } from '../stack/launched-stack.ts';
import { makeToken } from '../stack/users.ts';
import { findLosses, readNodes, startWriter } from '../stack/writers.ts';
import {
  addByKey,
  checksumsOf,
  clientsOf,
  fill,
  type GraphTarget,
  readAll,
  undoRenaming,
} from './support/two-graphs.ts';

const run = promisify(execFile);
const LIMIT_MS = 420_000;
/** The users of `fill`, and the demo user. */
const USERS = 3;

let folder: string;
let launched: LaunchedStack | undefined;
/** The running stack. */
let stack: (GraphTarget & { stop(): Promise<void> }) | undefined;

const at = (name: string) => join(folder, name);
const cacheDir = process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache');

async function launch(port: number): Promise<LaunchedStack> {
  launched = await launchStack(at('first'), port);
  stack = launched;
  return launched;
}

async function start(data: string): Promise<GraphTarget> {
  const port = await freePortRange(1);
  const environment = { TASKGRAPH_LIMITS: 'off' };
  const started = await startStack({ dataDir: at(data), port, workers: 1, gateways: 1, environment });
  const [url = ''] = started.urls;
  stack = { url, environment: started.environment, stop: started.stop };
  return stack;
}

async function stop(): Promise<void> {
  await stack?.stop();
  stack = undefined;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-recovery-'));
  await launch(await freePortRange(1));
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `npm run token` against the running stack. */
async function newToken(...options: string[]): Promise<{ stdout: string; stderr: string }> {
  return run('npm', ['run', '--silent', 'token', '--', ...options], {
    cwd: REPOSITORY,
    env: commandEnvironment(at('first')),
  });
}

test('[AUTH1] npm run token creates a user whose token works over REST and sockets; a wrong token works over neither', async () => {
  const { url } = launched as LaunchedStack;
  const { stdout } = await newToken('--email', 'ann@example.com', '--username', 'ann');
  const token = stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(token).toMatch(/^tg_\w+$/);
  expect(await rest({ url, token }).request('POST', '/api/node', { body: { title: 'by REST' } })).toMatchObject({
    ok: true,
  });
  const client = await connect({ url, token });
  expect((await readNodes(client)).map(({ title }) => title)).toEqual(['by REST']);
  client.close();

  // With another letter, the checksum of the token is wrong.
  const wrong = token.replace(/^tg_./, (start) => (start === 'tg_a' ? 'tg_b' : 'tg_a'));
  for (const bad of [wrong, '', 'tg_']) {
    await expect(rest({ url, token: bad }).request('GET', '/api/graph')).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await expect(connect({ url, token: bad })).rejects.toMatchObject({ code: 'unauthorized' });
  }
  await expect(newToken('--email', 'nobody')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not an e-mail address'),
  });
});

test('[GEN8] all acknowledged changes exist after all processes were killed at once', async () => {
  const first = launched as LaunchedStack;
  const { url, token } = first;
  const before = await connect({ url, token });
  const counter = String((await before.node.add({ title: 'counter' })).diff.nodes[0]?.after.id);
  before.close();
  const writers = await Promise.all(['one', 'two'].map((name) => startWriter({ url, token, name, counter })));
  await Promise.all(writers.map((writer) => writer.progress(200, 20_000)));
  stack = undefined;
  await first.killAll();
  const second = await launch(Number(new URL(url).port));
  expect(second).toMatchObject({ url, token });

  // Commands whose deadline has not passed continue with their keys from before the crash.
  await Promise.all(writers.map((writer) => writer.progress(20, 30_000)));
  await Promise.all(writers.map((writer) => writer.stop()));
  const client = await connect({ url, token });
  const ledgers = writers.map(({ ledger }) => ledger);
  expect(findLosses(ledgers, await readNodes(client), counter)).toEqual([]);
  client.close();
});

describe('a copy of it', () => {
  let tokens: readonly string[];
  let before: unknown;
  let keyed: unknown;
  let checksums: string;

  beforeAll(async () => {
    const running = stack as GraphTarget;
    tokens = [
      await makeToken(running.environment, 'ann@example.com'),
      await makeToken(running.environment, 'bob@example.com'),
    ];
    const clients = clientsOf(running, tokens);
    const [ann, bob] = clients as [RestClient, RestClient];
    await fill(ann, bob);
    keyed = await addByKey(ann);
    before = await readAll(clients);
    checksums = await checksumsOf(running, USERS);
  }, LIMIT_MS);

  async function expectTheSame(running: GraphTarget): Promise<void> {
    expect(await checksumsOf(running, USERS)).toBe(checksums);
    expect(await readAll(clientsOf(running, tokens))).toEqual(before);
  }

  /**
   * Both tokens are valid, a key is known, and earlier changes can be undone: history is restored
   * too.
   */
  async function expectWorking(running: GraphTarget): Promise<void> {
    const [ann, bob] = clientsOf(running, tokens) as [RestClient, RestClient];
    expect(await addByKey(ann)).toEqual(keyed);
    await expectTheSame(running);
    await undoRenaming(bob);
    expect(await checksumsOf(running, USERS)).not.toBe(checksums);
  }

  test('an export of a running stack contains every graph with its checksum; a backup requires a stopped stack', async () => {
    const running = stack as GraphTarget;
    const { code, output } = await runAdmin(running, 'export', ['--file', at('export.jsonl')]);
    expect([code, output]).toEqual([0, expect.stringContaining('of 3 users')]);
    const lines = (await readFile(at('export.jsonl'), 'utf8')).trim().split('\n');
    for (const line of checksums.trim().split('\n')) {
      const [user, digest] = line.split(' ');
      expect(lines).toContain(JSON.stringify({ user, digest }));
    }
    // It contains hashes of tokens.
    expect((await stat(at('export.jsonl'))).mode & 0o077).toBe(0);
    expect((await runAdmin(running, 'export', ['--file', at('export.jsonl')])).output).toContain('is there already');
    expect((await runAdmin(running, 'import', ['--file', at('export.jsonl')])).output).toContain('not empty');
    const options = { dataDir: at('first'), cacheDir, folder: at('backup'), report: silentReport };
    await expect(backUp(options)).rejects.toThrow('in use by the stack');
    await expectTheSame(running);
  });

  test('an export into a folder deletes older ones, and a damaged or old export does not pass verification', async () => {
    const running = stack as GraphTarget;
    const folder = at('exports');
    await mkdir(folder);
    await copyFile(at('export.jsonl'), join(folder, 'taskgraph-20200101T000000Z.jsonl'));
    const exported = await runAdmin(running, 'export', ['--folder', folder, '--retain', '1']);
    expect([exported.code, exported.output]).toEqual([0, expect.stringContaining('1 older exports deleted')]);
    const [name = '', ...others] = await readdir(folder);
    expect([name, others]).toEqual([expect.stringMatching(/^taskgraph-\d{8}T\d{6}Z\.jsonl$/), []]);
    const verify = () => runAdmin(running, 'verify-export', ['--folder', folder, '--max-age-hours', '1']);
    expect(await verify()).toEqual({ code: 0, output: expect.stringContaining('of 3 users, all checksums are right') });
    expect((await runAdmin(running, 'import', ['--folder', folder])).output).toContain('not empty');

    const text = await readFile(join(folder, name), 'utf8');
    const [header = '', ...lines] = text.trimEnd().split('\n');
    const write = async (changed: readonly string[]) => {
      await rm(join(folder, name));
      await appendFile(join(folder, name), `${changed.join('\n')}\n`);
    };
    await write([header.replace(/"time":"\d+/, '"time":"2020'), ...lines]);
    expect(await verify()).toEqual({ code: 1, output: expect.stringContaining('hours old, more than 1') });
    await write([header, ...lines.slice(1)]);
    expect(await verify()).toEqual({ code: 1, output: expect.stringContaining('the file is damaged') });
  });

  test(
    '[GEN8] after a backup, the loss of the data folder and a restore, all checksums are the same, and a key is answered as before',
    async () => {
      await stop();
      const options = { dataDir: at('first'), cacheDir, folder: at('backup'), report: silentReport };
      await backUp(options);
      await expect(restore(options)).rejects.toThrow('already contains a database');
      await rm(at('first'), { recursive: true });
      await restore(options);
      const running = await start('first');
      await expectTheSame(running);
      await expectWorking(running);
    },
    LIMIT_MS,
  );

  test(
    '[GEN8] an export that is imported into an empty database gives the same checksums, and a key is answered as before',
    async () => {
      await stop();
      const environment = { ...commandEnvironment(at('second')), CI: '1' };
      const program = join(REPOSITORY, 'deploy', 'maintain.mjs');
      const folder = at('restored');
      await mkdir(folder);
      await copyFile(at('export.jsonl'), join(folder, 'taskgraph-20261102T020000Z.jsonl'));
      // An older export, which the command must not read.
      await appendFile(join(folder, 'taskgraph-20261101T020000Z.jsonl'), 'no export\n');
      const { stdout } = await run(process.execPath, [program, 'import', '--folder', folder], { env: environment });
      expect(stdout).toContain('imported the graphs of 3 users; all checksums are right');
      const running = await start('second');
      await expectTheSame(running);
      await expectWorking(running);
    },
    LIMIT_MS,
  );
});
