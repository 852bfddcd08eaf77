// A stack as people start it: its commands, and what is left when all of it is killed at once.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from '@taskgraph/client/connect';
import { rest } from '@taskgraph/client/rest';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandEnvironment, type LaunchedStack, launchStack } from '../stack/launched-stack.ts';
import { findLosses, readNodes, startWriter } from '../stack/writers.ts';

const run = promisify(execFile);

let dataDir: string;
let stack: LaunchedStack | undefined;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-launched-'));
  stack = await launchStack(dataDir, await freePortRange(1));
});
afterAll(async () => {
  await stack?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs `npm run token` against the running stack. */
async function newToken(...options: string[]): Promise<{ stdout: string; stderr: string }> {
  return run('npm', ['run', '--silent', 'token', '--', ...options], {
    cwd: REPOSITORY,
    env: commandEnvironment(dataDir),
  });
}

test('[AUTH1] npm run token makes a user, whose token opens REST and sockets; a wrong one opens neither', async () => {
  const { url } = stack as LaunchedStack;
  const { stdout } = await newToken('--email', 'ann@example.com', '--username', 'ann');
  const token = stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(token).toMatch(/^tg_\w+$/);
  expect(await rest({ url, token }).request('POST', '/api/node', { body: { title: 'by REST' } })).toMatchObject({
    ok: true,
  });
  const client = await connect({ url, token });
  expect((await readNodes(client)).map(({ title }) => title)).toEqual(['by REST']);
  client.close();

  // With another letter the sum at the token's end no longer fits.
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

test('[GEN8] all that was acknowledged is there after everything was killed at once', async () => {
  const first = stack as LaunchedStack;
  const { url, token } = first;
  const before = await connect({ url, token });
  const counter = String((await before.node.add({ title: 'counter' })).diff.nodes[0]?.after.id);
  before.close();
  const writers = await Promise.all(['one', 'two'].map((name) => startWriter({ url, token, name, counter })));
  await Promise.all(writers.map((writer) => writer.progress(200, 20_000)));
  stack = undefined;
  await first.killAll();
  stack = await launchStack(dataDir, Number(new URL(url).port));
  expect(stack).toMatchObject({ url, token });

  // Those whose deadline has not passed meanwhile go on by themselves, with the keys that they had before the crash.
  await Promise.all(writers.map((writer) => writer.progress(20, 30_000)));
  await Promise.all(writers.map((writer) => writer.stop()));
  const client = await connect({ url, token });
  const ledgers = writers.map(({ ledger }) => ledger);
  expect(findLosses(ledgers, await readNodes(client), counter)).toEqual([]);
  client.close();
});
