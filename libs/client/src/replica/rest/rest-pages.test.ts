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
  ['is refused', answerWith({ ok: false, error: 'rate_limited' })],
  ['is answered by a page of a website', answerWith('<p>Not here.</p>')],
  ['is answered for another user', answerWith(page, { 'Taskgraph-User': 'bob' })],
  ['is answered without a user, as by an earlier release', answerWith(page, {})],
])('[WALK2] after a request that %s, the socket reads all pages of the connection', async (_, fail) => {
  let answer: (response: ServerResponse) => void = answerWith(page);
  const paths: unknown[] = [];
  const url = await listen((request, response) => {
    paths.push([request.url, request.headers.authorization]);
    answer(response);
  });
  const { session, calls, closings, reconnect } = createSession();
  const reads = resyncReads(session, () => USER, Promise.resolve(createRestPages(session, url, { token: 'a token' })));
  expect((await reads.page(null)).next).toBe('rest');
  answer = fail;
  for (const after of ['a/b', 'c', 'd']) expect((await reads.page(after)).next).toBe('socket');
  const authorization = 'Bearer a token';
  expect(paths).toEqual(
    ['limit=2000', 'limit=2000&after=a%2Fb'].map((query) => [`/api/graph?${query}`, authorization]),
  );
  expect([calls, closings.size]).toEqual([['graph:get', 'graph:get', 'graph:get'], 0]);
  reconnect();
  answer = answerWith(page);
  expect((await reads.page('e')).next).toBe('rest');
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
