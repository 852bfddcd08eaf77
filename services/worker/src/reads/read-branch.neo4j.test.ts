// branch:get against a real Neo4j: for anonymous readers by token, for users by token or by the id
// of a node.

import { MAXIMUM_WALK } from '@taskgraph/graph-store/reads/branch-scope';
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { describe, expect, test } from 'vitest';
import { newId } from '../test/support/harness.ts';
import { eachReadScene, type ReadScene } from '../test/support/scenes.ts';
import { asking, idsOf, walk } from '../test/support/whole-reads.ts';

const PAST = '2026-05-31T23:59:59.999Z';
const FUTURE = '2026-06-01T00:00:00.001Z';

let { database, reads, graph, ann, bob, cy } = {} as ReadScene;
eachReadScene((scene) => {
  ({ database, reads, graph, ann, bob, cy } = scene);
});

/**
 * A branch of Ann's: above, the root, a child, one below that, one that is not conveyed, and links
 * among them.
 */
function sowBranch() {
  const [above, root, child, deep, loose] = Array.from({ length: 5 }, () =>
    graph.node(ann, { assignee: ['somebody'], lastBatchID: newId(0) }),
  ) as [string, string, string, string, string];
  graph.link(root, above);
  const links = [graph.link(child, root), graph.link(deep, child, { type: 0 })];
  const secret = graph.link(deep, root, { private: true, conveys: false });
  graph.link(loose, root, { conveys: false });
  return { above, root, child, deep, loose, links, secret };
}

describe('anonymous', () => {
  test('[PUB3] a token shows its branch and nothing around it', async () => {
    const { root, child, deep, links } = sowBranch();
    const token = graph.publish(root, { due: FUTURE });
    await graph.save();
    const page = await reads.ask(null, 'branch:get', { root: token });
    expect(idsOf(page.nodes)).toEqual([root, child, deep]);
    expect(idsOf(page.links)).toEqual(links);
    expect(page.hasMore).toBe(false);
    expect(page.feeds).toEqual({ [branchFeed(root)]: 1 });
    expect(page).not.toHaveProperty('position');
  });

  test('[PUB4 ACL1] answers omit users, other roots and other tokens; the level is viewer', async () => {
    const { above, root, child } = sowBranch();
    const token = graph.publish(root);
    graph.publish(child);
    graph.grant(above, bob.email, Level.VIEWER);
    graph.grant(child, bob.email, Level.EDITOR, { branch: false });
    await graph.save();
    const { nodes, links } = await reads.ask(null, 'branch:get', { root: token });
    for (const node of nodes) {
      expect(node.shareRoots).toEqual([root]);
      expect(node.access).toBe(Level.VIEWER);
      for (const hidden of ['assignee', 'ownerUsername', 'ownerEmail', 'ownerId', 'lastBatchID']) {
        expect(node).not.toHaveProperty(hidden);
      }
    }
    expect(nodes.map((node) => node.publicToken)).toEqual([token, undefined, undefined]);
    for (const link of links) expect(link).not.toHaveProperty('ownerId');
  });

  test('[PUB3] a published node without its branch is only that node', async () => {
    const { root } = sowBranch();
    const token = graph.publish(root, { branch: false });
    await graph.save();
    const page = await reads.ask(null, 'branch:get', { root: token });
    expect(page).toMatchObject({ nodes: [{ id: root, publicToken: token }], links: [], hasMore: false });
    expect(page.feeds).toEqual({ [nodeFeed(root)]: 1 });
  });

  test('[PUB3] unknown, expired, trashed and unpublished tokens, and ids of nodes, get the same 404', async () => {
    const { root, child, deep } = sowBranch();
    const tokens = [graph.publish(root, { due: PAST }), graph.publish(child)];
    graph.trash(child);
    await graph.save();
    for (const reader of [null, ann, bob]) {
      for (const token of [...tokens, `token-of-${deep}`, 'unknown']) {
        expect(await reads.refused(reader, 'branch:get', { root: token })).toBe('not_found');
      }
    }
    expect(await reads.refused(null, 'branch:get', { root })).toBe('not_found');
    const soon = asking(database, Date.parse(PAST) - 1);
    expect(idsOf((await soon.ask(null, 'branch:get', { root: tokens[0] })).nodes)).toEqual([root]);
  });

  test('[EVT3 PUB3] a walk by next finds the branch in pages, all nodes before all links', async () => {
    const { root, child, deep, links } = sowBranch();
    const token = graph.publish(root);
    await graph.save();
    const found = await walk(reads, null, 'branch:get', { root: token, limit: 1 });
    expect([...idsOf(found.nodes), ...idsOf(found.links)]).toEqual([root, child, deep, ...links]);
    expect(found.pages).toBe(5);
  });

  test.each([
    [{}, 'bad_request.missing_root'],
    [{ root: '' }, 'bad_request.invalid_root'],
    [{ root: 7 }, 'bad_request.invalid_root'],
    [{ root: 'x'.repeat(201) }, 'bad_request.invalid_root'],
    [{ root: 'x', limit: 5_001 }, 'bad_request.out_of_range'],
    [{ root: 'x', after: 'y' }, 'bad_request.invalid_after'],
    [{ root: 'x', id: 'y' }, 'bad_request.unknown_field'],
  ])('[GEN4] %j is refused as %s', async (payload, code) => {
    expect(await reads.refused(null, 'branch:get', payload)).toBe(code);
  });
});

