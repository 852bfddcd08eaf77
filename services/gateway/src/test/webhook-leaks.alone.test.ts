// No hidden content leaks to webhooks: those of a reader of one branch receive the changes and the due dates
// of it, with changes and due dates of its hidden neighbours. All bodies are searched for ids, titles and dates of
// the latter.
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

/** Names of hidden due dates, by date. */
const hiddenDates = new Map<string, string>();

/** Texts in a body that must not be there. */
function leaksIn(path: string, text: string): string[] {
  const hidden = [...scene.hidden, ...hiddenDates];
  const found = hidden.filter(([each]) => text.includes(each)).map(([, name]) => name);
  return [...found, ...(text.includes(UNSEEN) ? ['a title'] : [])].map((name) => `${path} tells of ${name}`);
}

/**
 * Lets these nodes be due, one a millisecond, and adds the dates of the hidden ones to `hiddenDates`. Returns the others.
 */
async function setDates(nodes: readonly (readonly [by: string, name: string])[]): Promise<string[]> {
  // All are stored before the first one: a search ends with the last full minute.
  const firstMs = Date.now() + 20_000;
  const dates = nodes.map((_, index) => new Date(firstMs + index).toISOString());
  for (const [index, [by, name]] of nodes.entries()) {
    const [id, dueDate] = [scene.ids[name] as string, dates[index] as string];
    await scene.must(by, 'node:update', { id, dueDate });
    if (scene.hidden.has(id)) hiddenDates.set(dueDate, `the date of ${name}`);
  }
  return dates.filter((date) => !hiddenDates.has(date));
}

interface DueEvent {
  readonly id: string;
  readonly after: { readonly dueDate: string };
}

/** The events of a body, if it is about due dates. It has nothing else. */
function dueIn(text: string): DueEvent[] {
  const { type, data } = JSON.parse(text) as { type: string; data: { events: DueEvent[] } };
  if (type !== 'graph.due') return [];
  expect(Object.keys(data).sort()).toEqual(['events', 'hook']);
  return data.events;
}

const textsOf = (name: string) => (bodies.get(`/${name}`) ?? []).join('\n');

test('[HOOK2 HOOK5 LNK9 HIS7] no body tells of hidden neighbours, their links, their changes or their due dates', async () => {
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
  const secret = { title: `${UNSEEN} while eve has no access`, dueDate: new Date(Date.now() + 500).toISOString() };
  hiddenDates.set(secret.dueDate, 'a date of a time without access');
  const { nodes } = await scene.must('ann', 'node:update', { id: ids.k, ...secret });
  await scene.must('ann', 'node:update', { id: ids.k, title: 'k', dueDate: null });
  await scene.must('ann', 'node:access', { id: ids.root, email: emailOf('eve'), level: 2, branch: true });
  // The message with the gain may include changes until it is read.
  for (const name of ['all', 'branch', 'links', 'found'])
    await expect.poll(() => textsOf(name), WAIT).toContain('access.gained');
  const last = await scene.must('ann', 'node:update', { id: ids.k, title: 'the last' });
  const link = await scene.must('ann', 'link:add', { source: ids.z, target: ids.k });
  for (const name of ['all', 'branch', 'found']) await expect.poll(() => textsOf(name), WAIT).toContain(last.batchId);
  for (const name of ['all', 'branch', 'links']) await expect.poll(() => textsOf(name), WAIT).toContain(link.batchId);
  expect(textsOf('all')).toContain('"node.completed"');
  // While eve had no access, a search would have passed the dates. Hidden ones are before, between and after
  // those of b and z, which eve sees.
  const [shown, end] = await setDates([
    ['ann', 'h1'],
    ['ann', 'b'],
    ['ann', 'above'],
    ['ben', 'x1'],
    ['ann', 'z'],
    ['ann', 'h2'],
  ]);
  for (const name of ['due', 'due-branch']) {
    await expect.poll(() => textsOf(name), WAIT).toContain(`{"type":"node.due","id":"${ids.z}"`);
    const due = (bodies.get(`/${name}`) ?? []).flatMap((text) => dueIn(text));
    expect(due.map(({ id, after }) => [id, after.dueDate])).toEqual([
      [ids.b, shown],
      [ids.z, end],
    ]);
  }
  expect([...bodies].flatMap(([path, texts]) => texts.flatMap((each) => leaksIn(path, each)))).toEqual([]);
  expect(nodes).toHaveLength(1);
});
