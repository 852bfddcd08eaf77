// Access ends once and in time, whatever happens to Redis and the jobs services, in a running stack
// with two of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { retry } from '@taskgraph/graph-store/driver/retry';
import { openRawSocket, type RawSocket, untilConnected } from '@taskgraph/testkit/stack/raw-socket';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const WAIT = { timeout: 120_000, interval: 100 };
const SWEEP_INTERVAL_MS = 3_000;

interface DiffEntry {
  readonly op: number;
  readonly after: Record<string, unknown>;
}
interface Body {
  readonly ok?: boolean;
  readonly error?: string;
  readonly actor?: object;
  readonly nodes?: DiffEntry[];
  readonly access?: DiffEntry[];
  readonly diff?: { readonly nodes: DiffEntry[] };
  readonly batches?: { readonly actor: { readonly username: string }; readonly batchId: string }[];
}
type Event = readonly [name: string, body: Body, atMs: number];

let stack: TestStack;
const tokens: Record<string, string> = {};
const sockets: RawSocket[] = [];

beforeAll(async () => {
  const intervals = {
    SWEEP_INTERVAL_MS: String(SWEEP_INTERVAL_MS),
    REWRITE_INTERVAL_MS: '5000',
    RETENTION_INTERVAL_MS: '5000',
  };
  const environment = { HEADS_INTERVAL_MS: '600000', COMMAND_DEADLINE_MS: '60000', ...intervals };
  stack = await startTestStack({ jobs: 2, environment });
  for (const name of ['ann', 'bob']) tokens[name] = await stack.token(emailOf(name));
  // The first commands of a new database take longest; an end could pass before they finish.
  for (const done = { ok: false }; !done.ok; ) done.ok = await rehearse();
});
afterAll(() => stack?.stop());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A connected socket with all events it received. */
async function dial(auth: object): Promise<{ socket: RawSocket; events: Event[] }> {
  const socket = openRawSocket(stack.urls[0] as string, { auth });
  sockets.push(socket);
  const events: Event[] = [];
  socket.onAny((name: string, body: Body) => events.push([name, body, Date.now()]));
  await untilConnected(socket);
  return { socket, events };
}

