// The first load of a replica through a recording proxy: its pages arrive compressed over REST, and
// only those of its own user count. Rules: WALK2, ZIP2.
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { rest } from '../../rest.ts';
import type { Replica } from '../contract.ts';
import { openReplica } from '../open-replica.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const TASKS = 300;
const stack = sharedStack();
const url = stack.urls[0] as string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  for (const name of ['reader', 'stranger']) {
    tokens[name] = await stack.token(emailOf(`pages-${name}`));
    const operations = Array.from({ length: TASKS }, (_, index) => ({
      event: 'node:add',
      payload: { title: `${name}: a task of the plan, number ${index}` },
    }));
    await rest({ url, token: tokens[name] }).request('POST', '/api/batch', { body: { operations } });
  }
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Recorder {
  readonly url: string;
  /** What the client has sent, and what it has received, on all connections. */
  readonly sent: () => string;
  readonly received: () => string;
}

/**
 * Forwards connections to the gateway. `change` may change the head of each request, or what a client sends
 * otherwise; null cuts the connection.
 */
async function recorder(change: (sent: string) => string | null = (sent) => sent): Promise<Recorder> {
  const [sent, received]: [string[], string[]] = [[], []];
  const open = new Set<Socket>();
  const { hostname, port } = new URL(url);
  const server = createServer((client) => {
    const gateway = connectTcp(Number(port), hostname);
    for (const [socket, other] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    let head = '';
    client.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      // The head of a request may arrive in several parts.
      if (head.startsWith('GET ') && !head.includes('\r\n\r\n')) return;
      const text = change(head);
      head = '';
      if (text === null) return void client.destroy();
      sent.push(text);
      gateway.write(Buffer.from(text, 'latin1'));
    });
    gateway.on('data', (chunk: Buffer) => {
      received.push(chunk.toString('latin1'));
      client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, sent: () => sent.join(''), received: () => received.join('') };
}

async function loaded(to: string): Promise<Replica> {
  const replica = await openReplica({ url: to, token: tokens.reader as string });
  closing.push(() => replica.close());
  await expect.poll(() => replica.state, WAIT).toBe('live');
  return replica;
}

function expectOwnTasks(replica: Replica): void {
  const titles = [...replica.snapshot().nodes.values()].map(({ title }) => title);
  expect([titles.length, titles.filter((title) => !String(title).startsWith('reader: '))]).toEqual([TASKS, []]);
}

test('[WALK2 ZIP2] a replica reads its first pages over REST, and they are compressed', async () => {
  const { url: to, sent, received } = await recorder();
  const replica = await loaded(to);
  expectOwnTasks(replica);
  expect(sent()).toMatch(/GET \/api\/graph\?limit=2000 /);
  expect(received()).toMatch(/content-encoding: gzip/i);
  const plain = await (
    await fetch(`${url}/api/graph`, {
      headers: { Authorization: `Bearer ${tokens.reader}`, 'Accept-Encoding': 'identity' },
    })
  ).text();
  // The whole traffic, with the handshake of the socket and its greeting.
  expect(received().length).toBeLessThan(plain.length / 4);
});

test('[WALK2] a page of another user is not shown: the socket reads it', async () => {
  const [own, other] = [tokens.reader as string, tokens.stranger as string];
  expect(other.length).toBe(own.length);
  const { url: to, received } = await recorder((text) =>
    text.startsWith('GET /api/graph') ? text.replace(own, other) : text,
  );
  const replica = await loaded(to);
  const { user } = await rest({ url, token: other }).request<{ user: { id: string } }>('GET', '/api/me');
  expect(received()).toMatch(new RegExp(`taskgraph-user: ${user.id}`, 'i'));
  expectOwnTasks(replica);
});

test('[WALK2] without REST, the socket reads all pages', async () => {
  let cut = 0;
  const { url: to } = await recorder((text) => {
    if (!text.startsWith('GET /api/graph')) return text;
    cut++;
    return null;
  });
  const replica = await loaded(to);
  expectOwnTasks(replica);
  expect(cut).toBeGreaterThan(0);
});
