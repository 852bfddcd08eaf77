// Following history on a real Neo4j: pages in the order of time, filters, and batches that commit
// late.
import { writeIfUnchanged } from '@taskgraph/graph-store/commit/write';
import { failureOf } from '@taskgraph/graph-store/driver/failures';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, Op } from '@taskgraph/wire/codes';
import { describe, expect, test, vi } from 'vitest';
import { HISTORY_LAG_MS, LONGEST_OPEN_MS } from '../../commit/commit-age.ts';
import { makeUser, newId, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { fan, sow } from '../../test/support/large-graphs.ts';
import { createSignal } from '../../test/support/race.ts';
import { eachWorkScene, type WorkScene } from '../../test/support/scenes.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import type { ReadEnvironment } from '../read-handler.ts';
import { historyHorizon } from './history-horizon.ts';

interface Page {
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly truncated?: true;
  readonly batches: readonly { readonly batchId: string; readonly ts: string; readonly ops: readonly object[] }[];
}

let { database, worker, ada, bob, addNode, share } = {} as WorkScene;
eachWorkScene((scene) => {
  ({ database, worker, ada, bob, addNode, share } = scene);
});

/** A read with everything in sight that is committed, unless a horizon is given. */
async function answerOf(actor: ActingUser, payload: object, horizon: ReadEnvironment['horizon'] = async () => '~') {
  const message = { event: 'history:page', payload: { ...payload }, actor, deadline: 0, traceId: 'test' };
  return answerWhole(message, { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(), horizon });
}

async function pageOf(actor: ActingUser, payload: object, horizon?: ReadEnvironment['horizon']): Promise<Page> {
  const reply = await answerOf(actor, payload, horizon);
  if (!reply.ok) throw new Error(`history:page was refused: ${JSON.stringify(reply)}`);
  return reply.body as unknown as Page;
}

async function refusalOf(actor: ActingUser, payload: object): Promise<string> {
  const reply = await answerOf(actor, payload);
  return reply.ok ? '' : reply.error;
}

const idsIn = ({ batches }: Page) => batches.map(({ batchId }) => batchId);
const oldest = { order: 'oldest' };

/** All pages, by `next`. */
async function walk(actor: ActingUser, query: object): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null | undefined; ; ) {
    const page: Page = await pageOf(actor, { ...query, ...(after === undefined ? {} : { after }) });
    found.push(...idsIn(page));
    after = page.next;
    if (!page.hasMore) return found;
  }
}

