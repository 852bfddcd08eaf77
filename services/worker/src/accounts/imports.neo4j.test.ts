// Sources of imports and their rows, by the handlers that workers answer with, on a real database.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { purgeDeletedImports } from '@taskgraph/graph-store/imports/import-rows';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountAnswer, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import { MAXIMUM_IMPORT_ROWS, MAXIMUM_IMPORT_SOURCES } from '@taskgraph/wire/imports/import-fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, operations } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let { ask, done, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, setClock } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

type Begun = AccountAnswer<'account:import:begin'>;
type Page = AccountAnswer<'account:import:rows'>;
const SETTINGS = { format: null, reading: null, origin: null, fingerprint: '' };
const begin = async (user: ActingUser, name: string, more: Partial<AccountPayload<'account:import:begin'>> = {}) => {
  const run = newId(0);
  const start = { id: newId(0), name, run, under: null, mode: 'import' as const, ...SETTINGS, ...more };
  return { ...((await done('account:import:begin', start, user)) as unknown as Begun), run: start.run };
};
const NO_ROWS = { tasks: [], links: [], droppedTasks: [], droppedLinks: [], batch: null, complete: false };
type Rows = Partial<AccountPayload<'account:import:store'>>;
/** A batch that a user made at a moment. */
const batchOf = async (user: ActingUser, ms = NOW) => {
  const id = newId(0);
  const ts = new Date(ms).toISOString();
  await database.write('CREATE (:Batch {id: $id, key: $id, actorId: $user, ts: $ts})', { id, user: user.id, ts });
  return id;
};
const store = async (user: ActingUser, source: string, run: string, rows: Rows) =>
  ask('account:import:store', { source, run, ...NO_ROWS, ...rows }, user);
const read = async (user: ActingUser, source: string, after = '') =>
  (await done('account:import:rows', { source, after }, user)) as unknown as Page;
const task = (id: string, base = '') => ({ id, node: newId(0), base });
const refused = (error: string) => expect.objectContaining({ ok: false, error });

test('[IO12] rows are stored, replaced and removed, and only their user reads them', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const { source, run } = await begin(ann, 'github issues.json');
  expect(source).toMatchObject({ group: 1, state: 'importing', rows: 0, under: null, name: 'github issues.json' });
  const [one, two] = [task('#1', 'title:aa'), task('€'.repeat(200))];
  const link = { source: '#1', target: two.id, base: 2 };
  const batch = newId(0);
  expect(await store(ann, source.id, run, { tasks: [one, two], links: [link], batch })).toMatchObject({ ok: true });
  // A repeated request changes nothing.
  await store(ann, source.id, run, { tasks: [one, two], links: [link], batch });
  const page = await read(ann, source.id);
  expect(page.tasks).toHaveLength(2);
  expect(page.tasks).toEqual(expect.arrayContaining([one, two]));
  expect([page.links, page.batches, page.next]).toEqual([[link], [{ id: batch, number: 1 }], null]);
  const later = { ...one, base: 'title:bb' };
  const droppedLinks = [{ source: '#1', target: two.id }];
  await store(ann, source.id, run, { tasks: [later], droppedTasks: [two.id], droppedLinks, complete: true });
  expect(await read(ann, source.id)).toMatchObject({ tasks: [later], links: [] });
  const { sources } = (await done('account:imports', {}, ann)) as unknown as AccountAnswer<'account:imports'>;
  expect(sources).toMatchObject([{ id: source.id, rows: 1, state: 'complete' }]);
  expect(await ask('account:import:rows', { source: source.id, after: '' }, bob)).toEqual(refused('not_found'));
  expect(await store(bob, source.id, run, { tasks: [one] })).toEqual(refused('not_found'));
  expect(await done('account:imports', {}, bob)).toMatchObject({ sources: [] });
  expect(await ask('account:import:delete', { source: source.id, request: newId(0) }, bob)).toEqual(
    refused('not_found'),
  );
});

