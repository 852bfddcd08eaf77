// The form of history that the Schema node stores, after each way to its schema.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase } from '../test/support/database.ts';
import { endImport } from '../transfer/import.ts';
import { chooseMergedHistory, readHistoryForm } from './history-form.ts';
import { isMigrated, migrate, readMigrations } from './migrations.ts';

const STEP = 9;
const INDEXES = ['batch_entity', 'batch_owner', 'batch_entry'];

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  await migrate(database, () => undefined);
  await chooseMergedHistory(database);
});
afterAll(() => database.close());

async function indexes(): Promise<unknown[]> {
  const rows = await database.read('SHOW INDEXES YIELD name WHERE name IN $names RETURN name ORDER BY name', {
    names: INDEXES,
  });
  return rows.map(({ name }) => name);
}

test('a new database has the merged form', async () => {
  await database.write('MATCH (s:Schema {id: 1}) SET s.done = [] REMOVE s.historyForm', {});
  expect(await readHistoryForm(database)).toBe('separate');
  await migrate(database, () => undefined);
  expect(await readHistoryForm(database)).toBe('merged');
});

test('a database of the previous release keeps the separate form until it is changed, and gets the indexes', async () => {
  const done = await readMigrations(database);
  for (const name of INDEXES) await database.write(`DROP INDEX ${name}`, {});
  await database.write(
    'MATCH (s:Schema {id: 1}) SET s.done = [step IN s.done WHERE step <> $step] REMOVE s.historyForm',
    { step: STEP },
  );
  expect(await isMigrated(database)).toBe(false);
  await migrate(database, () => undefined);
  expect([(await readMigrations(database)).toSorted(), await indexes()]).toEqual([done.toSorted(), INDEXES.toSorted()]);
  expect(await readHistoryForm(database)).toBe('separate');
  await migrate(database, () => undefined);
  expect(await readHistoryForm(database)).toBe('separate');
  await chooseMergedHistory(database);
  expect(await readHistoryForm(database)).toBe('merged');
});

test('an import, which may bring merged history, chooses the merged form', async () => {
  await database.write('MATCH (s:Schema {id: 1}) SET s.importing = true REMOVE s.historyForm', {});
  expect(await isMigrated(database)).toBe(false);
  await endImport(database);
  expect([await isMigrated(database), await readHistoryForm(database)]).toEqual([true, 'merged']);
});

test('a form of a later release is not served', async () => {
  await database.write("MATCH (s:Schema {id: 1}) SET s.historyForm = 'of a later release'", {});
  expect(await isMigrated(database)).toBe(false);
  await expect(readHistoryForm(database)).rejects.toThrow('of a later release');
  await chooseMergedHistory(database);
  expect(await isMigrated(database)).toBe(true);
});
