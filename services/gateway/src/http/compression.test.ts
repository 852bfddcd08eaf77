// Compressed answers as a client of a gateway's REST side receives them: its raw headers and bytes.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressJson } from '@taskgraph/bus/requests/compressed-json';
import { compressedReplyOf, type RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operations } from '@taskgraph/wire/operations/operations';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AccountRoute } from '../accounts/route.ts';
import type { Identity } from '../auth/token.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { servedFiles } from '../files/served-files.ts';
import { noLimits } from '../limits/limits.ts';
import { serveRest } from '../rest/rest.ts';
import { anyRequests, lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { answerOf } from './answer.ts';
import { createCompression } from './compression.ts';
import type { OpenRequests } from './open-requests.ts';
import { createApp, listen } from './uws.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const token = { id: '01890000-0000-7000-8000-00000000000a', kind: 'session', readOnly: false, expires: null } as const;
const identity: Identity = { user, token };
const FILES = servedFiles({ page: true, console: false });

const closers: (() => unknown)[] = [];
let port = 0;
let requests: OpenRequests;
/** The workers' answer to each call, and the time when it comes. */
let reply: ReplyMessage | RawReply;
/** The same answer for calls that forward a compressed one. */
let compressedReply: RawReply | null = null;
let answering: Promise<void>;
/** The errors that the gateway has logged. */
const logged: object[] = [];

beforeEach(() => {
  compressedReply = null;
  answering = Promise.resolve();
  return start();
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  expect(logged.splice(0)).toEqual([]);
});

async function start({ isOn = true } = {}): Promise<void> {
  requests = anyRequests();
  const app = createApp();
  serveRest(app, {
    authenticate: async () => identity,
    async dispatch({ acceptsCompressed }) {
      await answering;
      return acceptsCompressed === true && compressedReply !== null ? compressedReply : reply;
    },
    requests,
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    limits: noLimits,
    accountRoutes: operations.filter(({ kind }) => kind === 'account').map(routeOf),
    allowedOrigins: ['https://app.example.com'],
    hstsSeconds: 0,
    files: FILES,
    compression: createCompression({ isOn }),
    agents: false,
    cookies: { isSecure: true },
    addressOf: (remote) => remote,
    shareOf: (email) => email,
    audit: () => undefined,
    problem: () => null,
    isStopping: () => false,
    inFlight: countInFlight(),
    observe: unobserved,
    log: { error: (fields) => void logged.push(fields) },
  });
  const listener = await listen(app, '127.0.0.1', 0);
  port = listener.port;
  closers.push(listener.close);
}

/** The route of an account operation, whose answer is that of workers. */
const routeOf = (operation: Operation): AccountRoute => ({
  ...operation,
  audited: null,
  perform: async () => ({ body: (reply as { body: Record<string, unknown> }).body }),
});

interface RequestParts {
  readonly accept?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly body?: string;
}

function send(path: string, { accept, headers = {}, method = 'GET', body }: RequestParts = {}) {
  const encoding = accept === undefined ? {} : { 'Accept-Encoding': accept };
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const all = { Authorization: 'Bearer tgs_x', ...encoding, ...type, ...headers };
  const sent = request({ port, host: '127.0.0.1', path, method, headers: all, agent: false });
  sent.end(body);
  return sent;
}

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly coding: string | undefined;
  readonly bytes: Buffer;
  /** The decoded content. */
  readonly text: string;
}

async function get(path: string, sent: RequestParts = {}): Promise<RawResponse> {
  const [response] = (await once(send(path, sent), 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await response.toArray());
  const coding = response.headers['content-encoding'];
  const text = bytes.length === 0 ? '' : String(decode(coding, bytes));
  return { status: response.statusCode, headers: response.headers, coding, bytes, text };
}

function decode(coding: string | undefined, bytes: Buffer): Buffer {
  if (coding === undefined) return bytes;
  return coding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

const rawOf = (body: object): RawReply => ({ ok: true, json: Buffer.from(JSON.stringify(body)), etag: 'abc' });
const nodesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index, title: `task ${index}` }));
const PAGE = { nodes: nodesOf(200), hasMore: false };