test('[IO12] an interrupted run continues its group, and a later run of the same source ends an earlier one', async () => {
  const ann = await makeUser(database);
  const under = newId(0);
  const first = await begin(ann, 'x', { under });
  const second = await begin(ann, 'x', { under });
  expect([first.interrupted, second.interrupted]).toEqual([false, true]);
  expect([second.source.group, second.source.under, second.user]).toEqual([1, under, ann.id]);
  const { id } = second.source;
  expect(await store(ann, id, first.run, { tasks: [task('1')] })).toEqual(refused('conflict.import_replaced'));
  await store(ann, id, second.run, { tasks: [task('1')], batch: newId(0), complete: true });
  const third = await begin(ann, 'x', { mode: 'update' });
  expect([third.source.group, third.source.under, third.source.state]).toEqual([2, under, 'running']);
  // A run without rows is not the last one.
  await store(ann, id, third.run, { complete: true });
  expect((await read(ann, id)).batches).toHaveLength(1);
  const fourth = await begin(ann, 'x', { mode: 'update' });
  expect(fourth.source.group).toBe(2);
  // Nor is an update that only changes rows.
  await store(ann, id, fourth.run, { tasks: [task('1')], complete: true });
  expect((await read(ann, id)).batches).toHaveLength(1);
  const fifth = await begin(ann, 'x', { mode: 'update' });
  expect(fifth.source.group).toBe(2);
  await store(ann, id, fifth.run, { tasks: [task('1')], batch: await batchOf(ann), complete: true });
  expect((await read(ann, id)).batches).toHaveLength(1);
  expect((await begin(ann, 'x', { mode: 'update' })).source.group).toBe(3);
  const missing = { ...SETTINGS, id: newId(0), name: 'y', run: newId(0), under: null, mode: 'update' as const };
  expect(await ask('account:import:begin', missing, ann)).toEqual(refused('not_found'));
});

test('[IO12] a run begins only if it is of the same import, in the order of runs', async () => {
  const ann = await makeUser(database);
  const own = { format: 'csv', reading: 'r', origin: 'o', under: newId(0) };
  type Mode = AccountPayload<'account:import:begin'>['mode'];
  const attempt = (mode: Mode, more: object = {}) =>
    ask('account:import:begin', { ...SETTINGS, ...own, id: newId(0), name: 'x', run: newId(0), mode, ...more }, ann);
  const first = await begin(ann, 'x', { ...own, fingerprint: 'a' });
  await store(ann, first.source.id, first.run, { tasks: [task('1')], batch: newId(0) });
  for (const mode of ['update', 'undo'] as const)
    expect(await attempt(mode)).toEqual(refused('conflict.import_incomplete'));
  expect(await attempt('import', { fingerprint: 'b' })).toEqual(refused('conflict.import_source'));
  expect(await attempt('drop', { fingerprint: 'b' })).toEqual(refused('conflict.import_source'));
  // None of them has replaced the run.
  await store(ann, first.source.id, first.run, { tasks: [task('2')], complete: true });
  expect(await attempt('import', { fingerprint: 'a' })).toMatchObject({
    body: { source: { state: 'complete', rows: 2 } },
  });
  expect(await attempt('undo')).toEqual(refused('not_found'));
  for (const name of ['format', 'reading', 'origin'] as const)
    expect(await attempt('update', { [name]: 'other' })).toMatchObject({
      error: 'conflict.import_settings',
      details: { differs: [name] },
    });
  expect(await attempt('update', { under: newId(0) })).toMatchObject({ details: { differs: ['under'] } });
  const update = await begin(ann, 'x', { mode: 'update' });
  expect(update.source).toMatchObject({ ...own, state: 'running', undoable: false });
  const batch = await batchOf(ann);
  await store(ann, update.source.id, update.run, { droppedTasks: ['1'], batch, complete: true });
  const { sources } = (await done('account:imports', {}, ann)) as unknown as AccountAnswer<'account:imports'>;
  expect(sources).toMatchObject([{ rows: 1, undoable: true }]);
  // Without rows another import may begin.
  const drop = await begin(ann, 'x', { mode: 'drop', fingerprint: 'a' });
  expect(drop.source.state).toBe('importing');
  await store(ann, drop.source.id, drop.run, { droppedTasks: ['2'] });
  expect((await begin(ann, 'x', { fingerprint: 'b', format: 'github' })).source.format).toBe('github');
});

test('[IO12] removed rows end with the group after their own', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  const all = ['1', '2', '3'];
  await store(ann, source.id, run, { tasks: all.map((id) => task(id)), complete: true });
  const rows = async () => {
    const [row] = await database.read('MATCH (r:ImportRow {source: $source}) RETURN count(r) AS count', {
      source: source.id,
    });
    return row?.count;
  };
  for (const id of all) {
    const update = await begin(ann, 'x', { mode: 'update' });
    await store(ann, source.id, update.run, { droppedTasks: [id], batch: await batchOf(ann), complete: true });
  }
  const last = await begin(ann, 'x', { mode: 'update' });
  // The removed row and the batch of the last update.
  expect([last.source.rows, await rows()]).toEqual([0, 2]);
});

