// The rest after a disaster: a backup that is restored after the data folder is gone, and an export that fills an empty database, are the same
// graphs for everybody, down to the last checksum. See docs/operations.md.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type RestClient, rest } from '@taskgraph/client/rest';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { backUp, restore } from '@taskgraph/launcher/backends/backup';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { silentReport } from '@taskgraph/launcher/progress';
import { type Stack, startStack } from '@taskgraph/launcher/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAdmin } from '../stack/admin.ts';
import { commandEnvironment } from '../stack/launched-stack.ts';

const run = promisify(execFile);
const LIMIT_MS = 420_000;
const PATIENCE_MS = 120_000;

let folder: string;
let stack: Stack | undefined;
let tokens: readonly string[];
let before: unknown;
let keyed: unknown;
let checksums: string;

const at = (name: string) => join(folder, name);
const cacheDir = process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache');

async function start(data: string): Promise<Stack> {
  const port = await freePortRange(1);
  const environment = { TASKGRAPH_LIMITS: 'off' };
  stack = await startStack({ dataDir: at(data), port, workers: 1, gateways: 1, environment });
  return stack;
}

async function stop(): Promise<void> {
  await stack?.stop();
  stack = undefined;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-backup-'));
  const running = await start('first');
  tokens = [await running.makeToken('ann@example.com', 'ann'), await running.makeToken('bob@example.com', 'bob')];
  const [ann, bob] = clientsOf(running);
  await fill(ann as RestClient, bob as RestClient);
  keyed = await addByKey(ann as RestClient);
  before = await readAll(running);
  checksums = await checksumsOf(running);
}, LIMIT_MS);
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Clients that bear with a stack that was just started on a busy machine: its first commands may take longer than they are given. */
function clientsOf({ urls: [url = ''] }: Stack): RestClient[] {
  return tokens.map((token) => {
    const client = rest({ url, token });
    return { request: (method, path, options) => client.request(method, path, { timeoutMs: PATIENCE_MS, ...options }) };
  });
}

/** One of everything that is stored in a way of its own. */
async function fill(ann: RestClient, bob: RestClient): Promise<void> {
  const root = await add(ann, { title: 'root “x” 🌱', tags: ['one', 'two'], dueDate: '2030-01-01T00:00:00Z' });
  const children = [];
  for (let index = 0; index < 30; index++) children.push(await add(ann, { target: root, title: `child ${index}` }));
  const [done = '', trashed = '', gone = '', moved = ''] = children;
  await ann.request('PUT', '/api/node', { body: { id: done, status: 3 } });
  await ann.request('PUT', '/api/node', { body: { id: moved, x: 3, y: 0.1, z: -7.25 } });
  await ann.request('POST', '/api/node/access', { body: { id: root, email: 'bob@example.com', level: 2 } });
  await ann.request('POST', '/api/node/access', { body: { id: root, email: 'nobody.yet@example.com', level: 3 } });
  await ann.request('POST', '/api/node/public', { body: { id: root } });
  await ann.request('POST', '/api/node/trash', { body: { id: trashed } });
  await ann.request('POST', '/api/node/trash', { body: { id: gone } });
  await ann.request('DELETE', '/api/node', { body: { id: gone } });
  const own = await add(bob, { title: 'of bob' });
  await bob.request('POST', '/api/link', { body: { source: own, target: root, type: 1 } });
  await bob.request('PUT', '/api/node', { body: { id: moved, title: 'renamed by bob' } });
}

async function add(client: RestClient, body: object): Promise<string> {
  const { diff } = await client.request<{ diff: { nodes: { op: number; after: { id: string } }[] } }>(
    'POST',
    '/api/node',
    { body },
  );
  return diff.nodes.find(({ op }) => op === 0)?.after.id ?? '';
}

/** Makes a node, once for all databases that have the history of it. */
async function addByKey(client: RestClient): Promise<unknown> {
  const { diff } = await client.request('POST', '/api/node', { body: { title: 'once' }, idempotencyKey: 'before' });
  return diff;
}

