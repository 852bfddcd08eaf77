// Claims on a running stack: the client's loop with 64 agents of one bot-like user over two gateways,
// repeated answers over REST, pushes, and what readers without an account see.
import { connect, type TaskgraphClient, TaskgraphError } from '@taskgraph/client';
import { connectRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, restCall } from './support/calls.ts';

const AGENTS = 64;
const NODES = 150;
const WAIT = { timeout: 60_000, interval: 25 };

const stack = sharedStack();
const [url = '', otherUrl = ''] = stack.urls;
const sockets: RawSocket[] = [];
const clients: TaskgraphClient[] = [];
let token = '';
let ann: Call;
beforeAll(async () => {
  token = await stack.token(emailOf('ann'));
  ann = restCall(url, token);
});
afterAll(() => {
  for (const socket of sockets) socket.close();
  for (const client of clients) client.close();
});

async function clientAt(gateway: string, by = token): Promise<TaskgraphClient> {
  const client = await connect({ url: gateway, token: by });
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

test('[CLAIM4 GEN8] over REST a repeated claim has the first answer and its header', async () => {
  const mine = await stack.token(emailOf('rest'));
  const call = restCall(url, mine);
  const { body: added } = await call('node:add', { title: 'only one' });
  const { id } = (added.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after ?? { id: '' };
  const claim = async () => {
    const headers = {
      Authorization: `Bearer ${mine}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'agent-1',
    };
    const response = await fetch(`${url}/api/node/claim`, { method: 'POST', headers, body: '{"lease":5}' });
    const { trace_id: _, ...body } = (await response.json()) as Record<string, unknown>;
    return { replayed: response.headers.get('Idempotency-Replayed'), body };
  };
  const [first, second] = [await claim(), await claim()];
  expect(first).toMatchObject({ replayed: null, body: { ok: true, node: { id, claimedBy: 'rest' } } });
  expect(second).toEqual({ replayed: 'true', body: first.body });
  const { body: empty } = await call('node:claim', {});
  expect(empty).toMatchObject({ ok: true, node: null, claimId: null, diff: { batchId: null } });
  // A DELETE takes its fields from the query too.
  const release = `${url}/api/node/claim?id=${id}&claimId=${String(first.body.claimId)}`;
  const released = await fetch(release, { method: 'DELETE', headers: { Authorization: `Bearer ${mine}` } });
  expect(await released.json()).toMatchObject({ ok: true, diff: { nodes: [{ op: 1 }, { op: 2 }] } });
});

test('[CLAIM1 EVT1 PUB4] readers are sent the claim, and readers without an account neither its user nor its end', async () => {
  const { body: added } = await ann('node:add', { title: 'watched' });
  const { id } = (added.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after ?? { id: '' };
  const bobToken = await stack.token(emailOf('bob'));
  await ann('node:access', { id, email: emailOf('bob'), level: 3 });
  const { body: published } = await ann('node:publish', { id });
  const publicToken = (published.diff as { nodes: { after: { publicToken: string } }[] }).nodes[0]?.after.publicToken;
  const pushes: Record<'bob' | 'anyone', string[]> = { bob: [], anyone: [] };
  for (const [who, auth] of [
    ['bob', { api_token: bobToken }],
    ['anyone', { public_token: publicToken }],
  ] as const) {
    const socket = await connectRawSocket(url, { auth });
    sockets.push(socket);
    socket.on('graph:diff', (diff: object) => pushes[who].push(JSON.stringify(diff)));
  }
  await ann('node:claim', { id });
  await expect.poll(() => Math.min(pushes.bob.length, pushes.anyone.length), WAIT).toBeGreaterThan(0);
  expect(pushes.bob.join()).toContain('"claimedBy":"ann"');
  expect(pushes.anyone.join()).toContain('"status":1');
  for (const text of [pushes.anyone.join(), await (await fetch(`${url}/api/branch?root=${publicToken}`)).text()]) {
    expect(text).not.toMatch(/claim|assignee|ann/);
  }
  const { body: seen } = await restCall(url, bobToken)('node:get', { id });
  expect(seen.nodes).toMatchObject([{ claimedBy: 'ann', assignee: ['ann'], status: 1 }]);
});