test('[IO12 BAT4] batches have numbers in the order in which they were stored, whatever their ids are', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  await store(ann, source.id, run, { tasks: [task('1')], batch: newId(0), complete: true });
  const update = await begin(ann, 'x', { mode: 'update' });
  // Several workers make them, and the clock of one is late.
  const [first, second, third] = [await batchOf(ann), await batchOf(ann), await batchOf(ann)];
  const ids = [second, third, first];
  for (const batch of ids) await store(ann, source.id, update.run, { tasks: [task('1', batch)], batch });
  // A repeated call changes nothing.
  await store(ann, source.id, update.run, { tasks: [task('1')], batch: String(ids[0]) });
  const continued = await begin(ann, 'x', { mode: 'update' });
  const last = await batchOf(ann);
  await store(ann, source.id, continued.run, { tasks: [task('1')], batch: last, complete: true });
  const { batches } = await read(ann, source.id);
  const ordered = batches.toSorted((one, other) => one.number - other.number).map(({ id }) => id);
  expect(ordered).toEqual([...ids, last]);
  expect(new Set(batches.map(({ number }) => number)).size).toBe(4);
});

test('[IO12 IO4] a revert returns the rows of the last group to their former values', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  const [one, two, three] = [task('1', 'a'), task('2', 'b'), task('3', 'c')];
  const link = { source: '1', target: '2', base: 0 };
  await store(ann, source.id, run, { tasks: [one, two, three], links: [link], complete: true });
  const second = await begin(ann, 'x', { mode: 'update' });
  await store(ann, source.id, second.run, {
    tasks: [{ ...one, base: 'a2' }, task('4')],
    droppedTasks: ['2'],
    batch: await batchOf(ann),
  });
  await store(ann, source.id, second.run, {
    tasks: [{ ...one, base: 'a3' }],
    droppedLinks: [{ source: '1', target: '2' }],
    batch: await batchOf(ann),
    complete: true,
  });
  const undo = await begin(ann, 'x', { mode: 'undo' });
  expect([undo.source.group, undo.source.state]).toEqual([2, 'undoing']);
  const other = { ...SETTINGS, id: newId(0), name: 'x', run: newId(0), under: null, mode: 'update' as const };
  expect(await ask('account:import:begin', other, ann)).toEqual(refused('conflict.import_undo'));
  const third = await begin(ann, 'x', { mode: 'undo' });
  expect(await done('account:import:revert', { source: source.id, run: third.run }, ann)).toMatchObject({
    hasMore: false,
  });
  const page = await read(ann, source.id);
  expect(page.tasks).toHaveLength(3);
  expect(page.tasks).toEqual(expect.arrayContaining([one, two, three]));
  expect([page.links, page.batches]).toEqual([[link], []]);
  const next = await begin(ann, 'x', { mode: 'update' });
  expect([next.source.group, next.source.rows]).toEqual([3, 4]);
  await store(ann, source.id, next.run, { complete: true });
  expect(await ask('account:import:revert', { source: source.id, run: undo.run }, ann)).toEqual(
    refused('conflict.import_replaced'),
  );
  // It is undone once.
  const again = { ...SETTINGS, id: newId(0), name: 'x', run: newId(0), under: null, mode: 'undo' as const };
  expect(await ask('account:import:begin', again, ann)).toEqual(refused('not_found'));
  const { sources } = (await done('account:imports', {}, ann)) as unknown as AccountAnswer<'account:imports'>;
  expect(sources).toMatchObject([{ state: 'complete', undoable: false }]);
  expect((await begin(ann, 'x', { mode: 'update' })).source.group).toBe(3);
});

test('[IO12] pages of rows contain each row once, and a revert ends in bounded steps', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  const tasks = Array.from({ length: 1_200 }, (_, index) => task(`task ${index}`));
  for (let at = 0; at < tasks.length; at += 500) await store(ann, source.id, run, { tasks: tasks.slice(at, at + 500) });
  const found: string[] = [];
  let pages = 0;
  for (let after: string | null = ''; after !== null; pages++) {
    const page: Page = await read(ann, source.id, after);
    found.push(...page.tasks.map(({ id }) => id));
    after = page.next;
  }
  expect(pages).toBe(3);
  expect(found.sort()).toEqual(tasks.map(({ id }) => id).sort());
  const reverts: boolean[] = [];
  const revert = async () =>
    ((await done('account:import:revert', { source: source.id, run }, ann)) as unknown as { hasMore: boolean }).hasMore;
  do reverts.push(await revert());
  while (reverts.at(-1) === true);
  expect(reverts).toEqual([true, true, false]);
  expect((await read(ann, source.id)).tasks).toEqual([]);
});

