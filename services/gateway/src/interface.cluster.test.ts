// The interface document, endpoint by endpoint, by REST and over a socket: which fields each answer has, and what diffs tell.
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  type Body,
  type Call,
  dialSocket,
  queryOf,
  restCall,
  sendRest,
  socketCall,
  verdictOf,
} from './calling.testing.ts';
import {
  CHANGES,
  diffOf,
  expectCreated,
  expectDeleted,
  expectPatch,
  expectShape,
  GRANT,
  GRANT_LIST,
  HEALTH,
  LINK,
  NODE,
  PUBLIC_PAGE,
  REFUSAL,
  REVERTED,
} from './interface.testing.ts';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const LATER = '2040-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';
const UNKNOWN = '01890000-0000-7123-8000-000000000002';

let stack: TestStack;
let url: string;
let annsToken: string;
const hangUps: (() => void)[] = [];
/** The calls of each user by each way. */
const by: Record<string, { ann: Call; bob: Call }> = {};

beforeAll(async () => {
  stack = await startTestStack({ environment: { COMMAND_DEADLINE_MS: '60000' } });
  url = stack.urls[0] as string;
  const [ann, bob] = (await Promise.all([stack.token(ANN), stack.token(BOB)])) as [string, string];
  annsToken = ann;
  const dial = async (token: string) => {
    const socket = await dialSocket(url, { api_token: token });
    hangUps.push(() => socket.close());
    return socketCall(socket);
  };
  by.REST = { ann: restCall(url, ann), bob: restCall(url, bob) };
  by.socket = { ann: await dial(ann), bob: await dial(bob) };
});
afterAll(async () => {
  for (const hangUp of hangUps) hangUp();
  await stack?.stop();
});

const bodyOf = async (answer: Promise<Answer>): Promise<Body> => (await answer).body;
const codeOf = async (answer: Promise<Answer>) => verdictOf(await answer);
const idOf = (entry: { after: Record<string, unknown> } | undefined) => entry?.after.id as string;
const ops = (entries: readonly { op: number }[]) => entries.map(({ op }) => op);

