// Surveys of services over a real NATS with a user for each.
import { type ServicesNats, startServicesNats } from '@taskgraph/testkit/stack/nats';
import {
  MAXIMUM_SERVICES,
  REPORT_LIMIT_MS,
  type ServiceKind,
  type StatusReply,
} from '@taskgraph/wire/bus/status-messages';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Bus, connectBus } from '../nats/connect.ts';
import { STATUS_INBOX, STATUS_SUBJECT } from '../nats/subjects.ts';
import type { RunningSubscription } from './serve.ts';
import { createSurvey, serveStatus } from './status.ts';

const KINDS = ['gateway', 'worker', 'jobs', 'hooks'] as const;
const problems: string[] = [];
const quiet = () => undefined;
const problem = (_fields: object, message: string) => void problems.push(message);
const log = { debug: quiet, info: quiet, warn: problem, error: problem };

let nats: ServicesNats;
const buses = {} as Record<ServiceKind, Bus>;
const servings: RunningSubscription[] = [];

beforeAll(async () => {
  nats = await startServicesNats();
  for (const kind of KINDS) buses[kind] = await connectBus({ ...nats.login(kind), name: kind, service: kind, log });
});
afterEach(async () => {
  await Promise.all(servings.splice(0).map((serving) => serving.stop()));
  problems.length = 0;
});
afterAll(async () => {
  await Promise.all(Object.values(buses).map((bus) => bus.close()));
  await nats?.remove();
});

const processOf = (index: number) => `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`;

function replyOf(kind: ServiceKind, index: number, isDetailed = false): StatusReply {
  return {
    report: {
      process: processOf(index),
      kind,
      name: `${kind}-${index}`,
      version: '1.0.0',
      node: 'v20.0.0',
      startedTime: '2026-01-01T00:00:00.000Z',
      backends: [],
      metrics: [],
      queues: [],
      leases: null,
      serves: [],
    },
    details: isDetailed ? { settings: [], metrics: 'x', truncated: false } : null,
  };
}

/** Services that answer; resolves when they receive requests. */
async function serve(kind: ServiceKind, ...indexes: readonly number[]): Promise<void> {
  for (const index of indexes) {
    const answer = async ({ process }: { process: string | null }) =>
      process === null || process === processOf(index) ? replyOf(kind, index, process !== null) : null;
    servings.push(serveStatus(buses[kind], answer));
  }
  await buses[kind].connection.flush();
}

it('[ADMIN3] a survey has the reports of all services', async () => {
  for (const [index, kind] of KINDS.entries()) await serve(kind, index);
  const { replies, truncated } = await createSurvey(buses.worker)(null);
  expect(replies.map(({ report }) => report.name).sort()).toEqual(['gateway-0', 'hooks-3', 'jobs-2', 'worker-1']);
  expect(truncated).toBe(false);
  expect(problems).toEqual([]);
});

it('[ADMIN3] a survey has the report of a service that waits for a backend, after the reports of the others', async () => {
  await serve('gateway', 1);
  const late = { requested: () => {}, send: () => {} };
  const requested = new Promise<void>((resolve) => {
    late.requested = resolve;
  });
  const ready = new Promise<void>((resolve) => {
    late.send = resolve;
  });
  servings.push(
    serveStatus(buses.jobs, async () => {
      late.requested();
      await ready;
      return replyOf('jobs', 2);
    }),
  );
  await buses.jobs.connection.flush();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const survey = createSurvey(buses.worker)(null);
    await requested;
    // Then the worker has received what the gateway sent.
    await buses.gateway.connection.flush();
    await buses.worker.connection.flush();
    vi.advanceTimersByTime(REPORT_LIMIT_MS);
    late.send();
    await servings.pop()?.stop();
    await buses.jobs.connection.flush();
    await buses.worker.connection.flush();
    vi.advanceTimersByTime(10_000);
    expect((await survey).replies).toEqual([replyOf('gateway', 1), replyOf('jobs', 2)]);
  } finally {
    vi.useRealTimers();
  }
});

it('[ADMIN3] the first report of a process counts', async () => {
  let sent = () => {};
  const isSent = new Promise<void>((resolve) => {
    sent = resolve;
  });
  const first = replyOf('gateway', 1);
  servings.push(
    serveStatus(buses.gateway, async () => {
      setImmediate(sent);
      return first;
    }),
    serveStatus(buses.jobs, async () => {
      await isSent;
      // Then the worker has received the first report.
      await buses.gateway.connection.flush();
      await buses.worker.connection.flush();
      return { ...first, report: { ...first.report, name: 'another' } };
    }),
  );
  await Promise.all([buses.gateway.connection.flush(), buses.jobs.connection.flush()]);
  expect((await createSurvey(buses.worker)(null)).replies).toEqual([first]);
});

it('[ADMIN3] a service logs the requests that it drops', async () => {
  let end = () => {};
  const ended = new Promise<null>((resolve) => {
    end = () => resolve(null);
  });
  servings.push(serveStatus(buses.jobs, () => ended));
  await buses.jobs.connection.flush();
  for (let time = 0; time < 9; time++)
    buses.worker.connection.publish(STATUS_SUBJECT, '{"process":null}', { reply: `${STATUS_INBOX}.x` });
  const dropped = 'a request for a report is dropped: too many are in progress';
  await expect.poll(() => problems, { timeout: 60_000 }).toEqual([dropped]);
  end();
});

it('[ADMIN4] a request to one process ends with its answer, and is empty without it', async () => {
  await serve('jobs', 1, 2);
  // Without an answer the test would take this long.
  const endless = createSurvey(buses.worker, { quietMs: 600_000, limitMs: 600_000 });
  expect(await endless(processOf(2))).toEqual({ replies: [replyOf('jobs', 2, true)], truncated: false });
  const short = createSurvey(buses.worker, { quietMs: 10, limitMs: 10 });
  expect(await short(processOf(3))).toEqual({ replies: [], truncated: false });
});

it('[ADMIN3] a survey ends at its bound', async () => {
  const indexes = Array.from({ length: MAXIMUM_SERVICES + 1 }, (_, index) => index);
  await serve('jobs', ...indexes);
  const { replies, truncated } = await createSurvey(buses.worker, { quietMs: 600_000, limitMs: 600_000 })(null);
  expect([replies.length, truncated]).toEqual([MAXIMUM_SERVICES, true]);
});

it('[ADMIN3] malformed reports, failing services and foreign subjects are logged, and the others count', async () => {
  await serve('gateway', 1);
  servings.push(serveStatus(buses.jobs, () => Promise.reject(new Error('this one fails'))));
  servings.push(serveStatus(buses.hooks, async () => ({ report: 'none' }) as never));
  await Promise.all([buses.jobs.connection.flush(), buses.hooks.connection.flush()]);
  const { replies } = await createSurvey(buses.worker)(null);
  expect(replies).toEqual([replyOf('gateway', 1)]);
  expect(problems.sort()).toEqual([
    'a report of a service is malformed',
    'a request for a report could not be answered',
  ]);
  problems.length = 0;
  buses.worker.connection.publish(STATUS_SUBJECT, '{"process":null}', { reply: 'tg.control' });
  buses.worker.connection.publish(STATUS_SUBJECT, 'no JSON', { reply: `${STATUS_INBOX}.x` });
  // Each of three services logs each of the two.
  await expect.poll(() => problems, { timeout: 60_000 }).toHaveLength(6);
});
