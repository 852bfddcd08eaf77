// Sockets that connect while Redis is away, and once it is back: a stack whose Redis is behind a
// proxy.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type BreakableProxy, breakableProxy } from '@taskgraph/testkit/stack/breakable-proxy';
import { askAdmin, readiness } from '@taskgraph/testkit/stack/probes';
import { freePort, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenAt, WAIT } from '../test/support/listeners.ts';

let redis: ChildProcess;
let proxy: BreakableProxy;
let stack: TestStack;
const late = {
  get urls() {
    return stack.urls;
  },
  token: (email: string) => stack.token(email),
};

beforeAll(async () => {
  const port = await freePort();
  redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
  proxy = await breakableProxy(`redis://127.0.0.1:${port}`);
  stack = await startTestStack({ workers: 1, environment: { REDIS_URL: proxy.url.replace('http', 'redis') } });
});
const { dialAs } = listenAt(late, ['ann']);
afterAll(async () => {
  await stack?.stop();
  await proxy?.close();
  if (redis === undefined) return;
  const exited = once(redis, 'exit');
  redis.kill('SIGTERM');
  await exited;
});

/** How many look-ups of connecting users were answered in a way. */
async function lookups(way: 'copied' | 'looked_up'): Promise<number> {
  const { text } = await askAdmin(stack, 'gateway-1', '/metrics');
  return Number(new RegExp(`^taskgraph_socket_feed_lookups_total\\{way="${way}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

const untilRedisIs = (state: 'up' | 'away') =>
  expect.poll(() => readiness(stack, 'gateway-1'), WAIT).toMatchObject({ backends: { redis: state } });

test('[EVT1, EVT5] no socket is copied while Redis is away, since the gateway lacks slices then', async () => {
  await untilRedisIs('up');
  /** Dials until one socket is a copy of another: look-ups are cached for a while only. */
  const dialUntilCopied = async () => {
    const before = await lookups('copied');
    const dialAndCount = async () => {
      await dialAs('ann', 0);
      return lookups('copied');
    };
    await expect.poll(dialAndCount, WAIT).toBeGreaterThan(before);
  };
  await dialUntilCopied();

  proxy.cut();
  await untilRedisIs('away');
  const [copied, lookedUp] = [await lookups('copied'), await lookups('looked_up')];
  for (let turn = 0; turn < 3; turn++) await dialAs('ann', 0);
  expect(await lookups('copied')).toBe(copied);
  expect(await lookups('looked_up')).toBeGreaterThanOrEqual(lookedUp + 3);

  proxy.mend();
  await untilRedisIs('up');
  await dialUntilCopied();
});
