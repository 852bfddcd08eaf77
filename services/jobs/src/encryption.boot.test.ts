// Encrypted connections to all three backends: a whole stack works over them, and impostors are
// rejected.

import { connectBus } from '@taskgraph/bus/nats/connect';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { natsOptions, neo4jOptions } from '@taskgraph/runtime/service/backends';
import { redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { type EncryptedBackends, startEncryptedBackends } from '@taskgraph/testkit/stack/encrypted-backends';
import { startNats } from '@taskgraph/testkit/stack/nats';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const log = createLog({ name: 'test', level: 'silent' });
let backends: EncryptedBackends;

beforeAll(async () => {
  backends = await startEncryptedBackends();
});
afterAll(() => backends?.stop());

/** The settings of the backends with some replaced. */
function settings(changed: Record<string, string | undefined> = {}) {
  return { ...backends.environment, ...changed } as typeof backends.environment & {
    NEO4J_URL: string;
    NEO4J_USER: string;
    NEO4J_PASSWORD: string;
    NATS_URL: string;
    NATS_USER: string;
    NATS_PASSWORD: string;
    REDIS_URL: string;
  };
}

async function reachNeo4j(changed?: Record<string, string | undefined>): Promise<string> {
  const database = openDatabase(neo4jOptions(settings(changed)));
  try {
    return (await database.verify()).version;
  } finally {
    await database.close();
  }
}

async function reachNats(changed?: Record<string, string | undefined>): Promise<boolean> {
  const bus = await connectBus({ ...natsOptions(settings(changed)), name: 'test', log });
  const reached = bus.connected();
  await bus.close();
  return reached;
}

/** Connects as the services do, but without retries. */
async function reachRedis(changed?: Record<string, string | undefined>): Promise<string> {
  const { url, tls } = redisOptions(settings(changed));
  const redis = new Redis(url, { ...definedFields({ tls }), retryStrategy: null, lazyConnect: true });
  redis.on('error', () => undefined);
  let problem: unknown;
  redis.once('error', (error) => {
    problem = error;
  });
  try {
    await redis.connect();
    return await redis.ping();
  } catch (error) {
    throw problem ?? error;
  } finally {
    redis.disconnect();
  }
}

test('all services and the administration commands work over encrypted connections only', async () => {
  const stack = await startTestStack({ workers: 1, jobs: 1, environment: backends.environment });
  try {
    const token = await stack.makeToken('ann@example.com', 'ann');
    const answer = await fetch(`${stack.urls[0]}/api/node`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'over TLS' }),
    });
    expect(await answer.json()).toMatchObject({ ok: true });
    for (const name of ['worker-1', 'jobs-1', 'gateway-1']) {
      const ready = await fetch(`http://127.0.0.1:${stack.adminPort(name)}/readyz`);
      expect([name, ready.status, await ready.text()]).toEqual([name, 200, expect.not.stringContaining('away')]);
    }
  } finally {
    await stack.stop();
  }
});

describe('server identity', () => {
  test.each([
    ['Neo4j', 'NEO4J', reachNeo4j],
    ['NATS', 'NATS', reachNats],
    ['Redis', 'REDIS', reachRedis],
  ] as const)('%s needs a certificate of the trusted authority for the requested name', async (_title, name, reach) => {
    expect(await reach()).toBeTruthy();
    const address = backends.environment[`${name}_URL`] ?? '';
    await expect(reach({ [`${name}_CA_FILE`]: backends.certificates.stranger })).rejects.toThrow();
    await expect(reach({ [`${name}_CA_FILE`]: undefined })).rejects.toThrow();
    await expect(reach({ [`${name}_URL`]: address.replace('localhost', '127.0.0.1') })).rejects.toThrow();
  });

  test.each([
    ['NATS', reachNats],
    ['REDIS', reachRedis],
  ] as const)('%s: a setting overrides the name to verify', async (name, reach) => {
    await expect(reach({ [`${name}_SERVER_NAME`]: 'elsewhere.example' })).rejects.toThrow();
    const address = (backends.environment[`${name}_URL`] ?? '').replace('localhost', '127.0.0.1');
    expect(await reach({ [`${name}_URL`]: address, [`${name}_SERVER_NAME`]: 'localhost' })).toBeTruthy();
  });

  test('Redis accepts only clients with a certificate', async () => {
    const without = { REDIS_CERTIFICATE_FILE: undefined, REDIS_KEY_FILE: undefined };
    await expect(reachRedis(without)).rejects.toThrow();
    expect(await reachRedis()).toBe('PONG');
  });

  test('a client that requires TLS sends no password to a NATS server without TLS', async () => {
    const plain = await startNats();
    const { user, password } = plain;
    const url = plain.url.replace('nats://127.0.0.1', 'tls://localhost');
    const own = { NATS_USER: user, NATS_PASSWORD: password };
    await expect(reachNats({ ...own, NATS_URL: url })).rejects.toThrow("does not support 'tls'");
    await plain.remove();
  });
});