test('[IO12] a user has a bounded number of sources and rows', async () => {
  const ann = await makeUser(database);
  for (let index = 0; index < MAXIMUM_IMPORT_SOURCES; index++) await begin(ann, `source ${index}`);
  const start = { ...SETTINGS, id: newId(0), run: newId(0), under: null, mode: 'import' as const };
  expect(await ask('account:import:begin', { ...start, name: 'one more' }, ann)).toEqual(
    expect.objectContaining({ error: 'conflict.too_many_imports', details: { most: MAXIMUM_IMPORT_SOURCES } }),
  );
  const { source, run, free } = await begin(ann, 'source 7');
  expect(free).toBe(MAXIMUM_IMPORT_ROWS);
  // As many rows as another source may have, without the time to store them.
  await database.write(
    'MATCH (:User {id: $user})-[:HAS_IMPORT]->(s:ImportSource {name: $name}) SET s.rows = toInteger($rows)',
    {
      user: ann.id,
      name: 'source 8',
      rows: MAXIMUM_IMPORT_ROWS - 2,
    },
  );
  await store(ann, source.id, run, { tasks: [task('1'), task('2')] });
  expect(await store(ann, source.id, run, { tasks: [task('3')] })).toEqual(
    expect.objectContaining({ error: 'conflict.too_many_import_rows', details: { most: MAXIMUM_IMPORT_ROWS } }),
  );
  // Rows that exist can still change.
  expect(await store(ann, source.id, run, { tasks: [task('1')] })).toMatchObject({ ok: true });
  // The batch of a part that exists can be recorded.
  expect(await store(ann, source.id, run, { batch: newId(0) })).toMatchObject({ ok: true });
  expect((await begin(ann, 'source 7')).free).toBe(0);
  // Rows of a deleted source count until they are deleted.
  const { sources } = (await done('account:imports', {}, ann)) as unknown as AccountAnswer<'account:imports'>;
  const other = sources.find(({ name }) => name === 'source 8');
  await done('account:import:delete', { source: String(other?.id), request: newId(0) }, ann);
  expect((await begin(ann, 'source 7')).free).toBe(0);
});

test('[IO12] a deleted source is gone at once, and a job deletes its rows', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  await store(ann, source.id, run, { tasks: Array.from({ length: 30 }, (_, index) => task(String(index))) });
  const request = newId(0);
  await done('account:import:delete', { source: source.id, request }, ann);
  // A repeated request gets the same answer.
  await done('account:import:delete', { source: source.id, request }, ann);
  expect(await ask('account:import:delete', { source: source.id, request: newId(0) }, ann)).toEqual(
    refused('not_found'),
  );
  expect(await ask('account:import:rows', { source: source.id, after: '' }, ann)).toEqual(refused('not_found'));
  expect((await begin(ann, 'x')).source.id).not.toBe(source.id);
  const rows = async () => {
    const [row] = await database.read('MATCH (r:ImportRow {source: $source}) RETURN count(r) AS count', {
      source: source.id,
    });
    return row?.count;
  };
  setClock(0);
  const steps: number[] = [];
  do steps.push(await purgeDeletedImports(database, new Date(NOW + 1).toISOString(), 12));
  while (steps.at(-1) !== 0);
  expect(await rows()).toBe(0);
  expect(await database.read('MATCH (s:ImportSource {id: $source}) RETURN s', { source: source.id })).toEqual([]);
});

test('[IO12] a repeated begin is not an interruption', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  await store(ann, source.id, run, { tasks: [task('1')], complete: true });
  const first = await begin(ann, 'x', { mode: 'update' });
  expect((await begin(ann, 'x', { mode: 'update', run: first.run })).interrupted).toBe(false);
  const second = await begin(ann, 'x', { mode: 'update' });
  expect([second.interrupted, (await begin(ann, 'x', { mode: 'update', run: second.run })).interrupted]).toEqual([
    true,
    true,
  ]);
});

