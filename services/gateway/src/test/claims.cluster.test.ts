// Claims on a running stack: repeated answers over REST, pushes, and what readers without an account
// see. The tests of the client have the loop of agents.
import { connectRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, restCall } from './support/calls.ts';

const WAIT = { timeout: 60_000, interval: 25 };

const stack = sharedStack();
const [url = ''] = stack.urls;
const sockets: RawSocket[] = [];
let ann: Call;
beforeAll(async () => {
  ann = restCall(url, await stack.token(emailOf('ann')));
});
afterAll(() => {
  for (const socket of sockets) socket.close();
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
