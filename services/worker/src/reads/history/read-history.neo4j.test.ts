// Pages of history on a real Neo4j: scopes, order, and the part of a batch that each viewer sees.
import type { HistoryOperation } from '@taskgraph/domain/views/history';
import {
  type HistoryRange,
  inOrder,
  type Moment,
  walkTouchesOfAll,
} from '@taskgraph/graph-store/reads/history/history-index';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { describe, expect, test } from 'vitest';
import { makeUser, newId } from '../../test/support/harness.ts';
import { eachWorkScene, type WorkScene } from '../../test/support/scenes.ts';
import { answerWhole, pagesOf } from '../../test/support/whole-reads.ts';

interface ListedBatch {
  readonly batchId: string;
  readonly actor: { readonly username: string; readonly email: string };
  readonly ts: string;
  readonly undone: boolean;
  readonly undoOf?: string;
  readonly redoOf?: string;
  readonly ops: readonly HistoryOperation[];
}

interface HistoryPage {
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly truncated?: true;
  readonly batches: readonly ListedBatch[];
}

let { database, worker, ada, bob, addNode, addLink, share } = {} as WorkScene;
eachWorkScene((scene) => {
  ({ database, worker, ada, bob, addNode, addLink, share } = scene);
});

async function history(actor: ActingUser, payload: object = {}): Promise<HistoryPage> {
  return (await worker.read(actor, 'history:page', payload)) as unknown as HistoryPage;
}

async function refusal(actor: ActingUser, payload: object): Promise<string> {
  const message = { event: 'history:page', payload: { ...payload }, actor, deadline: 0, traceId: 'test' };
  const reply = await answerWhole(message, { database, secret: '', nowMs: Date.now, pages: pagesOf() });
  return reply.ok ? '' : reply.error;
}

/** A page in short: the types of each batch's operations. */
function typesOf({ batches }: HistoryPage): number[][] {
  return batches.map(({ ops }) => ops.map(({ type }) => type));
}

describe('a batch', () => {
  test('[HIS1] has its actor, its time, and operations with capitalised patches and the previous version', async () => {
    const id = await addNode({ title: 'old' });
    await worker.run(ada, 'node:update', { id, title: 'new' });
    const { batches, hasMore } = await history(ada);
    const [batch] = batches;
    expect({ hasMore, listed: batches.length }).toEqual({ hasMore: false, listed: 2 });
    expect(batch).toMatchObject({ actor: { username: 'ada', email: ada.email }, undone: false });
    expect(batch?.ops).toEqual([
      {
        id: 1,
        type: Op.NODE_UPDATE,
        entityId: id,
        forwardPatch: { Title: 'new', Version: 2, LastEditedTime: batch?.ts },
        inversePatch: { Title: 'old', Version: 1, LastEditedTime: batches[1]?.ts },
        guard: { Version: 1 },
        createdTime: batch?.ts,
      },
    ]);
  });

  test('[HIS5] counts as undone while its effect is reversed, and names the batch that it undid', async () => {
    const id = await addNode({ title: 'a' });
    const update = await worker.run(ada, 'node:update', { id, title: 'b' });
    const undo = await worker.send(ada, 'batch:undo', { batchId: update.batchId });
    const states = async () =>
      (await history(ada, { scopeType: 'NODE', scopeId: id })).batches.map(({ undone, undoOf, redoOf }) => [
        undone,
        undoOf ?? redoOf ?? null,
      ]);
    const undoId = undo.ok ? (undo.body.batchId as string) : '';
    expect(await states()).toEqual([
      [false, update.batchId],
      [true, null],
      [false, null],
    ]);
    // Redoing the update is undoing its undo.
    await worker.run(ada, 'batch:redo', { batchId: update.batchId });
    expect(await states()).toEqual([
      [false, update.batchId],
      [true, update.batchId],
      [false, null],
      [false, null],
    ]);
    expect((await history(ada)).batches[1]?.batchId).toBe(undoId);
  });
});

const isEven = (id: string) => Number.parseInt(id.slice(-1), 16) % 2 === 0;

