// Compressed answers of a running stack: the same content in every coding, and secrets plain.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { connectRawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { beforeAll, expect, test } from 'vitest';
import { type Body, sendRest } from './support/calls.ts';

const OPERATIONS = 200;

const stack = sharedStack();
const [url = ''] = stack.urls;
let token = '';

beforeAll(async () => {
  token = await stack.token(emailOf('reader-of-long-pages'));
  const operations = Array.from({ length: OPERATIONS }, (_, index) => ({
    event: 'node:add',
    payload: { title: `a task of the plan, number ${index}` },
    as: `task${index}`,
  }));
  const { status } = await sendRest(`${url}/api/batch`, { method: 'POST', payload: { operations }, token });
  expect(status).toBe(200);
});

async function get(path: string, headers: Record<string, string>) {
  const sent = request(url + path, { headers: { Authorization: `Bearer ${token}`, ...headers }, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await response.toArray());
  const coding = response.headers['content-encoding'];
  const plain = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
  return { status: response.statusCode, headers: response.headers, coding, bytes, text: plain.toString() };
}

test('[ZIP1] a page of the graph is the same in every coding', async () => {
  const plain = await get('/api/graph', {});
  const { nodes } = JSON.parse(plain.text) as { nodes: object[] };
  expect([plain.coding, nodes.length >= OPERATIONS]).toEqual([undefined, true]);
  for (const coding of ['gzip', 'br']) {
    const received = await get('/api/graph', { 'Accept-Encoding': coding });
    expect([received.status, received.coding, received.headers.vary]).toEqual([200, coding, 'Accept-Encoding']);
    expect((JSON.parse(received.text) as { nodes: object[] }).nodes).toEqual(nodes);
    expect(received.bytes.length).toBeLessThan(plain.bytes.length / 4);
    const known = { 'Accept-Encoding': coding, 'If-None-Match': String(plain.headers.etag) };
    expect(await get('/api/graph', known)).toMatchObject({ status: 304, coding: undefined, text: '' });
  }
});

test('[ZIP2] the worker’s bytes reach each client that takes them, and a changed page is another one', async () => {
  const bytesOf = async () => {
    const { bytes, headers, text } = await get('/api/graph', { 'Accept-Encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    const { trace_id: id } = JSON.parse(text) as { trace_id: string };
    const end = bytes.indexOf(`,"trace_id":"${id}"`);
    // Before the length and the checksum of the last block, which has the gateway's own fields.
    return { forwarded: bytes.subarray(0, end - 5).toString('base64'), etag: headers.etag, text };
  };
  const [first, again] = [await bytesOf(), await bytesOf()];
  expect([again.forwarded === first.forwarded, again.etag]).toEqual([true, first.etag]);
  const { body } = await sendRest(`${url}/api/node`, { method: 'POST', payload: { title: 'one more' }, token });
  expect(body).toMatchObject({ ok: true });
  const next = await bytesOf();
  expect([next.forwarded === first.forwarded, next.etag === first.etag]).toEqual([false, false]);
  expect(next.text).toContain('"one more"');
});

test('[ZIP2] a socket gets the same page', async () => {
  const socket = await connectRawSocket(url, { auth: { api_token: token } });
  const overSocket = (await socket.emitWithAck('graph:get', {})) as { nodes: object[] };
  socket.close();
  const overRest = JSON.parse((await get('/api/graph', { 'Accept-Encoding': 'gzip' })).text) as { nodes: object[] };
  expect(overSocket.nodes).toEqual(overRest.nodes);
});

test('[ZIP1] a page with a public token stays plain for its admins', async () => {
  const email = emailOf('publisher');
  const owner = await stack.token(email);
  const as = { Authorization: `Bearer ${owner}`, 'Accept-Encoding': 'gzip' };
  const payload = { title: 'x'.repeat(400), description: 'y'.repeat(2_000) };
  const { body } = await sendRest(`${url}/api/node`, { method: 'POST', payload, token: owner });
  const { diff } = body as Body & { diff: { nodes: { after: { id: string } }[] } };
  const id = diff.nodes[0]?.after.id;
  expect((await get('/api/graph', as)).coding).toBe('gzip');
  await sendRest(`${url}/api/node/public`, { method: 'POST', payload: { id }, token: owner });
  for (const path of ['/api/graph', '/api/history', `/api/node?id=${id}`]) {
    const { coding, text } = await get(path, as);
    expect([path, coding, /ublicToken":"[\w-]{10,}"/.test(text)]).toEqual([path, undefined, true]);
  }
});
