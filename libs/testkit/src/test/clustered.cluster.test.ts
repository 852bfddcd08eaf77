// A stack on clusters of backends, as `npm start -- --clustered` starts it. The test kills one
// server after another.
import { rest } from '@taskgraph/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../stack/stack.ts';

const WAIT = { timeout: 120_000, interval: 50 };

let stack: TestStack;
beforeAll(async () => {
  const NEO4J_URL = process.env.NEO4J_URL?.replace(/^bolt:/, 'neo4j:');
  stack = await startTestStack({ clustered: true, environment: { NEO4J_URL } });
});
afterAll(() => stack?.stop());

test('[GEN8] acknowledged commands are executed once while servers of clusters are killed one after another', async () => {
  const { members } = stack.backends;
  expect([members.nats.length, members.redis.length]).toEqual([3, 6]);
  expect(stack.environment).toMatchObject({
    NATS_REPLICAS: '3',
    REDIS_MODE: 'cluster',
    NEO4J_URL: expect.stringContaining('neo4j://'),
  });
  const client = rest({ url: stack.urls[0] as string, token: await stack.token('clustered@example.com') });
  const added: string[] = [];
  const add = async () => {
    const body = { title: `node ${added.length}` };
    const { diff } = await client.request<{ diff: { nodes: { after: { id: string } }[] } }>('POST', '/api/node', {
      body,
    });
    added.push(diff.nodes[0]?.after.id ?? '');
  };
  await add();
  for (const member of Object.values(members).flat()) {
    const before = member.restarts();
    process.kill(member.pid() as number, 'SIGKILL');
    await add();
    await expect.poll(() => member.restarts(), WAIT).toBe(before + 1);
    await add();
  }
  const page = await client.request<{ nodes: { id: string }[] }>('GET', '/api/graph');
  expect(page.nodes.map(({ id }) => id).sort()).toEqual(added.sort());
});