test('[IO12] an interrupted update is undone, with or without rows, and an undo compares format and path', async () => {
  const ann = await makeUser(database);
  const own = { format: 'csv', origin: 'o', reading: 'r' };
  const { source, run } = await begin(ann, 'x', own);
  const one = task('1', 'a');
  await store(ann, source.id, run, { tasks: [one], complete: true });
  const undo = { ...SETTINGS, id: newId(0), name: 'x', run: newId(0), under: null, mode: 'undo' as const };
  const revert = async (by: string) => done('account:import:revert', { source: source.id, run: by }, ann);
  for (const rows of [[{ ...one, base: 'b' }], []]) {
    const update = await begin(ann, 'x', { ...own, mode: 'update' });
    const batch = await batchOf(ann);
    if (rows.length > 0) await store(ann, source.id, update.run, { tasks: rows, batch });
    expect((await read(ann, source.id)).batches.map(({ id }) => id)).toEqual(rows.length > 0 ? [batch] : []);
    for (const name of ['format', 'origin'] as const)
      expect(await ask('account:import:begin', { ...undo, [name]: 'other' }, ann)).toMatchObject({
        error: 'conflict.import_settings',
        details: { differs: [name] },
      });
    const begun = await begin(ann, 'x', { mode: 'undo', format: 'csv', origin: 'o' });
    expect(begun.source.state).toBe('undoing');
    await revert(begun.run);
    expect(await read(ann, source.id)).toMatchObject({ tasks: [one], batches: [] });
    const { sources } = (await done('account:imports', {}, ann)) as unknown as AccountAnswer<'account:imports'>;
    expect(sources).toMatchObject([{ state: 'complete', undoable: false }]);
  }
});

test('[IO12] an update records only batches of its user since it began', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const { source, run } = await begin(ann, 'x');
  await store(ann, source.id, run, { tasks: [task('1')], complete: true });
  const update = await begin(ann, 'x', { mode: 'update' });
  const hour = 3_600_000;
  for (const batch of [newId(0), await batchOf(bob), await batchOf(ann, NOW - hour)])
    expect(await store(ann, source.id, update.run, { batch })).toEqual(refused('not_found'));
  setClock(hour);
  // A later run of the same update records what the first one made.
  const second = await begin(ann, 'x', { mode: 'update' });
  for (const batch of [await batchOf(ann), await batchOf(ann, NOW + hour)])
    expect(await store(ann, source.id, second.run, { batch })).toMatchObject({ ok: true });
  setClock(0);
});

test('[IO12] a page reads a bounded number of rows, however many are removed', async () => {
  const ann = await makeUser(database);
  const { source, run } = await begin(ann, 'x');
  const tasks = Array.from({ length: 1_200 }, (_, index) => task(`task ${index}`));
  for (let at = 0; at < tasks.length; at += 500) await store(ann, source.id, run, { tasks: tasks.slice(at, at + 500) });
  for (let at = 0; at < 1_199; at += 500)
    await store(ann, source.id, run, { droppedTasks: tasks.slice(at, Math.min(at + 500, 1_199)).map(({ id }) => id) });
  const pages: Page[] = [];
  for (let after: string | null = ''; after !== null; after = pages.at(-1)?.next ?? null)
    pages.push(await read(ann, source.id, after));
  expect([pages.length, pages.flatMap((page) => page.tasks)]).toEqual([3, [tasks.at(-1)]]);
});

test('[IO12 BOT1] a bot has no sources, and one that has some loses them when it is removed', async () => {
  const ann = await makeUser(database);
  const id = newId(0);
  await done('account:bot:add', { id, name: 'robot' }, ann);
  const bot = { ...ann, id, maintainer: ann.id };
  const start = { ...SETTINGS, id: newId(0), name: 'x', run: newId(0), under: null, mode: 'import' as const };
  const [source, run] = [newId(0), newId(0)];
  for (const answer of [
    await ask('account:imports', {}, bot),
    await ask('account:import:begin', start, bot),
    await store(bot, source, run, { tasks: [task('1')] }),
    await ask('account:import:rows', { source, after: '' }, bot),
    await ask('account:import:revert', { source, run }, bot),
    await ask('account:import:delete', { source, request: newId(0) }, bot),
  ])
    expect(answer).toEqual(refused('forbidden.target_required'));
  await database.write(
    `MATCH (u:User {id: $id}) CREATE (u)-[:HAS_IMPORT]->(:ImportSource {id: $source, name: 'x', rows: 1}),
      (:ImportRow {source: $source, key: 't1', value: '{}', group: 1})`,
    { id, source },
  );
  await done('account:bot:remove', { id }, ann);
  await done('account:bot:remove', { id }, ann);
  while ((await purgeDeletedImports(database, new Date(NOW + 1).toISOString(), 10)) !== 0);
  expect(await database.read('MATCH (r:ImportRow {source: $source}) RETURN r', { source })).toEqual([]);
});
