// The server for agents, called by the official client over standard input and output.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CATALOG } from '../catalog.ts';
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
const bodyOf = (result: unknown) => JSON.parse((result as Answer).content[0]?.text ?? '') as Record<string, never>;
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort();
const eventsOf = (calls: typeof CATALOG) => calls.map(({ event }) => event.replaceAll(':', '_')).sort();

test('without --write it only reads', async () => {
  const client = await connectAgent();
  expect(await namesOf(client)).toEqual(eventsOf(CATALOG.filter(({ changes }) => !changes)));
  await expect(client.callTool({ name: 'node_add', arguments: { title: 'No' } })).rejects.toThrow('--write');
  expect(bodyOf(await client.callTool({ name: 'graph_get', arguments: { limit: 10 } }))).toMatchObject({ nodes: [] });
  await client.close();
});

test('with --write each call is a tool; resources are the current branches and the ready list', async () => {
  const client = await connectAgent('--write');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(eventsOf(CATALOG));
  expect(tools.find(({ name }) => name === 'node_add')).toMatchObject({
    annotations: { readOnlyHint: false },
    inputSchema: { type: 'object', properties: { title: { type: 'string', maxLength: 500 } } },
  });
  // Only reads and pure additions are not destructive.
  const mild = tools.filter(({ annotations }) => annotations?.destructiveHint === false).map(({ name }) => name);
  expect(mild.sort()).toEqual(['link_add', 'node_add', ...eventsOf(CATALOG.filter(({ changes }) => !changes))].sort());
  const add = async (fields: object) => {
    const { diff } = bodyOf(await client.callTool({ name: 'node_add', arguments: { ...fields } })) as unknown as {
      diff: { nodes: { after: { id: string } }[] };
    };
    return diff.nodes[0]?.after.id ?? '';
  };
  const target = await add({ title: 'Go live' });
  await add({ title: 'Set up the domain', target });
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
  const refused = await client.callTool({ name: 'node_update', arguments: { id: target, status: 3 } });
  expect(refused.isError).toBe(true);
  expect(bodyOf(refused)).toMatchObject({ error: 'conflict.node_blocked', remedy: expect.any(String) });
  await expect(client.readResource({ uri: 'taskgraph://branch/none' })).rejects.toThrow('no resource');
  await client.close();
});
