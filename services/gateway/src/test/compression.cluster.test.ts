// Compressed answers of a running stack: the same content in every coding, and secrets plain.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
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
