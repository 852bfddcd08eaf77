// No hidden content leaks: a reader of one branch searches everything it receives for ids and
// titles of hidden neighbours.
import { connectRawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, restCall, socketCall, TRANSPORTS, type Transport, type User, verdictOf } from './support/calls.ts';
import { type Diff, plantScene, type Scene, UNSEEN } from './support/leaks.ts';

const WAIT = { timeout: 120_000, interval: 25 };

const stack = sharedStack();
let scene: Scene;
let ids: Scene['ids'];
/** Eve's position before anything happened. */
let atFirst: unknown;
/** Everything that eve received. */
const heard: { what: string; text: string }[] = [];

beforeAll(async () => {
  const hear = (event: string, body: unknown) => heard.push({ what: `push ${event}`, text: JSON.stringify(body) });
  scene = await plantScene(stack, hear);
  ids = scene.ids;
  atFirst = (await eve('REST', 'graph:get', {})).position;
});
afterAll(async () => {
  for (const user of Object.values(scene?.users ?? {})) user.connection.close();
});

/** Calls as eve, and records the answer. */
async function eve(way: Transport, event: string, payload: object): Promise<Body> {
  const answer = await (scene.users.eve as User)[way](event, payload);
  heard.push({ what: `${event} ${JSON.stringify(payload)} by ${way}`, text: answer.text });
  return answer.body;
}
const done = async (way: Transport, event: string, payload: object): Promise<Diff> => {
  const body = await eve(way, event, payload);
  expect([event, body.ok, body.error]).toEqual([event, true, undefined]);
  return body.diff as Diff;
};

/** Texts in an answer that must not be there. */
function leaksIn({ what, text }: { what: string; text: string }): string[] {
  const found = [...scene.hidden].filter(([id]) => text.includes(id)).map(([, name]) => name);
  return [...found, ...(text.includes(UNSEEN) ? ['a title'] : [])].map((name) => `${what} tells of ${name}`);
}
const expectNoLeak = () => expect(heard.flatMap(leaksIn)).toEqual([]);

/** Eve makes all her reads. */
async function readAll(way: Transport): Promise<Record<string, Body>> {
  const calls: Record<string, [event: string, payload: object]> = {
    graph: ['graph:get', {}],
    branch: ['branch:get', { root: ids.root }],
    trash: ['trash:page', {}],
    history: ['history:page', { scopeType: 'GRAPH', scopeId: ids.root }],
    historyFromStart: ['history:page', { scopeType: 'GRAPH', scopeId: ids.root, order: 'oldest', limit: 2 }],
    historyByAnn: ['history:page', { scopeType: 'GRAPH', scopeId: ids.root, actor: ['ann'], ops: [0, 1, 2, 10, 20] }],
    historyOfA: ['history:page', { scopeType: 'NODE', scopeId: ids.a }],
    historyOfLink: ['history:page', { scopeType: 'LINK', scopeId: ids['k>d'] }],
    grants: ['node:access:list', { id: ids.root }],
    grantsOfA: ['node:access:list', { id: ids.a }],
    nodes: ['node:get', { ids: [ids.root, ids.a, ids.b, ids.d, ids.k], links: true }],
    leaves: ['node:find', { where: { leaf: true }, sort: 'title', limit: 500 }],
    parents: ['node:find', { where: { leaf: false }, sort: 'title', limit: 500 }],
    foundBelow: ['node:find', { root: ids.root, where: { unlinked: false }, sort: 'edited', limit: 500 }],
    why: ['node:why', { id: ids.root }],
    plan: ['graph:plan', { root: ids.root }],
    changes: ['changes:get', { since: atFirst }],
  };
  const bodies = await Promise.all(Object.values(calls).map(([event, payload]) => eve(way, event, payload)));
  expect(bodies.map(({ ok }) => ok)).toEqual(bodies.map(() => true));
  return Object.fromEntries(Object.keys(calls).map((name, index) => [name, bodies[index] as Body]));
}

