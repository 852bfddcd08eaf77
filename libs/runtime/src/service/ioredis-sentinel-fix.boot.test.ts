// A fail-over that Sentinels report while a connection asks them for the master.
import { startTestSentinel } from '@taskgraph/testkit/stack/redis';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedis } from './redis.ts';
import { type RedisSettings, redisOptions } from './redis-options.ts';

const WAIT = { timeout: 120_000, interval: 20 };
let redis: Awaited<ReturnType<typeof startTestSentinel>>;

/** The part of an ioredis client that queries Sentinels and learns of fail-overs. */
interface Connector {
  readonly stream: { destroy(): void };
  readonly failoverDetector: { readonly sentinels: readonly { readonly client: Redis }[] } | null;
}

beforeAll(async () => {
  redis = await startTestSentinel();
});
afterAll(() => redis?.stop());

/** Copies the connection as BullMQ does; it listens for fail-overs. */
async function open(): Promise<Redis> {
  const first = openRedis(redisOptions(redis.environment as unknown as RedisSettings), {}) as Redis;
  const client = first.duplicate();
  for (const each of [first, client]) each.on('error', () => undefined);
  first.disconnect();
  await listening(client);
  return client;
}

function connectorOf(client: Redis): Connector {
  return (client as unknown as { readonly connector: Connector }).connector;
}

async function listening(client: Redis): Promise<void> {
  const states = () => connectorOf(client).failoverDetector?.sentinels.map((sentinel) => sentinel.client.status);
  await expect.poll(states, WAIT).toEqual(['ready']);
}

/** Breaks the connection; the Sentinel reports a fail-over during the next query. */
async function failOverWhileAsking(client: Redis): Promise<void> {
  const { failoverDetector, stream } = connectorOf(client);
  const asking = new Promise<void>((resolve) => void client.once('connecting', resolve));
  stream.destroy();
  await asking;
  expect(client.status).toBe('connecting');
  failoverDetector?.sentinels[0]?.client.emit('message', '+switch-master', '');
}

test('does not end the connection, once or again', async () => {
  const client = await open();
  for (const value of ['one', 'two']) {
    await failOverWhileAsking(client);
    expect(await client.set('key', value)).toBe('OK');
    await listening(client);
  }
  client.disconnect();
});

test('does not prevent an intended end', async () => {
  const client = await open();
  const ended = new Promise<void>((resolve) => void client.once('end', resolve));
  await failOverWhileAsking(client);
  client.disconnect();
  await ended;
  expect(client.status).toBe('end');
});
