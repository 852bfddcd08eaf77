// No hidden content leaks to webhooks: those of a reader of one branch receive the changes of it and of
// its hidden neighbours, and all bodies are searched for ids and titles of the latter.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './support/account-calls.ts';
import { plantScene, type Scene, UNSEEN } from './support/leaks.ts';

const WAIT = { timeout: 120_000, interval: 50 };

/** All bodies by the path of their webhook. */
const bodies = new Map<string, string[]>();
const server = createServer(async (request, response) => {
  const path = request.url ?? '';
  bodies.set(path, [...(bodies.get(path) ?? []), await textOf(request)]);
  response.writeHead(204).end();
});

let stack: TestStack;
let scene: Scene;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const environment = { HOOKS_ALLOWED_HOSTS: '127.0.0.1', WEBHOOK_SWEEP_INTERVAL_MS: '500' };
  stack = await startTestStack({ jobs: 1, hooks: 1, environment });
  scene = await plantScene(stack, () => undefined);
});
afterAll(async () => {
  for (const user of Object.values(scene?.users ?? {})) user.connection.close();
  await stack?.stop();
  server.closeAllConnections();
  server.close();
});

/** Adds webhooks with these filters, and waits until they are active. */
async function addHooks(filters: Readonly<Record<string, object>>): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const token = await stack.token(emailOf('eve'));
  const ask = async (method: string, more: object = {}) => {
    const { body } = await call(stack.urls[0] as string, method, '/api/hook', { token, ...more });
    expect(body).toMatchObject({ ok: true });
    return body;
  };
  for (const [name, filter] of Object.entries(filters))
    await ask('POST', { body: { url: `http://127.0.0.1:${port}/${name}`, ...filter } });
  const states = async () => ((await ask('GET')).hooks as { state: string }[]).map(({ state }) => state);
  await expect.poll(states, WAIT).toEqual(Object.keys(filters).map(() => 'active'));
}

/** Texts in a body that must not be there. */
function leaksIn(path: string, text: string): string[] {
  const found = [...scene.hidden].filter(([id]) => text.includes(id)).map(([, name]) => name);
  return [...found, ...(text.includes(UNSEEN) ? ['a title'] : [])].map((name) => `${path} tells of ${name}`);
}

const textsOf = (name: string) => (bodies.get(`/${name}`) ?? []).join('\n');

test('[HOOK2 HOOK5 LNK9 HIS7] no body tells of hidden neighbours, their links or their changes', async () => {
  const { ids } = scene;
  await addHooks({
    all: {},
    branch: { root: ids.root },
    links: { events: ['link.*', 'node.left', 'access.*'] },
    found: { where: { status: [0, 1, 2, 3] } },
    due: { events: ['node.due'] },
    'due-branch': { events: ['node.due'], root: ids.root, where: { status: [0, 1, 2, 3] } },
  });
  // A cascade over hidden nodes, changes of them, links to them, and a node that leaves the branch.
  await scene.must('ann', 'node:update', { id: ids.k, status: 3 });
  await scene.must('ann', 'node:update', { id: ids.d, status: 3 });
  await scene.must('ann', 'node:update', { id: ids.h3, status: 3 });
  for (const name of ['x1', 'x2'])
    await scene.must('ben', 'node:update', { id: ids[name], status: 3, title: `${UNSEEN} still` });
  await scene.must('ann', 'node:update', { id: ids.h1, title: `${UNSEEN} again` });
  await scene.must('ann', 'node:trash', { id: ids.d });
  await scene.hide('carl', 'h2', 'k');
  await scene.must('ann', 'node:restore', { id: ids.d });
  await scene.must('ann', 'node:trash', { id: ids.m });
  await scene.must('ann', 'node:delete', { id: ids.m });
  const fence = await scene.must('ann', 'node:update', { id: ids.z, title: 'the fence' });
  for (const name of ['all', 'branch', 'found']) await expect.poll(() => textsOf(name), WAIT).toContain(fence.batchId);
  // After its grant is lost and gained again, the time in between stays hidden.
  await scene.must('ann', 'node:access:delete', { id: ids.root, email: emailOf('eve') });
  const { nodes } = await scene.must('ann', 'node:update', { id: ids.k, title: `${UNSEEN} while eve has no access` });
  await scene.must('ann', 'node:update', { id: ids.k, title: 'k' });
  await scene.must('ann', 'node:access', { id: ids.root, email: emailOf('eve'), level: 2, branch: true });
  // The message with the gain may include changes until it is read.
  for (const name of ['all', 'branch', 'links', 'found'])
    await expect.poll(() => textsOf(name), WAIT).toContain('access.gained');
  const last = await scene.must('ann', 'node:update', { id: ids.k, title: 'the last' });
  const link = await scene.must('ann', 'link:add', { source: ids.z, target: ids.k });
  for (const name of ['all', 'branch', 'found']) await expect.poll(() => textsOf(name), WAIT).toContain(last.batchId);
  for (const name of ['all', 'branch', 'links']) await expect.poll(() => textsOf(name), WAIT).toContain(link.batchId);
  expect(textsOf('all')).toContain('"node.completed"');
  // While eve has no access, a search would pass the date. It comes after the next full minute.
  const dueDate = new Date(Date.now() + 5_000).toISOString();
  for (const [by, name] of [
    ['ann', 'h1'],
    ['ann', 'above'],
    ['ben', 'x1'],
    ['ann', 'b'],
  ] as const)
    await scene.must(by, 'node:update', { id: ids[name], dueDate });
  for (const name of ['due', 'due-branch'])
    await expect.poll(() => textsOf(name), WAIT).toContain(`{"type":"node.due","id":"${ids.b}"`);
  expect([...bodies].flatMap(([path, texts]) => texts.flatMap((each) => leaksIn(path, each)))).toEqual([]);
  expect(nodes).toHaveLength(1);
});
