// Changes since a position, against a real Neo4j: state in pages, ids that are gone, feeds gained
// and lost, and when it can't be told.

import type { Database } from '@taskgraph/graph-store/driver/database';
import { deleteOldEntries } from '@taskgraph/graph-store/maintenance/old-history';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, LinkType } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { WireLink, WireNode } from '@taskgraph/wire/entities';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { afterAll, describe, expect, test } from 'vitest';
import { makeUser, newId, startTestWorker } from '../../test/support/harness.ts';
import { eachWorkScene, type WorkScene } from '../../test/support/scenes.ts';
import { answerWhole, pagesOf } from '../../test/support/whole-reads.ts';
import { signPosition } from '../position.ts';
import { FIRST_PLACE, walkChanges } from './changes-walk.ts';

interface Changes {
  readonly resetRequired?: true;
  readonly position: string;
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly nodes: readonly WireNode[];
  readonly links: readonly WireLink[];
  readonly gone: { readonly nodes: readonly string[]; readonly links: readonly string[] };
  readonly feeds: { readonly gained: readonly string[]; readonly lost: readonly string[] };
  readonly heads?: Readonly<Record<string, number>>;
}

const SECRET = 'a secret of this test';

let { database, worker, ada, bob, addNode, addLink, share } = {} as WorkScene;
eachWorkScene((scene) => {
  ({ database, worker, ada, bob, addNode, addLink, share } = scene);
});

async function position(actor: ActingUser): Promise<string> {
  return (await worker.feeds(actor)).position;
}

async function changes(actor: ActingUser, since: string, cursor?: string): Promise<Changes> {
  const payload = { since, ...definedFields({ cursor }) };
  return (await worker.read(actor, 'changes:get', payload)) as unknown as Changes;
}

async function refusal(actor: ActingUser, payload: object): Promise<string> {
  const message = { event: 'changes:get', payload: { ...payload }, actor, deadline: 0, traceId: 'test' };
  const reply = await answerWhole(message, { database, secret: SECRET, nowMs: Date.now, pages: pagesOf() });
  return reply.ok ? '' : reply.error;
}

function ids(entities: readonly { readonly id: string }[]): string[] {
  return entities.map(({ id }) => id);
}

const NOTHING = { hasMore: false, next: null, nodes: [], links: [], gone: { nodes: [], links: [] } };
const NO_FEEDS = { gained: [], lost: [] };

describe('state', () => {
  test('[EVT2] of changed entities is complete and appears once, and the position advances', async () => {
    const [kept, changed] = [await addNode({ title: 'kept' }), await addNode({ title: 'old' })];
    const since = await position(ada);
    expect(await changes(ada, since)).toMatchObject({ ...NOTHING, feeds: NO_FEEDS, position: since });
    for (const title of ['new', 'newer']) await worker.run(ada, 'node:update', { id: changed, title });
    const link = await addLink(kept, changed);
    const answer = await changes(ada, since);
    const graph = await worker.read(ada, 'graph:get', {});
    const wanted = (graph.nodes as WireNode[]).filter(({ id }) => id === changed);
    expect(wanted).toMatchObject([{ title: 'newer', status: 2, access: Level.OWNER }]);
    expect(answer).toMatchObject({ ...NOTHING, nodes: wanted, links: (graph.links as WireLink[]).slice(0, 1) });
    expect(Object.keys(answer.links[0] ?? {})).toEqual(
      expect.arrayContaining(['createdTime', 'inTrash', 'shareRoots']),
    );
    expect(ids(answer.links)).toEqual([link]);
    expect(answer.heads).toEqual({ [userFeed(ada.id)]: 5 });
    expect(answer.position).toBe(await position(ada));
    expect(await changes(ada, answer.position)).toMatchObject(NOTHING);
  });

  test('[EVT2] of trashed and deleted entities is only the id', async () => {
    const [trashed, deleted, other] = [await addNode(), await addNode(), await addNode()];
    const link = await addLink(trashed, other);
    const since = await position(ada);
    await worker.run(ada, 'node:trash', { id: trashed });
    for (const event of ['node:trash', 'node:delete']) await worker.run(ada, event, { id: deleted });
    const answer = await changes(ada, since);
    expect(answer.gone).toEqual({ nodes: [trashed, deleted].sort(), links: [link] });
    expect(ids(answer.nodes)).toEqual([other]);
    await worker.run(ada, 'node:restore', { id: trashed });
    const back = await changes(ada, answer.position);
    expect({ nodes: ids(back.nodes), links: ids(back.links), gone: back.gone }).toEqual({
      nodes: [trashed, other].sort(),
      links: [link],
      gone: { nodes: [], links: [] },
    });
  });

  test('[ACL2 ACL8 ACL9 EVT2] is limited to its reader: their level, their roots, no token', async () => {
    const above = await addNode();
    const root = await addNode({ target: above });
    await share(above, { branch: false });
    await worker.run(ada, 'node:publish', { id: above });
    await share(root, { level: Level.EDITOR });
    const since = await position(bob);
    await worker.run(ada, 'node:update', { id: root, title: 'new' });
    const [node] = (await changes(bob, since)).nodes;
    expect(node).toMatchObject({ id: root, title: 'new', access: Level.EDITOR, ownerEmail: ada.email });
    expect(node?.shareRoots).toEqual([above, root].sort());
    expect(node).not.toHaveProperty('publicToken');
  });

  test('[LNK9 EVT2] contains no private link of another user, and reports one that became private as removed', async () => {
    const [one, two] = [await addNode(), await addNode()];
    const root = await addNode();
    await addLink(one, root);
    await addLink(two, root);
    const link = await addLink(one, two, { type: LinkType.SECONDARY });
    await share(root);
    const since = await position(bob);
    await worker.run(ada, 'link:update', { id: link, private: true });
    const answer = await changes(bob, since);
    expect(answer).toMatchObject({ links: [], gone: { nodes: [], links: [link] } });
    await addLink(two, one, { type: LinkType.SECONDARY, private: true }).catch(() => undefined);
    expect(await changes(bob, answer.position)).toMatchObject(NOTHING);
    await worker.run(ada, 'link:update', { id: link, private: false });
    expect(ids((await changes(bob, answer.position)).links)).toEqual([link]);
  });
});

