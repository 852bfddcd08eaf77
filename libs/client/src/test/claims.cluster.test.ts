// The loop of agents with the client on a running stack: 64 agents of one user over two gateways.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type TaskgraphClient } from '../connect.ts';
import { TaskgraphError } from '../error.ts';

const AGENTS = 64;
const NODES = 150;

const stack = sharedStack();
const [url = '', otherUrl = ''] = stack.urls;
const clients: TaskgraphClient[] = [];
let token = '';
beforeAll(async () => {
  token = await stack.token(emailOf('ann'));
});
afterAll(() => {
  for (const client of clients) client.close();
});

async function clientAt(gateway: string): Promise<TaskgraphClient> {
  const client = await connect({ url: gateway, token });
  clients.push(client);
  return client;
}

test('[CLAIM2 CLAIM3] 64 agents of one user drain a queue over two gateways, and what the dead leave is drained later', async () => {
  const [first, second] = await Promise.all([clientAt(url), clientAt(otherUrl)]);
  const { made: root } = await first.batch((batch) => {
    const goal = batch.node.add({ title: 'goal', independent: true });
    for (let count = 1; count < NODES; count++) batch.node.add({ target: goal.id, tags: ['queue'] });
    return goal;
  });
  const completed: string[] = [];
  const abandoned: { id: string; claimId: string }[] = [];
  const agent = async (client: TaskgraphClient, dies: boolean) => {
    for (;;) {
      const { node, claimId } = await client.node.claim({ root: root.id, lease: 20 });
      if (node === null || claimId === null) return;
      if (dies) return abandoned.push({ id: node.id, claimId });
      await client.node.renewClaim({ id: node.id, claimId, lease: 20 });
      await client.node.update({ id: node.id, claim: claimId, status: 3 });
      completed.push(node.id);
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, at) => agent(at % 2 === 0 ? first : second, at % 4 === 0)));
  expect(new Set([...completed, ...abandoned.map(({ id }) => id)]).size).toBe(NODES);
  expect(completed.length + abandoned.length).toBe(NODES);
  expect(abandoned.length).toBe(AGENTS / 4);
  // Others release what the dead have claimed; a late agent is refused.
  for (const { id } of abandoned) await second.node.releaseClaim({ id });
  const late = abandoned[0] as (typeof abandoned)[number];
  const update = first.node.update({ id: late.id, claim: late.claimId, status: 3 });
  await expect(update).rejects.toMatchObject({ code: 'conflict.claim_ended' });
  await expect(update).rejects.toBeInstanceOf(TaskgraphError);
  await agent(first, false);
  expect(new Set(completed).size).toBe(NODES);
});
