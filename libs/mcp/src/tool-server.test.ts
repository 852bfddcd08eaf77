// A server without a session: sizes, failures, and messages that are none.
import { expect, test } from 'vitest';
import { answerMessage, isProtocolVersion } from './message-answer.ts';
import { type AgentService, ToolFailure } from './service.ts';
import { createToolServer } from './tool-server.ts';

const NOW = Date.parse('2026-12-25T00:00:00Z');

function serverFor(call: AgentService['call'], canWrite = true) {
  return createToolServer({
    version: '1.2.3',
    context: { service: { call }, catalog: [], canWrite, nowMs: () => NOW, withTimes: (_, payload) => payload },
    remedyOf: (code) => (code === 'conflict.cycle' ? 'Remove a link.' : undefined),
    onBug: (error) => `error: bug\n${(error as Error).message}`,
  });
}

async function ask(server: ReturnType<typeof serverFor>, method: string, params: object = {}) {
  const { json } = await answerMessage(server, { jsonrpc: '2.0', id: 7, method, params });
  return { text: json ?? '', body: JSON.parse(json ?? '') as { id: number; result: never } };
}

const unused: AgentService['call'] = async (event) => expect.fail(event);

test.each([true, false])('with changes: %s: the list of tools is shorter than 9 kB', async (canWrite) => {
  const { text } = await ask(serverFor(unused, canWrite), 'tools/list');
  expect(Buffer.byteLength(text)).toBeLessThan(9_000);
});

test('it introduces itself', async () => {
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const { body } = await ask(serverFor(unused), 'initialize', client);
  expect(body).toMatchObject({
    id: 7,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'taskgraph', version: '1.2.3' } },
  });
  expect([isProtocolVersion('2025-06-18'), isProtocolVersion('x')]).toEqual([true, false]);
});

test('a refusal is an answer on lines of its own, with details and remedy', async () => {
  const server = serverFor(async () => {
    throw new ToolFailure('conflict.cycle', 'It would\nclose a cycle.', { details: { path: ['a\u202e'] } });
  });
  const { body } = await ask(server, 'tools/call', { name: 'ready', arguments: {} });
  const text = 'error: conflict.cycle\nIt would close a cycle.\ndetails: {"path":["a\\u202e"]}\nremedy: Remove a link.';
  expect(body.result).toEqual({ content: [{ type: 'text', text }], isError: true });
});

test('of a bug the model gets only the words for it', async () => {
  const server = serverFor(async () => {
    throw new TypeError('inner');
  });
  const { body } = await ask(server, 'tools/call', { name: 'ready', arguments: {} });
  expect(body.result).toMatchObject({ content: [{ text: 'error: bug\ninner' }], isError: true });
});

test.each([[[]], [{}], [null], ['text'], [{ jsonrpc: '2.0', id: null, method: 'ping' }], [{ jsonrpc: '1.0' }]])(
  'the message %j is refused',
  async (message) => {
    const { json, isValid } = await answerMessage(serverFor(unused), message);
    expect([isValid, JSON.parse(json ?? '')]).toMatchObject([false, { id: null, error: { code: -32600 } }]);
  },
);

test('a notification and an answer get none', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
    { jsonrpc: '2.0', id: 7, result: {} },
  ]) {
    expect(await answerMessage(serverFor(unused), message)).toEqual({ json: null, isValid: true });
  }
});

const node = (id: string, title: string) => ({ id: `01890000-0000-7000-8000-${id}`, title, status: 0 });

test('a large graph is searched in rounds, and a full answer goes on in the next', async () => {
  const calls: object[] = [];
  const nodes = Array.from({ length: 200 }, (_, index) => node(String(index).padStart(12, '0'), 'x'.repeat(150)));
  const server = serverFor(async (_event, payload) => {
    calls.push(payload);
    const { limit, after } = payload as { limit: number; after?: string };
    if (after === undefined) return { nodes: [], next: 'second', truncated: true };
    return { nodes: nodes.slice(0, limit), next: limit < nodes.length ? `after ${limit}` : null };
  });
  const { body } = await ask(server, 'tools/call', { name: 'find_nodes', arguments: { limit: 200 } });
  const { content } = body.result as { content: [{ text: string }] };
  const lines = content[0].text.split('\n');
  expect(lines.at(-1)).toBe(`more: after ${lines.length - 1} (repeat the call with this as "more")`);
  expect(calls).toMatchObject([
    { limit: 200 },
    { after: 'second', limit: 200 },
    { after: 'second', limit: lines.length - 1 },
  ]);
});

test('a title of hexadecimal digits and the end of an id are not confused', async () => {
  const both = [node('0000deadbeef', 'other'), node('000000000001', 'deadbeef')];
  const server = serverFor(async () => ({ nodes: both, next: null }));
  const { body } = await ask(server, 'tools/call', { name: 'tree', arguments: { node: 'deadbeef' } });
  const { content } = body.result as { content: [{ text: string }] };
  expect(content[0].text).toContain('error: bad_request.ambiguous_reference');
  expect(content[0].text).toContain('\ndeadbeef Available "other"\n00000001 Available "deadbeef"');
});
