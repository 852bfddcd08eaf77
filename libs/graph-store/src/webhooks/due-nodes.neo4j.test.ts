// The order, the ends and the cost of a page of due nodes, with many nodes of one date.
import { Status } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { openTestDatabase, profiled } from '../test/support/database.ts';
import { listDueNodes } from './due-nodes.ts';

const OWNER = 'owner-of-due-nodes';
const [BEFORE, DATE, AFTER, END] = ['1990-01-01', '1990-01-02', '1990-01-03', '1990-01-04'];
const TIES = 5_000;
const tieAt = (at: number) => ({ time: DATE, id: `due-${String(at).padStart(5, '0')}` });

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  const rows = Array.from({ length: TIES }, (_, at) => tieAt(at));
  rows.push({ time: BEFORE, id: 'due-before' }, { time: AFTER, id: 'due-after' });
  await database.write(
    'UNWIND $rows AS row CREATE (:Node {id: row.id, dueDate: row.time, ownerId: $owner, inTrash: false, status: $status})',
    { rows, owner: OWNER, status: integer(Status.AVAILABLE) },
  );
});
afterAll(async () => {
  await database.write("MATCH (n:Node) WHERE n.dueDate > '1' AND n.ownerId = $owner DELETE n", { owner: OWNER });
  await database.close();
});

type Range = Pick<Parameters<typeof listDueNodes>[1], 'after' | 'to'>;
const list = (range: Range, limit = 10, on = database, settled = END) =>
  listDueNodes(on, { ...range, settled, limit, readerId: OWNER, feeds: [] });

test('[HOOK6] a range begins after a node and ends at one, also among nodes with one date', async () => {
  const ends = { after: { time: BEFORE, id: 'due-before' }, to: { time: AFTER, id: 'due-after' } };
  const first = await list(ends);
  expect(first).toEqual({ found: Array.from({ length: 10 }, (_, at) => tieAt(at)), last: tieAt(9) });
  expect(await list({ ...ends, after: tieAt(TIES - 3) })).toEqual({
    found: [tieAt(TIES - 2), tieAt(TIES - 1), ends.to],
    last: null,
  });
  expect(await list({ after: tieAt(3), to: tieAt(5) })).toEqual({ found: [tieAt(4), tieAt(5)], last: null });
  expect(await list({ after: { time: BEFORE, id: '' }, to: tieAt(1) })).toEqual({
    found: [ends.after, tieAt(0), tieAt(1)],
    last: null,
  });
  expect(await list({ after: tieAt(3), to: { time: DATE, id: '' } })).toEqual({ found: [], last: null });
  expect((await list({ after: tieAt(TIES - 1), to: { time: END, id: '' } })).found).toEqual([ends.to]);
});

test('[HOOK6 HOOK10] a page among many nodes with one date costs as much as its limit', async () => {
  const hits = async (range: Range) => {
    const { database: on, counts } = profiled(database);
    expect((await list(range, 100, on)).found).toHaveLength(100);
    return counts.hits;
  };
  const [to, inside] = [{ time: END, id: '' }, tieAt(TIES - 200)];
  const first = await hits({ after: { time: BEFORE, id: 'due-before' }, to });
  expect(first).toBeLessThan(3_000);
  expect(await hits({ after: inside, to })).toBeLessThan(1.2 * first);
  // Also up to a node among them.
  expect(await hits({ after: inside, to: tieAt(TIES - 100) })).toBeLessThan(1.2 * first);
  expect(await hits({ after: { time: BEFORE, id: '' }, to: tieAt(98) })).toBeLessThan(1.2 * first);
});

test('[HOOK6] a date that changes during the statement is not the end of a page', async () => {
  const range = { after: { time: BEFORE, id: 'due-before' }, to: { time: END, id: '' } };
  // As if it had been moved from the first date to the last one between the seek and the read.
  await database.write('MATCH (n:Node {id: $id}) SET n.lastEditedTime = $time', {
    id: 'due-after',
    time: '1990-02-01',
  });
  const page = await list({ ...range, after: tieAt(TIES - 4) }, 4);
  // It comes with the next page.
  expect(page).toEqual({ found: [tieAt(TIES - 3), tieAt(TIES - 2), tieAt(TIES - 1)], last: tieAt(TIES - 1) });
  await expect(list({ ...range, after: tieAt(TIES - 1) }, 1)).rejects.toThrow('all dates of a range changed');
  // Once all changes of that time are stored, it may be.
  const later = await list({ ...range, after: tieAt(TIES - 1) }, 1, database, '1990-03-01');
  expect(later.last).toEqual({ time: AFTER, id: 'due-after' });
});
