import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteOldWebhooks } from './old-webhooks.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
let database: Database;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
afterAll(() => database.close());

test('[HOOK12] attempts older than seven days and webhooks that were deleted disappear', async () => {
  const nowMs = Date.now();
  // More than one page.
  const hooks = Array.from({ length: 120 }, (_, index) => `${randomUUID()}-${index}`);
  const agesMs = [0, 6 * DAY_MS, 8 * DAY_MS, 30 * DAY_MS];
  await database.write(
    `UNWIND $hooks AS id CREATE (:Webhook {id: id, state: 'disabled'})
     WITH id UNWIND $times AS at CREATE (:WebhookDelivery {hookId: id, at: toInteger(at), messageId: 'm'})`,
    { hooks, times: agesMs.map((age) => nowMs - age) },
  );
  const [old, recent] = [randomUUID(), randomUUID()];
  const tombstone = "CREATE (u:Former)-[:HAS_WEBHOOK]->(:Webhook {id: $id, state: 'deleted', deleted: $at})";
  await database.write(tombstone, { id: old, at: new Date(nowMs - 2 * HOUR_MS).toISOString() });
  await database.write(tombstone, { id: recent, at: new Date(nowMs - HOUR_MS / 2).toISOString() });
  await deleteOldWebhooks(database, nowMs, new AbortController().signal);
  const rows = await database.read(
    'MATCH (d:WebhookDelivery) WHERE d.hookId IN $hooks RETURN d.hookId AS id, collect(d.at) AS times',
    { hooks },
  );
  expect(rows).toHaveLength(hooks.length);
  for (const { times } of rows) expect(new Set(times as number[])).toEqual(new Set([nowMs, nowMs - 6 * DAY_MS]));
  const left = await database.read('MATCH (w:Webhook) WHERE w.id IN $ids RETURN w.id AS id', { ids: [old, recent] });
  expect(left).toEqual([{ id: recent }]);
  await database.write(
    'MATCH (w:Webhook) WHERE w.id IN $ids OPTIONAL MATCH (d:WebhookDelivery {hookId: w.id}) DETACH DELETE w, d',
    { ids: [recent, ...hooks] },
  );
  await database.write('MATCH (f:Former) DELETE f', {});
});
