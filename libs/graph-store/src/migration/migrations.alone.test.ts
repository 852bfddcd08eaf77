// How a release treats databases that it did not migrate: those of the next release, and incomplete
// imports.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase } from '../test/support/database.ts';
import { isMigrated, migrate, readMigrations } from './migrations.ts';

const OF_THE_NEXT_RELEASE = 9_999;

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test('a database with a step of the next release is served, and migrating it changes nothing', async () => {
  const before = await readMigrations(database);
  await database.write('MATCH (s:Schema {id: 1}) SET s.done = s.done + toInteger($step)', {
    step: OF_THE_NEXT_RELEASE,
  });
  try {
    expect(await isMigrated(database)).toBe(true);
    const lines: string[] = [];
    await migrate(database, (line) => lines.push(line));
    expect(lines).toEqual([]);
    expect(await readMigrations(database)).toEqual([...before, OF_THE_NEXT_RELEASE]);
  } finally {
    const query = 'MATCH (s:Schema {id: 1}) SET s.done = [step IN s.done WHERE step <> $step]';
    await database.write(query, { step: OF_THE_NEXT_RELEASE });
  }
  expect(await readMigrations(database)).toEqual(before);
});

test('a database that lacks a step, or whose import was interrupted, is not served', async () => {
  await database.write('MATCH (s:Schema {id: 1}) SET s.importing = true', {});
  expect(await isMigrated(database)).toBe(false);
  await database.write('MATCH (s:Schema {id: 1}) REMOVE s.importing', {});
  expect(await isMigrated(database)).toBe(true);

  const done = await readMigrations(database);
  await database.write('MATCH (s:Schema {id: 1}) SET s.done = s.done[0..-1]', {});
  expect(await isMigrated(database)).toBe(false);
  // Every step may run twice, so a lost record only repeats it.
  await migrate(database, () => undefined);
  expect(await readMigrations(database)).toEqual(done);
  expect(await isMigrated(database)).toBe(true);
});

test('concurrent migrations result in the same schema', async () => {
  const done = await readMigrations(database);
  for (let round = 0; round < 5; round++) {
    await database.write('DROP INDEX node_trash IF EXISTS', {});
    await database.write('MATCH (s:Schema {id: 1}) SET s.done = []', {});
    await Promise.all(Array.from({ length: 4 }, () => migrate(database, () => undefined)));
    expect((await readMigrations(database)).toSorted()).toEqual(done.toSorted());
  }
});

test('a step that another process executes at the same time is retried until the other finishes', async () => {
  const done = await readMigrations(database);
  await database.write('MATCH (s:Schema {id: 1}) SET s.done = [step IN s.done WHERE step <> 2]', {});
  const [tries, otherIsDone] = [[] as string[], sleep(300).then(() => true)];
  // The other process passed IF NOT EXISTS before the index existed.
  const racing: Database = {
    ...database,
    async write(cypher, parameters, timeoutMs) {
      if (!cypher.includes('node_trash')) return database.write(cypher, parameters, timeoutMs);
      tries.push(cypher);
      const isBehind = !(await Promise.race([otherIsDone, Promise.resolve(false)]));
      return database.write(isBehind ? cypher.replace('IF NOT EXISTS', '') : cypher, parameters, timeoutMs);
    },
  };
  try {
    await migrate(racing, () => undefined);
  } finally {
    await migrate(database, () => undefined);
  }
  expect(tries.length).toBeGreaterThan(1);
  expect((await readMigrations(database)).toSorted()).toEqual(done.toSorted());
});

test('a step that gets no lock from a command in progress is tried again until it does', async () => {
  const done = await readMigrations(database);
  const index = 'import_source_deleted';
  await database.write(`DROP INDEX ${index} IF EXISTS`, {});
  await database.write('MATCH (s:Schema {id: 1}) SET s.done = [step IN s.done WHERE step <> 13]', {});
  const command = database.begin(60_000);
  await command.run("CREATE (:ImportSource {id: 'of a test of locks', deleted: 'now'})", {});
  let tries = 0;
  const watched: Database = {
    ...database,
    async write(cypher, parameters, timeoutMs) {
      if (cypher.includes(index) && ++tries === 2) await command.rollback();
      return database.write(cypher, parameters, timeoutMs);
    },
  };
  try {
    await migrate(watched, () => undefined);
  } finally {
    await command.rollback();
    await migrate(database, () => undefined);
  }
  expect(tries).toBeGreaterThan(1);
  expect((await readMigrations(database)).toSorted()).toEqual(done.toSorted());
});
