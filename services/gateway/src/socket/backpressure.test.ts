// Memory for slow sockets is bounded: for each, and for all of a gateway. Rule: LIM4.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RawGateway, type RawGatewayOptions, rawGateways } from '../test/support/raw-gateway.ts';
import type { RawClient } from '../test/support/raw-socket.ts';

const FEED = 'root:r';
const KIB = 1_024;
const MIB = 1_024 * KIB;
let gateway: RawGateway;

const startGateway = rawGateways();

async function start(options: RawGatewayOptions): Promise<void> {
  gateway = await startGateway({ ann: FEED }, options);
}

async function connect(): Promise<RawClient> {
  const client = await gateway.dial();
  client.send('40{"api_token":"ann"}');
  await client.receive('42["connected"');
  return client;
}

const numbersOf = ({ packets }: RawClient) =>
  packets.flatMap((text) => (text.startsWith('42["graph:diff"') ? [Number(/"seq":(\d+)\}\]$/.exec(text)?.[1])] : []));

/**
 * Publishes slices of this many bytes until it is stopped, and lets the sockets of this process
 * have their turn between them.
 */
async function publishUntil(isDone: () => boolean, bytes: number, most: number): Promise<number> {
  let count = 0;
  while (!isDone() && count < most) {
    gateway.publish(FEED, 'x'.repeat(bytes));
    count++;
    await sleep(1);
  }
  return count;
}

test('[LIM4] a socket that reads too slowly receives the reason and is closed', async () => {
  await start({ bounds: { backpressureBytes: 256 * KIB } });
  const client = await connect();
  client.pause();
  const count = await publishUntil(() => gateway.connections.ended.slow > 0, 64 * KIB, 1_000);
  expect(gateway.connections.ended.slow).toBe(1);
  client.resume();
  await client.end();
  const last = client.packets.at(-1) ?? '';
  expect(JSON.parse(last.slice(2))).toMatchObject(['closing', { ok: false, error: 'unavailable.slow_reader' }]);
  expect(client.closed).toEqual({ code: 1013, reason: 'unavailable.slow_reader' });
  // The slices until then came whole and in order.
  const numbers = numbersOf(client);
  expect(numbers).toEqual(numbers.map((_, index) => 100 + index));
  expect(numbers.length).toBeLessThanOrEqual(count);
});

test('[LIM4] a socket that does not read its close is terminated, and its memory is released', async () => {
  await start({ bounds: { backpressureBytes: 256 * KIB, readingOutMs: 200 } });
  const client = await connect();
  client.pause();
  await publishUntil(() => gateway.connections.ended.slow > 0, 64 * KIB, 1_000);
  expect(gateway.connections.all()).toBe(1);
  while (gateway.connections.all() > 0) await sleep(50);
  await sleep(300);
  expect(gateway.connections.bufferedBytes()).toBe(0);
});

test('[LIM4] an unread answer counts like a push', async () => {
  await start({ bounds: { backpressureBytes: 256 * KIB } });
  const client = await connect();
  client.pause();
  gateway.answerWith({ text: 'x'.repeat(64 * KIB) });
  for (let index = 0; index < 400 && gateway.connections.ended.slow === 0; index++) {
    client.send(`42${index}["graph:get",{}]`);
    await sleep(2);
  }
  expect(gateway.connections.ended.slow).toBe(1);
});

test('[LIM4] with 200 sockets that do not read, memory stays within its bounds, and other readers receive everything in order', async () => {
  const [slowOnes, budget] = [200, 16 * MIB];
  await start({ bounds: { backpressureBytes: MIB, allBackpressureBytes: budget } });
  const honest = await Promise.all(Array.from({ length: 5 }, connect));
  const slow = await Promise.all(Array.from({ length: slowOnes }, connect));
  for (const client of slow) client.pause();
  const before = process.memoryUsage().rss;
  let [mostBuffered, mostRss] = [0, before];
  const { ended } = gateway.connections;
  const slice = 64 * KIB;
  const count = await publishUntil(
    () => {
      mostBuffered = Math.max(mostBuffered, gateway.connections.bufferedBytes());
      mostRss = Math.max(mostRss, process.memoryUsage().rss);
      return ended.slow + ended.crowded >= slowOnes;
    },
    slice,
    400,
  );
  expect(ended.slow + ended.crowded).toBe(slowOnes);
  for (const client of honest) {
    while (numbersOf(client).length < count && !client.ended) await sleep(10);
    expect(numbersOf(client)).toEqual(Array.from({ length: count }, (_, index) => 100 + index));
    client.packets.length = 0;
  }
  // Between two looks each socket may be sent a little more.
  expect(mostBuffered).toBeLessThan(2 * budget);
  expect(mostRss - before).toBeLessThan((slowOnes * count * slice) / 4);
}, 60_000);
