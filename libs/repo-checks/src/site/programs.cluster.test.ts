// The programs of docs/start.md and docs/recipes.md that need no language besides Node and a shell.
// `npm run test:clients` runs those in Python and Go.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { installPacked, type Project } from '@taskgraph/testkit/stack/packed';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programsUnder } from './page-programs.ts';

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const stack = sharedStack();
const [url = ''] = stack.urls;
const read = (name: string) => readFileSync(join(REPOSITORY, 'docs', name), 'utf8');
const [start, recipes] = [read('start.md'), read('recipes.md')];

let project: Project;
let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'taskgraph-start-'));
  project = await installPacked(['client'], ['@types/node']);
});
afterAll(async () => {
  await project?.remove();
  await rm(home, { recursive: true, force: true });
});

/** The address and the token of a new user. */
async function newUser(name: string) {
  return { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await stack.token(emailOf(name)) };
}

async function shell(program: string, user: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...process.env, ...user, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, NO_COLOR: '1' };
  const { stdout } = await run('sh', ['-eu', '-c', program], { cwd: REPOSITORY, env, timeout: LIMIT_MS });
  return stdout;
}

async function call<T>(user: Readonly<Record<string, string>>, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${user.TASKGRAPH_TOKEN}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, init);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

test('docs/start.md: curl', async () => {
  const [program = ''] = programsUnder(start, 'curl', 'sh');
  const printed = await shell(program, await newUser('start-curl'));
  const last = JSON.parse(printed.slice(printed.lastIndexOf('{"ok"'))) as {
    nodes: { title: string; status: number }[];
  };
  expect(last.nodes).toMatchObject([{ title: 'Go live', status: 0 }]);
});

test('docs/start.md: the command line', async () => {
  const [program = ''] = programsUnder(start, 'Command line', 'sh');
  const printed = await shell(program, await newUser('start-cli'));
  expect(printed).toMatch(/Blocked/);
  expect(printed).toMatch(/Available +Go live\n.*Completed +Set up the domain\n$/);
});

test('docs/start.md: MCP', async () => {
  const [program = ''] = programsUnder(start, 'MCP', 'sh');
  const user = await newUser('start-mcp');
  const printed = await shell(program, user);
  expect(printed).not.toContain('"isError":true');
  // Two answers, one after the other.
  expect(printed.split(/\}\s*\{/).at(-1)).toMatch(/Available \\"Set up the domain\\"/);
  const [configuration = ''] = programsUnder(start, 'MCP', 'json');
  const { mcpServers } = JSON.parse(configuration) as { mcpServers: Record<string, { type: string; url: string }> };
  expect(mcpServers.taskgraph).toMatchObject({ type: 'http', url: expect.stringMatching(/\/mcp$/) });
});