describe('a walk by next', () => {
  test('[HISX1] reads the batches in either order, and continues with later ones', async () => {
    const id = await addNode();
    const made: string[] = [];
    const update = async (volume: number) =>
      made.push((await worker.run(ada, 'node:update', { id, volume })).batchId as string);
    for (let volume = 1; volume < 8; volume++) await update(volume);
    const whole = idsIn(await pageOf(ada, {}));
    expect(await walk(ada, { limit: 3 })).toEqual(whole);
    expect(await walk(ada, { ...oldest, limit: 3 })).toEqual([...whole].reverse());
    const end = await pageOf(ada, oldest);
    expect(end).toMatchObject({ hasMore: false, next: expect.any(String) });
    const empty = await pageOf(ada, { ...oldest, after: end.next });
    expect(empty).toEqual({ hasMore: false, next: end.next, batches: [] });
    await update(8);
    expect(idsIn(await pageOf(ada, { ...oldest, after: empty.next }))).toEqual(made.slice(-1));
    expect(await pageOf(ada, { limit: 1_000 })).toMatchObject({ hasMore: false, next: null });
  });

  test('[HISX1] walks past hidden batches, a bounded number in a call', async () => {
    const hidden = JSON.stringify([{ op: Op.NODE_ADD, kind: 'node', id: newId(0), before: null, after: {} }]);
    const ids = Array.from({ length: 5_100 }, () => newId(0));
    const fields = { actorId: bob.id, ts: '2026-01-01T00:00:00.000Z', changes: hidden, feeds: '{}', skipped: [] };
    await database.write(
      `UNWIND $ids AS id
       CREATE (b:Batch {key: id, id: id, origin: id, reverses: false, undone: false}) SET b += $fields
       CREATE (:Touch {entity: $user, ts: $fields.ts, batch: id})`,
      { ids, fields, user: bob.id },
    );
    const id = await addNode({}, bob);
    const first = await pageOf(bob, oldest);
    expect(first).toMatchObject({ hasMore: true, truncated: true, batches: [] });
    for (const hiddenId of ids.slice(-3))
      expect(Buffer.from(first.next ?? '', 'base64url').toString()).not.toContain(hiddenId);
    const second = await pageOf(bob, { ...oldest, after: first.next });
    expect(second).toMatchObject({ hasMore: false, batches: [{ ops: [{ entityId: id }] }] });
    expect(second.truncated).toBeUndefined();
    // Newest first, the bound cuts the older ones off, and `next` continues with them.
    const newest = await pageOf(bob, {});
    expect(newest).toMatchObject({ hasMore: false, truncated: true, batches: [{ ops: [{ entityId: id }] }] });
    expect(await pageOf(bob, { after: newest.next })).toEqual({ hasMore: false, next: null, batches: [] });
  });

  test('[HISX1] a walk does not return batches that become visible after it has passed them', async () => {
    const id = await addNode();
    await worker.run(bob, 'node:add', {});
    const { next } = await pageOf(bob, oldest);
    await share(id);
    const later = await pageOf(bob, { ...oldest, after: next });
    expect(later.batches.flatMap(({ ops }) => ops)).toMatchObject([{ type: Op.GRANT_UPSERT }]);
    expect(idsIn(await pageOf(bob, oldest))).toHaveLength(3);
  });
});

describe('filters', () => {
  test('[HISX1] narrow either order by time, actor and type of a visible operation', async () => {
    const id = await addNode();
    await share(id, { level: 2 });
    const byBob = (await worker.run(bob, 'node:update', { id, title: 'by bob' })).batchId;
    const byAda = (await worker.run(ada, 'node:update', { id, title: 'by ada' })).batchId;
    const whole = await pageOf(ada, oldest);
    const since = whole.batches[2]?.ts;
    for (const order of ['oldest', 'newest']) {
      const idsOf = async (query: object, reader = ada) => idsIn(await pageOf(reader, { order, ...query })).sort();
      expect(await idsOf({ since })).toEqual([byBob, byAda].sort());
      expect(await idsOf({ since: '2999-01-01' })).toEqual([]);
      expect(await idsOf({ actor: ['bob'] })).toEqual([byBob]);
      expect(await idsOf({ actor: ['nobody'] })).toEqual([]);
      expect(await idsOf({ actor: ['bob', 'ada'] })).toHaveLength(4);
      expect(await idsOf({ ops: [Op.NODE_UPDATE] })).toEqual([byBob, byAda].sort());
      expect(await idsOf({ ops: [Op.NODE_UPDATE], actor: ['ada'], since })).toEqual([byAda]);
    }
  });

  test('[HISX1 HIS7] a hidden operation of the type does not list a batch', async () => {
    const [shown, hidden] = [await addNode(), await addNode()];
    await share(shown, { branch: false });
    const { batchId } = await worker.run(ada, 'link:add', { source: hidden, target: shown });
    expect(idsIn(await pageOf(bob, { ops: [Op.NODE_STATUS] }))).toEqual([batchId]);
    expect(idsIn(await pageOf(bob, { ops: [Op.LINK_ADD] }))).toEqual([]);
    expect(idsIn(await pageOf(ada, { ops: [Op.LINK_ADD], scopeType: 'NODE', scopeId: shown }))).toEqual([]);
  });
});