describe('pages', () => {
  test('[HIS7] are newest first and join without gaps and duplicates', async () => {
    const id = await addNode();
    for (let turn = 0; turn < 9; turn++) await worker.run(ada, 'node:update', { id, volume: turn + 1 });
    const whole = await history(ada);
    const order = whole.batches.map(({ ts, batchId }) => `${ts} ${batchId}`);
    expect(order).toEqual([...order].sort().reverse());
    const paged: ListedBatch[] = [];
    for (let offset = 0; offset < 10; offset += 3) {
      const page = await history(ada, { limit: 3, offset });
      expect(page.hasMore).toBe(offset + 3 < 10);
      paged.push(...page.batches);
    }
    expect(paged).toEqual(whole.batches);
    expect(await history(ada, { offset: 10 })).toEqual({ hasMore: false, next: null, batches: [] });
  });

  test('[HIS8] that would inspect too many batches report that they stopped there', async () => {
    const hidden = JSON.stringify([{ op: Op.NODE_ADD, kind: 'node', id: newId(0), before: null, after: {} }]);
    const ids = Array.from({ length: 5_100 }, () => newId(0));
    const fields = { actorId: bob.id, ts: '2026-01-01T00:00:00.000Z', changes: hidden, feeds: '{}', skipped: [] };
    await database.write(
      `UNWIND $ids AS id
       CREATE (b:Batch {key: id, id: id, origin: id, reverses: false, undone: false}) SET b += $fields
       CREATE (:Touch {entity: $user, ts: $fields.ts, batch: id})`,
      { ids, fields, user: bob.id },
    );
    const next = expect.any(String);
    expect(await history(bob)).toEqual({ hasMore: false, next, batches: [], truncated: true });
    await addNode({}, bob);
    expect(await history(bob)).toMatchObject({ batches: [{ ops: [{ type: Op.NODE_ADD }] }], truncated: true });
  });

  test.each(['newest', 'oldest'] as const)(
    '[HIS7 HISX1] of many entities, %s first, contain the same as a search through all touches',
    async (order) => {
      const run = newId(0);
      const draw = (below: number) => Math.floor(Math.random() * below);
      const batches = Array.from({ length: 120 }, () => ({ id: newId(0), ts: `2026-01-01T00:00:0${draw(8)}.000Z` }));
      const entities = Array.from({ length: 30 }, (_, index) => `${run}/${index}`);
      const touches = batches.flatMap(({ id, ts }) =>
        entities
          // One batch in ten touches all, and one entity is touched by most.
          .filter((_, index) => draw(10) === 0 || (index === 0 && draw(3) > 0) || id.endsWith('0'))
          .map((entity) => ({ entity, ts, batch: id })),
      );
      // The first touch of every second batch is merged into it.
      const merged = new Map(touches.filter(({ batch }) => isEven(batch)).map((touch) => [touch.batch, touch]));
      const separate = touches.filter((touch) => merged.get(touch.batch) !== touch);
      await database.write('UNWIND $separate AS touch CREATE (t:Touch) SET t = touch', { separate });
      const create = `UNWIND $merged AS touch
        CREATE (:Batch {id: touch.batch, key: touch.batch, ts: touch.ts, entity: touch.entity})`;
      await database.write(create, { merged: [...merged.values()] });
      const found = [...new Map(touches.map(({ batch, ts }) => [batch, { ts, batch }])).values()].sort(inOrder(order));
      const middle = found[Math.floor(found.length / 2)];
      const [since, until] = ['2026-01-01T00:00:02.000Z', '2026-01-01T00:00:06.000Z'];
      const ranges = [
        { order },
        { order, ...definedFields({ after: middle }) },
        order === 'newest' ? { order, since } : { order, since, until },
      ];
      for (const range of ranges) {
        const { after, since: first = '', until: last = '~' } = range as HistoryRange;
        const wanted = found.filter(
          (moment) =>
            moment.ts >= first && moment.ts <= last && (after === undefined || inOrder(order)(after, moment) < 0),
        );
        for (const count of [1, 7, 200]) {
          const walk = walkTouchesOfAll(database, { entities: [...entities, newId(0)] }, range);
          const walked: Moment[] = [];
          for (let next = await walk.next(count); next.length > 0; next = await walk.next(count)) {
            expect(next.length).toBeLessThanOrEqual(count);
            walked.push(...next);
          }
          expect(walked).toEqual(wanted);
          expect(walk.cut).toBe(false);
        }
      }
    },
  );
});