describe('feeds', () => {
  test('[EVT2] that were gained appear with all their entities', async () => {
    const since = await position(bob);
    const root = await addNode({ title: 'root' });
    const children = [await addNode({ target: root }), await addNode({ target: root })];
    await share(root);
    const answer = await changes(bob, since);
    expect(answer.feeds).toEqual({ gained: [branchFeed(root)], lost: [] });
    expect(ids(answer.nodes)).toEqual([root, ...children].sort());
    expect(answer.links).toHaveLength(2);
    expect(answer.nodes.map(({ access }) => access)).toEqual([Level.VIEWER, Level.VIEWER, Level.VIEWER]);
  });

  test("[EVT2] that were gained include links to entities of other feeds, and the reader's own private links", async () => {
    const [first, second] = [await addNode(), await addNode()];
    const mine = await addNode({}, bob);
    await share(first, { branch: false });
    await share(second, { branch: false });
    const crossing = await addLink(first, second, { type: LinkType.SECONDARY });
    const own = await addLink(mine, first, {}, bob);
    const since = await position(bob);
    await worker.run(bob, 'node:showing', { id: first, showing: false });
    const without = await changes(bob, since);
    expect(without).toMatchObject({ nodes: [], links: [], feeds: { gained: [], lost: [nodeFeed(first)] } });
    await worker.run(bob, 'node:showing', { id: first, showing: true });
    const answer = await changes(bob, without.position);
    expect(answer.feeds).toEqual({ gained: [nodeFeed(first)], lost: [] });
    expect(ids(answer.nodes)).toEqual([first]);
    expect(ids(answer.links)).toEqual([crossing, own].sort());
  });

  test('[EVT2 ACL7] that were lost are named, without their contents', async () => {
    const root = await addNode({ title: 'root' });
    await share(root);
    const since = await position(bob);
    const child = await addNode({ target: root });
    await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
    await worker.run(ada, 'node:update', { id: root, title: 'secret' });
    const answer = await changes(bob, since);
    expect(answer.feeds).toEqual({ gained: [], lost: [branchFeed(root)] });
    expect(answer.nodes).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain(child);
    expect(Object.keys(answer.heads ?? {})).toEqual([userFeed(bob.id)]);
  });

  test('[EVT2] contain joined entities with their links, and name removed ones', async () => {
    const [root, other] = [await addNode(), await addNode()];
    const child = await addNode({ target: other });
    const grandchild = await addNode({ target: child });
    await share(root);
    await share(other, { branch: false });
    const crossing = await addLink(grandchild, other, { type: LinkType.SECONDARY });
    const since = await position(bob);
    const joining = await addLink(child, root);
    const joined = await changes(bob, since);
    expect(ids(joined.nodes)).toEqual(expect.arrayContaining([child, grandchild]));
    expect(ids(joined.links)).toEqual(expect.arrayContaining([joining, crossing]));
    expect(joined.links).toHaveLength(4);
    await worker.run(ada, 'link:trash', { id: joining });
    const left = await changes(bob, joined.position);
    expect(left.gone.nodes).toEqual([child, grandchild].sort());
    expect(left.gone.links).toContain(joining);
    expect(left.nodes.map(({ id }) => id)).toEqual([root]);
  });

  test('[EVT2] that were lost and gained again are complete, because feeds without readers have no entries', async () => {
    const root = await addNode();
    const child = await addNode({ target: root });
    await share(root);
    const since = await position(bob);
    await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
    await worker.run(ada, 'node:update', { id: child, title: 'meanwhile' });
    await share(root, { level: Level.EDITOR });
    const answer = await changes(bob, since);
    // It is also reported as lost, so that a client reads what is left of it.
    expect(answer.feeds).toEqual({ gained: [branchFeed(root)], lost: [branchFeed(root)] });
    expect(answer.nodes.map(({ title, access }) => [title, access])).toEqual([
      ['', Level.EDITOR],
      ['meanwhile', Level.EDITOR],
    ]);
  });

  test.each(['taken away', 'over'])(
    '[EVT2 ACL7] that were lost and gained again reveal no entities that existed only meanwhile: %s',
    async (how) => {
      const [root, other] = [await addNode(), await addNode()];
      const carl = await makeUser(database, 'carl');
      // Another reader remains, so the feed still records changes.
      await worker.run(ada, 'node:access', { id: root, email: carl.email });
      // Late enough that a slow machine still reads and adds before it.
      const due = how === 'over' ? new Date(Date.now() + 4_000).toISOString() : null;
      await share(root, { due });
      const since = await position(bob);
      const known = await addNode({ target: root });
      if (due === null) await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
      else await new Promise((resolve) => setTimeout(resolve, Date.parse(due) - Date.now() + 1));
      const secret = await addNode({ target: root });
      const link = await addLink(other, root);
      await worker.run(ada, 'node:trash', { id: secret });
      await worker.run(ada, 'link:trash', { id: link });
      await share(root, { due: null });
      const answer = await changes(bob, since);
      expect(answer.feeds).toEqual({ gained: [branchFeed(root)], lost: [branchFeed(root)] });
      expect(ids(answer.nodes)).toEqual([root, known].sort());
      expect(answer.gone).toEqual({ nodes: [], links: [] });
      for (const id of [secret, other, link]) expect(JSON.stringify(answer)).not.toContain(id);
    },
  );
});

