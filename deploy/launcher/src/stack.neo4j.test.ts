import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { NodeSetting } from './configuration.ts';
import { freePortRange } from './processes/ports.ts';
import { startStack } from './stack.ts';

// Service stubs with only the functions that the launcher uses: readiness, the port, draining.
const MAIN = `
const { createServer } = require('node:http');
const name = process.env.WORKER_ID ?? process.env.GATEWAY_ID ?? process.env.JOBS_ID ?? process.env.HOOKS_ID;
const variables = require('node:path').join(process.env.VARIABLES, name + '.json');
require('node:fs').writeFileSync(variables, JSON.stringify(process.env));
const server = createServer(({ url }, response) => response.end(url.startsWith('/api/') ? '{"nodes":[]}' : name));
const ready = () => process.send({ type: 'ready' });
if (process.env.GATEWAY_ID) server.listen(Number(process.env.PORT), process.env.HOST, ready);
else setTimeout(ready, 50);
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => {
  require('node:fs').appendFileSync(process.env.STOP_ORDER, name + '\\n');
  process.exit(0);
});
`;
const SCRIPTS: Record<string, string> = {
  'main.js': MAIN,
  'migrate.js': 'process.exit(process.env.TASKGRAPH_SECRET && process.env.NEO4J_PASSWORD ? 0 : 1);',
  'sign-in-link.js': 'console.log(process.argv.at(-1) + "/signin#link=" + Math.random());',
  'token.js': 'console.log("a hint"); console.log("tg_" + process.argv.at(-1) + "_" + Math.random());',
};

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-stack-'));
const dataDir = join(folder, 'data');
const stopOrder = join(folder, 'stop-order');
const startedBy = join(folder, 'started-by-the-other-node');

beforeAll(() => {
  for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, name), text);
  Object.assign(process.env, { STOP_ORDER: stopOrder, VARIABLES: folder });
});
afterAll(() => {
  delete process.env.STOP_ORDER;
  delete process.env.VARIABLES;
  rmSync(folder, { recursive: true, force: true });
});

/** The stubs do not use the database. Without a running one the launcher would start its own. */
function databaseOfTheRun(): Record<string, string> {
  const { NEO4J_URL, NEO4J_USER = '', NEO4J_PASSWORD = '' } = process.env;
  return NEO4J_URL === undefined ? {} : { NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD };
}

async function start(node: NodeSetting = { kind: 'own' }) {
  const scriptOf = (_service: string, script: string) => join(folder, script);
  return startStack({
    dataDir,
    port: await freePortRange(2),
    workers: 2,
    gateways: 2,
    jobs: 1,
    hooks: 1,
    demoUser: true,
    samplePlan: true,
    scriptOf,
    node,
    environment: databaseOfTheRun(),
  });
}

test('a stack whose migration fails reports the reason and leaves no processes', async () => {
  const migrate = join(folder, 'migrate.js');
  writeFileSync(migrate, 'console.error("Neo4j 5.1 is too old"); process.exit(1);');
  const failure = { message: 'the migration of the database failed', logLines: ['Neo4j 5.1 is too old'] };
  await expect(start()).rejects.toMatchObject(failure);
  writeFileSync(migrate, SCRIPTS['migrate.js'] as string);
});

test('[HOOK10] a stack starts with services that have their credentials alone, restarts a killed worker, stops in order, and keeps its token', async () => {
  const stack = await start();
  const names = await Promise.all(stack.urls.map(async (url) => (await fetch(url)).text()));
  expect(names).toEqual(['gateway-1', 'gateway-2']);
  expect(stack.demo?.token).toMatch(/^tg_demo_/);
  expect(stack.demo?.signInLink).toMatch(new RegExp(`^${stack.urls[0]}/signin#link=`));
  expect(await stack.makeToken('ann@example.com', 'ann')).toMatch(/^tg_ann_/);
  expect(JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8')).environment).toEqual(stack.environment);

  stack.service('worker-1').kill('SIGKILL');
  await vi.waitFor(() => expect(stack.service('worker-1').restarts()).toBe(1), 60_000);
  await stack.stop();
  const order = readFileSync(stopOrder, 'utf8').trim().split('\n');
  expect(order.map((name) => name.slice(0, -2))).toEqual(['gateway', 'gateway', 'hooks', 'jobs', 'worker', 'worker']);

  const variablesOf = (service: string) => JSON.parse(readFileSync(join(folder, `${service}.json`), 'utf8'));
  const namesOf = (service: string, pattern: RegExp) =>
    Object.keys(variablesOf(service)).filter((name) => pattern.test(name));
  expect(variablesOf('hooks-1')).toMatchObject({ NATS_USER: 'hooks', NATS_PASSWORD: expect.stringMatching(/./) });
  expect(namesOf('hooks-1', /^(NEO4J|REDIS|TASKGRAPH_SECRET)/)).toEqual([]);
  expect(namesOf('worker-1', /^NEO4J_(URL|PASSWORD)$/)).toHaveLength(2);
  for (const gateway of names) {
    expect(variablesOf(gateway)).toMatchObject({ NATS_USER: 'gateway', TASKGRAPH_SECRET: expect.stringMatching(/./) });
    expect(namesOf(gateway, /^NEO4J/)).toEqual([]);
  }

  const again = await start();
  expect(again.demo?.token).toBe(stack.demo?.token);
  expect(again.demo?.signInLink).not.toBe(stack.demo?.signInLink);

  const port = await freePortRange(1);
  expect((await again.add('gateway', { port })).name).toBe('gateway-3');
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('gateway-3');
  const ended = again.add('worker', { scriptOf: () => join(folder, 'migrate.js') });
  await expect(ended).rejects.toThrow('worker-3 died at start');
  await again.stop();
  expect(readFileSync(stopOrder, 'utf8')).toContain('gateway-3');
});

test("workers, jobs and hooks services, and administration run on the chosen Node, and gateways on the launcher's", async () => {
  const program = join(folder, 'other-node');
  const note = `echo "\${WORKER_ID:-\${JOBS_ID:-\${HOOKS_ID:-\${GATEWAY_ID:-\${1##*/}}}}}" >> '${startedBy}'`;
  writeFileSync(program, `#!/bin/sh\n${note}\nexec '${process.execPath}' "$@"\n`);
  chmodSync(program, 0o755);
  const stack = await start({ kind: 'program', path: program });
  await stack.stop();
  const started = readFileSync(startedBy, 'utf8').trim().split('\n');
  expect(started.sort()).toEqual([
    '--version',
    'hooks-1',
    'jobs-1',
    'migrate.js',
    'sign-in-link.js',
    'worker-1',
    'worker-2',
  ]);
});