describe('refusals', () => {
  test('[HISX1] a cursor is valid for its user and its query alone', async () => {
    const id = await addNode();
    await share(id);
    const scope = { scopeType: 'NODE', scopeId: id };
    const query = { ...oldest, ...scope, since: '2026-01-01', actor: ['ada', 'bob'], ops: [0, 20] };
    const { next: after } = await pageOf(ada, query);
    const alike = { ...query, since: '2026-01-01T00:00:00Z', actor: ['bob', 'ada'], ops: [20, 0, 0], limit: 5 };
    expect(await refusalOf(ada, { ...alike, after })).toBe('');
    for (const other of [
      { order: 'newest' },
      { scopeType: 'GRAPH' },
      { since: '2026-01-02' },
      { actor: ['ada'] },
      { ops: [0] },
      { after: `${after}A` },
      { after: 'x' },
    ]) {
      expect([other, await refusalOf(ada, { ...query, after, ...other })]).toEqual([
        other,
        'bad_request.invalid_after',
      ]);
    }
    expect(await refusalOf(bob, { ...query, after })).toBe('bad_request.invalid_after');
    const { since: _since, ...without } = query;
    expect(await refusalOf(ada, { ...without, after })).toBe('bad_request.invalid_after');
  });

  test('[HISX1] the whole of one user is one scope, however it is named', async () => {
    const { next: after } = await pageOf(ada, oldest);
    expect(await refusalOf(ada, { ...oldest, scopeType: 'GRAPH', scopeId: ada.id, after })).toBe('');
  });

  test.each([
    [{ order: 'oldest', offset: 1 }, 'bad_request.invalid_offset'],
    [{ after: 'x', offset: 1 }, 'bad_request.invalid_offset'],
    [{ order: 'first' }, 'bad_request.invalid_order'],
    [{ since: 'yesterday' }, 'bad_request.invalid_since'],
    [{ actor: [] }, 'bad_request.invalid_actor'],
    [{ actor: Array.from({ length: 21 }, () => 'ada') }, 'bad_request.invalid_actor'],
    [{ ops: [] }, 'bad_request.invalid_ops'],
    [{ ops: [9] }, 'bad_request.invalid_ops'],
  ])('[HISX1] %j is %s', async (payload, code) => {
    expect(await refusalOf(ada, payload)).toBe(code);
  });
});

interface HeldWorker {
  readonly worker: TestWorker;
  /** Resolves when a transaction of the worker is about to commit. */
  readonly held: Promise<void>;
  /** Lets it commit. */
  release(): void;
}

function startHeldWorker(): HeldWorker {
  const [isHeld, isReleased] = [createSignal(), createSignal()];
  const confirm = async () => {
    isHeld.give();
    await isReleased.given;
  };
  return { worker: startTestWorker(database, { confirm }), held: isHeld.given, release: isReleased.give };
}