describe('a user with a token', () => {
  test('[PUB3 ACL1 ACL9] sees ordinary fields as a viewer, and the token that they presented', async () => {
    const { root, child, deep } = sowBranch();
    const token = graph.publish(root);
    graph.publish(child);
    graph.grant(deep, cy.email, Level.VIEWER);
    await graph.save();
    const page = await reads.ask(bob, 'branch:get', { root: token });
    expect(page.nodes.map(({ id, access, shareRoots, publicToken }) => [id, access, shareRoots, publicToken])).toEqual([
      [root, 3, [root], token],
      [child, 3, [root], undefined],
      [deep, 3, [root], undefined],
    ]);
    expect(page.nodes[0]).toMatchObject({ ownerUsername: 'ann', ownerEmail: ann.email, assignee: ['somebody'] });
    expect(page.feeds).toEqual({ [userFeed(bob.id)]: 0 });
  });

  test('[ACL1] has their own higher level', async () => {
    const { root, child, deep } = sowBranch();
    const token = graph.publish(root);
    graph.grant(child, bob.email, Level.EDITOR);
    const own = graph.node(bob);
    const link = graph.link(own, deep);
    const secret = graph.link(own, child, { private: true, conveys: false });
    await graph.save();
    const page = await reads.ask(bob, 'branch:get', { root: token });
    const levels = page.nodes.map(({ id, access }) => [id, access]);
    expect(levels).toEqual([
      [root, 3],
      [child, 2],
      [deep, 2],
      [own, 0],
    ]);
    expect(idsOf(page.links)).toEqual(expect.arrayContaining([link, secret]));
    expect(page.nodes[1]?.shareRoots).toEqual([root, child].sort());
  });
});

