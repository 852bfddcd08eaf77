// The time slices of the webhooks of one user that are always behind, on a real database and a real Redis.
import { randomUUID } from 'node:crypto';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { integer } from '@taskgraph/graph-store/driver/codec';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { type StoredStep, storeRunSteps } from '@taskgraph/graph-store/webhooks/webhook-runs';
import { newWebhookSecret, sealWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueues } from '../queues.ts';
import type { WebhookRunDependencies } from './run.ts';
import { runTimeSlice } from './time-slice.ts';

const SECRET = 'a secret of at least thirty-two characters';
const WEBHOOKS = 7;
const log = createLog({ name: 'test', level: 'silent' });
let database: Database;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
afterAll(() => database.close());

/** The webhooks of a new user. */
async function createWebhooks(): Promise<string[]> {
  const [userId, now] = [randomUUID(), new Date().toISOString()];
  await ensureUser(database, { id: userId, email: `${userId}@example.com`, username: 'ann', now });
  const hooks = Array.from({ length: WEBHOOKS }, () => {
    const id = randomUUID();
    return { id, secret: sealWebhookSecret(SECRET, id, newWebhookSecret()) };
  });
  await database.write(
    `MATCH (u:User {id: $userId}) UNWIND $hooks AS hook
     CREATE (u)-[:HAS_WEBHOOK]->(:Webhook {id: hook.id, userId: $userId, state: 'active', version: $one, name: 'n',
       url: 'https://example.com', events: [], secret: hook.secret, position: '0', created: $now})`,
    { userId, hooks, one: integer(1), now },
  );
  return hooks.map(({ id }) => id);
}

/** Polls without a time slice after which the test acts as a sweep. */
const IDLE_POLLS = 50;

test('[HOOK13] each of seven webhooks of a user that are always behind has its time slices', async () => {
  const ids = await createWebhooks();
  const sent = new Map(ids.map((id) => [id, 0]));
  const slices = new Map(ids.map((id) => [id, 0]));
  const isOver = () => [...slices.values()].every((count) => count >= 3);
  let clockMs = Date.now();
  const dependencies: WebhookRunDependencies = {
    database,
    storeStep: async (step) => (await storeRunSteps(database, [step]))[0] as StoredStep,
    async read(_user, { hook, from }) {
      const content = { type: 'graph.changed', data: { hook, feeds: {}, batches: [], events: [] } } as const;
      return { to: String(Number(from) + 1), hasMore: !isOver(), content };
    },
    readDue: async () => null,
    searchDue: async () => null,
    async send({ hookId }) {
      sent.set(hookId, (sent.get(hookId) ?? 0) + 1);
      // Each attempt takes a part of a time slice, by the clock of the runs.
      clockMs += 150;
      return { outcome: 'delivered', status: 200, durationMs: 1 };
    },
    lastDeliveryMs: () => clockMs,
    secrets: SECRET,
    audit: createAudit(log),
    log,
    nowMs: () => clockMs,
    random: () => 0.5,
    newRunner: randomUUID,
    stopping: new AbortController().signal,
  };
  const queues = openQueues({
    redis: { url: process.env.REDIS_URL ?? '' },
    prefix: randomUUID(),
    log,
    expiriesAtOnce: 1,
    waitingEnds: 1,
    webhooksAtOnce: 16,
    schedules: {},
    checkMs: 60_000,
    expire: async () => undefined,
    run: async () => undefined,
    async deliver({ id }) {
      const before = sent.get(id) ?? 0;
      const next = await runTimeSlice(dependencies, id);
      if ((sent.get(id) ?? 0) > before) slices.set(id, (slices.get(id) ?? 0) + 1);
      return isOver() ? [] : next;
    },
  });
  await queues.addWebhooks(ids.map((id) => ({ id })));
  // Before a webhook has its fourth time slice, each other one has begun its second.
  // A run that is offered while its last job ends is not added: as in the service, a sweep adds it later.
  let [last, unchanged] = [0, 0];
  const sweepIfIdle = async () => {
    const total = [...slices.values()].reduce((sum, count) => sum + count, 0);
    unchanged = total === last ? unchanged + 1 : 0;
    last = total;
    if (unchanged > 0 && unchanged % IDLE_POLLS === 0) await queues.addWebhooks(ids.map((id) => ({ id })));
    return isOver();
  };
  await expect.poll(sweepIfIdle, { timeout: 60_000, interval: 20 }).toBe(true);
  expect(Math.max(...slices.values())).toBeLessThanOrEqual(6);
  await queues.stop();
});