test.each(TRANSPORTS)('[ACL2 ACL9 HIS7 LNK9] pages, history and lists of grants by %s', async (way) => {
  const bodies = await readAll(way);
  const ownGrant = { id: ids.root, email: emailOf('eve'), level: 2, due: null, branch: true, version: 1 };
  expect([bodies.grants?.grants, bodies.grantsOfA?.grants]).toEqual([[ownGrant], []]);
  const nodes = bodies.graph?.nodes as Body[];
  expect(nodes.map(({ title }) => title).sort()).toEqual(['a', 'b', 'd', 'k', 'm', 'root', 'v', 'z']);
  for (const { shareRoots } of nodes) expect(shareRoots).toContain(ids.root);
  if (way === 'REST') expect((await eve(way, 'history:page', {})).ok).toBe(true);
  expectNoLeak();
});

test('[LONG1 ACL7] a call that waits for changes learns no more', async () => {
  const { position } = await eve('REST', 'graph:get', {});
  const waiting = eve('REST', 'changes:get', { since: position, wait: 55 });
  await scene.must('ann', 'node:update', { id: ids.h1, title: `${UNSEEN} while eve waits` });
  await scene.must('ann', 'node:update', { id: ids.k, volume: 2 });
  const { nodes } = await waiting;
  expect((nodes as Body[]).map(({ id }) => id)).toEqual([ids.k]);
  expectNoLeak();
});

test.each(TRANSPORTS)('[LNK4 BLK4 LNK9] a cycle’s path and a node’s blockers by %s', async (way) => {
  const cycle = await eve(way, 'link:add', { source: ids.z, target: ids.a });
  expect([cycle.error, cycle.details]).toEqual(['conflict.cycle', { path: [ids.a, null, ids.z] }]);
  const blocked = await eve(way, 'node:update', { id: ids.a, status: 3 });
  expect(blocked.error).toBe('conflict.node_blocked');
  const { blockers } = blocked.details as { blockers: { hidden?: true }[] };
  expect(blockers.filter((blocker) => blocker.hidden)).toEqual([{ hidden: true }]);
  expect(JSON.stringify(blockers)).toContain(ids.b);
  expectNoLeak();
});

test.each(TRANSPORTS)('[GEN7 LNK9] refusals for hidden entities reveal no content by %s', async (way) => {
  for (const [id, name] of scene.hidden) {
    const isLink = name.includes('>');
    const events = isLink
      ? ['link:trash', 'link:swap', 'link:restore']
      : ['node:trash', 'node:access:list', 'node:why', 'node:get', 'node:restore'];
    for (const event of events) {
      const answer = await (scene.users.eve as User)[way](event, { id });
      const isPrivate = name === 'x1>a' || name === 'b>root';
      expect([name, event, verdictOf(answer)]).toEqual([name, event, isPrivate ? 'not_found' : 'forbidden']);
      // The id that they named themselves comes back with the level that it takes (WHY4).
      const others = [...scene.hidden.keys()].filter((each) => each !== id);
      expect(answer.text).not.toMatch(new RegExp(`${UNSEEN}|${others.join('|')}`));
    }
  }
});

test.each(TRANSPORTS)('[BLK5 HIS2 HIS6 GEN8] a cascade, its undo, and the repeated answer by %s', async (way) => {
  await done(way, 'node:update', { id: ids.k, status: 3 });
  const before = (await scene.must('ann', 'node:update', { id: ids.h2, title: `${UNSEEN} ${way}` })).nodes[0];
  const key = way === 'socket' ? { idempotencyKey: 'cascade' } : {};
  const completed = await done(way, 'node:update', { id: ids.d, status: 3, ...key });
  expect(completed.nodes.map(({ after }) => after.id)).toEqual([ids.d]);
  // Hidden from eve, but there: h2 was unblocked in that batch.
  const after = (await scene.must('ann', 'node:update', { id: ids.h2, title: `${UNSEEN} again` })).nodes[0];
  expect(after?.before.version).toBe(Number(before?.after.version) + 1);
  for (const event of ['batch:undo', 'batch:redo', 'batch:undo'])
    await done(way, event, { batchId: completed.batchId });
  await done(way, 'node:update', { id: ids.k, status: 0 });
  if (way === 'socket') expect(await done(way, 'node:update', { id: ids.d, status: 3, ...key })).toEqual(completed);
  expectNoLeak();
});

