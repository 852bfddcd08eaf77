// The waits of clients for rate limits, over sockets and REST, with fake services.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Socket } from 'socket.io-client';
import { expect, test } from 'vitest';
import { createCallQueue } from './call-queue.ts';
import { errorOf } from './error.ts';
import { createRateLimitWaits, type RateLimitWait } from './rate-limit-wait.ts';
import { rest } from './rest.ts';
import { openSession } from './session.ts';

const limited = (retryAfterMs: unknown) => ({
  ok: false,
  error: 'rate_limited',
  message: 'Too many.',
  details: { limit: 'graph:get', retryAfterMs },
});

test('[LIM2] the waits of a call have a total bound, and each is reported', () => {
  const told: RateLimitWait[] = [];
  const rateLimitWaits = createRateLimitWaits({ rateLimitWaitMs: 1_000, onRateLimit: (wait) => told.push(wait) });
  const waitFor = rateLimitWaits('graph:get');
  expect(waitFor(errorOf(limited(600)))).toBeGreaterThanOrEqual(600);
  expect(waitFor(errorOf(limited(600)))).toBeNull();
  expect(waitFor(errorOf(limited(400)))).toBeGreaterThanOrEqual(400);
  expect(told).toMatchObject([
    { what: 'graph:get', limit: 'graph:get' },
    { what: 'graph:get', limit: 'graph:get' },
  ]);
  for (const other of [limited('soon'), limited(-1), { error: 'unavailable' }]) {
    expect(rateLimitWaits('graph:get')(errorOf(other))).toBeNull();
  }
});

/** A socket whose calls receive these answers in order. */
function answering(bodies: readonly object[]): { socket: Socket; sent: string[] } {
  const sent: string[] = [];
  const left = [...bodies];
  const emit = (event: string, _payload: object, acknowledge: (error: null, body: unknown) => void) => {
    sent.push(event);
    acknowledge(null, left.shift());
  };
  return { socket: { timeout: () => ({ emit }) } as unknown as Socket, sent };
}

test('[LIM2] a call over a socket is retried when its limit allows it, beyond its time-out', async () => {
  const { socket, sent } = answering([limited(600), limited(600), { ok: true, nodes: [] }]);
  const queue = createCallQueue(socket);
  queue.setReady(true);
  const call = { event: 'graph:get', payload: {}, deadline: Date.now() + 1_000 };
  expect(await queue.call(call)).toEqual({ ok: true, nodes: [] });
  expect(sent).toHaveLength(3);
});

test('[LIM2] a call that would wait too long fails at once with the time to wait', async () => {
  const { socket, sent } = answering([limited(60_000)]);
  const queue = createCallQueue(socket);
  queue.setReady(true);
  const call = { event: 'graph:get', payload: {}, deadline: Date.now() + 1_000 };
  await expect(queue.call(call)).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfterMs: 60_000 } });
  expect(sent).toHaveLength(1);
});

/** A connection that is refused with these bodies in order, and then succeeds. */
function refusing(bodies: readonly object[], rateLimitWaits = createRateLimitWaits()) {
  const handlers = new Map<string, (body: unknown) => void>();
  const left = [...bodies];
  let attempts = 0;
  const socket = {
    on: (event: string, handler: (body: unknown) => void) => handlers.set(event, handler),
    disconnect: () => undefined,
    connect() {
      attempts++;
      const data = left.shift();
      const connected = { ok: true, uid: 'u', client: 'api', feeds: {}, position: 'p' };
      if (data === undefined) handlers.get('connected')?.(connected);
      else handlers.get('connect_error')?.(Object.assign(new Error('rate_limited'), { data }));
    },
  } as unknown as Socket;
  return { session: openSession(socket, rateLimitWaits), attempts: () => attempts };
}

test('[LIM2] a first connection waits as the service asks, beyond its time-out', async () => {
  const { session, attempts } = refusing([limited(1_100), limited(10)]);
  await session.firstConnection(1_000);
  expect([attempts(), session.connected().uid]).toEqual([3, 'u']);
  session.close();
});

test('[LIM2] a first connection that would wait too long is refused at once', async () => {
  const { session, attempts } = refusing([limited(60_000)], createRateLimitWaits({ rateLimitWaitMs: 0 }));
  await expect(session.firstConnection(1_000)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(attempts()).toBe(1);
});

test('[LIM2] a request is retried when the answer or the header of a proxy allows it', async () => {
  const answers = [
    [429, JSON.stringify(limited(20)), '1'],
    [429, 'Too many requests', '0'],
    [200, '{"ok":true}', ''],
    [429, 'Too many requests', ''],
  ] as const;
  let turn = 0;
  const server = createServer((_request, response) => {
    const [status, body, retryAfter] = answers[turn++] as (typeof answers)[number];
    response.writeHead(status, retryAfter === '' ? {} : { 'Retry-After': retryAfter }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const told: string[] = [];
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { request } = rest({ url, token: 't', onRateLimit: ({ what }) => told.push(what) });
    expect(await request('GET', '/api/graph')).toEqual({ ok: true });
    expect(told).toEqual(['GET /api/graph', 'GET /api/graph']);
    await expect(request('GET', '/api/graph')).rejects.toMatchObject({ code: 'rate_limited' });
  } finally {
    server.close();
  }
});