describe('a viewer', () => {
  test('[HIS7] sees the operations on visible entities, numbered without gaps, and no empty batch', async () => {
    const [shown, hidden] = [await addNode({ title: 'shown' }), await addNode({ title: 'hidden' })];
    await share(shown, { branch: false });
    await addLink(hidden, shown);
    await worker.run(ada, 'node:update', { id: hidden, title: 'secret' });
    const scope = { scopeType: 'NODE', scopeId: shown };
    expect(typesOf(await history(ada, scope))).toEqual([
      [Op.LINK_ADD, Op.NODE_STATUS],
      [Op.GRANT_UPSERT],
      [Op.NODE_ADD],
    ]);
    const page = await history(bob, scope);
    expect(typesOf(page)).toEqual([[Op.NODE_STATUS], [Op.GRANT_UPSERT], [Op.NODE_ADD]]);
    expect(page.batches[0]?.ops[0]?.id).toBe(1);
    expect(await history(bob)).toEqual(page);
    expect(JSON.stringify(page)).not.toContain(hidden);
  });

  test('[HIS7] sees no earlier changes after the grant ended', async () => {
    const id = await addNode();
    await share(id);
    expect((await history(bob)).batches).toHaveLength(2);
    await worker.run(ada, 'node:access:delete', { id, email: bob.email });
    expect((await history(bob)).batches).toEqual([]);
    expect(await refusal(bob, { scopeType: 'NODE', scopeId: id })).toBe('bad_request.invalid_scope');
  });

  test('[LNK9] does not see private links of others, also if they were not private before', async () => {
    const [source, target] = [await addNode(), await addNode()];
    await Promise.all([share(source), share(target)]);
    const link = await addLink(source, target, { type: LinkType.SECONDARY });
    expect(typesOf(await history(bob, { scopeType: 'LINK', scopeId: link }))).toEqual([[Op.LINK_ADD]]);
    await worker.run(ada, 'link:update', { id: link, private: true });
    expect(await refusal(bob, { scopeType: 'LINK', scopeId: link })).toBe('bad_request.invalid_scope');
    expect(typesOf(await history(bob)).flat()).not.toContain(Op.LINK_ADD);
    expect(typesOf(await history(ada, { scopeType: 'LINK', scopeId: link }))).toEqual([
      [Op.LINK_UPDATE],
      [Op.LINK_ADD],
    ]);
  });

  test('[ACL9] sees a public token at level admin or higher', async () => {
    const id = await addNode();
    await share(id, { level: Level.EDITOR });
    await worker.run(ada, 'node:publish', { id });
    const published = async (actor: ActingUser) => (await history(actor)).batches[0]?.ops[0];
    expect(await published(bob)).toMatchObject({ type: Op.NODE_PUBLISH, forwardPatch: { PublicBranch: true } });
    expect(JSON.stringify(await history(bob))).not.toContain('PublicToken');
    await worker.run(ada, 'node:access:update', { id, email: bob.email, level: Level.ADMIN });
    const page = await history(bob);
    expect(page.batches[1]?.ops[0]?.forwardPatch).toEqual((await history(ada)).batches[1]?.ops[0]?.forwardPatch);
    expect(page.batches[1]?.ops[0]?.forwardPatch.PublicToken).toEqual(expect.any(String));
  });

  test('[ACL9] sees their own grants, and those of others at level admin or higher', async () => {
    const [id, carol] = [await addNode(), await makeUser(database, 'carol')];
    await share(id);
    await share(id, { level: Level.ADMIN }, carol);
    const grants = async (actor: ActingUser) =>
      (await history(actor)).batches.flatMap(({ ops }) =>
        ops
          .filter(({ type }) => type === Op.GRANT_UPSERT)
          .map(({ entityId, forwardPatch }) => [entityId, forwardPatch.Email]),
      );
    expect(await grants(bob)).toEqual([[id, bob.email]]);
    expect(await grants(carol)).toEqual([
      [id, carol.email],
      [id, bob.email],
    ]);
    expect(Object.keys((await history(bob)).batches[0]?.ops[0]?.forwardPatch ?? {}).sort()).toEqual([
      'Branch',
      'Due',
      'Email',
      'Level',
      'Version',
    ]);
  });

  test('[ACL5 ACL6] sees history by a hidden grant, and not by an expired one', async () => {
    const id = await addNode();
    const due = new Date(Date.now() + 60_000).toISOString();
    await share(id, { due });
    const scope = { scopeType: 'NODE', scopeId: id };
    await worker.run(bob, 'node:showing', { id, showing: false });
    expect((await history(bob, scope)).batches).toHaveLength(2);
    // Entities that they hide leave their graph and their pushes, and nothing else.
    expect((await history(bob)).batches).toHaveLength(2);
    const message = { event: 'history:page', payload: scope, actor: bob, deadline: 0, traceId: 'test' };
    const later = await answerWhole(message, { database, secret: '', nowMs: () => Date.parse(due), pages: pagesOf() });
    expect(later).toMatchObject({ ok: false, error: 'bad_request.invalid_scope' });
  });
});