describe('a user with the id of a node', () => {
  test('[PUB3] sees the whole branch of a share root', async () => {
    const { above, root, child, deep, links } = sowBranch();
    graph.grant(root, cy.email, Level.VIEWER);
    graph.grant(above, bob.email, Level.EDITOR, { showing: false });
    await graph.save();
    const forBob = await reads.ask(bob, 'branch:get', { root });
    expect(forBob.nodes.map(({ id, access }) => [id, access])).toEqual([
      [root, 2],
      [child, 2],
      [deep, 2],
    ]);
    expect(idsOf(forBob.links)).toEqual(links);
    expect(forBob.feeds).toEqual({ [userFeed(bob.id)]: 0 });
  });

  test('[PUB3 ACL2] walks a branch without a share root over propagating links, also with remaining rows of an old root', async () => {
    const { root, child, deep, loose, links, secret } = sowBranch();
    const guest = graph.node(cy);
    const hung = graph.link(guest, deep);
    // Two ways lead to it, one of them a circle.
    const twice = [graph.link(deep, root), graph.link(root, deep)];
    // Its right to convey rests while it is private.
    graph.link(loose, child, { private: true });
    Object.assign(graph.nodes.get(root) as object, { wasShared: true });
    graph.grant(root, bob.email, Level.VIEWER, { branch: false });
    await graph.save();
    await database.write('MATCH (n:Node {id: $deep})-[row:IN]->(f:Feed {id: $feed}) DELETE row', {
      deep,
      feed: branchFeed(root),
    });
    for (const limit of [100, 1]) {
      const found = await walk(reads, ann, 'branch:get', { root, limit });
      expect(found.nodes.map(({ id, access }) => [id, access])).toEqual([
        [root, 0],
        [child, 0],
        [deep, 0],
        [guest, 3],
      ]);
      expect(idsOf(found.links)).toEqual([...links, secret, hung, ...twice].sort());
    }
    const page = await reads.ask(ann, 'branch:get', { root, limit: 3, offset: 3 });
    expect([...idsOf(page.nodes), ...idsOf(page.links)]).toEqual([guest, links[0], links[1]]);
    expect(page.hasMore).toBe(true);
    const past = await reads.ask(ann, 'branch:get', { root, limit: 2, offset: 5 });
    expect([...idsOf(past.nodes), ...idsOf(past.links)]).toEqual([links[1], secret]);
  });

  test('[PUB3] with a node grant sees that node, and not the branch that others read', async () => {
    const { root } = sowBranch();
    graph.publish(root);
    graph.grant(root, bob.email, Level.EDITOR, { branch: false });
    await graph.save();
    const page = await reads.ask(bob, 'branch:get', { root });
    expect(page).toMatchObject({ nodes: [{ id: root, access: 2, shareRoots: [root] }], links: [], hasMore: false });
  });

  test('[GEN7] without access is refused; an unknown or trashed node is not found', async () => {
    const { root, child } = sowBranch();
    graph.trash(child);
    await graph.save();
    expect(await reads.refused(bob, 'branch:get', { root })).toBe('forbidden');
    expect(await reads.refused(bob, 'branch:get', { root: child })).toBe('forbidden');
    expect(await reads.refused(ann, 'branch:get', { root: child })).toBe('not_found');
    expect(await reads.refused(ann, 'branch:get', { root: newId(0) })).toBe('not_found');
  });

  test('[PUB3] a branch too large for a walk is refused until it is shared', async () => {
    const root = graph.node(ann);
    await graph.save();
    await hangBelow(root, MAXIMUM_WALK);
    expect(await reads.refused(ann, 'branch:get', { root })).toBe('bad_request.too_large');
    await database.write(`MATCH (n:Node {id: left($root, 24) + '000000000001'}) DETACH DELETE n`, { root });
    expect((await reads.ask(ann, 'branch:get', { root, limit: 5 })).nodes).toHaveLength(5);
    await cutBelow(root);
  });
});

const AT_ONCE = 2_000;

/** Hangs many nodes below one, in steps: a transaction has a few seconds. */
async function hangBelow(root: string, count: number): Promise<void> {
  for (let first = 1; first <= count; first += AT_ONCE) {
    await database.write(
      `MATCH (root:Node {id: $root}) UNWIND range($first, $first + $atOnce - 1) AS number
       CREATE (n:Node {id: left($root, 24) + right('00000000000' + toString(toInteger(number)), 12), ownerId: $ann, inTrash: false,
         title: '', description: '', tags: [], assignee: [], sown: $root, status: 0, openBlockers: 0, type: 0, priority: 0,
         independent: false, volume: 0, version: 1, x: 0.0, y: 0.0, z: 0.0, pinned: false, collapsed: false, publicBranch: false,
         createdTime: $now, lastEditedTime: $now})
       CREATE (n)-[:RELATES {id: n.id, private: false, conveys: true, ownerId: $ann, sourceOwnerId: $ann, targetOwnerId: $ann}]->(root)`,
      { root, ann: ann.id, first, atOnce: AT_ONCE, now: new Date().toISOString() },
    );
  }
}

async function cutBelow(root: string): Promise<void> {
  const cut =
    'MATCH (n:Node {ownerId: $ann}) WHERE n.sown = $root WITH n LIMIT toInteger($atOnce) DETACH DELETE n RETURN 1 AS one';
  while ((await database.write(cut, { root, ann: ann.id, atOnce: AT_ONCE })).length > 0);
}