test('[CLAIM1 CLAIM3] docs/agents.md: the loop of claims by tools', async () => {
  const steps = new Map(
    [...read('agents.md').matchAll(/^\| (claim|renew|complete|release) \| `(\w+)` \| `(\{.*?\})`/gm)].map(
      ([, step = '', tool = '', given = '']) => [step, { tool, given }],
    ),
  );
  expect([...steps.keys()]).toEqual(['claim', 'renew', 'complete', 'release']);
  const user = await newUser('agent');
  for (const title of ['First', 'Second']) await call(user, '/api/node', { title, tags: ['docs'] });
  const use = async (step: string, names: Readonly<Record<string, string>> = {}, further: object = {}) => {
    const { tool, given } = steps.get(step) ?? { tool: '', given: '' };
    const filled = Object.entries(names).reduce((text, [name, value]) => text.replace(name, value), given);
    const params = { name: tool, arguments: { ...JSON.parse(filled), ...further } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { result } = await call<{ result: { content: { text: string }[]; isError?: boolean } }>(user, '/mcp', body);
    expect(result.isError ?? false, result.content[0]?.text).toBe(false);
    return result.content[0]?.text ?? '';
  };
  const take = async () => {
    const text = await use('claim');
    const [, id = ''] = /^ {2}id (\S+)$/m.exec(text) ?? [];
    const [, claim = ''] = /^ {2}claim (\S+)$/m.exec(text) ?? [];
    return { '0a1b2c3d': id, CLAIM: claim };
  };
  const first = await take();
  await use('renew', first);
  const [, confirm = ''] = /confirm: (\S+)/.exec(await use('complete', first)) ?? [];
  await use('complete', first, { confirm });
  await use('release', await take());
  const { nodes } = await call<{ nodes: { status: number }[] }>(user, '/api/graph');
  expect(nodes.map(({ status }) => status).sort()).toEqual([0, 3]);
});

test('docs/start.md: TypeScript', async () => {
  const [program = ''] = programsUnder(start, 'TypeScript', 'ts');
  await writeFile(join(project.folder, 'start.ts'), program);
  expect(await project.compile('start.ts')).toBe('');
  const lines = await project.run('start.js', await newUser('start-typescript'));
  expect(lines).toContain('Go live has status 0');
});

test('docs/recipes.md: a task once in each period', async () => {
  const [program = ''] = programsUnder(recipes, 'Do something once in each period', 'sh');
  const user = await newUser('recipe-once');
  await shell(`${program}\n${program}`, user);
  const { nodes } = await call<{ nodes: { title: string }[] }>(user, '/api/graph');
  expect(nodes.map(({ title }) => title)).toEqual(['Weekly review']);
});

test('docs/recipes.md: a script waits for a change', async () => {
  const [program = ''] = programsUnder(recipes, 'Wait for changes in a script', 'sh');
  const user = await newUser('recipe-wait');
  // The task is added after the position is read, and so it is the change.
  const add = `${[
    'curl --silent --fail -o /dev/null -X POST "$TASKGRAPH_URL/api/node"',
    '-H "Authorization: Bearer $TASKGRAPH_TOKEN"',
    "-H 'Content-Type: application/json'",
    '-d \'{"title": "Tell everyone"}\'',
  ].join(' ')} &`;
  const printed = await shell(program.replace('\nchanges=', `\n${add}\nchanges=`), user);
  expect(JSON.parse(printed)).toMatchObject({ ok: true, nodes: [{ title: 'Tell everyone' }] });
});

/** The code of a reader: a mirror in memory. It ends the program when it has the second task. */
const MIRROR = `
let [position, copies] = [null as string | null, new Map<string, { version: number; title: string }>()];
type Node = { id: string; version: number; title?: string };
export const mirror = {
  position: async () => position,
  transaction: (work: () => Promise<void>) => work(),
  async replace(nodes: Node[]) {
    copies = new Map(nodes.map(({ id, version, title = '' }) => [id, { version, title }]));
    console.log('all', copies.size);
  },
  async store({ id, version, title = '' }: Node) {
    copies.set(id, { version, title });
  },
  remove: async (id: string) => void copies.delete(id),
  async storePosition(next: string) {
    position = next;
    console.log([...copies.values()].map(({ title }) => title).sort().join(', '));
    if (copies.size > 1) process.exit(0);
    const headers = { authorization: 'Bearer ' + process.env.TASKGRAPH_TOKEN, 'content-type': 'application/json' };
    const body = JSON.stringify({ title: 'Second' });
    await fetch(process.env.TASKGRAPH_URL + '/api/node', { method: 'POST', headers, body });
  },
};
`;

test('docs/recipes.md: a mirror reads everything, and then each change', async () => {
  const [program = ''] = programsUnder(recipes, 'Mirror tasks elsewhere', 'ts');
  const user = await newUser('recipe-mirror');
  await call(user, '/api/node', { title: 'First' });
  await writeFile(join(project.folder, 'mirror.ts'), MIRROR);
  await writeFile(join(project.folder, 'mirroring.ts'), program);
  expect(await project.compile('mirroring.ts')).toBe('');
  const lines = await project.run('mirroring.js', user);
  expect(lines).toEqual(['all 1', 'First', 'First, Second']);
});