describe.each(['REST', 'socket'])('by %s', (way) => {
  /** Calls as ann, whose mutation must succeed, and gives its diff. */
  const mutate = async (event: string, payload: object) => diffOf(await bodyOf(by[way]!.ann(event, payload)));
  const call = (event: string, payload: object) => by[way]!.ann(event, payload);
  const addNode = async (fields: object = {}) =>
    idOf((await mutate('node:add', fields)).nodes.find(({ op }) => op === 0));
  const addLink = async (source: string, target: string) =>
    idOf((await mutate('link:add', { source, target })).links[0]);
  const version = async (id: string) => (await call('node:update', { id, title: 'a', version: 999 })).body.details;

  test('[NODE1 NODE3 NODE4 GEN1 GEN2] node:add tells of the node, of its link, and of the parent that is blocked', async () => {
    const dueDate = '2030-05-01T12:00:00+02:00';
    const alone = await mutate('node:add', { title: 'parent', status: 1, dueDate, tags: ['a'], assignee: [BOB] });
    expect(alone.actor).toEqual({ username: 'ann', email: ANN });
    expectCreated(alone.nodes[0], NODE);
    const fields = { title: 'parent', status: 1, dueDate: '2030-05-01T10:00:00.000Z', tags: ['a'], assignee: [BOB] };
    expect(alone.nodes[0]?.after).toMatchObject({ ...fields, version: 1, access: 0, ownerUsername: 'ann' });
    const target = idOf(alone.nodes[0]);
    const child = await mutate('node:add', { target });
    expect([ops(child.nodes), ops(child.links), child.access]).toEqual([[0, 2], [10], []]);
    expectCreated(child.nodes[0], NODE);
    expectPatch(child.nodes[1], ['status']);
    expect(child.nodes[1]).toMatchObject({ before: { id: target, status: 1, version: 1 }, after: { status: 2 } });
    expectCreated(child.links[0], LINK);
    expect(child.links[0]?.after).toMatchObject({ target, type: 0, private: false, wasBlocker: true, version: 1 });
  });

  test('[BLK5 BLK8 GEN6 GEN9] node:update tells what changed, a status by itself, and whom it unblocks', async () => {
    const target = await addNode({ status: 1 });
    const id = await addNode({ target });
    const { nodes } = await mutate('node:update', { id, title: 'new', priority: 3, status: 3 });
    expect(ops(nodes)).toEqual([1, 2, 2]);
    expectPatch(nodes[0], ['title', 'priority']);
    expectPatch(nodes[1], ['status']);
    expectPatch(nodes[2], ['status']);
    expect(nodes[2]).toMatchObject({ before: { id: target, status: 2 }, after: { id: target, status: 1 } });
    const same = await mutate('node:update', { id, title: 'new' });
    expect(same).toMatchObject({ batchId: null, nodes: [], links: [], access: [] });
  });

  test('[TRS1 TRS5] a node’s way to the trash, back, and to its end', async () => {
    const target = await addNode({ status: 1 });
    const id = await addNode({ target, title: 'moved' });
    const trashed = await mutate('node:trash', { id });
    expect([ops(trashed.nodes).sort(), ops(trashed.links)]).toEqual([[2, 3], [12]]);
    const entry = trashed.nodes.find(({ op }) => op === 3);
    expectPatch(entry, ['inTrash', 'lastBatchID']);
    expect(entry?.after).toMatchObject({ id, inTrash: true, lastBatchID: trashed.batchId });
    expectPatch(trashed.links[0], ['inTrash', 'lastBatchID']);
    const restored = await mutate('node:restore', { id });
    expect([ops(restored.nodes).sort(), ops(restored.links)]).toEqual([[2, 4], [13]]);
    expectShape(restored.nodes.find(({ op }) => op === 4)?.after, NODE);
    expect(restored.nodes.find(({ op }) => op === 2)?.after).toMatchObject({ id: target, status: 2 });
    expect(await codeOf(call('node:restore', { id }))).toBe('not_trashed_node');
    expect(await codeOf(call('node:delete', { id }))).toBe('not_trashed_node');
    await mutate('node:trash', { id });
    const deleted = await mutate('node:delete', { id });
    expect([ops(deleted.nodes), ops(deleted.links)]).toEqual([[5], [14]]);
    expectDeleted(deleted.nodes[0], NODE);
    expectDeleted(deleted.links[0], LINK);
    expect(deleted.nodes[0]?.before).toMatchObject({ id, title: 'moved' });
  });

  test('[PUB1 PUB2] publishing, its change and its end', async () => {
    const id = await addNode();
    const { nodes } = await mutate('node:publish', { id });
    expect([ops(nodes), nodes[0]?.before.publicToken]).toEqual([[6], null]);
    expect(nodes[0]?.after).toMatchObject({ id, publicBranch: true, publicDue: null, version: 2 });
    expect(nodes[0]?.after.publicToken).toMatch(/^[\w-]{22,}$/);
    const updated = await mutate('node:publish:update', { id, due: LATER, branch: false });
    expect(updated.nodes).toMatchObject([{ op: 6, after: { publicDue: LATER, publicBranch: false, version: 3 } }]);
    expect(await codeOf(call('node:publish:update', { id, due: PAST }))).toBe('invalid_due');
    expect(await codeOf(call('node:publish', { id }))).toBe('conflict.already_public');
    const ended = await mutate('node:unpublish', { id });
    expect(ended.nodes).toMatchObject([{ op: 6, after: { id, publicToken: null, publicDue: null, version: 4 } }]);
    expect(await codeOf(call('node:unpublish', { id }))).toBe('conflict.not_public');
  });

  test('[ACL4 ACL5 ACL6 ACL9] grants', async () => {
    const id = await addNode();
    const given = await mutate('node:access', { id, email: BOB });
    expectCreated(given.access[0], GRANT);
    const grant = { id, email: BOB, level: 3, due: null, branch: true, version: 1 };
    expect(given.access).toEqual([{ op: 20, before: {}, after: grant }]);
    const changed = await mutate('node:access:update', { id, email: BOB, level: 2, due: LATER });
    const now = { ...grant, level: 2, due: LATER, version: 2 };
    expect(changed.access).toEqual([{ op: 21, before: grant, after: now }]);
    for (const user of ['ann', 'bob'] as const) {
      const list = await bodyOf(by[way]![user]('node:access:list', { id }));
      expectShape(list, GRANT_LIST);
      expect(list.grants).toEqual([now]);
    }
    diffOf(await bodyOf(by[way]!.bob('node:showing', { id, showing: false })));
    expect(await codeOf(call('node:access', { id, email: BOB, due: PAST }))).toBe('invalid_due');
    expect(await codeOf(call('node:access', { id, email: ANN }))).toBe('bad_request.owner_grant');
    const taken = await mutate('node:access:delete', { id, email: BOB });
    expect(taken.access).toEqual([{ op: 22, before: now, after: {} }]);
    expect(await codeOf(call('node:access:update', { id, email: BOB, level: 2 }))).toBe('not_found');
  });

  test('[LNK10 LNK8 BLK6 BLK9] a link’s life', async () => {
    const [source, target] = [await addNode({ status: 1 }), await addNode({ status: 1 })];
    const made = await mutate('link:add', { source, target });
    expectCreated(made.links[0], LINK);
    expect([ops(made.links), made.nodes]).toMatchObject([[10], [{ op: 2, after: { id: target, status: 2 } }]]);
    const id = idOf(made.links[0]);
    const swapped = await mutate('link:swap', { id });
    expect(ops(swapped.links)).toEqual([15]);
    expect(swapped.links[0]).toMatchObject({
      before: { source, target },
      after: { id, source: target, target: source },
    });
    const statuses = swapped.nodes.map(({ op, after }) => [op, after.id, after.status]);
    expect(statuses.sort()).toEqual(
      [
        [2, source, 2],
        [2, target, 1],
      ].sort(),
    );
    const updated = await mutate('link:update', { id, type: 1 });
    expect([ops(updated.links), ops(updated.nodes)]).toEqual([[11], [2]]);
    expect(await codeOf(call('link:delete', { id }))).toBe('not_trashed_link');
    const trashed = await mutate('link:trash', { id });
    expectPatch(trashed.links[0], ['inTrash', 'lastBatchID']);
    expect(trashed.links[0]).toMatchObject({ op: 12, after: { inTrash: true, lastBatchID: trashed.batchId } });
    const restored = await mutate('link:restore', { id });
    expect(restored.links).toMatchObject([{ op: 13, after: { id, inTrash: false } }]);
    await mutate('link:trash', { id });
    const again = await mutate('link:add', { source, target });
    expect(again.links).toMatchObject([{ op: 13, after: { id, source, target, type: 0, inTrash: false } }]);
    await mutate('link:trash', { id });
    const deleted = await mutate('link:delete', { id });
    expect(ops(deleted.links)).toEqual([14]);
    expectDeleted(deleted.links[0], LINK);
  });

  test('[HIS5 HIS6] undo and redo', async () => {
    const [source, target] = [await addNode(), await addNode()];
    const { batchId } = await mutate('link:add', { source, target });
    const undone = await bodyOf(call('batch:undo', { batchId }));
    expectShape(undone, { ...REVERTED, undoOf: (value) => value === batchId });
    const diff = undone.diff as Record<'nodes' | 'links', Record<string, unknown>[]>;
    expect(diff.nodes).toMatchObject([{ op: 2, id: target, status: 0, before: { status: 2 }, after: { status: 0 } }]);
    expect(diff.links).toMatchObject([{ op: 12, inTrash: true, before: { inTrash: false } }]);
    expect(await codeOf(call('batch:undo', { batchId }))).toBe('conflict.already_undone');
    const redone = await bodyOf(call('batch:redo', { batchId }));
    expectShape(redone, { ...REVERTED, redoOf: (value) => value === batchId });
    expect(await codeOf(call('batch:redo', { batchId }))).toBe('conflict.not_undone');
    expect(await codeOf(call('batch:undo', { batchId: UNKNOWN }))).toBe('not_found');
  });

  test('[GEN3 GEN10 GEN7] a refusal has a code, a message, a trace id, and details where they help', async () => {
    const id = await addNode({ title: 'ann’s alone' });
    const stale = await bodyOf(call('node:update', { id, title: 'b', version: 7 }));
    expectShape(stale, { ...REFUSAL, details: (value) => (value as { version?: unknown }).version === 1 });
    expect(stale.error).toBe('version_conflict');
    const refused = await by[way]!.bob('node:update', { id, title: 'b' });
    expectShape(refused.body, REFUSAL);
    expect([verdictOf(refused), refused.text.includes('alone')]).toEqual(['forbidden', false]);
    expect(await codeOf(call('node:update', { id: UNKNOWN, title: 'b' }))).toBe('not_found');
    expect(await codeOf(call('link:add', { source: id, target: id }))).toBe('bad_request.self_link');
    expect(await codeOf(call('node:update', { id, status: 2 }))).toBe('bad_request.status_blocked');
    expect(await version(id)).toEqual({ version: 1 });
  });

  test('[LNK4 LNK5 BLK4] what a link can not be, and a status that is not free', async () => {
    const [a, b, c] = [await addNode(), await addNode(), await addNode()];
    await addLink(a, b);
    await addLink(b, c);
    expect(await codeOf(call('link:add', { source: a, target: b }))).toBe('conflict.duplicate_link');
    expect(await codeOf(call('link:add', { source: b, target: a }))).toBe('conflict.duplicate_reversed_link');
    const { error, details } = await bodyOf(call('link:add', { source: c, target: a }));
    expect([error, details]).toEqual(['conflict.cycle', { path: [a, b, c] }]);
    const blocked = await bodyOf(call('node:update', { id: b, status: 3 }));
    expect([blocked.error, JSON.stringify(blocked.details)]).toEqual([
      'conflict.node_blocked',
      expect.stringContaining(a),
    ]);
  });

  test('[EVT2] changes:get gives the present state of what changed since a position', async () => {
    const kept = await addNode();
    const gone = await addNode();
    const { position } = await bodyOf(call('graph:get', { limit: 1 }));
    await mutate('node:update', { id: kept, title: 'later' });
    await mutate('node:trash', { id: gone });
    const changes = await bodyOf(call('changes:get', { since: position }));
    expectShape(changes, CHANGES);
    expect(changes).toMatchObject({ hasMore: false, nodes: [{ id: kept, title: 'later' }], gone: { nodes: [gone] } });
    const posted = await sendRest(`${url}/api/changes`, {
      method: 'POST',
      payload: { since: position },
      token: annsToken,
    });
    expect(posted.status).toBe(200);
    expectShape(posted.body, CHANGES);
    expect(posted.body.nodes).toEqual(changes.nodes);
  });
});

