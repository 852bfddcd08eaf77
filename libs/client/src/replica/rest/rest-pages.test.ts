// When a replica reads its pages over REST. Rule: WALK2.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { Connected, Session } from '../../session.ts';
import { resyncReads } from '../requests.ts';
import { createRestPages } from './rest-pages.ts';

const USER = 'ann';
const page = { ok: true, nodes: [], links: [], next: 'rest', hasMore: true };
const answerWith =
  (body: object | string, headers: Record<string, string> = { 'Taskgraph-User': USER }) =>
  (response: ServerResponse) =>
    response.writeHead(200, headers).end(typeof body === 'string' ? body : JSON.stringify(body));

let server: Server | null = null;
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
  server = null;
});

async function listen(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A clock that only the test moves. */
function createClock() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { nowMs: () => now, pass };
}

/** A session whose calls are answered at once, with pages whose `next` is `socket`. */
function createSession() {
  const greet = () => ({ uid: USER }) as unknown as Connected;
  let connection = greet();
  const closings = new Set<() => void>();
  const calls: string[] = [];
  const session = {
    connected: () => connection,
    listen(_: 'closed', closing: () => void) {
      closings.add(closing);
      return () => void closings.delete(closing);
    },
    queue: {
      async call({ event }: { event: string }) {
        calls.push(event);
        return { ...page, next: 'socket' };
      },
    },
  } as unknown as Session;
  const reconnect = () => {
    connection = greet();
  };
  return { session, calls, closings, reconnect };
}

test.each<[string, (response: ServerResponse) => void]>([
  ['breaks off', (response) => response.destroy()],
  ['is refused', (response) => response.writeHead(403, { 'Taskgraph-User': USER }).end('{"ok":false}')],
  ['is answered by a page of a website', answerWith('<p>Not here.</p>')],
  ['is answered for another user', answerWith(page, { 'Taskgraph-User': 'bob' })],
  ['is answered without a user, as by an earlier release', answerWith(page, {})],
])('[WALK2] after a request that %s, the socket reads all pages for a minute, then for two', async (_, fail) => {
  let answer: (response: ServerResponse) => void = answerWith(page);
  const paths: unknown[] = [];
  const url = await listen((request, response) => {
    paths.push([request.url, request.headers.authorization]);
    answer(response);
  });
  const { session, calls, closings, reconnect } = createSession();
  const { nowMs, pass } = createClock();
  const readPage = createRestPages(session, url, { token: 'a token' }, nowMs);
  const reads = resyncReads(session, () => USER, Promise.resolve(readPage));
  expect((await reads.page(null)).next).toBe('rest');
  answer = fail;
  for (const after of ['a/b', 'c']) expect((await reads.page(after)).next).toBe('socket');
  reconnect();
  pass(59_999);
  expect((await reads.page('d')).next).toBe('socket');
  const authorization = 'Bearer a token';
  expect(paths).toEqual(
    ['limit=2000', 'limit=2000&after=a%2Fb'].map((query) => [`/api/graph?${query}`, authorization]),
  );
  expect([calls, closings.size]).toEqual([['graph:get', 'graph:get', 'graph:get'], 0]);
  pass(1);
  expect((await reads.page('e')).next).toBe('socket');
  expect(paths).toHaveLength(3);
  answer = answerWith(page);
  pass(119_999);
  expect((await reads.page('f')).next).toBe('socket');
  pass(1);
  expect((await reads.page('g')).next).toBe('rest');
  // A success ends the row of failures.
  answer = fail;
  expect((await reads.page('h')).next).toBe('socket');
  answer = answerWith(page);
  pass(60_000);
  expect((await reads.page('i')).next).toBe('rest');
});

test.each([429, 503])('[WALK2] after status %i, REST is paused for the time of Retry-After', async (status) => {
  let isBusy = true;
  const url = await listen((_, response) => {
    if (isBusy) response.writeHead(status, { 'Retry-After': '2' }).end('{"ok":false}');
    else answerWith(page)(response);
  });
  const { session } = createSession();
  const { nowMs, pass } = createClock();
  const readPage = createRestPages(session, url, { token: 'a token' }, nowMs);
  expect(await readPage(null, USER)).toBeNull();
  isBusy = false;
  pass(1_999);
  expect(await readPage(null, USER)).toBeNull();
  pass(1);
  expect((await readPage(null, USER))?.next).toBe('rest');
});

test('[WALK2] REST that never answers delays one page for five seconds, and no page of the next connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let requests = 0;
  const url = await listen(() => {
    requests++;
  });
  const { session, reconnect } = createSession();
  const readPage = createRestPages(session, url, { token: 'a token' }, createClock().nowMs);
  const reads = resyncReads(session, () => USER, Promise.resolve(readPage));
  const received = once(server as Server, 'request');
  const reading = reads.page(null);
  await received;
  reconnect();
  vi.advanceTimersByTime(5_000);
  expect((await reading).next).toBe('socket');
  expect((await reads.page('a')).next).toBe('socket');
  expect(requests).toBe(1);
});

test('[WALK2] an answer that has begun may take longer than its head', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const url = await listen((_, response) => {
    response.writeHead(200, { 'Taskgraph-User': USER }).write('{"ok":true,');
  });
  const { session } = createSession();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const received = once(server as Server, 'request');
  const reading = createRestPages(session, url, { token: 'a token' })(null, USER);
  const response = (await received)[1] as ServerResponse;
  // The client has the head as soon as the time-out of the body runs.
  await vi.waitUntil(() => timers.mock.calls.some(([, delay]) => delay === 30_000), { timeout: 30_000 });
  vi.advanceTimersByTime(20_000);
  response.end(JSON.stringify(page).slice(1));
  expect((await reading)?.next).toBe('rest');
});

test('[WALK2] the URL of a WebSocket is read over REST too', async () => {
  const url = await listen((_, response) => answerWith(page)(response));
  const { session } = createSession();
  const readPage = createRestPages(session, url.replace('http', 'ws'), { token: 'a token' });
  expect((await readPage(null, USER))?.next).toBe('rest');
});

test('[WALK2] a page that arrives after the session has connected again is not used', async () => {
  const { session, reconnect } = createSession();
  const url = await listen((_, response) => {
    reconnect();
    answerWith(page)(response);
  });
  expect(await createRestPages(session, url, { token: 'a token' })(null, USER)).toBeNull();
});

test('[WALK2] the end of the session ends a request', async () => {
  // The time-out would end it too.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { session, closings } = createSession();
  const url = await listen(() => undefined);
  const asked = once(server as Server, 'request');
  const reading = createRestPages(session, url, { token: 'a token' })(null, USER);
  const response = (await asked)[1] as ServerResponse;
  for (const closing of closings) closing();
  expect(await reading).toBeNull();
  if (!response.closed) await once(response, 'close');
});

test('[WALK2] a reader without an account reads over the socket alone', async () => {
  const { session, calls } = createSession();
  const url = await listen(() => expect.fail('a request over REST'));
  const reads = resyncReads(session, () => null, Promise.resolve(createRestPages(session, url, { token: 'a token' })));
  expect((await reads.page(null)).next).toBe('socket');
  expect(calls).toEqual(['branch:get']);
});
