// The tests kill or stop parts of a running stack under writers. No acknowledged change is lost or
// executed twice.
import { connect, emptyGraph, type Gap, mergeDiff, mergePage, type Slice } from '@taskgraph/client';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { askAdmin, readiness } from '../stack/probes.ts';
import { startTestStack, type TestStack } from '../stack/stack.ts';
import { findLosses, readNodes, startWriter, type Writer } from '../stack/writers.ts';

/**
 * Longer than a lease without its worker's heartbeat, and than a transaction may hold its locks.
 */
const PAUSE_MS = 8_000;
const TAKE_OVER_MS = 120_000;
const WAIT = { timeout: 120_000, interval: 100 };
/** The restart of a killed database takes longest. */
const WAIT_FOR_NEO4J = { timeout: 100_000, interval: 250 };

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ workers: 2, gateways: 2, jobs: 1, ownDatabase: true });
});
afterAll(() => stack?.stop());

const url = (gateway: number) => stack.urls[gateway] as string;

interface User {
  readonly token: string;
  readonly counter: string;
  readonly writers: Writer[];
}
let users: User[] = [];
let crews = 0;

/** Several users, so that their slots most likely belong to different workers. */
async function startWriters(): Promise<void> {
  const crew = ++crews;
  users = await Promise.all(
    ['ann', 'bob', 'cho'].map(async (name) => {
      const token = await stack.token(`${name}${crew}@example.com`);
      const client = await connect({ url: url(0), token, timeoutMs: TAKE_OVER_MS });
      // The first statements of a cold database take longer than a client waits by default.
      const { diff } = await client.node.add({ title: 'counter' }, { timeoutMs: TAKE_OVER_MS });
      client.close();
      const counter = String(diff.nodes[0]?.after.id);
      const start = (gateway: number) =>
        startWriter({ url: url(gateway), token, name: `${name}${crew}/${gateway}`, counter });
      return { token, counter, writers: await Promise.all([start(0), start(1)]) };
    }),
  );
  await progress();
}

async function stopWriters(): Promise<void> {
  await Promise.allSettled(users.flatMap(({ writers }) => writers.map((writer) => writer.stop())));
}

const progress = () =>
  Promise.all(users.flatMap(({ writers }) => writers.map((writer) => writer.progress(20, TAKE_OVER_MS))));

async function expectNoLosses(): Promise<void> {
  for (const { token, counter, writers } of users) {
    await Promise.all(writers.map((writer) => writer.stop()));
    const client = await connect({ url: url(1), token });
    const ledgers = writers.map(({ ledger }) => ledger);
    expect(findLosses(ledgers, await readNodes(client), counter)).toEqual([]);
    client.close();
  }
}

describe('under writers', () => {
  beforeEach(startWriters);
  afterEach(stopWriters);

  async function untilRestarted(name: string, kill: () => void): Promise<void> {
    const before = stack.service(name).restarts();
    kill();
    await vi.waitFor(() => expect(stack.service(name).restarts()).toBe(before + 1), TAKE_OVER_MS);
  }

  test('[GEN8] a worker and then a gateway are killed', async () => {
    await untilRestarted('worker-1', () => stack.service('worker-1').kill('SIGKILL'));
    await progress();
    await untilRestarted('gateway-1', () => stack.service('gateway-1').kill('SIGKILL'));
    await progress();
    await expectNoLosses();
  });

  test('[GEN8] a worker is paused for longer than its leases last, and continues', async () => {
    stack.service('worker-1').kill('SIGSTOP');
    const stoppedAt = Date.now();
    try {
      // The partitions of the stopped worker continue meanwhile with the other worker.
      await progress();
      await new Promise((resolve) => setTimeout(resolve, stoppedAt + PAUSE_MS - Date.now()));
    } finally {
      stack.service('worker-1').kill('SIGCONT');
    }
    await progress();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await progress();
    await expectNoLosses();
    expect(stack.service('worker-1').restarts()).toBeLessThanOrEqual(1);
  });
});

describe('Neo4j is killed once, under writers', () => {
  beforeAll(startWriters);
  afterAll(stopWriters);

  test('a service whose backend is unavailable names it, stays alive, and is not ready until it returns', async () => {
    const ready = { status: 200, state: 'ready' };
    expect(await readiness(stack, 'gateway-1')).toEqual({ ...ready, backends: { nats: 'up', redis: 'up' } });
    expect(await readiness(stack, 'worker-1')).toEqual({ ...ready, backends: { neo4j: 'up', nats: 'up' } });
    expect(await readiness(stack, 'jobs-1')).toEqual({ ...ready, backends: { neo4j: 'up', nats: 'up', redis: 'up' } });
    stack.backends.kill('neo4j');
    const away = { status: 503, state: 'ready', backends: { neo4j: 'away', nats: 'up' } };
    await expect.poll(() => readiness(stack, 'worker-1'), WAIT).toEqual(away);
    expect((await askAdmin(stack, 'worker-1', '/livez')).status).toBe(200);
    expect(await readiness(stack, 'gateway-1')).toMatchObject(ready);
    await expect.poll(() => readiness(stack, 'worker-1'), WAIT_FOR_NEO4J).toMatchObject(ready);
  }, 300_000);

  test('[GEN8] Neo4j is killed and returns', async () => {
    // The command that was being committed may exist or not. The worker asks by the commands' keys.
    await vi.waitFor(() => expect(stack.backends.restarts().neo4j).toBe(1), TAKE_OVER_MS);
    await progress();
    await expectNoLosses();
  });
});

