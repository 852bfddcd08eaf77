import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebhookMessage } from '@taskgraph/client';
import { InvalidHookError, verifyHook } from '@taskgraph/client/hooks';
import { afterEach, expect, test } from 'vitest';
import { createForwarder, type Forwarded, newSecret } from './forwarder.ts';

const hook = '01900000-0000-7000-8000-000000000009';
const message = (timestamp: string): WebhookMessage => ({ type: 'hook.ping', timestamp, data: { hook } });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that verifies each request with the secret. */
async function receiver(secret: string, answer: (response: ServerResponse) => void) {
  const [received, invalid]: [WebhookMessage[], unknown[]] = [[], []];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    try {
      received.push(verifyHook(body, request.headers, secret));
    } catch (error) {
      invalid.push(error);
    }
    answer(response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received, invalid };
}

function forwarderTo(url: string, secret: string) {
  const reports: Forwarded[] = [];
  return { ...createForwarder({ url, secret, hook, report: (each) => reports.push(each) }), reports };
}

test('[HOOK14] messages arrive signed, one at a time and in order', async () => {
  const secret = newSecret();
  let open = 0;
  let mostOpen = 0;
  const { url, received } = await receiver(secret, (response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    setImmediate(() => {
      open -= 1;
      response.writeHead(204).end();
    });
  });
  const { send, idle, reports } = forwarderTo(url, secret);
  const messages = ['a', 'b', 'c'].map(message);
  for (const each of messages) send(each);
  await idle();
  expect(received).toEqual(messages);
  expect(mostOpen).toBe(1);
  expect(reports.map(({ status }) => status)).toEqual([204, 204, 204]);
});

test('[HOOK14] each answer is reported, and a failure does not stop the next message', async () => {
  const secret = newSecret();
  const answers = [500, 302, 200];
  const { url, received, invalid } = await receiver(newSecret(), (response) => {
    response.writeHead(answers.shift() ?? 0, { location: 'http://127.0.0.1:1/' }).end();
  });
  const { send, idle, reports } = forwarderTo(url, secret);
  for (const each of ['a', 'b', 'c']) send(message(each));
  await idle();
  expect(reports.map(({ status }) => status)).toEqual([500, 302, 200]);
  expect(received).toEqual([]);
  expect(invalid.every((error) => error instanceof InvalidHookError)).toBe(true);
  const nobody = forwarderTo('http://127.0.0.1:1/', secret);
  nobody.send(message('a'));
  await nobody.idle();
  expect(nobody.reports).toMatchObject([{ status: null, reason: expect.stringMatching(/./) }]);
});

test('[HOOK14] what a slow server makes wait is bounded; a graph.reset takes the place of the rest', async () => {
  const secret = newSecret();
  const held: ServerResponse[] = [];
  const { url, received } = await receiver(secret, (response) => {
    if (received.length > 1) response.end();
    else held.push(response);
  });
  const { send, idle } = forwarderTo(url, secret);
  for (let index = 0; index < 110; index++) send(message(String(index)));
  await expect.poll(() => held.length).toBe(1);
  held[0]?.end();
  await idle();
  expect(received).toHaveLength(101);
  expect(received[99]).toEqual(message('99'));
  expect(received[100]?.type).toBe('graph.reset');
});
