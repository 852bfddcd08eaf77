// Webhooks from the call to the receiver, in a running stack with two jobs services and one hooks
// service: order and completeness, whatever ends or loses its data.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, type ReceiverPath, startReceiver } from './test/support/webhook-receiver.ts';

const WAIT = { timeout: 120_000, interval: 50 };

interface Hook {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
}
interface Delivery {
  readonly type: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly attempt: number;
  readonly messageId: string;
}
interface Body {
  readonly ok: boolean;
  readonly error?: string;
  readonly hook?: Hook;
  readonly hooks?: Hook[];
  readonly deliveries?: Delivery[];
  readonly secret?: string;
  readonly token?: { readonly id: string };
  readonly diff?: { readonly nodes: { readonly after: { readonly id: string } }[] };
}

let stack: TestStack;
let receiver: Receiver;
let database: Database;
let token: string;

beforeAll(async () => {
  receiver = await startReceiver();
  const environment = {
    HOOKS_ALLOWED_HOSTS: '127.0.0.1',
    WEBHOOK_SWEEP_INTERVAL_MS: '500',
    // Missing schedules are restored in this interval.
    SWEEP_INTERVAL_MS: '2000',
    COMMAND_DEADLINE_MS: '60000',
  };
  stack = await startTestStack({ jobs: 2, hooks: 1, environment });
  const { NEO4J_URL: url = '', NEO4J_USER: user = 'neo4j', NEO4J_PASSWORD: password = '' } = stack.environment;
  database = openDatabase({ url, user, password });
  token = await stack.token(emailOf('ann'));
  await addNode('the first command of a new database takes longest');
});
afterAll(async () => {
  // Other files on this database have jobs services too.
  await database?.write('MATCH (w:Webhook) DETACH DELETE w', {});
  await database?.close();
  await stack?.stop();
  await receiver?.close();
});