describe('pages', () => {
  test('[EVT2] contain the heads of the first, join without a gap, and omit no concurrent change', async () => {
    const since = await position(bob);
    const root = await addNode();
    await database.write(
      `MATCH (root:Node {id: $root})
       CREATE (feed:Feed {id: $feed, ownerId: root.ownerId, seq: 0, first: 1, epoch: 1, grants: 0, public: false})
       CREATE (root)-[:IN {feed: $feed, id: $root}]->(feed)
       WITH root, feed MATCH (owner:User {id: root.ownerId}) SET owner.rev = owner.rev + 1
       WITH root, feed UNWIND $ids AS ids
       WITH root, feed, ids[0] AS id, ids[1] AS link
       CREATE (n:Node {id: id, ownerId: root.ownerId, inTrash: false, title: '', description: '', status: 0, openBlockers: 0, type: 0,
         tags: [], priority: 0, independent: false, volume: 0, version: 1, assignee: [], publicBranch: false,
         x: 0.0, y: 0.0, z: 0.0, pinned: false, collapsed: false, createdTime: $now, lastEditedTime: $now})
       CREATE (n)-[r:RELATES {id: link, ownerId: root.ownerId, sourceOwnerId: root.ownerId, targetOwnerId: root.ownerId,
         type: 1, version: 1, private: false, conveys: true, wasBlocker: false, trashedWithNode: false, inTrash: false,
         createdTime: $now, lastEditedTime: $now}]->(root)
       CREATE (n)-[:IN {feed: $feed, id: id, via: r.id}]->(feed)`,
      {
        root,
        feed: branchFeed(root),
        ids: Array.from({ length: 1_700 }, () => [newId(0), newId(0)]),
        now: new Date().toISOString(),
      },
    );
    await share(root);
    const pages = [await changes(bob, since)];
    await worker.run(ada, 'node:update', { id: root, title: 'meanwhile' });
    for (let page = pages[0]; page?.next; page = pages.at(-1)) pages.push(await changes(bob, since, page.next));
    expect(pages.map(({ nodes, links, hasMore }) => [nodes.length, links.length, hasMore])).toEqual([
      // The root comes twice: by its grant, and by its feed.
      [999, 0, true],
      [702, 298, true],
      [0, 1_000, true],
      [0, 402, false],
    ]);
    expect(new Set(pages.map((page) => page.position)).size).toBe(1);
    expect(new Set(pages.flatMap(({ nodes, links }) => ids([...nodes, ...links]))).size).toBe(3_401);
    const after = await changes(bob, pages[0]?.position ?? '');
    expect(after.nodes).toMatchObject([{ id: root, title: 'meanwhile' }]);
    // A cursor belongs to its reader and to its position.
    const cursor = pages[0]?.next;
    expect(await refusal(bob, { since: after.position, cursor })).toBe('bad_request.invalid_cursor');
    expect(await refusal(ada, { since: await position(ada), cursor })).toBe('bad_request.invalid_cursor');
    expect(await refusal(bob, { since, cursor: `x${cursor}` })).toBe('bad_request.invalid_cursor');
  });

  test('[EVT2] of a feed that is lost meanwhile end, and the next answer names it', async () => {
    const since = await position(bob);
    const root = await addNode();
    await Promise.all(Array.from({ length: 1_005 }, () => addNode({ target: root })));
    await share(root);
    const first = await changes(bob, since);
    // The root comes by its grant and by its feed.
    expect([first.nodes.length, first.hasMore]).toEqual([999, true]);
    await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
    const second = await changes(bob, since, first.next ?? '');
    expect(second).toMatchObject(NOTHING);
    expect((await changes(bob, first.position)).feeds.lost).toEqual([branchFeed(root)]);
  });
});