describe('pages', () => {
  beforeEach(() => {
    reply = rawOf(PAGE);
  });

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0, br;q=0.1', 'br'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    [undefined, undefined],
  ])('[ZIP1] Accept-Encoding %j is answered with %j', async (accept, coding) => {
    const received = await get('/api/graph', { accept });
    expect([received.status, received.coding]).toEqual([200, coding]);
    expect(received.headers).toMatchObject({ vary: 'Accept-Encoding', etag: 'W/"abc"' });
    expect(Number(received.headers['content-length'])).toBe(received.bytes.length);
    expect(JSON.parse(received.text)).toEqual({ ok: true, trace_id: expect.any(String), ...PAGE });
    if (coding !== undefined) expect(received.bytes.length).toBeLessThan(received.text.length / 3);
  });

  test('[ZIP1] an answer up to 1 KiB stays plain', async () => {
    reply = rawOf({ nodes: [], title: 'x'.repeat(900) });
    expect(await get('/api/graph', { accept: 'gzip' })).toMatchObject({ coding: undefined, status: 200 });
    reply = rawOf({ nodes: [], title: 'x'.repeat(1_024) });
    expect(await get('/api/graph', { accept: 'gzip' })).toMatchObject({ coding: 'gzip', status: 200 });
  });

  test('[ZIP1 GEN11] a page that the client has is 304, without a coding', async () => {
    reply = { ok: true, json: Buffer.from('{}'), etag: 'abc', unchanged: true };
    const received = await get('/api/graph', { accept: 'gzip', headers: { 'If-None-Match': 'W/"abc"' } });
    expect(received).toMatchObject({ status: 304, coding: undefined, text: '' });
    expect(received.headers).toMatchObject({ vary: 'Accept-Encoding', etag: 'W/"abc"' });
  });

  test('[ZIP1 AUTH1] a page of another origin gets both names in Vary', async () => {
    const { headers } = await get('/api/graph', { accept: 'gzip', headers: { Origin: 'https://app.example.com' } });
    expect(headers.vary).toBe('Origin, Accept-Encoding');
  });

  test('[ZIP1] long pages are compressed in threads, and a slow reader gets them whole', async () => {
    // Random texts stay long when compressed, so that the client's buffers cannot hold the page.
    const nodes = Array.from({ length: 6_000 }, () => ({ title: randomBytes(750).toString('base64') }));
    reply = rawOf({ nodes });
    for (const accept of ['gzip', 'br']) {
      const [response] = (await once(send('/api/graph', { accept }), 'response')) as [IncomingMessage];
      const parts: Buffer[] = [];
      for await (const part of response) {
        parts.push(part);
        await new Promise(setImmediate);
      }
      const whole = Buffer.concat(parts);
      expect(whole.length).toBeGreaterThan(3 * 1_048_576);
      const { nodes: received } = JSON.parse(String(decode(response.headers['content-encoding'], whole)));
      expect(received).toEqual(nodes);
    }
    await expect.poll(() => [requests.open(), requests.answerBytes()]).toEqual([0, 0]);
  });

  test('[ZIP1] a client that disconnects meanwhile leaves nothing behind', async () => {
    reply = rawOf({ nodes: nodesOf(50_000) });
    let answer: () => void = () => undefined;
    answering = new Promise((resolve) => {
      answer = resolve;
    });
    const sent = Array.from({ length: 5 }, () => {
      const one = send('/api/graph', { accept: 'gzip' });
      one.on('error', () => undefined);
      return one;
    });
    await expect.poll(() => requests.open()).toBe(5);
    answer();
    await new Promise(setImmediate);
    for (const one of sent) one.destroy();
    await expect.poll(() => [requests.open(), requests.answerBytes()]).toEqual([0, 0]);
    reply = rawOf(PAGE);
    expect(await get('/api/graph', { accept: 'gzip' })).toMatchObject({ status: 200, coding: 'gzip' });
  });
});