test('health needs no token, and all else does', async () => {
  const health = await fetch(`${url}/api/health`);
  expect(health.status).toBe(200);
  expectShape(await health.json(), HEALTH);
  for (const event of ['graph:get', 'trash:page', 'history:page', 'node:add', 'batch:undo', 'node:delete']) {
    const answer = await restCall(url)(event, {});
    expect([event, verdictOf(answer)]).toEqual([event, 'unauthorized']);
    expectShape(answer.body, REFUSAL);
  }
});

test('[PUB3 PUB4 PUB5] anybody reads what is public by its token, until it is not', async () => {
  const { ann } = by.REST!;
  const made = diffOf(await bodyOf(ann('node:add', { title: 'public', assignee: [BOB] })));
  const id = idOf(made.nodes[0]);
  await ann('node:add', { target: id, title: 'below' });
  const published = diffOf(await bodyOf(ann('node:publish', { id })));
  const root = published.nodes[0]?.after.publicToken;
  const anybody = restCall(url);
  const page = await anybody('branch:get', { root });
  expectShape(page.body, PUBLIC_PAGE);
  expect((page.body.nodes as Body[]).map(({ title }) => title).sort()).toEqual(['below', 'public']);
  expect(page.text).not.toContain('example.com');
  expect(await codeOf(anybody('branch:get', { root: id }))).toBe('not_found');
  await ann('node:unpublish', { id });
  const after = await anybody('branch:get', { root });
  expect([after.status, verdictOf(after)]).toEqual([404, 'not_found']);
});

test('[GEN5] DELETE takes its fields in the body, and in the query as well', async () => {
  const { ann } = by.REST!;
  const add = async () => idOf(diffOf(await bodyOf(ann('node:add', {}))).nodes[0]);
  const remove = async (path: string, fields: object) => {
    const headers = { Authorization: `Bearer ${annsToken}` };
    const response = await fetch(`${url}${path}?${queryOf(fields)}`, { method: 'DELETE', headers });
    expect(response.status).toBe(200);
    return diffOf((await response.json()) as Body);
  };
  const [source, target] = [await add(), await add()];
  const link = idOf(diffOf(await bodyOf(ann('link:add', { source, target }))).links[0]);
  await ann('link:trash', { id: link });
  expectDeleted((await remove('/api/link', { id: link, version: 2 })).links[0], LINK);
  await ann('node:publish', { id: source });
  expect((await remove('/api/node/public', { id: source })).nodes).toMatchObject([{ op: 6 }]);
  await ann('node:access', { id: source, email: BOB });
  expect((await remove('/api/node/access', { id: source, email: BOB })).access).toMatchObject([{ op: 22 }]);
  await ann('node:trash', { id: source });
  expectDeleted((await remove('/api/node', { id: source })).nodes[0], NODE);
});
