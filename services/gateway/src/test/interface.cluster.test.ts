// The mutations of docs/interface.md by REST and by socket: the fields of each answer and its diff,
// and refusals.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, TRANSPORTS, type TransportAnswer, type User, userOf, verdictOf } from './support/calls.ts';
import {
  diffOf,
  expectCreated,
  expectDeleted,
  expectPatch,
  expectShape,
  GRANT,
  GRANT_LIST,
  LINK,
  NODE,
  REFUSAL,
  REVERTED,
} from './support/interface.ts';

const ANN = emailOf('ann');
const BOB = emailOf('bob');
const LATER = '2040-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';
const UNKNOWN = '01890000-0000-7123-8000-000000000002';

const stack = sharedStack();
let ann: User;
let bob: User;

beforeAll(async () => {
  [ann, bob] = (await Promise.all(['ann', 'bob'].map((name) => userOf(stack, name)))) as [User, User];
});
afterAll(async () => {
  for (const user of [ann, bob]) user?.connection.close();
});

const bodyOf = async (answer: Promise<TransportAnswer>): Promise<Body> => (await answer).body;
const codeOf = async (answer: Promise<TransportAnswer>) => verdictOf(await answer);
const idOf = (entry: { after: Record<string, unknown> } | undefined) => entry?.after.id as string;
const ops = (entries: readonly { op: number }[]) => entries.map(({ op }) => op);

describe.each(TRANSPORTS)('by %s', (way) => {
  /** Calls as ann, whose mutation must succeed, and gives its diff. */
  const mutate = async (event: string, payload: object) => diffOf(await bodyOf(ann[way](event, payload)));
  const call = (event: string, payload: object) => ann[way](event, payload);
  const addNode = async (fields: object = {}) =>
    idOf((await mutate('node:add', fields)).nodes.find(({ op }) => op === 0));
  const addLink = async (source: string, target: string) =>
    idOf((await mutate('link:add', { source, target })).links[0]);

  test('[NODE1 NODE3 NODE4 GEN1 GEN2] node:add returns the node, its link, and the blocked parent', async () => {
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

  test('[BLK5 BLK8 GEN6 GEN9] node:update returns changed fields, a status separately, and unblocked nodes', async () => {
    const target = await addNode({ status: 1 });
    const id = await addNode({ target });
    const { nodes } = await mutate('node:update', { id, title: 'new', priority: 3, status: 3 });
    expect(ops(nodes)).toEqual([1, 2, 2]);
    expectPatch(nodes[0], ['title', 'priority']);
    expectPatch(nodes[1], ['status', 'completedTime']);
    expectPatch(nodes[2], ['status']);
    expect(nodes[2]).toMatchObject({ before: { id: target, status: 2 }, after: { id: target, status: 1 } });
    const same = await mutate('node:update', { id, title: 'new' });
    expect(same).toMatchObject({ batchId: null, nodes: [], links: [], access: [] });
  });

  test('[TRS1 TRS5] a node is trashed, restored and deleted', async () => {
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

  test('[PUB1 PUB2] publish, update and unpublish', async () => {
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
    for (const user of [ann, bob]) {
      const list = await bodyOf(user[way]('node:access:list', { id }));
      expectShape(list, GRANT_LIST);
      expect(list.grants).toEqual([now]);
    }
    diffOf(await bodyOf(bob[way]('node:showing', { id, showing: false })));
    expect(await codeOf(call('node:access', { id, email: BOB, due: PAST }))).toBe('invalid_due');
    expect(await codeOf(call('node:access', { id, email: ANN }))).toBe('bad_request.owner_grant');
    const taken = await mutate('node:access:delete', { id, email: BOB });
    expect(taken.access).toEqual([{ op: 22, before: now, after: {} }]);
    expect(await codeOf(call('node:access:update', { id, email: BOB, level: 2 }))).toBe('not_found');
  });

  test('[LNK10 LNK8 BLK6 BLK9] a link is created, changed, trashed, restored and deleted', async () => {
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

  test('[BAT1 BAT2 DRY1 DRY2] several operations in one, first as a dry run, and one undo for all', async () => {
    const title = `a plan by ${way}`;
    const operations = [
      { event: 'node:add', payload: { title }, as: 'plan' },
      { event: 'node:add', payload: { target: '$plan' }, as: 'step' },
      { event: 'node:access', payload: { id: '$plan', email: BOB } },
    ];
    const dry = await bodyOf(call('batch:run', { operations, dryRun: true }));
    expect(dry).toMatchObject({ ok: true, dryRun: true, feeds: {}, sight: { gained: [BOB], lost: [] } });
    const [planned] = dry.results as { id: string }[];
    expect(await codeOf(call('node:update', { id: planned?.id, title: 'x' }))).toBe('not_found');
    const done = await bodyOf(call('batch:run', { operations }));
    const [plan, step] = done.results as { id: string; link?: string }[];
    expect(Object.keys(done).sort()).toEqual(['diff', 'feeds', 'ok', 'results', 'trace_id']);
    expect(verdictOf(await bob[way]('node:access:list', { id: step?.id }))).toBeNull();
    const undo = { batchId: (done.diff as { batchId: string }).batchId };
    const undone = await bodyOf(call('batch:undo', { ...undo, dryRun: true }));
    expect(undone).toMatchObject({ batchId: null, undoOf: undo.batchId, sight: { gained: [], lost: [BOB] } });
    expect(await codeOf(call('batch:undo', undo))).toBeNull();
    expect(await codeOf(call('node:update', { id: plan?.id, title: 'x' }))).toBe('conflict.in_trash');
  });

  test('[GEN3 GEN10 GEN7] a refusal has a code, a message, a trace id, and useful details', async () => {
    const id = await addNode({ title: 'ann’s alone' });
    const stale = await bodyOf(call('node:update', { id, title: 'b', version: 7 }));
    expectShape(stale, { ...REFUSAL, details: (value) => (value as { version?: unknown }).version === 1 });
    expect(stale.error).toBe('version_conflict');
    const refused = await bob[way]('node:update', { id, title: 'b' });
    const lack = JSON.stringify({ id, needed: 2, level: null });
    expectShape(refused.body, { ...REFUSAL, details: (value) => JSON.stringify(value) === lack });
    expect([verdictOf(refused), refused.text.includes('alone')]).toEqual(['forbidden', false]);
    expect(await codeOf(call('node:update', { id: UNKNOWN, title: 'b' }))).toBe('not_found');
    expect(await codeOf(call('link:add', { source: id, target: id }))).toBe('bad_request.self_link');
    expect(await codeOf(call('node:update', { id, status: 2 }))).toBe('bad_request.status_blocked');
  });

  test('[LNK4 LNK5 BLK4] invalid links, and a status that blockers prevent', async () => {
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
});