async function request(method: string, path: string, body?: object, as = token): Promise<Body> {
  const response = await fetch(`${stack.urls[0]}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Body;
  expect(answer).toMatchObject({ ok: true });
  return answer;
}

async function addNode(title: string, more: object = {}, as = token): Promise<string> {
  const { diff } = await request('POST', 'node', { title, ...more }, as);
  return diff?.nodes[0]?.after.id as string;
}

interface AddedHook {
  readonly id: string;
  readonly secret: string;
  readonly path: ReceiverPath;
}

/** A webhook that has accepted its ping. */
async function addHook(more: object = {}, as = token): Promise<AddedHook> {
  const path = receiver.open();
  const { hook, secret } = await request('POST', 'hook', { url: path.url, ...more }, as);
  const id = hook?.id as string;
  await expect.poll(() => stateOf(id, as), WAIT).toEqual({ state: 'active', reason: null });
  return { id, secret: secret as string, path };
}

async function stateOf(id: string, as = token): Promise<Pick<Hook, 'state' | 'reason'> | undefined> {
  const { hooks } = await request('GET', 'hook', undefined, as);
  const hook = hooks?.find((one) => one.id === id);
  return hook && { state: hook.state, reason: hook.reason };
}

const addedIn = (events: ReceiverPath['accepted']) =>
  events.filter(({ type }) => type === 'node.added').map(({ id }) => id);
const changesIn = ({ messages }: ReceiverPath) => messages.filter(({ body }) => body.type === 'graph.changed');

/** Adds nodes one after the other. */
async function addNodes(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await addNode(`node ${index}`));
  return ids;
}

test('[HOOK4 HOOK6 HOOK12] a webhook accepts a ping, and then receives signed messages in order', async () => {
  const { id, secret, path } = await addHook();
  expect(path.messages.map(({ body }) => body.type)).toEqual(['hook.ping']);
  const ids = await addNodes(8);
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual(ids);
  for (const { text, headers, body } of path.messages) {
    const { 'webhook-id': messageId, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
    const signed = { 'webhook-id': messageId, 'webhook-timestamp': time, 'webhook-signature': signature };
    expect(new Webhook(secret).verify(text, signed as Record<string, string>)).toEqual(body);
    expect(() =>
      new Webhook(`whsec_${randomBytes(32).toString('base64')}`).verify(text, signed as Record<string, string>),
    ).toThrow();
    WEBHOOK_BODIES[body.type as keyof typeof WEBHOOK_BODIES].parse(body);
    expect(body.data.hook).toBe(id);
  }
  const { deliveries = [] } = await request('GET', `hook/deliveries?id=${id}`);
  expect(deliveries.at(-1)).toMatchObject({ type: 'hook.ping', outcome: 'delivered', status: 200, attempt: 1 });
  expect(deliveries.map(({ messageId }) => messageId).reverse()).toEqual(path.messages.map((message) => message.id));
});

test('[HOOK12] changes between the addition of a webhook and its accepted ping are sent after it', async () => {
  const path = receiver.open();
  let isUp = false;
  path.answer = () => ({ status: isUp ? 200 : 503 });
  const { hook } = await request('POST', 'hook', { url: path.url });
  const node = await addNode('early');
  await expect.poll(() => path.messages.length, WAIT).toBeGreaterThan(0);
  expect(await stateOf(hook?.id as string)).toEqual({ state: 'pending', reason: null });
  isUp = true;
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([node]);
  expect(path.messages.slice(0, -1).every(({ body }) => body.type === 'hook.ping')).toBe(true);
  expect(new Set(path.messages.slice(0, -1).map((message) => message.id)).size).toBe(1);
});

test('[HOOK6 HOOK8] a refused message is sent again with the same id, and later changes wait for it', async () => {
  const { id, path } = await addHook();
  let refusals = 0;
  path.answer = () => (refusals++ === 0 ? { status: 500 } : { status: 204 });
  const first = await addNode('first');
  await expect.poll(() => changesIn(path).length, WAIT).toBe(1);
  const second = await addNode('second');
  // A test is sent at once, and hurries no other message.
  await request('POST', 'hook/test', { id });
  await expect.poll(() => path.messages.filter(({ body }) => body.type === 'hook.ping').length, WAIT).toBe(2);
  expect(changesIn(path)).toHaveLength(1);
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([first, second]);
  const [refused, again, next] = changesIn(path);
  expect(again?.id).toBe(refused?.id);
  expect(again?.body.data).toEqual(refused?.body.data);
  expect((again?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(4_000);
  expect(addedIn(next?.body.data.events as ReceiverPath['accepted'])).toEqual([second]);
  // The last attempt is recorded after its answer.
  const attempts = async () =>
    ((await request('GET', `hook/deliveries?id=${id}`)).deliveries ?? []).filter(
      ({ type }) => type === 'graph.changed',
    );
  await expect.poll(async () => (await attempts()).length, WAIT).toBe(3);
  expect((await attempts()).slice(1, 3)).toMatchObject([
    { outcome: 'delivered', status: 204, attempt: 2 },
    { outcome: 'refused', status: 500, attempt: 1 },
  ]);
});

/**
 * Ends the lease of a killed service, as a minute would, and returns the milliseconds that were left. No other
 * service can have taken the webhook meanwhile.
 */
async function endLease(id: string): Promise<number> {
  const end = `MATCH (w:Webhook {id: $id}) WHERE w.lease > timestamp()
    WITH w, w.lease - timestamp() AS leftMs SET w.lease = 0 RETURN leftMs`;
  const [row] = await database.write(end, { id });
  return Number(row?.leftMs);
}

test('[HOOK6 HOOK10] jobs services that are killed while receivers answer, and a Redis without data, lose nothing', async () => {
  const { id, path } = await addHook();
  const redis = new Redis(stack.environment.REDIS_URL as string);
  let kills = 0;
  path.answer = (message) => {
    // The message arrives, and its outcome is never stored.
    if (message.body.type === 'graph.changed' && kills < 2) {
      kills++;
      for (const name of ['jobs-1', 'jobs-2']) stack.service(name).kill('SIGKILL');
    }
    return { status: 200 };
  };
  const ids: string[] = [];
  const leftMs: number[] = [];
  const accepted = async () => {
    if (kills > leftMs.length) leftMs.push(await endLease(id));
    return new Set(addedIn(path.accepted));
  };
  for (let round = 0; round < 6; round++) {
    ids.push(...(await addNodes(3)));
    await redis.flushall();
    await expect.poll(accepted, WAIT).toEqual(new Set(ids));
  }
  redis.disconnect();
  expect(kills).toBe(2);
  expect(leftMs.map((ms) => ms > 0 && ms < 60_000)).toEqual([true, true]);
  // A message may have arrived more than once, and then has one id and one content.
  const byId = new Map(changesIn(path).map(({ id, body }) => [id, body.data.events ?? []]));
  expect(addedIn([...byId.values()].flat())).toEqual(ids);
  expect(changesIn(path).length).toBeGreaterThan(byId.size);
});

test('[HOOK2 HOOK7] an attempt after access was lost tells nothing of what is no longer visible', async () => {
  const bob = await stack.token(emailOf('bob'));
  const { path } = await addHook({}, bob);
  const node = await addNode('shared');
  await request('POST', 'node/access', { id: node, email: emailOf('bob') });
  await expect.poll(() => path.accepted.map(({ type }) => type), WAIT).toEqual(['access.gained']);
  path.answer = () => ({ status: 503 });
  await request('PUT', 'node', { id: node, title: 'a secret of the owner' });
  await expect.poll(() => changesIn(path).length, WAIT).toBe(2);
  expect(changesIn(path)[1]?.text).toContain('a secret of the owner');
  await request('DELETE', 'node/access', { id: node, email: emailOf('bob') });
  path.answer = () => ({ status: 200 });
  await expect.poll(() => path.accepted.map(({ type }) => type), WAIT).toEqual(['access.gained', 'access.lost']);
  for (const { text } of changesIn(path).slice(2)) expect(text).not.toContain('a secret of the owner');
});

test('[HOOK8] a receiver that answers 410 disables its webhook, which continues where it ended', async () => {
  const { id, path } = await addHook();
  path.answer = () => ({ status: 410 });
  const node = await addNode('last');
  await expect.poll(() => stateOf(id), WAIT).toEqual({ state: 'disabled', reason: 'gone' });
  const next = await addNode('later');
  path.answer = () => ({ status: 200 });
  await request('PUT', 'hook', { id, enabled: true });
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([node, next]);
  expect(path.messages.at(2)?.body.type).toBe('hook.ping');
});

test('[HOOK8] a webhook that fails for three days is disabled', async () => {
  const { id, path } = await addHook();
  path.answer = () => ({ status: 500 });
  await addNode('unwanted');
  await expect.poll(() => changesIn(path).length, WAIT).toBe(1);
  expect(await stateOf(id)).toEqual({ state: 'active', reason: null });
  // No other way makes a failure old.
  const age =
    'MATCH (w:Webhook {id: $id}) WHERE w.failingSinceMs IS NOT NULL SET w.failingSinceMs = w.failingSinceMs - $age RETURN w.id AS id';
  await expect.poll(() => database.write(age, { id, age: 3 * 86_400_000 }), WAIT).toHaveLength(1);
  await expect.poll(() => stateOf(id), WAIT).toEqual({ state: 'disabled', reason: 'failing' });
  const log =
    readFileSync(join(stack.logFolder, 'jobs-1.log'), 'utf8') +
    readFileSync(join(stack.logFolder, 'jobs-2.log'), 'utf8');
  expect(log).toContain('"hook:disable"');
  expect(log).not.toContain('secret-in-the-query');
});

test('[HOOK3] a webhook receives nothing after the token that added it has ended', async () => {
  const { path } = await addHook({}, await stack.token(emailOf('ann')));
  const { id: other, path: otherPath } = await addHook();
  const [seen] = await addNodes(1);
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([seen]);
  const end = `MATCH (w:Webhook)<-[:HAS_WEBHOOK]-(u:User), (t:Token {id: w.tokenId}) WHERE w.url = $url
    SET t.revoked = $now RETURN t.id AS id`;
  expect(await database.write(end, { url: path.url, now: new Date().toISOString() })).toHaveLength(1);
  const [unseen] = await addNodes(1);
  await expect.poll(() => addedIn(otherPath.accepted), WAIT).toContain(unseen);
  await addNodes(1);
  await request('POST', 'hook/test', { id: other });
  // The first ping was that of the new webhook. The second one may overtake the last change.
  const pings = () => otherPath.messages.filter(({ body }) => body.type === 'hook.ping');
  await expect.poll(() => pings().length, WAIT).toBe(2);
  expect(addedIn(path.accepted)).toEqual([seen]);
});

test('[HOOK13] a silent receiver delays no webhook of another user', async () => {
  const cy = await stack.token(emailOf('cy'));
  const silent = await Promise.all(Array.from({ length: 5 }, () => addHook({}, cy)));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const { path } of silent) path.answer = () => ({ status: 200, after: released });
  const { path } = await addHook();
  const theirs = await addNode('for the silent ones', {}, cy);
  await expect.poll(() => silent.filter((one) => changesIn(one.path).length > 0).length, WAIT).toBe(4);
  const [mine] = await addNodes(1);
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([mine]);
  expect(silent.map((one) => one.path.accepted.length)).toEqual([0, 0, 0, 0, 0]);
  release();
  for (const one of silent) await expect.poll(() => addedIn(one.path.accepted), WAIT).toContain(theirs);
});

test('[HOOK6] jobs services that are told to stop do not wait for a slow receiver, which gets the message again', async () => {
  const { path } = await addHook();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  path.answer = () => ({ status: 200, ...(changesIn(path).length === 1 ? { after: released } : {}) });
  const [node] = await addNodes(1);
  await expect.poll(() => changesIn(path).length, WAIT).toBe(1);
  for (const name of ['jobs-1', 'jobs-2']) stack.service(name).kill('SIGTERM');
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual([node]);
  const [first, second] = changesIn(path);
  expect(second?.id).toBe(first?.id);
  // Not while the first attempt may still be in progress.
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(15_000);
  release();
});

test('[HOOK6 HOOK10] a hooks service that hangs and then ends loses nothing', async () => {
  // A user with no other webhook: while no service answers, jobs prepare messages of few webhooks.
  const dee = await stack.token(emailOf('dee'));
  const { path } = await addHook({}, dee);
  stack.service('hooks-1').kill('SIGSTOP');
  const ids = [await addNode('one', {}, dee), await addNode('two', {}, dee)];
  const waiting = 'MATCH (w:Webhook {url: $url}) WHERE w.message IS NOT NULL RETURN w.id AS id';
  await expect.poll(() => database.read(waiting, { url: path.url }), WAIT).toHaveLength(1);
  expect(addedIn(path.accepted)).toEqual([]);
  stack.service('hooks-1').kill('SIGKILL');
  await expect.poll(() => addedIn(path.accepted), WAIT).toEqual(ids);
});

test('[HOOK11] during a rotation both secrets verify a message, and an unreadable secret disables only its webhook', async () => {
  const { id, secret, path } = await addHook();
  const rotated = await request('POST', 'hook/rotate', { id });
  await addNodes(1);
  await expect.poll(() => changesIn(path).length, WAIT).toBe(1);
  const [message] = changesIn(path);
  for (const one of [secret, rotated.secret as string]) {
    expect(new Webhook(one).verify(message?.text ?? '', message?.headers as Record<string, string>)).toBeDefined();
  }
  const other = await addHook();
  await database.write('MATCH (w:Webhook {id: $id}) SET w.secret = $secret', { id, secret: 'sealed by nobody' });
  const node = await addNode('for the other one');
  await expect.poll(() => stateOf(id), WAIT).toEqual({ state: 'disabled', reason: 'unreadable_secret' });
  await expect.poll(() => addedIn(other.path.accepted), WAIT).toEqual([node]);
});

test('[HOOK5 HOOK12] a filter and a branch select events, and a replay sends them again', async () => {
  const root = await addNode('root');
  const { id, path } = await addHook({ root, events: ['node.completed'] });
  const since = new Date(Date.now() - 1_000).toISOString();
  const child = await addNode('child', { target: root });
  await addNode('elsewhere');
  await request('PUT', 'node', { id: child, status: 3 });
  await expect.poll(() => path.accepted, WAIT).toMatchObject([{ type: 'node.completed', id: child }]);
  await request('POST', 'hook/replay', { id, since });
  await expect
    .poll(() => path.accepted, WAIT)
    .toMatchObject([
      { type: 'node.completed', id: child },
      { type: 'node.completed', id: child },
    ]);
});

test('[HOOK5 HOOK6 HOOK12] a node is reported when its due date passes, also if the receiver fails at first, and again by a replay', async () => {
  const { id, path } = await addHook({ events: ['node.due'] });
  path.answer = (message) => ({ status: path.messages[1] === message ? 500 : 200 });
  const since = new Date().toISOString();
  const dueDate = new Date(Date.now() + 2_000).toISOString();
  const node = await addNode('due', { dueDate });
  const done = await addNode('done', { dueDate });
  await addNode('later', { dueDate: new Date(Date.now() + 86_400_000).toISOString() });
  await request('PUT', 'node', { id: done, status: 3 });
  const due = () => path.accepted.filter(({ type }) => type === 'node.due').map((event) => event.id);
  // The search comes after the next full minute.
  await expect.poll(due, WAIT).toEqual([node]);
  const [, first, second] = path.messages;
  expect(second?.id).toBe(first?.id);
  WEBHOOK_BODIES['graph.due'].parse(second?.body);
  expect(path.accepted[0]?.after).toMatchObject({ title: 'due', dueDate });
  await request('POST', 'hook/replay', { id, since });
  await expect.poll(due, WAIT).toEqual([node, node]);
  const last = async () => (await request('GET', `hook/deliveries?id=${id}`)).deliveries?.[0];
  await expect.poll(last, WAIT).toMatchObject({ type: 'graph.due', outcome: 'delivered', attempt: 1 });
});
