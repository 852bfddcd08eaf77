// History in both stored forms, mixed: each read finds what workers wrote in either form.
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import { integer } from '@taskgraph/graph-store/driver/codec';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/history-rewrite';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Op } from '@taskgraph/wire/codes';
import type { Diff } from '@taskgraph/wire/entities';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

/** The worker that writes first, and the one that writes next. */
type Order = readonly [first: TestWorker, second: TestWorker];

interface Page {
  readonly batches: readonly { readonly batchId: string; readonly undone: boolean; readonly undoOf?: string }[];
}

let database: Database;
let workers: Readonly<Record<HistoryForm, TestWorker>>;
let [ann, bob] = [{} as ActingUser, {} as ActingUser];

beforeAll(async () => {
  database = await openTestDatabase();
  const start = (historyForm: HistoryForm) => startTestWorker(database, { historyForm, horizon: async () => '~' });
  workers = { separate: start('separate'), merged: start('merged') };
});
beforeEach(async () => {
  [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/** A test for each order of the two forms. */
function inBothOrders(title: string, run: (order: Order) => Promise<void>): void {
  test.each([
    ['separate', 'merged'],
    ['merged', 'separate'],
  ] as const)(`${title}, %s before %s`, (first, second) => run([workers[first], workers[second]]));
}

async function addNode(worker: TestWorker, payload: object = {}): Promise<string> {
  return addedIn(await worker.run(ann, 'node:add', { title: 'a task', ...payload }));
}

function addedIn({ nodes }: Diff): string {
  return nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
}

const idsOf = ({ batches }: Page) => batches.map(({ batchId }) => batchId);

async function history(reader: ActingUser, payload: object): Promise<Page> {
  return (await workers.merged.read(reader, 'history:page', payload)) as unknown as Page;
}

describe('reads', () => {
  inBothOrders('[HIS7 HISX1] a page of each scope contains the batches of both', async ([first, second]) => {
    const made: string[] = [];
    const run = async (worker: TestWorker, actor: ActingUser, event: string, payload: object) => {
      const diff = await worker.run(actor, event, payload);
      made.push(diff.batchId as string);
      return diff;
    };
    const root = addedIn(await run(first, ann, 'node:add', {}));
    const child = addedIn(await run(second, ann, 'node:add', { target: root }));
    await run(first, ann, 'node:access', { id: root, email: bob.email, level: 2 });
    for (const [index, worker] of [second, first, second, first].entries()) {
      await run(worker, index % 2 === 0 ? ann : bob, 'node:update', { id: root, volume: index + 1 });
      await run(worker, ann, 'node:update', { id: child, volume: index + 1 });
    }
    for (const [reader, payload] of [
      [ann, {}],
      [ann, { scopeType: 'GRAPH', scopeId: root }],
    ] as const) {
      expect(idsOf(await history(reader, payload))).toEqual(made.toReversed());
      expect(idsOf(await history(reader, { ...payload, order: 'oldest' }))).toEqual(made);
      const [newest, rest] = [await history(reader, { ...payload, limit: 4 }), { ...payload, limit: 20, offset: 4 }];
      expect([...idsOf(newest), ...idsOf(await history(reader, rest))]).toEqual(made.toReversed());
    }
    const own = await history(bob, { scopeType: 'USER' });
    expect(own.batches).toHaveLength(2);
    expect(idsOf(await history(ann, { scopeType: 'NODE', scopeId: child }))).toHaveLength(5);
    // Bob's history begins with his access, so it contains the batches of both forms since then.
    expect(idsOf(await history(bob, {})).filter((id) => made.slice(2).includes(id))).toEqual(
      made.slice(2).toReversed(),
    );
    expect(idsOf(await history(ann, { actor: [bob.username] }))).toEqual(idsOf(own));
  });

  inBothOrders('[EVT2] changes since any position contain the entries of both', async ([first, second]) => {
    const position = async () => (await workers.merged.feeds(ann)).position;
    const steps: { since: string; id: string }[] = [];
    for (const worker of [first, second, first, second, second, first]) {
      const since = await position();
      steps.push({ since, id: await addNode(worker) });
    }
    for (const [index, { since }] of steps.entries()) {
      const answer = await workers.merged.read(ann, 'changes:get', { since });
      const found = (answer.nodes as { id: string }[]).map(({ id }) => id).sort();
      const wanted = steps.slice(index).map(({ id }) => id);
      expect([answer.resetRequired, found]).toEqual([undefined, wanted.sort()]);
    }
  });

  inBothOrders('[EVT2] changes of links and of a gained feed are in the entries of both', async ([first, second]) => {
    const [one, other] = [await addNode(first), await addNode(second)];
    const since = (await workers.merged.feeds(ann)).position;
    const bobsSince = (await workers.merged.feeds(bob)).position;
    const link = (await first.run(ann, 'link:add', { source: one, target: other })).links[0]?.after.id;
    await second.run(ann, 'node:access', { id: other, email: bob.email, level: 1 });
    const answer = await workers.merged.read(ann, 'changes:get', { since });
    expect((answer.links as { id: string }[]).map(({ id }) => id)).toEqual([link]);
    const bobs = await workers.merged.read(bob, 'changes:get', { since: bobsSince });
    expect((bobs.nodes as { id: string }[]).map(({ id }) => id)).toContain(other);
  });
});

describe('commands', () => {
  inBothOrders('[GEN8] a repeated key gets the first answer from the other worker', async ([first, second]) => {
    const payload = { title: 'once' };
    const answer = await first.send(ann, 'node:add', payload, { key: 'one' });
    expect(answer.ok).toBe(true);
    expect(await second.send(ann, 'node:add', payload, { key: 'one' })).toEqual(answer);
    const conflict = await second.send(ann, 'node:add', { title: 'twice' }, { key: 'one' });
    expect(conflict.ok).toBe(false);
  });

  inBothOrders(
    '[HIS5] an undo and a redo by the other worker change what counts as undone',
    async ([first, second]) => {
      const id = await addNode(first);
      const { batchId } = await first.run(ann, 'node:update', { id, title: 'changed' });
      const undone = async () => {
        const { batches } = await history(ann, { scopeType: 'NODE', scopeId: id });
        return batches.find((batch) => batch.batchId === batchId)?.undone;
      };
      expect(await undone()).toBe(false);
      const undo = await second.send(ann, 'batch:undo', { batchId });
      expect([undo.ok, await undone()]).toEqual([true, true]);
      expect((await first.send(ann, 'batch:redo', { batchId })).ok).toBe(true);
      expect(await undone()).toBe(false);
      const again = await second.send(ann, 'batch:undo', { batchId });
      expect([again.ok, await undone()]).toEqual([true, true]);
      const refused = await first.refused(ann, 'batch:undo', { batchId });
      expect(refused).toMatchObject({ code: expect.stringContaining('undo') });
    },
  );

  inBothOrders('[HIS9] a conflict names the newest batch that set the field', async ([first, second]) => {
    const id = await addNode(first);
    const { batchId } = await first.run(ann, 'node:update', { id, title: 'one' });
    await first.run(ann, 'node:update', { id, title: 'two' });
    const last = await second.run(ann, 'node:update', { id, title: 'three' });
    await first.run(ann, 'node:update', { id, volume: 5 });
    const { code, details } = await second.refused(ann, 'batch:undo', { batchId });
    expect([code, JSON.stringify(details)]).toEqual([
      expect.any(String),
      expect.stringContaining(last.batchId as string),
    ]);
  });

  inBothOrders('[HIS9] a conflict names the batch that trashed the entity', async ([first, second]) => {
    const { batchId, nodes } = await first.run(ann, 'node:add', {});
    const id = nodes[0]?.after.id as string;
    const trashing = await second.run(ann, 'node:trash', { id });
    const { details } = await first.refused(ann, 'batch:undo', { batchId });
    expect(JSON.stringify(details)).toContain(trashing.batchId as string);
    expect(JSON.stringify(details)).toContain(ann.email);
  });
});

inBothOrders('[TRS5] the content of a deleted entity leaves the batches of both', async ([first, second]) => {
  const secret = `secret-${ann.id}`;
  const id = await addNode(first, { title: secret });
  const other = await addNode(first);
  await second.run(ann, 'node:update', { id, description: secret });
  await second.run(ann, 'link:add', { source: id, target: other });
  await first.run(ann, 'node:trash', { id });
  await second.run(ann, 'node:delete', { id });
  const stored = async () => {
    const [row] = await database.read(
      'MATCH (b:Batch) WHERE b.actorId = $actor AND b.ts > "" AND b.id > "" AND b.changes CONTAINS $secret RETURN count(b) AS count',
      { actor: ann.id, secret },
    );
    return row?.count;
  };
  expect(await stored()).not.toBe(0);
  expect(await listUnwritten(database, 10_000)).toContain(id);
  expect(await rewriteHistory(database, [id])).toBeGreaterThan(0);
  expect(await stored()).toBe(0);
});

/** More than one look-up of the batches that touched an entity. */
const TOUCHES = 1_001;

test('[TRS5] a batch that was just deleted does not end the rewriting of later ones', async () => {
  const entity = newId(0);
  const secret = `secret-${entity}`;
  const changes = JSON.stringify([
    { kind: 'node', op: Op.NODE_ADD, id: entity, before: null, after: { title: secret } },
  ]);
  // The first touch stands for a batch that a purge deletes between two parts of the look-up.
  await database.write(
    `UNWIND range(1, $touches) AS number
     WITH $entity + ' ' + toString(10000 + number) AS id, number
     CREATE (:Touch {entity: $entity, ts: '2026', batch: id})
     FOREACH (one IN CASE number WHEN 1 THEN [] ELSE [1] END |
       CREATE (:Batch {id: id, key: id, ts: '2026', changes: CASE number WHEN $touches THEN $changes ELSE '[]' END}))`,
    { entity, changes, touches: integer(TOUCHES) },
  );
  try {
    expect(await rewriteHistory(database, [entity])).toBe(1);
    const [last] = await database.read('MATCH (b:Batch {id: $id}) RETURN b.changes AS changes', {
      id: `${entity} ${10_000 + TOUCHES}`,
    });
    expect(last?.changes).toContain(entity);
    expect(last?.changes).not.toContain(secret);
  } finally {
    await database.write(
      `MATCH (t:Touch) WHERE t.entity = $entity AND t.ts = '2026' AND t.batch > ''
       OPTIONAL MATCH (b:Batch {id: t.batch})
       DELETE t, b`,
      { entity },
    );
  }
});