describe('pages that a worker has compressed', () => {
  const LONG_PAGE = { nodes: nodesOf(2_000), hasMore: false };

  async function compressed(body: object) {
    const made = compressedReplyOf(await compressJson([Buffer.from(JSON.stringify(body))]), 'abc');
    [reply, compressedReply] = [rawOf(body), made];
    return Buffer.from(made.compressed.deflated);
  }

  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['gzip;q=0, br', 'br'],
    ['gzip;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    [undefined, undefined],
  ])('[ZIP2] Accept-Encoding %j is answered with %j, and the same content and etag', async (accept, coding) => {
    const deflated = await compressed(LONG_PAGE);
    const received = await get('/api/graph', { accept });
    expect([received.status, received.coding]).toEqual([200, coding]);
    expect(received.headers).toMatchObject({ vary: 'Accept-Encoding', etag: 'W/"abc"' });
    expect(JSON.parse(received.text)).toEqual({ ok: true, trace_id: expect.any(String), ...LONG_PAGE });
    // As the worker sent it.
    expect(received.bytes.includes(deflated)).toBe(coding === 'gzip');
    expect(Number(received.headers['content-length'])).toBe(received.bytes.length);
  });

  test('[ZIP2] the length of a forwarded page varies, so that it does not reveal single characters', async () => {
    await compressed(LONG_PAGE);
    const lengths = new Set<number>();
    while (lengths.size < 5) lengths.add((await get('/api/graph', { accept: 'gzip' })).bytes.length);
    expect(lengths.size).toBe(5);
  });

  test('[ZIP2] without compression over REST, no call asks for it', async () => {
    await start({ isOn: false });
    await compressed(LONG_PAGE);
    const { coding, headers, text } = await get('/api/graph', { accept: 'gzip' });
    expect([coding, headers.vary]).toEqual([undefined, undefined]);
    expect(JSON.parse(text)).toMatchObject(LONG_PAGE);
  });
});

test('[ZIP1] if as many answers as allowed are in threads, a further one is sent plain at once', async () => {
  const compression = createCompression({ isOn: true });
  const answer = answerOf(rawOf({ nodes: nodesOf(50_000) }), 't');
  const how = { accepted: 'gzip', isAllowed: true, isOpen: () => true };
  const encoded = [1, 2, 3].map(() => compression.encode(answer, how));
  const codings = (await Promise.all(encoded)).map(({ headers }) => headers?.['Content-Encoding']);
  expect(codings).toEqual(['gzip', 'gzip', undefined]);
  expect((await compression.encode(answer, how)).headers).toMatchObject({ 'Content-Encoding': 'gzip' });
  expect(compression.bytes.before).toBeGreaterThan(5 * compression.bytes.after);
  // Nobody waits for this one.
  expect(await compression.encode(answer, { ...how, isOpen: () => false })).toBe(answer);
});

test('[ZIP1 ICAL2] a document of which programs read every byte has a padding of another length each time', async () => {
  const compression = createCompression({ isOn: true });
  const how = { accepted: 'gzip', isAllowed: true, isOpen: () => true };
  const document = 'BEGIN:VEVENT\r\n'.repeat(1_000);
  const answer = { status: 200, page: document, isExact: true, body: { ok: true, trace_id: 't' } } as const;
  const lengths = new Set<number>();
  while (lengths.size < 5) {
    const { headers, content = [] } = await compression.encode(answer, how);
    expect(gunzipSync(Buffer.concat(content)).toString()).toBe(document);
    lengths.add(String(headers?.['X-Padding']).length);
  }
  expect(Math.max(...lengths)).toBeLessThanOrEqual(255);
  // A plain one has the length of its content anyway.
  expect((await compression.encode(answer, { ...how, accepted: '' })).headers).toBeUndefined();
});