test('[EVT2 GEN7] a link to an invisible node uses no space of a page, and is not in its cursor', async () => {
  const [root, hidden] = [await addNode(), await addNode()];
  const known = await addNode({ target: root });
  await share(root);
  const since = await worker.feeds(bob);
  const child = await addNode({ target: root });
  for (const source of [root, known, child]) await addLink(source, hidden, { type: LinkType.SECONDARY });
  const feeds = (await worker.feeds(bob)).feeds.map(({ feed, seq }) => ({
    feed,
    head: seq,
    since: since.feeds.find((one) => one.feed === feed)?.seq ?? 0,
  }));
  const walked = async (missed: typeof feeds, gained: readonly string[]) => {
    const reader = { id: bob.id, own: userFeed(bob.id), feeds: feeds.map(({ feed }) => feed) };
    const { found, next } = await walkChanges(database, { reader, missed, gained }, FIRST_PLACE, 100);
    expect(next).toBeNull();
    return new Set(found.filter(({ kind }) => kind === 'links').map(({ id }) => id));
  };
  const seen = (await worker.read(bob, 'graph:get', {})).links as WireLink[];
  expect(seen.map(({ source }) => source).sort()).toEqual([known, child].sort());
  expect(await walked([], [branchFeed(root)])).toEqual(new Set(ids(seen)));
  expect(await walked(feeds, [])).toEqual(new Set(ids(seen.filter(({ source }) => source === child))));
});