test('[GEN8] workers stopped between decision and answer: the caller gets `unknown`, and the key gives one result', async () => {
  const token = await stack.token('fay@example.com');
  const client = await connect({ url: url(0), token });
  const root = (await client.node.add({ title: 'root' })).diff.nodes[0]?.after.id as string;
  client.close();
  const grant = async () => {
    const answer = await fetch(`${url(0)}/api/node/access`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify({ id: root, email: 'gus@example.com', level: 3, branch: true }),
    });
    return { status: answer.status, body: (await answer.json()) as { details?: { outcome?: string } } };
  };
  const { NEO4J_URL: bolt = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = stack.environment;
  const database = openDatabase({ url: bolt, user, password });
  const workers = ['worker-1', 'worker-2'].map((name) => stack.service(name));
  // With a locked feed, the command is loaded and decided, and its write statement waits.
  const lock = database.begin(2 * WAIT_FOR_NEO4J.timeout);
  await lock.run('MATCH (f:Feed) SET f.held = true', {});
  await database.read(WRITING, {});
  let isTold = false;
  const ask = () => {
    isTold = false;
    return grant().finally(() => {
      isTold = true;
    });
  };
  let told = ask();
  try {
    await vi.waitFor(
      async () => {
        // The wait for a lock has a limit of one second, which may pass on a busy machine before
        // the test looks.
        if (isTold) told = ask();
        expect(await database.read(WRITING, {})).not.toEqual([]);
      },
      // A cold database ends its first statements after three seconds each, and progresses with
      // each attempt.
      { ...WAIT_FOR_NEO4J, interval: 20 },
    );
    // Both workers, because the other one would take over and answer in time.
    for (const worker of workers) worker.kill('SIGSTOP');
    await lock.rollback();
    expect(await told).toMatchObject({ status: 503, body: { error: 'unavailable', details: { outcome: 'unknown' } } });
  } finally {
    await lock.rollback();
    for (const worker of workers) worker.kill('SIGCONT');
  }
  await vi.waitFor(async () => expect(await grant()).toMatchObject({ status: 200 }), {
    timeout: TAKE_OVER_MS,
    interval: 500,
  });
  const [row] = await database.read(
    `MATCH (b:Batch) WHERE b.details CONTAINS '"node:access"' RETURN count(b) AS batches`,
    {},
  );
  expect(row).toEqual({ batches: 1 });
  await database.close();
});

/**
 * A statement that writes a group and waits for a lock. It waits repeatedly, a quarter of a second
 * each time.
 */
const WRITING = `SHOW TRANSACTIONS YIELD currentQuery, status WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'u.lastTs =' AND NOT currentQuery CONTAINS 'SHOW' RETURN 1`;

test('[EVT1] a client of one gateway sees the changes of a client of the other, in order and without a hole', async () => {
  const token = await stack.token('eve@example.com');
  const [reader, writer] = await Promise.all([0, 1].map((gateway) => connect({ url: url(gateway), token })));
  if (reader === undefined || writer === undefined) throw new Error('there are two');
  const slices: Slice[] = [];
  const gaps: Gap[] = [];
  reader.onDiff((slice) => void slices.push(slice));
  reader.onGap((gap) => void gaps.push(gap));
  const root = (await writer.node.add({ title: 'root' })).diff.nodes[0]?.after.id as string;
  const answers = await Promise.all(Array.from({ length: 100 }, () => writer.node.add({ target: root })));
  const children = answers.map(({ diff }) => diff.nodes[0]?.after.id as string);
  await Promise.all(children.map((id) => writer.node.update({ id, status: 3 })));

  await vi.waitFor(() => expect(slices).toHaveLength(201), 60_000);
  expect(slices.map(({ seq }) => seq)).toEqual(slices.map((_, index) => index + 1));
  expect(gaps).toEqual([]);
  const seen = slices.reduce((state, slice) => mergeDiff(state, slice).state, emptyGraph);
  let read = emptyGraph;
  for await (const page of writer.graph.pages()) read = mergePage(read, page);
  expect([...seen.nodes.keys()].sort()).toEqual([...read.nodes.keys()].sort());
  for (const [id, node] of read.nodes) expect(node).toMatchObject(seen.nodes.get(id) ?? {});
  for (const [id, link] of read.links) expect(seen.links.get(id)).toMatchObject({ version: link.version });
  reader.close();
  writer.close();
});
