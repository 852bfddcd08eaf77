// An export is online: it locks all users while it reads and releases them afterwards.
import { randomBytes } from 'node:crypto';
import { composeId } from '@taskgraph/wire/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureUser, readAccount } from '../accounts/users.ts';
import { lockOwners } from '../commit/lock.ts';
import { type Database, openDatabase } from '../driver/database.ts';
import { deleteOldEntries } from '../maintenance/old-history.ts';
import { isMigrated } from '../migration/migrations.ts';
import { openTestDatabase, testDatabaseOptions } from '../test/support/database.ts';
import { exportRecords } from './export.ts';
import { beginImport } from './import.ts';

/** A busy server just started may plan a statement for longer than a command's time limit. */
const PATIENCE_MS = 30_000;

const newId = (slot: number) => composeId(slot, Date.now(), 0, randomBytes(6));

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Locks one user as a group does and releases the lock. Returns the failure's code, or null. */
async function tryLock(id: string): Promise<string | null> {
  const transaction = database.begin(PATIENCE_MS);
  try {
    await lockOwners(transaction, { users: [id], nodes: [], links: [], emails: [] });
    return null;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    await transaction.rollback();
  }
}

test('during an export users can be read but not written; afterwards they can be written', async () => {
  const id = newId(5);
  await ensureUser(database, { id, email: `${id}@example.com`, username: 'ann', now: '2026-01-01T00:00:00.000Z' });
  const records = exportRecords(database);
  try {
    expect((await records.next()).done).toBe(false);
    expect(await tryLock(id)).toContain('LockAcquisitionTimeout');
    expect(await readAccount(database, id)).toMatchObject({ id });
  } finally {
    await records.return();
  }
  expect(await tryLock(id)).toBeNull();
});

test('an export waits for a locked user', async () => {
  const id = newId(6);
  await ensureUser(database, { id, email: `${id}@example.com`, username: 'bob', now: '2026-01-01T00:00:00.000Z' });
  const other = database.begin(PATIENCE_MS);
  await lockOwners(other, { users: [id], nodes: [], links: [], emails: [] });
  const records = exportRecords(database);
  try {
    const first = records.next();
    const pause = new Promise((resolve) => setTimeout(resolve, 1_500, 'other'));
    expect(await Promise.race([first.then(() => 'export'), pause])).toBe('other');
    await other.rollback();
    expect((await first).done).toBe(false);
  } finally {
    await other.rollback();
    await records.return();
  }
});

test('an export during which a merged entry is deleted fails', async () => {
  const id = 'feed of a merged entry';
  const create = `CREATE (:Feed {id: $id, first: 1, seq: 1}),
    (:Batch {id: $id, key: $id, ts: '2001', feed: $id, seq: 1, nodes: []})`;
  await database.write(create, { id });
  const records = exportRecords(database);
  try {
    expect((await records.next()).done).toBe(false);
    expect(await deleteOldEntries(database, id, '2002')).toBe(1);
    const rest = async () => {
      for await (const _record of records);
    };
    await expect(rest()).rejects.toThrow('merged Entry changed during the export');
  } finally {
    await records.return();
    await database.write('MATCH (n:Feed|Batch {id: $id}) DELETE n', { id });
  }
});

test('[HOOK11] an export leaves webhooks out, and goes on while they deliver', async () => {
  const id = newId(8);
  await ensureUser(database, { id, email: `${id}@example.com`, username: 'di', now: '2026-01-01T00:00:00.000Z' });
  const create = `MATCH (u:User {id: $id}) CREATE (u)-[:HAS_WEBHOOK]->(:Webhook {id: $id, state: 'active', secret: $id}),
    (:WebhookDelivery {hookId: $id, at: 1})`;
  await database.write(create, { id });
  try {
    const tables = new Set<string>();
    for await (const { table, properties } of exportRecords(database)) {
      // A run stores its outcome meanwhile.
      if (tables.size === 0) {
        await database.write('MATCH (w:Webhook {id: $id}) SET w.position = $id', { id });
        await database.write('CREATE (:WebhookDelivery {hookId: $id, at: 2})', { id });
      }
      tables.add(table);
      expect(properties).not.toHaveProperty('secret');
    }
    expect([tables.has('User'), tables.has('Webhook'), tables.has('HAS_WEBHOOK')]).toEqual([true, false, false]);
  } finally {
    await database.write('MATCH (n:Webhook|WebhookDelivery) DETACH DELETE n', {});
  }
});

test('an import into a database with data is rejected, and leaves it usable for services', async () => {
  const id = newId(7);
  await ensureUser(database, { id, email: `${id}@example.com`, username: 'cy', now: '2026-01-01T00:00:00.000Z' });
  expect(await beginImport(database)).toBe('not_empty');
  const [row] = await database.read('MATCH (s:Schema {id: 1}) RETURN s.importing AS importing', {});
  expect(row?.importing).toBeNull();
});

test('a single database can be reached by neo4j://, like a cluster', async () => {
  const options = testDatabaseOptions();
  const routed = openDatabase({ ...options, url: options.url.replace(/^bolt/, 'neo4j') });
  try {
    expect(await isMigrated(routed)).toBe(true);
    const transaction = routed.begin(PATIENCE_MS);
    expect(await transaction.run('MATCH (s:Schema {id: 1}) SET s.lock = true RETURN s.id AS id', {})).toEqual([
      { id: 1 },
    ]);
    await transaction.rollback();
  } finally {
    await routed.close();
  }
});
