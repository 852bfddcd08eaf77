// One command through all services of a running stack: its spans, log lines and metrics; and the
// probes. libs/testkit/src/test/failover.boot.test.ts checks them while Neo4j is down.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CollectedSpan, type Collector, startCollector } from '@taskgraph/testkit/stack/collector';
import { askAdmin, readiness } from '@taskgraph/testkit/stack/probes';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, type User, userOf } from './support/calls.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const PATIENCE = { timeout: 100_000, interval: 250 };

let collector: Collector;
let stack: TestStack;
let ann: User;

beforeAll(async () => {
  collector = await startCollector();
  stack = await startTestStack({
    workers: 1,
    jobs: 1,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      LOG_LEVEL: 'debug',
      COMMAND_DEADLINE_MS: '60000',
    },
  });
  ann = await userOf(stack, 'ann');
});
afterAll(async () => {
  ann?.connection.close();
  await stack?.stop();
  await collector?.close();
});

type Line = Record<string, unknown>;

/** The lines of a service's log so far. */
function linesOf(service: string): Line[] {
  const text = readFileSync(join(stack.logFolder, `${service}.log`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

function spansOf(traceId: string): readonly CollectedSpan[] {
  return collector.spans.filter((span) => span.traceId === traceId);
}

/**
 * The names of a span and of all above it, nearest first. The client's own span is not known here.
 */
function pathTo(name: RegExp, spans: readonly CollectedSpan[]): string[] {
  const path: string[] = [];
  let span = spans.find((each) => name.test(each.name));
  for (; span !== undefined; span = spans.find(({ spanId }) => spanId === span?.parentSpanId)) {
    path.push(`${span.service.replace('taskgraph-', '')}: ${span.name.replace(/\d+$/, '<n>')}`);
  }
  return path;
}

/**
 * A database that has just started plans its statements for so long that the first commands may be
 * refused on a busy machine.
 */
async function addNode(title: string): Promise<string> {
  let body: Body = { ok: false };
  const add = async () => {
    ({ body } = await ann.REST('node:add', { title }));
    return body;
  };
  await expect.poll(add, PATIENCE).toMatchObject({ ok: true });
  return (body.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after.id as string;
}

const ABOVE_ACTOR = ['gateway: rest link:add'];
const ACTOR = ['worker: actor', 'worker: process tg.cmd.<n>', 'gateway: send tg.cmd.<n>', ...ABOVE_ACTOR];

test('a command over REST is one trace, from the gateway to its statements and the fan-out', async () => {
  const [source, target] = [await addNode('one'), await addNode('other')];
  const [traceId, loading] = ['0af7651916cd43dd8448eb211c80319c', '0af7651916cd43dd8448eb211c80319d'];
  const post = async (path: string, trace: string, body: object) => {
    const headers = {
      Authorization: `Bearer ${ann.token}`,
      'Content-Type': 'application/json',
      Traceparent: `00-${trace}-b7ad6b7169203331-01`,
    };
    const response = await fetch(`${stack.urls[0]}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.json()).toMatchObject({ ok: true, trace_id: trace });
  };
  // The worker has cached both nodes, but no grants.
  await post('/api/link', traceId, { source, target });
  await post('/api/node/access', loading, { id: source, email: 'guest@example.com', level: 3 });
  // The last span to end is exported last, from either service.
  await expect.poll(() => spansOf(traceId).map(({ name }) => name), WAIT).toContain('fan-out');
  await expect.poll(() => spansOf(traceId).map(({ name }) => name), WAIT).toContain('actor');
  await expect.poll(() => spansOf(traceId).map(({ name }) => name), WAIT).toContain('rest link:add');
  const spans = spansOf(traceId);
  const remembered = ['worker: WRITE_IF_UNCHANGED', 'worker: write', ...ACTOR];
  expect(pathTo(/^WRITE_IF_UNCHANGED$/, spans)).toEqual(remembered);
  await expect.poll(() => spansOf(loading).map(({ name }) => name), WAIT).toContain('actor');
  const pathOf = (statement: string) => pathTo(new RegExp(`^${statement}$`), spansOf(loading)).slice(0, 2);
  for (const statement of ['LOCK_OWNERS', 'LOAD_WORLD']) {
    expect(pathOf(statement)).toEqual([`worker: ${statement}`, 'worker: load']);
  }
  for (const statement of ['WRITE_GROUP', 'COMMIT']) {
    expect(pathOf(statement)).toEqual([`worker: ${statement}`, 'worker: write']);
  }
  expect(pathTo(/^fan-out$/, spans)).toEqual(['gateway: fan-out', 'worker: send tg.slices', ...ACTOR]);
  expect(spans.find(({ name }) => name === 'rest link:add')?.parentSpanId).toBe('b7ad6b7169203331');
  expect(spans.filter(({ isError }) => isError)).toEqual([]);

  const said = linesOf('gateway-1').find((line) => line.traceId === traceId && line.msg === 'a call was answered');
  expect(said).toMatchObject({ call: 'link:add', transport: 'rest', status: 200 });
}, 300_000);

test('a socket call has its own trace, whose id is in the ack', async () => {
  const { body } = await ann.socket('graph:get', {});
  const traceId = String(body.trace_id);
  await expect
    .poll(() => pathTo(/^process/, spansOf(traceId)), WAIT)
    .toEqual(['worker: process tg.read.<n>', 'gateway: send tg.read.<n>', 'gateway: socket graph:get']);
  expect(spansOf(traceId).some(({ attributes }) => attributes['db.system.name'] === 'neo4j')).toBe(true);
});

test('each service has its metrics', async () => {
  const { status, text } = await askAdmin(stack, 'gateway-1', '/metrics');
  expect(status).toBe(200);
  const gateway = text.split('\n');
  expect(gateway).toContain('taskgraph_commands_total{event="link:add",transport="rest",outcome="ok"} 1');
  expect(gateway).toContain('taskgraph_sockets 1');
  expect(gateway).toContain('taskgraph_rooms 1');
  expect(gateway).toContain('taskgraph_backend_up{backend="redis"} 1');
  expect(text).toMatch(/^taskgraph_command_duration_seconds_bucket\{.*"link:add".* # \{trace_id="[0-9a-f]{32}"\}/m);
  expect(text).toMatch(/^taskgraph_slices_total [1-9]/m);
  const worker = (await askAdmin(stack, 'worker-1', '/metrics')).text;
  expect(worker.split('\n')).toContain('taskgraph_partitions 64');
  expect(worker.split('\n')).toContain('taskgraph_waiting_commands 0');
  expect(worker).toMatch(/^taskgraph_commit_duration_seconds_count [1-9]/m);
  expect(worker).toMatch(/^taskgraph_slices_published_total [1-9]/m);
  await expect
    .poll(async () => (await askAdmin(stack, 'jobs-1', '/metrics')).text, WAIT)
    .toMatch(/^taskgraph_job_runs_total\{kind="sweep",outcome="ok"\} [1-9]/m);
});

test('a gateway without Redis reports that and stays ready, while jobs do not', async () => {
  const redis = stack.backends.pids().redis as number;
  process.kill(redis, 'SIGSTOP');
  try {
    const backends = { nats: 'up', redis: 'away' };
    await expect.poll(() => readiness(stack, 'gateway-1'), WAIT).toEqual({ status: 200, state: 'ready', backends });
    await expect.poll(() => readiness(stack, 'jobs-1'), WAIT).toMatchObject({ status: 503, state: 'ready' });
  } finally {
    process.kill(redis, 'SIGCONT');
  }
  await expect.poll(() => readiness(stack, 'jobs-1'), WAIT).toMatchObject({ status: 200 });
  await expect.poll(() => readiness(stack, 'gateway-1'), WAIT).toMatchObject({ backends: { redis: 'up' } });
});