const READS = ['/api/graph', '/api/trash', '/api/history', '/api/me'];
const READING_TRIES = 20;

/** Has each read answered once: the first of a kind has to be planned, which on a busy machine outlasts what a statement is given. */
async function rehearse(running: Stack): Promise<void> {
  const [client] = clientsOf(running) as [RestClient];
  for (const path of READS) {
    for (let attempt = 1; ; attempt++) {
      const failure = await client.request('GET', path).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) break;
      if (attempt === READING_TRIES) throw failure;
    }
  }
}

/** All that both users can ask for. Answers differ in their trace alone, and in positions, which are signed with a secret. */
async function readAll(running: Stack): Promise<unknown> {
  await rehearse(running);
  const answers = clientsOf(running).flatMap((client) => READS.map((path) => client.request('GET', path)));
  return (await Promise.all(answers)).map(({ trace_id: _trace, position: _position, ...answer }) => answer);
}

async function checksumsOf(running: Stack): Promise<string> {
  const { code, output } = await runAdmin(running, 'checksums', []);
  expect(code).toBe(0);
  expect(output.trim().split('\n')).toHaveLength(tokens.length);
  return output;
}

async function expectTheSame(running: Stack): Promise<void> {
  expect(await checksumsOf(running)).toBe(checksums);
  expect(await readAll(running)).toEqual(before);
}

/** Both tokens open it, a key is known, and what was done before can be undone: history came along. */
async function expectWorking(running: Stack): Promise<void> {
  const [ann, bob] = clientsOf(running) as [RestClient, RestClient];
  expect(await addByKey(ann)).toEqual(keyed);
  await expectTheSame(running);
  const history = await bob.request<{ batches: { batchId: string; ops: { forwardPatch: object }[] }[] }>(
    'GET',
    '/api/history',
  );
  const renaming = history.batches.find(({ ops }) => JSON.stringify(ops).includes('renamed by bob'));
  await bob.request('POST', '/api/history/undo', { body: { batchId: renaming?.batchId ?? '' } });
  expect(await checksumsOf(running)).not.toBe(checksums);
}

test('an export of a running stack holds every graph with its checksum; a backup needs the stack stopped', async () => {
  const running = stack as Stack;
  const { code, output } = await runAdmin(running, 'export', ['--file', at('export.jsonl')]);
  expect([code, output]).toEqual([0, expect.stringContaining('of 2 users')]);
  const lines = (await readFile(at('export.jsonl'), 'utf8')).trim().split('\n');
  for (const line of checksums.trim().split('\n')) {
    const [user, digest] = line.split(' ');
    expect(lines).toContain(JSON.stringify({ user, digest }));
  }
  // It holds hashes of tokens.
  expect((await stat(at('export.jsonl'))).mode & 0o077).toBe(0);
  expect((await runAdmin(running, 'export', ['--file', at('export.jsonl')])).output).toContain('is there already');
  expect((await runAdmin(running, 'import', ['--file', at('export.jsonl')])).output).toContain('not empty');
  const options = { dataDir: at('first'), cacheDir, folder: at('backup'), report: silentReport };
  await expect(backUp(options)).rejects.toThrow('in use by the stack');
  await expectTheSame(running);
});

test(
  '[GEN8] after a backup, the loss of the data folder and a restore, all checksums are the same, and a key is answered as before',
  async () => {
    await stop();
    const options = { dataDir: at('first'), cacheDir, folder: at('backup'), report: silentReport };
    await backUp(options);
    await expect(restore(options)).rejects.toThrow('holds a database already');
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
    const { stdout } = await run(process.execPath, [program, 'import', '--file', at('export.jsonl')], {
      env: environment,
    });
    expect(stdout).toContain('imported the graphs of 2 users; all checksums are right');
    const running = await start('second');
    await expectTheSame(running);
    await expectWorking(running);
  },
  LIMIT_MS,
);