describe('a reader must read everything again', () => {
  const reset = { resetRequired: true };
  // Data broken here must not look like a fault to checks of the whole database.
  const broken = new Set<string>();
  afterAll(async () => {
    await database.write('MATCH (e:Entry|Batch) WHERE e.feed IN $feeds REMOVE e.feed', { feeds: [...broken] });
  });

  async function updatedTwice(): Promise<string> {
    broken.add(userFeed(ada.id));
    const id = await addNode({}, ada);
    const since = await position(ada);
    for (const volume of [1, 2]) await worker.run(ada, 'node:update', { id, volume });
    return since;
  }

  test('[EVT2] if entries are deleted after they were counted', async () => {
    const since = await updatedTwice();
    let deleted = 0;
    const read: Database['read'] = async (cypher, ...rest) => {
      if (cypher.includes('UNWIND nodes AS id')) deleted += await deleteOldEntries(database, userFeed(ada.id), '~');
      return database.read(cypher, ...rest);
    };
    const late = startTestWorker({ ...database, read });
    expect(await late.read(ada, 'changes:get', { since })).toEqual(reset);
    expect(deleted).toBeGreaterThan(0);
  });

  test('[EVT2] if an entry is missing, or reports too many changes to name', async () => {
    const missing = await updatedTwice();
    await database.write('MATCH (e:Entry|Batch {feed: $feed, seq: 2}) REMOVE e.feed', { feed: userFeed(ada.id) });
    expect(await changes(ada, missing)).toEqual(reset);
    ada = await makeUser(database, 'ada');
    const tooMuch = await updatedTwice();
    await database.write('MATCH (e:Entry|Batch {feed: $feed, seq: 3}) SET e.reset = true', { feed: userFeed(ada.id) });
    expect(await changes(ada, tooMuch)).toEqual(reset);
    ada = await makeUser(database, 'ada');
    const old = await updatedTwice();
    await database.write('MATCH (e:Entry|Batch {feed: $feed, seq: 3}) REMOVE e.nodes', { feed: userFeed(ada.id) });
    expect(await changes(ada, old)).toEqual(reset);
  });

  test("[EVT2] if the feed's entries do not reach back to the position, or the feed never existed", async () => {
    const since = await updatedTwice();
    const keep = (first: number) =>
      database.write('MATCH (f:Feed {id: $feed}) SET f.first = toInteger($first)', { feed: userFeed(ada.id), first });
    await keep(2);
    expect(await changes(ada, since)).toMatchObject({ nodes: [{ volume: 2 }] });
    await keep(3);
    expect(await changes(ada, since)).toEqual(reset);
    const ahead = signPosition(SECRET, ada.id, { [userFeed(ada.id)]: 4 });
    expect(await changes(ada, ahead)).toEqual(reset);
  });

  test('[EVT2] if more entities changed than one answer may contain', async () => {
    const feed = userFeed(ada.id);
    broken.add(feed);
    const since = await position(ada);
    await database.write(
      `MATCH (f:Feed {id: $feed}) SET f.seq = 11
       WITH f UNWIND range(1, 11) AS seq
       CREATE (:Entry {feed: $feed, seq: seq, links: [], reset: false, nodes: [index IN range(1, 5000) | seq + '/' + index]})`,
      { feed },
    );
    expect(await changes(ada, since)).toEqual(reset);
    await database.write('MATCH (e:Entry {feed: $feed}) SET e.nodes = []', { feed });
    expect(await changes(ada, since)).toMatchObject(NOTHING);
    await database.write('MATCH (f:Feed {id: $feed}) SET f.seq = 10001', { feed });
    expect(await changes(ada, since)).toEqual(reset);
  });
});

test('[EVT2] a position belongs to one reader, and is signed', async () => {
  const since = await position(ada);
  expect(await refusal(ada, { since })).toBe('');
  for (const wrong of [await position(bob), signPosition('another secret', ada.id, {}), `x${since}`, 'x', 'x.y']) {
    expect(await refusal(ada, { since: wrong })).toBe('bad_request.invalid_since');
  }
  expect(await refusal(ada, {})).toBe('bad_request.missing_since');
  expect(await refusal(ada, { since: 1 })).toBe('bad_request.invalid_since');
});

test('[EVT2] a caller who sends the received numbers gets later changes, and never fewer than by their position', async () => {
  const [first, second] = [await addNode({}, ada), await addNode({}, ada)];
  const own = userFeed(ada.id);
  const since = await position(ada);
  for (const id of [first, second]) await worker.run(ada, 'node:update', { id, title: 'new' });
  const ask = async (feed: string, seq: number) =>
    (await worker.read(ada, 'changes:get', { since, heard: [{ feed, seq }] })) as unknown as Changes;
  const all = await changes(ada, since);
  const head = all.heads?.[own] as number;
  expect(ids((await ask(own, head - 1)).nodes)).toEqual([second]);
  expect(await ask(own, head)).toMatchObject({ ...NOTHING, position: all.position });
  // Neither an earlier number nor a feed that the position does not name tells more, or less.
  for (const [feed, seq] of [
    [own, 0],
    [branchFeed(first), 9],
  ] as const) {
    expect(ids((await ask(feed, seq)).nodes)).toEqual([first, second].sort());
  }
  expect(await ask(own, head + 1)).toEqual({ resetRequired: true });
  const many = Array.from({ length: 201 }, (_, index) => ({ feed: `user:${index}`, seq: 1 }));
  for (const heard of [many, { [own]: 1 }, [{ feed: own, seq: -1 }], [{ feed: own }]]) {
    expect(await refusal(ada, { since, heard })).toBe('bad_request.invalid_heard');
  }
});