test('[TRS1 TRS3 LNK5 LNK6] trash, restore and skipped entities; links beside hidden ones', async () => {
  const trashed = await done('REST', 'node:trash', { id: ids.d });
  expect(trashed.links.map(({ after }) => after.id).sort()).not.toContain(ids['d>h2']);
  await readAll('socket');
  await scene.hide('carl', 'h2', 'k');
  const restored = await done('socket', 'node:restore', { id: ids.d });
  expect([restored.links.map(({ after }) => after.id).includes(ids['k>d'] as never), restored.skipped]).toEqual([
    true,
    undefined,
  ]);
  const left = await (scene.users.ann as User).REST('trash:page', {});
  expect(left.text).toContain(ids['d>h2']);
  // Ann's private link neither collides nor comes back (LNK5, LNK6).
  await done('REST', 'link:add', { source: ids.b, target: ids.root, type: 1 });
  expectNoLeak();
});

test('[HIS7 ACL7 EVT1] changes of others outside the branch, and nodes that leave it', async () => {
  const completed = await scene.must('ann', 'node:update', { id: ids.h3, status: 3 });
  expect(completed.nodes.map(({ after }) => after.id)).toEqual([ids.h3, ids.v]);
  expect((await eve('REST', 'batch:undo', { batchId: completed.batchId })).error).toBe('forbidden');
  for (const name of ['x1', 'x2'])
    await scene.must('ben', 'node:update', { id: ids[name], status: 3, title: `${UNSEEN} still` });
  const renamed = await done('socket', 'node:update', { id: ids.m, title: 'm by eve' });
  const { nodes } = await scene.must('ann', 'node:trash', { id: ids.m });
  expect(nodes.map(({ after }) => after.id)).toContain(ids.m);
  await scene.must('ann', 'node:delete', { id: ids.m });
  expect((await eve('REST', 'batch:undo', { batchId: renamed.batchId })).ok).toBe(false);
  for (const way of TRANSPORTS) {
    const { history } = await readAll(way);
    const batches = (history as Body).batches as Body[];
    const ops = batches.filter(({ batchId }) => batchId === completed.batchId).map((batch) => batch.ops);
    expect(ops).toMatchObject([[{ id: 1, entityId: ids.v }]]);
    expect((ops[0] as Body[]).length).toBe(1);
  }
  const fence = await done('socket', 'node:add', { title: 'fence' });
  await expect
    .poll(() => heard.some(({ what, text }) => what === 'push graph:diff' && text.includes(fence.batchId)), WAIT)
    .toBe(true);
  expect(heard.filter(({ what }) => what === 'push graph:diff').length).toBeGreaterThan(5);
  expectNoLeak();
});

test('[PUB4 LNK9] an anonymous reader of the branch learns no more', async () => {
  const { nodes } = await scene.must('ann', 'node:publish', { id: ids.root });
  const root = nodes[0]?.after.publicToken;
  const url = stack.urls[0] as string;
  const socket = await connectRawSocket(url, { auth: { public_token: root } });
  socket.onAny((event: string, body: unknown) => heard.push({ what: `public ${event}`, text: JSON.stringify(body) }));
  for (const call of [restCall(url), socketCall(socket)]) {
    const page = await call('branch:get', { root });
    expect([page.body.ok, (page.body.nodes as Body[]).length]).toEqual([true, 7]);
    heard.push({ what: 'a public page', text: page.text });
  }
  await scene.must('ann', 'node:update', { id: ids.k, title: 'the last' });
  await expect
    .poll(() => heard.some(({ what, text }) => what === 'public graph:diff' && text.includes('the last')), WAIT)
    .toBe(true);
  socket.close();
  expectNoLeak();
});
