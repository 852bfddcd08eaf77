// API tokens with scopes on a running stack: every call of the catalog with every scope, over REST
// and sockets, and batches, undo and redo by their changes.
import { connectRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { batchable } from '@taskgraph/wire/operations/batch-parser';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { SCOPES, type Scope } from '@taskgraph/wire/scopes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call as accountCall } from './support/account-calls.ts';
import { type Call, restCall, socketCall, TRANSPORTS, type Transport, verdictOf } from './support/calls.ts';

const stack = sharedStack();
const url = stack.urls[0] as string;
const sockets: RawSocket[] = [];
/** The calls of a token with one scope, by its transports. */
const held = new Map<Scope, Partial<Record<Transport, Call>>>();
/** The user of all tokens, with all scopes. */
let full: Call;

beforeAll(async () => {
  full = restCall(url, await stack.token(emailOf('ann')));
  for (const scope of SCOPES) held.set(scope, await callsWith([scope]));
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

/** Without `read`, a token has no socket. */
async function callsWith(
  scopes: readonly Scope[],
  name = `with_${scopes.join('_')}`,
): Promise<Partial<Record<Transport, Call>>> {
  const token = await stack.token(emailOf(name), { scopes });
  const REST = restCall(url, token);
  if (!scopes.includes('read')) return { REST };
  const socket = await connectRawSocket(url, { auth: { api_token: token } });
  sockets.push(socket);
  return { REST, socket: socketCall(socket) };
}

/** Its own user's calls, which see the same graph as `full`. */
async function annWith(...scopes: Scope[]): Promise<Call> {
  const calls = await callsWith(scopes, 'ann');
  return calls.REST as Call;
}

const added = async (event: string, payload: object, by: Call = full) => {
  const { body } = await by(event, payload);
  expect(body).toMatchObject({ ok: true });
  const { diff } = body as unknown as {
    diff: { batchId: string; nodes: { after: { id: string; version: number } }[] };
  };
  return { batchId: diff.batchId, node: diff.nodes[0]?.after as { id: string; version: number } };
};

/** The scopes with which a call of the catalog is not refused for its scope. */
function allowedBy({ name, scope, moreScopes }: Operation): readonly Scope[] {
  if (scope === 'changes') return ['edit', 'link', 'trash', 'share', 'delete'];
  // The example adds a node and a link; other calls need several scopes too.
  if (scope === 'operations' || moreScopes !== undefined) return [];
  if (scope === 'none') throw new Error(`${name} declares no scope`);
  return [scope];
}

/** Makes a call with each scope, over each transport, and compares the refusals for a scope. */
async function expectOnlyBy(allowed: readonly Scope[], name: string, payload: object, details: object): Promise<void> {
  for (const [scope, calls] of held) {
    for (const way of TRANSPORTS) {
      const call = calls[way];
      if (call === undefined) continue;
      const answer = await call(name, payload);
      const verdict = verdictOf(answer);
      const context = `${name} with ${scope} over ${way}: ${answer.text}`;
      if (allowed.includes(scope)) {
        // The example's entities are unknown to this user, or the call succeeds.
        expect(verdict === null || !/^forbidden\.(scope|read_only)/.test(verdict), context).toBe(true);
        expect(verdict === null || !/^(internal|unavailable|rate_limited)/.test(verdict), context).toBe(true);
      } else {
        expect(verdict, context).toBe(scope === 'read' ? 'forbidden.read_only' : 'forbidden.scope');
        expect(answer.body.details, context).toMatchObject({ missing: expect.any(Array), ...details });
      }
    }
  }
}

test.each(socketOperations.map((operation) => ({ ...operation, operation })))(
  '[SCOPE1] $name is allowed or refused by each scope',
  ({ name, example, operation }) => expectOnlyBy(allowedBy(operation), name, example, {}),
  120_000,
);

test.each(batchable.map((operation) => ({ ...operation, operation })))(
  '[SCOPE2 BAT3] $name in a batch is allowed or refused by each scope',
  async ({ name, example, operation }) => {
    const allowed = allowedBy(operation);
    const details = { missing: allowed, index: 0 };
    await expectOnlyBy(allowed, 'batch:run', { operations: [{ event: name, payload: example }] }, details);
  },
  120_000,
);

test('[SCOPE2] the undo and the redo of a change are allowed or refused by each scope', async () => {
  const { node } = await added('node:add', { title: 'Plan' });
  const { batchId } = await added('node:update', { id: node.id, title: 'Plan B' });
  for (const event of ['batch:undo', 'batch:redo']) {
    for (const scope of SCOPES.filter((one) => one !== 'edit')) {
      for (const call of Object.values(await callsWith([scope], 'ann'))) {
        const { body } = await call(event, { batchId });
        const error = scope === 'read' ? 'forbidden.read_only' : 'forbidden.scope';
        expect(body, `${event} with ${scope}`).toMatchObject({ error, details: { missing: expect.anything() } });
      }
    }
    const editing = await annWith('edit');
    expect((await editing(event, { batchId })).body).toMatchObject({ ok: true });
  }
});

test('[SCOPE1] without read, a token opens no socket; with any scope it learns whose it is', async () => {
  const token = await stack.token(emailOf('ann'), { scopes: ['edit'] });
  await expect(connectRawSocket(url, { auth: { api_token: token } })).rejects.toMatchObject({
    message: 'forbidden.scope',
  });
  expect(await accountCall(url, 'GET', '/api/me', { token })).toMatchObject({
    status: 200,
    body: { user: { email: emailOf('ann') } },
  });
  const dryRun = await restCall(url, token)('node:add', { title: 'a', dryRun: true });
  expect(dryRun.body).toMatchObject({ error: 'forbidden.scope', details: { missing: ['read'] } });
});

test('[SCOPE1] scopes never change what an answer shows', async () => {
  const { node } = await added('node:add', { title: 'Plan' });
  const narrow = await annWith('read', 'edit');
  const shown = async (call: Call) => (await call('node:get', { id: node.id })).body.nodes;
  expect(await shown(narrow)).toEqual(await shown(full));
  const updated = await narrow('node:update', { id: node.id, title: 'Plan B' });
  expect(updated.body).toMatchObject({ ok: true, diff: { nodes: [{ after: { id: node.id, title: 'Plan B' } }] } });
});

test('[SCOPE2 BAT3] each operation of a batch is judged by itself, and a refused batch changes nothing', async () => {
  const narrow = await annWith('read', 'edit', 'link');
  const add = { event: 'node:add', payload: { title: 'One' }, as: 'one' };
  const share = { event: 'node:access', payload: { id: '$one', email: emailOf('bob'), level: 3 } };
  expect((await narrow('batch:run', { operations: [add, share] })).body).toMatchObject({
    error: 'forbidden.scope',
    details: { missing: ['share'], index: 1 },
  });
  const link = { event: 'link:add', payload: { source: '$one', target: '$two' } };
  const operations = [add, { ...add, as: 'two' }, link];
  expect((await narrow('batch:run', { operations })).body).toMatchObject({ ok: true });
  expect((await narrow('batch:run', { operations: [add, share], dryRun: true })).body).toMatchObject({ ok: true });
});

test('[SCOPE2 HIS3] an undo and a redo are judged by the changes that they make', async () => {
  const narrow = await annWith('read', 'edit');
  const sharing = await annWith('share');
  const { node } = await added('node:add', { title: 'Plan' });
  const renamed = await added('node:update', { id: node.id, title: 'Plan B' }, narrow);
  expect((await sharing('batch:undo', { batchId: renamed.batchId })).body).toMatchObject({
    error: 'forbidden.scope',
    details: { missing: ['edit'] },
  });
  expect((await narrow('batch:undo', { batchId: renamed.batchId })).body).toMatchObject({ ok: true });
  expect((await narrow('batch:redo', { batchId: renamed.batchId })).body).toMatchObject({ ok: true });
  const shared = await added('node:access', { id: node.id, email: emailOf('bob'), level: 3 });
  for (const dryRun of [undefined, true]) {
    const { body } = await narrow('batch:undo', { batchId: shared.batchId, ...(dryRun && { dryRun }) });
    if (dryRun) expect(body).toMatchObject({ ok: true });
    else expect(body).toMatchObject({ error: 'forbidden.scope', details: { missing: ['share'] } });
  }
  const grants = async () => (await full('node:access:list', { id: node.id })).body.grants;
  expect(await grants()).toMatchObject([{ email: emailOf('bob') }]);
  expect((await sharing('batch:undo', { batchId: shared.batchId })).body).toMatchObject({ ok: true });
  expect(await grants()).toEqual([]);
});

test('[SCOPE2 GEN8] a key repeats the answer of the first call, and a refused call uses up no key', async () => {
  const [narrow, wide] = await Promise.all(
    [['read', 'edit'] as const, ['read', 'edit', 'share'] as const].map((scopes) =>
      stack.token(emailOf('ann'), { scopes }),
    ),
  );
  const { node } = await added('node:add', { title: 'Plan' });
  const shared = await added('node:access', { id: node.id, email: emailOf('bob'), level: 3 });
  const undo = (token: string | undefined) =>
    accountCall(url, 'POST', '/api/history/undo', {
      token,
      body: { batchId: shared.batchId },
      headers: { 'Idempotency-Key': `undo-${shared.batchId}` },
    });
  expect((await undo(narrow)).body).toMatchObject({ error: 'forbidden.scope' });
  const done = await undo(wide);
  expect(done.body).toMatchObject({ ok: true });
  // Nothing is done again, so the scopes of the second caller do not matter.
  expect((await undo(narrow)).body).toMatchObject({ ok: true, diff: done.body.diff });
});

test('[SCOPE1 CLAIM1] a claim needs edit and read, since it answers a whole node', async () => {
  const { node } = await added('node:add', { title: 'Plan', description: 'Long' });
  const missing = { error: 'forbidden.scope', details: { missing: ['read'] } };
  const editing = await annWith('edit');
  expect((await editing('node:claim', { id: node.id })).body).toMatchObject(missing);
  const claimed = await (await annWith('edit', 'read'))('node:claim', { id: node.id });
  expect(claimed.body).toMatchObject({ ok: true, node: { id: node.id, description: 'Long' } });
  const { claimId } = claimed.body as unknown as { claimId: string };
  expect((await editing('node:claim:renew', { id: node.id, claimId })).body).toMatchObject({ ok: true });
  expect((await editing('node:claim:release', { id: node.id, claimId })).body).toMatchObject({ ok: true });
});
