// The server for agents, called by the official client over standard input and output. Its tools are
// tested over HTTP, in services/gateway/src/agents.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome, PROGRAM } from '../test/support/home.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;

let home: Home;
let token = '';
beforeAll(async () => {
  [home, token] = await Promise.all([openHome(), stack.token(emailOf('agent'))]);
});
afterAll(() => home?.remove());

async function connectAgent(...options: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = { ...home.environment, PATH: process.env.PATH ?? '', TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp', ...options], env }),
  );
  return client;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

async function textOf(client: Client, name: string, given: object = {}): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: { ...given } })) as unknown as Answer;
  return content[0]?.text ?? '';
}

test('without --write it only reads', async () => {
  const client = await connectAgent();
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  await expect(client.callTool({ name: 'add_nodes', arguments: {} })).rejects.toThrow('There is no tool add_nodes');
  const adding = { event: 'node:add', payload: '{"title":"No"}' };
  expect(await textOf(client, 'call', adding)).toContain('error: forbidden.read_only');
  expect(await textOf(client, 'tree')).toBe('There are no nodes.');
  expect(client.getInstructions()).toContain('This server only reads.');
  await client.close();
});

test('with --write it has all tools; resources are the current branches and the ready list', async () => {
  const client = await connectAgent('--write');
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(13);
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(9_000);
  const added = await textOf(client, 'add_nodes', {
    nodes: [
      { title: 'Set up the domain', under: '$live' },
      { title: 'Go live', name: 'live' },
    ],
  });
  const target = /\$live is (\S+)/.exec(added)?.[1] ?? '';
  const read = async (uri: string) =>
    JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text);
  const branch = `taskgraph://branch/${target}`;
  await expect
    .poll(async () => (await client.listResources()).resources.map(({ uri }) => uri), { timeout: 60_000 })
    .toEqual(['taskgraph://ready', branch]);
  expect(await read('taskgraph://ready')).toMatchObject([{ title: 'Set up the domain', statusName: 'Available' }]);
  expect(await read(branch)).toMatchObject({
    root: target,
    nodes: [{ statusName: 'Blocked' }, {}],
    links: [{ target }],
  });
  const completed = { changes: [{ node: 'Go live', status: 'completed' }] };
  const refused = await textOf(client, 'update_nodes', completed);
  expect(refused).toContain('error: conflict.node_blocked');
  expect(refused).toContain('remedy: ');
  await expect(client.readResource({ uri: 'taskgraph://branch/none' })).rejects.toThrow('no resource');
  await client.close();
});

test('[IO6] days and times on the clock of this computer are dates', async () => {
  const client = await connectAgent('--write');
  await textOf(client, 'add_nodes', {
    nodes: [
      { title: 'on a day', due: '2030-12-24' },
      { title: 'at noon', due: '2030-12-24T12:00' },
    ],
  });
  expect(await textOf(client, 'find_nodes', { text: 'on a day' })).toContain('due 2030-12-24');
  const noon = new Date(2030, 11, 24, 12).toISOString().replace('.000Z', 'Z');
  expect(await textOf(client, 'find_nodes', { text: 'at noon' })).toContain(`due ${noon}`);
  const wrong = await textOf(client, 'add_nodes', { nodes: [{ title: 'never', due: 'soon' }] });
  expect(wrong).toContain('The field "dueDate" is not a time such as 2026-12-24');
  await client.close();
});