describe('the trash', () => {
  test('[TRS2 HIS7] a trashed node is visible to readers who would see it after a restore now', async () => {
    const root = await addNode();
    await share(root);
    const child = await addNode({ target: root });
    await worker.run(ada, 'node:trash', { id: child });
    const types = async () => typesOf(await history(bob))[0];
    expect(await types()).toEqual([Op.LINK_TRASH, Op.NODE_TRASH, Op.NODE_STATUS]);
    expect(await refusal(bob, { scopeType: 'NODE', scopeId: child })).toBe('');
    // With its parent in the trash too, it would belong to nothing.
    await worker.run(ada, 'node:trash', { id: root });
    expect(await refusal(bob, { scopeType: 'NODE', scopeId: child })).toBe('bad_request.invalid_scope');
    expect(await types()).toEqual([Op.NODE_TRASH]);
  });

  test('[LNK7] a trashed link is visible to the user who trashed it and saw an end by it', async () => {
    const [root, foreign] = [await addNode({}, bob), await addNode()];
    await worker.run(bob, 'node:access', { id: root, email: ada.email, level: Level.EDITOR });
    const link = await addLink(foreign, root);
    await worker.run(bob, 'link:trash', { id: link });
    expect(typesOf(await history(bob, { scopeType: 'LINK', scopeId: link }))[0]?.[0]).toBe(Op.LINK_TRASH);
    expect(await refusal(bob, { scopeType: 'NODE', scopeId: foreign })).toBe('bad_request.invalid_scope');
  });

  test('[TRS5] former readers see ids, types and times of deleted entities', async () => {
    const root = await addNode();
    await share(root);
    const child = await addNode({ target: root, title: 'gone' });
    await worker.run(ada, 'node:trash', { id: child });
    await worker.run(ada, 'node:delete', { id: child });
    const scope = { scopeType: 'NODE', scopeId: child };
    const { batches } = await history(ada, scope);
    expect(batches).toHaveLength(3);
    for (const { ops, ts } of batches) {
      const [op] = ops.filter(({ entityId }) => entityId === child);
      expect(op).toMatchObject({ forwardPatch: {}, inversePatch: {}, guard: {}, createdTime: ts });
    }
    expect(JSON.stringify(batches)).not.toContain('gone');
    expect(await refusal(bob, scope)).toBe('bad_request.invalid_scope');
    const shown = await history(bob);
    expect(JSON.stringify(shown)).not.toContain(child);
    // The side effect on the parent stays.
    expect(
      typesOf(shown)
        .flat()
        .filter((type) => type === Op.NODE_STATUS),
    ).toHaveLength(2);
  });
});

