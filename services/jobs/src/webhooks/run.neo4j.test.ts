// The steps of a run on a real database, with chosen results of the hooks service.
import { randomUUID } from 'node:crypto';
import type { WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { integer } from '@taskgraph/graph-store/driver/codec';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { newWebhookSecret, sealWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { runWebhook } from './run.ts';

const SECRET = 'a secret of at least thirty-two characters';
const log = createLog({ name: 'test', level: 'silent' });
let database: Database;
let id: string;
let outcome: WebhookSendResult;
let sent: number;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
beforeEach(async () => {
  const [userId, now] = [randomUUID(), new Date().toISOString()];
  await ensureUser(database, { id: userId, email: `${userId}@example.com`, username: 'ann', now });
  [id, sent] = [randomUUID(), 0];
  const secret = sealWebhookSecret(SECRET, id, newWebhookSecret());
  await database.write(
    `MATCH (u:User {id: $userId}) CREATE (u)-[:HAS_WEBHOOK]->(:Webhook {id: $id, userId: $userId, state: 'pending', version: $one,
      name: 'n', url: 'https://example.com', events: [], secret: $secret, position: 'p', created: $now})`,
    { userId, id, secret, one: integer(1), now },
  );
});
afterEach(() => database.write('MATCH (w:Webhook {id: $id}) DETACH DELETE w', { id }));
afterAll(() => database.close());

const run = () =>
  runWebhook(
    {
      database,
      read: async () => null,
      async send() {
        sent++;
        return outcome;
      },
      secrets: SECRET,
      audit: createAudit(log),
      log,
      nowMs: Date.now,
      random: () => 0.5,
      newRunner: randomUUID,
      stopping: new AbortController().signal,
    },
    id,
  );
async function properties(): Promise<Record<string, unknown>> {
  const [row] = await database.read('MATCH (w:Webhook {id: $id}) RETURN properties(w) AS fields', { id });
  return row?.fields as Record<string, unknown>;
}

test('[HOOK10] a run that finds no hooks service leaves its webhook as it was', async () => {
  outcome = { outcome: 'absent' };
  const before = await properties();
  await run();
  expect(sent).toBe(1);
  const { lock: _, ...after } = await properties();
  expect(after).toEqual(before);
});

test('[HOOK12] a test that could not be sent for a minute is dropped', async () => {
  const set = 'MATCH (w:Webhook {id: $id}) SET w.state = "disabled", w.testMs = $at';
  outcome = { outcome: 'busy', durationMs: 0 };
  await database.write(set, { id, at: integer(Date.now()) });
  await run();
  expect(sent).toBe(1);
  // Its next attempt waits.
  await run();
  expect(sent).toBe(1);
  expect(await properties()).toHaveProperty('testMs');
  await database.write('MATCH (w:Webhook {id: $id}) SET w.testMs = $at, w.nextMs = null', {
    id,
    at: integer(Date.now() - 61_000),
  });
  await run();
  expect(sent).toBe(1);
  expect(await properties()).not.toHaveProperty('testMs');
});

test.each([
  [{ outcome: 'delivered', status: 204, durationMs: 1_001 }, true],
  [{ outcome: 'delivered', status: 204, durationMs: 1_000 }, false],
  [{ outcome: 'unreachable', durationMs: 15_000 }, true],
] as const)('[HOOK13] after %j the webhook is slow: %s', async (result, isSlow) => {
  outcome = result;
  await run();
  expect(sent).toBe(1);
  expect(await properties()).toMatchObject({ isSlow });
});