async function request(name: string | null, method: string, path: string, body?: object): Promise<Body> {
  const headers = {
    'content-type': 'application/json',
    ...(name === null ? {} : { authorization: `Bearer ${tokens[name]}` }),
  };
  const response = await fetch(`${stack.urls[0]}/api/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Body;
}

async function addNode(): Promise<string> {
  const { diff } = await request('ann', 'POST', 'node', { title: 'shared' });
  return diff?.nodes[0]?.after.id as string;
}

/** Grants bob access to a node and publishes it, both until `dueMs`. Returns the public token. */
async function share(id: string, dueMs: number): Promise<string> {
  const due = new Date(dueMs).toISOString();
  expect(await request('ann', 'POST', 'node/access', { id, email: emailOf('bob'), due })).toMatchObject({
    ok: true,
  });
  const { diff } = await request('ann', 'POST', 'node/public', { id, due });
  return diff?.nodes[0]?.after.publicToken as string;
}

/** Ends both after `ms`, since earlier steps may take long on a busy machine. Returns the time. */
async function endIn(id: string, ms: number): Promise<number> {
  const dueMs = Date.now() + ms;
  const due = new Date(dueMs).toISOString();
  const answers = [
    await request('ann', 'PUT', 'node/access', { id, email: emailOf('bob'), due }),
    await request('ann', 'PUT', 'node/public', { id, due }),
  ];
  expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
  return dueMs;
}

/** Runs the steps of the tests once. Returns whether they finished in time. */
async function rehearse(): Promise<boolean> {
  const { diff } = await request('ann', 'POST', 'node', {});
  const id = diff?.nodes[0]?.after.id;
  const due = new Date(Date.now() + 600_000).toISOString();
  const answers = [
    await request('ann', 'POST', 'node/access', { id, email: emailOf('bob'), due }),
    await request('ann', 'POST', 'node/public', { id, due }),
    await request('bob', 'GET', `branch?root=${id}`),
    await request('ann', 'GET', `history?scopeType=NODE&scopeId=${id}`),
  ];
  return answers.every(({ ok }) => ok === true);
}

/** Batches of the system in a node's history. */
async function expiriesOf(id: string): Promise<string[]> {
  const { batches = [] } = await request('ann', 'GET', `history?scopeType=NODE&scopeId=${id}`);
  return batches.filter(({ actor }) => actor.username === 'system').map(({ batchId }) => batchId);
}

const reads = async (id: string, token: string) => [
  (await request('bob', 'GET', `branch?root=${id}`)).error ?? 'ok',
  (await request(null, 'GET', `branch?root=${token}`)).error ?? 'ok',
];

const find = (events: readonly Event[], name: string, fits: (body: Body) => boolean) =>
  events.find(([event, body]) => event === name && fits(body));

test('[ACL5 ACL7 PUB5 HIS1 EVT2] the system notifies owner, grantee and anonymous readers when access ends', async () => {
  const id = await addNode();
  const token = await share(id, Date.now() + 60_000);
  const [ann, bob, anybody] = [
    await dial({ api_token: tokens.ann }),
    await dial({ api_token: tokens.bob }),
    await dial({ public_token: token }),
  ];
  expect(await reads(id, token)).toEqual(['ok', 'ok']);
  const dueMs = await endIn(id, 3_000);
  const isLost = (body: object) => 'change' in body && body.change === 'lost';
  await expect.poll(() => find(bob.events, 'access:changed', isLost), WAIT).toBeDefined();
  const bySystem = (body: Body) => JSON.stringify(body.actor) === '{"username":"system","email":""}';
  await expect.poll(() => find(ann.events, 'graph:diff', bySystem), WAIT).toBeDefined();
  const [, told, atMs] = find(ann.events, 'graph:diff', bySystem) as Event;
  expect(told.access).toMatchObject([{ op: 22 }]);
  expect(told.nodes).toMatchObject([{ op: 6, after: { publicToken: null } }]);
  expect(atMs).toBeGreaterThanOrEqual(dueMs);
  await expect.poll(() => find(anybody.events, 'unpublished', () => true), WAIT).toBeDefined();
  expect(await reads(id, token)).toEqual(['forbidden', 'not_found']);
  expect(await expiriesOf(id)).toHaveLength(1);
  process.stdout.write(`the diff of an end came ${atMs - dueMs} ms after it\n`);
});

test('[ACL5 PUB3] access ends on time without a jobs service; the job runs once a service is back', async () => {
  const id = await addNode();
  for (const name of ['jobs-1', 'jobs-2']) stack.service(name).kill('SIGSTOP');
  try {
    const token = await share(id, Date.now() + 60_000);
    expect(await reads(id, token)).toEqual(['ok', 'ok']);
    const dueMs = await endIn(id, 2_000);
    await sleep(Math.max(0, dueMs + 50 - Date.now()));
    expect(await reads(id, token)).toEqual(['forbidden', 'not_found']);
    await sleep(1_000);
    expect(await expiriesOf(id)).toEqual([]);
  } finally {
    for (const name of ['jobs-1', 'jobs-2']) stack.service(name).kill('SIGCONT');
  }
  await expect.poll(() => expiriesOf(id), WAIT).toHaveLength(1);
});

test('[ACL5] with two services and a Redis that loses its data, access ends once for each node', async () => {
  const redis = new Redis(stack.environment.REDIS_URL as string);
  const ids = await Promise.all(Array.from({ length: 12 }, addNode));
  const startMs = Date.now();
  await Promise.all(ids.map((id, index) => share(id, startMs + 10_000 + index * 300)));
  for (let flushes = 0; flushes < 12; flushes++) {
    await redis.flushall();
    await sleep(900);
  }
  redis.disconnect();
  const counts = async () => (await Promise.all(ids.map(expiriesOf))).map(({ length }) => length);
  const once = ids.map(() => 1);
  await expect.poll(counts, { ...WAIT, interval: 500 }).toEqual(once);
  await sleep(2 * SWEEP_INTERVAL_MS);
  expect(await counts()).toEqual(once);
});

test('[TRS5 ACL2] old trash is deleted, its content is removed from history, and unused membership rows are removed', async () => {
  const text = `secret-${Date.now()}`;
  const { diff } = await request('ann', 'POST', 'node', { title: text });
  const id = diff?.nodes[0]?.after.id as string;
  const root = await addNode();
  await request('ann', 'POST', 'node/access', { id: root, email: emailOf('bob') });
  await request('ann', 'DELETE', 'node/access', { id: root, email: emailOf('bob') });
  await request('ann', 'POST', 'node/trash', { id });
  const { NEO4J_URL: url = '', NEO4J_USER: user = 'neo4j', NEO4J_PASSWORD: password = '' } = stack.environment;
  const database = openDatabase({ url, user, password });
  const found = async () => {
    const [row] = await database.read(
      `RETURN COUNT { MATCH (n:Node {id: $id}) } AS nodes, COUNT { MATCH (b:Batch) WHERE b.changes CONTAINS $text } AS batches,
         COUNT { MATCH (:Node {id: $root})-[:IN]->() } AS rows`,
      { id, text, root },
    );
    return row;
  };
  // Simulates a month: no other way makes a node old. The revision makes workers read it again.
  const age = `MATCH (n:Node {id: $id}), (u:User {id: n.ownerId})
    SET n.lastEditedTime = '2020-01-01T00:00:00.000Z', u.rev = u.rev + 1`;
  // The removal of the unused rows may have locked the user.
  await retry(() => database.write(age, { id }));
  await expect.poll(found, { ...WAIT, interval: 500 }).toEqual({ nodes: 0, batches: 0, rows: 0 });
  await database.close();
  const { batches = [] } = await request('ann', 'GET', `history?scopeType=NODE&scopeId=${id}`);
  expect(batches[0]).toMatchObject({ actor: { username: 'system', email: '' } });
});

test('[CLAIM3 HIS1] an ended claim is expired by the system, and readers are told', async () => {
  const id = await addNode();
  const { events } = (await dial({ api_token: tokens.ann })) as { events: readonly Event[] };
  expect(await request('ann', 'POST', 'node/claim', { id })).toMatchObject({ ok: true });
  const { NEO4J_URL: url = '', NEO4J_USER: user = 'neo4j', NEO4J_PASSWORD: password = '' } = stack.environment;
  const database = openDatabase({ url, user, password });
  // A lease has at least a minute. The revision makes workers read the node again.
  const end = `MATCH (n:Node {id: $id}), (u:User {id: n.ownerId})
    SET n.claimUntil = '2020-01-01T00:00:00.000Z', u.rev = u.rev + 1`;
  await retry(() => database.write(end, { id }));
  await database.close();
  const isReleased = ({ nodes = [] }: Body) => nodes.some(({ after }) => after.id === id && after.status === 0);
  await expect.poll(() => find(events, 'graph:diff', isReleased), WAIT).toBeDefined();
  const [, told] = find(events, 'graph:diff', isReleased) as Event;
  expect(told.actor).toEqual({ username: 'system', email: '' });
  expect(told.nodes?.at(-1)?.after).toMatchObject({ claimedBy: null, claimUntil: null });
  expect(await expiriesOf(id)).toHaveLength(1);
});

test('[HIS1] no route and no socket event reaches a system command', async () => {
  const id = await addNode();
  const { socket } = await dial({ api_token: tokens.ann });
  for (const event of ['node:expire', 'node:claim:expire', 'node:purge', 'link:purge']) {
    const answer = await socket.timeout(10_000).emitWithAck(event, { id });
    expect(answer).toMatchObject({ ok: false, error: 'bad_request.unknown_event' });
    expect(await request('ann', 'POST', event.replace(':', '/'), { id })).toMatchObject({ error: 'not_found' });
  }
});