describe('scopes', () => {
  test('[HIS8] GRAPH of a node has the changes of its current branch', async () => {
    const root = await addNode({ title: 'root' });
    const child = await addNode({ title: 'child', target: root });
    const grandchild = await addNode({ title: 'grandchild', target: child });
    const other = await addNode({ title: 'other' });
    await worker.run(ada, 'node:update', { id: other, title: 'elsewhere' });
    const scope = { scopeType: 'GRAPH', scopeId: root };
    const titles = async () =>
      (await history(ada, scope)).batches.map(({ ops }) => ops.map(({ forwardPatch }) => forwardPatch.Title)[0]);
    expect(await titles()).toEqual(['grandchild', 'child', 'root']);
    // Shared, the branch is found by its rows instead of a walk: the same, and the grant.
    await share(root);
    expect(await titles()).toEqual([undefined, 'grandchild', 'child', 'root']);
    expect(typesOf(await history(bob, scope))).toEqual(typesOf(await history(ada, scope)));
    await worker.run(ada, 'node:update', { id: grandchild, status: Status.IN_PROGRESS });
    expect((await history(bob, { ...scope, limit: 1 })).batches[0]?.ops[0]?.entityId).toBe(grandchild);
  });

  test('[HIS8] GRAPH of the caller, or no scope over REST, has all visible changes', async () => {
    const mine = await addNode({ title: 'mine' }, bob);
    const [theirs, unseen] = [await addNode({ title: 'theirs' }), await addNode({ title: 'unseen' })];
    await share(theirs);
    const below = await addNode({ title: 'below', target: theirs });
    await addLink(below, theirs, {}, ada).catch(() => undefined);
    const page = await history(bob);
    expect(page.batches.map(({ ops }) => ops[0]?.entityId)).toEqual([below, theirs, theirs, mine]);
    expect(await history(bob, { scopeType: 'GRAPH', scopeId: bob.id })).toEqual(page);
    expect(await history(bob, { scopeType: 'GRAPH' })).toEqual(page);
    expect(JSON.stringify(page)).not.toContain(unseen);
  });

  test("[HIS8] it includes nodes of others in the caller's tree, and links between nodes of others", async () => {
    const root = await addNode({}, bob);
    await worker.run(bob, 'node:access', { id: root, email: ada.email, level: Level.EDITOR });
    const guest = await addNode({ title: 'guest' });
    await addLink(guest, root);
    await worker.run(ada, 'node:update', { id: guest, title: 'changed' });
    expect((await history(bob)).batches[0]?.ops[0]).toMatchObject({
      entityId: guest,
      forwardPatch: { Title: 'changed' },
    });
    const [one, two] = [await addNode(), await addNode()];
    await Promise.all([share(one), share(two)]);
    const link = await addLink(one, two, { type: LinkType.SECONDARY });
    expect((await history(bob)).batches[0]?.ops.map(({ entityId }) => entityId)).toEqual([link]);
  });

  test("[HIS8] USER has the caller's changes that are still visible to them", async () => {
    const id = await addNode();
    await share(id, { level: Level.EDITOR });
    await worker.run(bob, 'node:update', { id, title: 'by bob' });
    await worker.run(ada, 'node:update', { id, title: 'by ada' });
    const scope = { scopeType: 'USER', scopeId: bob.id };
    const page = await history(bob, scope);
    expect(page.batches.map(({ ops }) => ops[0]?.forwardPatch.Title)).toEqual(['by bob']);
    expect(await history(bob, { scopeType: 'USER' })).toEqual(page);
    expect((await history(ada, { scopeType: 'USER', scopeId: ada.id, limit: 1, offset: 1 })).hasMore).toBe(true);
    await worker.run(ada, 'node:access:delete', { id, email: bob.email });
    expect((await history(bob, scope)).batches).toEqual([]);
  });

  test('[HIS8] unknown and invisible nodes get the same refusal', async () => {
    const [mine, theirs] = [await addNode({}, bob), await addNode()];
    const link = await addLink(theirs, await addNode());
    for (const scope of [
      { scopeType: 'GRAPH', scopeId: theirs },
      { scopeType: 'GRAPH', scopeId: ada.id },
      { scopeType: 'GRAPH', scopeId: newId(0) },
      { scopeType: 'NODE', scopeId: theirs },
      { scopeType: 'NODE', scopeId: newId(0) },
      { scopeType: 'NODE', scopeId: bob.id },
      { scopeType: 'LINK', scopeId: link },
      { scopeType: 'LINK', scopeId: mine },
      { scopeType: 'USER', scopeId: ada.id },
      { scopeType: 'USER', scopeId: mine },
      { scopeType: 'graph', scopeId: mine },
      { scopeType: 'BATCH' },
      { scopeType: '' },
    ]) {
      expect([scope, await refusal(bob, scope)]).toEqual([scope, 'bad_request.invalid_scope']);
    }
    expect(await refusal(bob, { scopeId: mine })).toBe('bad_request.missing_scopeType');
    expect(await refusal(bob, { scopeType: 'NODE', scopeId: 'x' })).toBe('bad_request.invalid_uuid');
    expect(await refusal(bob, { limit: 1_001 })).toBe('bad_request.out_of_range');
  });
});