describe('a batch that commits late', () => {
  /** The real horizon, at present and after its lag has passed. */
  const present: ReadEnvironment['horizon'] = (environment) => historyHorizon(environment);
  const later: ReadEnvironment['horizon'] = (environment) => historyHorizon(environment, 0);

  /** Waits for the batches of a reader's next page: large commands of other tests may run. */
  async function expectFollowed(reader: ActingUser, after: string | null, expected: readonly unknown[]): Promise<void> {
    const next = async () => idsIn(await pageOf(reader, { ...oldest, after }, later));
    await expect.poll(next, { timeout: 60_000 }).toEqual(expected);
  }

  /** Another user, who reads a node of bob and follows history. */
  async function startFollowing() {
    const [second, reader] = [await addNode({}, bob), await makeUser(database, 'carol')];
    await worker.run(bob, 'node:access', { id: second, email: reader.email, level: Level.VIEWER });
    const { next } = await pageOf(reader, oldest);
    return { second, reader, start: next };
  }

  test('[HISX2] is not skipped, although a later one was committed before it', async () => {
    const late = startHeldWorker();
    const { second, reader } = await startFollowing();
    const first = await addNode();
    await share(first, {}, reader);
    const { next: start } = await pageOf(reader, oldest);
    const lateDiff = late.worker.run(ada, 'node:update', { id: first, title: 'late' });
    await late.held;
    const { batchId: early } = await worker.run(bob, 'node:update', { id: second, title: 'early' });
    const hasty = await pageOf(reader, { ...oldest, after: start });
    const careful = await pageOf(reader, { ...oldest, after: start }, present);
    late.release();
    const { batchId } = await lateDiff;
    // Without the horizon, the reader has passed the time of the late batch.
    expect(idsIn(hasty)).toEqual([early]);
    expect(idsIn(await pageOf(reader, { ...oldest, after: hasty.next }))).toEqual([]);
    expect(idsIn(careful)).toEqual([]);
    await expectFollowed(reader, careful.next, [batchId, early]);
  });

  test('[HISX2] is not passed while its large command runs', async () => {
    const late = startHeldWorker();
    const { second, reader, start } = await startFollowing();
    const [root = ''] = (await sow(database, ada, fan(700))).nodes;
    const lateDiff = late.worker.run(ada, 'node:access', { id: root, email: reader.email, level: Level.VIEWER });
    await late.held;
    const { batchId: early } = await worker.run(bob, 'node:update', { id: second, title: 'early' });
    // The lag has passed, and the command still runs.
    const waiting = await pageOf(reader, { ...oldest, after: start }, later);
    late.release();
    const { batchId } = await lateDiff;
    expect(idsIn(waiting)).toEqual([]);
    await expectFollowed(reader, waiting.next, [batchId, early]);
  });

  test('[HISX2] the batches of the last seconds are not shown yet', async () => {
    await addNode();
    const [{ ts = '' } = {}] = (await pageOf(ada, {})).batches;
    const at = (ms: number) => historyHorizon({ database, nowMs: () => Date.parse(ts) + ms });
    const seen = async (ms: number) => (await pageOf(ada, oldest, () => at(ms))).batches.length;
    expect(await seen(HISTORY_LAG_MS - 1)).toBe(0);
    // Whatever a worker's clock says, the horizon is behind the clock of the database.
    const [row] = await database.read('RETURN timestamp() AS ms', {});
    const horizon = await at(3_600_000);
    expect(Date.parse(horizon)).toBeLessThanOrEqual((row?.ms as number) - HISTORY_LAG_MS + 60_000);
  });

  test('[HISX2] a group that is too old when it would commit is decided again', async () => {
    const { now } = performance;
    let confirmed = 0;
    const old = startTestWorker(database, {
      longestOpenMs: LONGEST_OPEN_MS,
      async confirm() {
        confirmed++;
        const stub = vi.spyOn(performance, 'now');
        if (confirmed === 1) stub.mockImplementation(() => now.call(performance) + LONGEST_OPEN_MS + 1);
        else stub.mockRestore();
      },
    });
    await old.run(ada, 'node:add', {});
    expect(confirmed).toBe(2);
    expect((await pageOf(ada, {})).batches).toHaveLength(1);
  });

  test('[HISX2] a write from the cache that starts too late writes nothing, and one that ends too late is rolled back', async () => {
    const revision = async () => {
      const [row] = await database.read('MATCH (u:User {id: $id}) RETURN u.rev AS rev', { id: ada.id });
      return row?.rev as number;
    };
    const before = await revision();
    const nothing = { changes: [], batches: [], feeds: new Map(), nodeOf: () => ({ ownerId: ada.id }) };
    const plan = { ...nothing, bumped: new Set([ada.id]), lastTs: new Map(), historyForm: 'merged' as const };
    const far = Date.now() + 3_600_000;
    const write = (startByMs: number, endByMs: number) =>
      writeIfUnchanged(database, plan, { users: [], keys: [], leftMs: 60_000, startByMs, endByMs }, undefined);
    expect(await write(1, far)).toBe(false);
    expect(await write(far, 1).catch(failureOf)).toBe('slow');
    expect(await revision()).toBe(before);
    expect(await write(far, far)).toBe(true);
    expect(await revision()).toBe(before + 1);
  });

  test('[HISX2] a worker whose clock is behind that of the database commits', async () => {
    const nowMs = () => Date.now() - LONGEST_OPEN_MS;
    const behind = startTestWorker(database, { nowMs, longestOpenMs: LONGEST_OPEN_MS });
    for (const title of ['one', 'two']) await behind.run(ada, 'node:add', { title });
    expect((await pageOf(ada, {})).batches).toHaveLength(2);
  });
});