describe('secrets', () => {
  const LONG = { text: 'x'.repeat(5_000) };

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '[ZIP1] the answer of %s is compressed only if its declaration says so',
    async (_, operation) => {
      reply = { ok: true, body: LONG };
      const { method, path } = operation.transports.rest;
      const isInQuery = method === 'GET' || method === 'DELETE';
      const fields = new URLSearchParams(
        Object.entries(operation.example).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const sent = isInQuery ? {} : { body: JSON.stringify(operation.example) };
      const headers = { Origin: 'https://app.example.com' };
      const query = isInQuery ? `?${fields}` : '';
      const received = await get(path + query, { method, accept: 'gzip', headers, ...sent });
      expect(received.status).toBe(200);
      expect(received.coding).toBe(operation.compress === true ? 'gzip' : undefined);
      expect(received.headers.vary).toBe(operation.compress === true ? 'Origin, Accept-Encoding' : 'Origin');
    },
  );

  test.each([
    ['a node', { nodes: [{ title: 'x', publicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg' }] }],
    ['the history of a node', { batches: [{ ops: [{ after: { PublicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg' } }] }] }],
  ])('[ZIP1] an answer with the public token of %s stays plain', async (_, body) => {
    reply = rawOf({ ...LONG, ...body });
    expect(await get('/api/graph', { accept: 'gzip' })).toMatchObject({ coding: undefined, status: 200 });
    reply = { ok: true, body: { ...LONG, ...body } };
    expect(await get('/api/graph', { accept: 'br' })).toMatchObject({ coding: undefined, status: 200 });
  });

  test('[ZIP1] a text that looks like a public token, and a node without one, do not count', async () => {
    reply = rawOf({ ...LONG, nodes: [{ title: '"publicToken":"q3Z"', publicToken: null }] });
    expect((await get('/api/graph', { accept: 'gzip' })).coding).toBe('gzip');
  });

  test('[ZIP1] the length of a compressed answer varies, so that it does not reveal single characters', async () => {
    const compression = createCompression({ isOn: true });
    const answer = answerOf(rawOf(PAGE), 'the same trace id');
    const lengths = new Set<number>();
    while (lengths.size < 5) {
      const { content = [] } = await compression.encode(answer, {
        accepted: 'gzip',
        isAllowed: true,
        isOpen: () => true,
      });
      lengths.add(byteLengthOf(content));
    }
    expect(lengths.size).toBe(5);
  });
});

describe('files', () => {
  test.each([
    ['/openapi.json', 'br'],
    ['/openapi.json', 'gzip'],
    ['/docs/page.css', 'gzip'],
    ['/docs/swagger-ui-bundle.js', 'br'],
  ])('[ZIP1] %s is served in %s, to GET and HEAD', async (path, accept) => {
    const plain = await get(path);
    expect(plain.coding).toBeUndefined();
    const received = await get(path, { accept });
    expect(received).toMatchObject({ status: 200, coding: accept });
    expect(received.headers).toMatchObject({ vary: 'Accept-Encoding', etag: plain.headers.etag });
    expect(received.text === plain.text).toBe(true);
    const head = await get(path, { accept, method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, coding: accept, text: '' });
    expect(head.headers['content-length']).toBe(String(received.bytes.length));
  });

  test('[ZIP1] the weak etag is that of all codings, and a strong one of earlier releases still counts', async () => {
    const { etag = '' } = (await get('/openapi.json')).headers;
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    for (const known of [etag, etag.slice(2)]) {
      const headers = { 'If-None-Match': known };
      const again = await get('/openapi.json', { accept: 'br', headers });
      expect(again).toMatchObject({ status: 304, coding: undefined, text: '' });
      expect(again.headers).toMatchObject({ etag, vary: 'Accept-Encoding' });
    }
  });
});

test('[ZIP1] an operator may turn compression off', async () => {
  await start({ isOn: false });
  reply = rawOf(PAGE);
  for (const path of ['/api/graph', '/openapi.json']) {
    const { status, coding, headers } = await get(path, { accept: 'gzip, br' });
    expect([status, coding, headers.vary]).toEqual([200, undefined, undefined]);
  }
});
