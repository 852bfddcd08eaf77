// graph:get against a real Neo4j: which nodes and links a reader is shown, at which level, and that
// pages miss nothing.
import { runs } from '@taskgraph/testkit/runs';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sowGraph } from '../test/support/graph-fixture.ts';
import { accessTo, randomGraph, reachFrom, sowRandom } from '../test/support/random-graph.ts';
import { eachReadScene, type ReadScene } from '../test/support/scenes.ts';
import { asking, idsOf, SECRET, walk } from '../test/support/whole-reads.ts';
import { openPosition } from './position.ts';

let { database, reads, graph, ann, bob, cy } = {} as ReadScene;
eachReadScene((scene) => {
  ({ database, reads, graph, ann, bob, cy } = scene);
});

const PAST = '2026-05-31T23:59:59.999Z';
const FUTURE = '2026-06-01T00:00:00.001Z';

async function levelsOf(reader: ActingUser): Promise<Record<string, unknown>> {
  const { nodes } = await reads.ask(reader, 'graph:get');
  return Object.fromEntries(nodes.map(({ id, access }) => [id, access]));
}

describe('nodes', () => {
  test('[ACL1] an owner sees their active entities, and none of others', async () => {
    const [one, two, gone] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.node(bob);
    graph.trash(gone);
    await graph.save();
    expect(await levelsOf(ann)).toEqual({ [one]: 0, [two]: 0 });
  });

  test('[ACL1 ACL2] a branch grant shows only the branch: the nodes that propagating links reach against their direction', async () => {
    const [above, root, child, deep, loose, secret, gone] = Array.from({ length: 7 }, () =>
      graph.node(ann),
    ) as string[];
    graph.link(root as string, above as string);
    graph.link(child as string, root as string, { type: 0 });
    graph.link(deep as string, child as string);
    graph.link(loose as string, root as string, { conveys: false });
    graph.link(secret as string, root as string, { private: true });
    graph.link(gone as string, root as string);
    graph.trash(gone as string);
    graph.grant(root as string, bob.email, Level.EDITOR);
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [root as string]: 2, [child as string]: 2, [deep as string]: 2 });
  });

  test('[ACL2] a grant on a node alone shows that node', async () => {
    const [root, child] = [graph.node(ann), graph.node(ann)];
    graph.link(child, root);
    graph.grant(root, bob.email, Level.ADMIN, { branch: false });
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [root]: 1 });
  });

  test('[ACL5] a grant counts until its due and no longer', async () => {
    const [ended, lasting] = [graph.node(ann), graph.node(ann)];
    graph.grant(ended, bob.email, Level.ADMIN, { due: PAST });
    graph.grant(lasting, bob.email, Level.VIEWER, { due: FUTURE });
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [lasting]: 3 });
    const later = await asking(database, Date.parse(FUTURE)).ask(bob, 'graph:get');
    expect(later.nodes).toEqual([]);
  });

  test('[ACL6] a hidden grant shows nothing, but its level counts on what another grant shows', async () => {
    const [root, child, other] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.link(child, root);
    graph.grant(root, bob.email, Level.ADMIN, { showing: false });
    graph.grant(child, bob.email, Level.VIEWER, { branch: false });
    graph.grant(other, bob.email, Level.EDITOR, { showing: false });
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [child]: 1 });
  });

  test("[ACL1] linking a node below another user's tree shows it to them, with its branch", async () => {
    const [top, guest, below] = [graph.node(ann), graph.node(bob), graph.node(cy)];
    graph.link(guest, top);
    graph.link(below, guest);
    await graph.save();
    expect(await levelsOf(ann)).toEqual({ [top]: 0, [guest]: 3, [below]: 3 });
    expect(await levelsOf(bob)).toEqual({ [guest]: 0, [below]: 3 });
    expect(await levelsOf(cy)).toEqual({ [below]: 0 });
  });

  test('[ACL1 ACL4] a grant begins when its e-mail belongs to the reader, and ends when it does not', async () => {
    const root = graph.node(ann);
    graph.grant(root, bob.email, Level.VIEWER);
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [root]: 3 });
    await database.write('MATCH (p:Principal {email: $email}) REMOVE p.userId', { email: bob.email });
    expect(await levelsOf(bob)).toEqual({});
  });

  test('[ACL5 ACL1] the level of an expired grant does not count where another shows the node', async () => {
    const [root, child] = [graph.node(ann), graph.node(ann)];
    graph.link(child, root);
    graph.grant(root, bob.email, Level.ADMIN, { due: PAST });
    graph.grant(child, bob.email, Level.VIEWER);
    await graph.save();
    expect(await levelsOf(bob)).toEqual({ [child]: 3 });
  });

  test('[ACL2] rows of a root whose last grant ended give no access', async () => {
    const [top, root, child] = [graph.node(ann), graph.node(ann, { wasShared: true }), graph.node(ann)];
    graph.link(root, top);
    graph.link(child, root);
    graph.grant(top, bob.email, Level.VIEWER);
    await graph.save();
    const rootsFor = async (reader: ActingUser) =>
      (await reads.ask(reader, 'graph:get')).nodes.map(({ shareRoots }) => shareRoots);
    expect(await rootsFor(ann)).toEqual([[top], [top], [top]]);
    expect(await rootsFor(bob)).toEqual([[top], [top], [top]]);
    const alone = sowGraph(database);
    const once = alone.node(ann, { wasShared: true });
    await alone.save();
    expect((await reads.ask(ann, 'graph:get')).nodes.find(({ id }) => id === once)?.shareRoots).toEqual([]);
    await alone.remove([]);
  });

  test('[ACL2] readers get the visible share roots, and the owner all of them', async () => {
    const [top, middle, leaf] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.link(middle, top);
    graph.link(leaf, middle);
    graph.grant(top, cy.email, Level.VIEWER);
    graph.grant(middle, bob.email, Level.VIEWER);
    graph.publish(leaf, { branch: false });
    await graph.save();
    const rootsFor = async (reader: ActingUser) => {
      const { nodes } = await reads.ask(reader, 'graph:get');
      const roots = nodes.find(({ id }) => id === leaf)?.shareRoots as string[] | undefined;
      return roots?.sort();
    };
    expect(await rootsFor(ann)).toEqual([top, middle, leaf].sort());
    expect(await rootsFor(bob)).toEqual([middle, leaf].sort());
    // A reader of the top sees the share roots below it, without a grant on them.
    expect(await rootsFor(cy)).toEqual([top, middle, leaf].sort());
  });

  test('[ACL9] only admins see a public token', async () => {
    const root = graph.node(ann);
    const token = graph.publish(root);
    graph.grant(root, bob.email, Level.ADMIN);
    graph.grant(root, cy.email, Level.EDITOR);
    await graph.save();
    const tokenFor = async (reader: ActingUser) => (await reads.ask(reader, 'graph:get')).nodes[0]?.publicToken;
    expect(await tokenFor(ann)).toBe(token);
    expect(await tokenFor(bob)).toBe(token);
    const [node] = (await reads.ask(cy, 'graph:get')).nodes;
    expect(node).not.toHaveProperty('publicToken');
    expect(node).toMatchObject({ id: root, publicBranch: true, publicDue: null });
  });

  test('[WIRE4] every node contains the names of its owner', async () => {
    const [hers, his] = [graph.node(ann), graph.node(bob)];
    graph.grant(hers, bob.email, Level.VIEWER);
    await graph.save();
    const { nodes } = await reads.ask(bob, 'graph:get');
    expect(nodes.map(({ id, ownerUsername, ownerEmail }) => [id, ownerUsername, ownerEmail])).toEqual([
      [hers, 'ann', ann.email],
      [his, 'bob', bob.email],
    ]);
    for (const bookkeeping of ['ownerId', 'openBlockers', 'statusBefore'])
      expect(nodes[0]).not.toHaveProperty(bookkeeping);
  });
});

describe('links', () => {
  test('[ACL1] a link is visible if both of its ends are, for any owners', async () => {
    const [root, child, hidden] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    const [own, other, theirs] = [graph.node(bob), graph.node(bob), graph.node(cy)];
    graph.grant(root, bob.email, Level.EDITOR);
    const seen = [
      graph.link(child, root),
      graph.link(own, other, { type: 0 }),
      graph.link(own, child, { conveys: false }),
      graph.link(child, own, { conveys: false, type: 0 }),
      graph.link(root, child, { conveys: false }),
    ];
    for (const [source, target] of [
      [root, hidden],
      [hidden, root],
      [own, theirs],
      [theirs, own],
      [hidden, theirs],
    ]) {
      graph.link(source as string, target as string, { conveys: false });
    }
    await graph.save();
    expect(idsOf((await reads.ask(bob, 'graph:get')).links)).toEqual(seen);
  });

  test('[LNK9] a private link is visible only to its owner', async () => {
    const [root, child, own] = [graph.node(ann), graph.node(ann), graph.node(bob)];
    graph.link(child, root);
    graph.grant(root, bob.email, Level.VIEWER);
    const hers = graph.link(root, child, { private: true, ownerId: ann.id });
    const his = [
      graph.link(own, root, { private: true, ownerId: bob.id }),
      graph.link(root, own, { private: true, ownerId: bob.id }),
      graph.link(child, root, { private: true, ownerId: bob.id, type: 0 }),
    ];
    await graph.save();
    const [forAnn, forBob] = [await reads.ask(ann, 'graph:get'), await reads.ask(bob, 'graph:get')];
    expect(idsOf(forAnn.links)).toContain(hers);
    expect(idsOf(forAnn.links)).not.toContain(his[2]);
    expect(idsOf(forBob.links)).toEqual(expect.arrayContaining(his));
    expect(idsOf(forBob.links)).not.toContain(hers);
  });

  test("[LNK9] another user's private link between own nodes is hidden, also without any grants", async () => {
    const [one, two] = [graph.node(ann), graph.node(ann)];
    graph.link(one, two, { private: true, ownerId: bob.id });
    const shown = graph.link(one, two, { private: true, ownerId: ann.id, type: 0 });
    await graph.save();
    expect(idsOf((await reads.ask(ann, 'graph:get')).links)).toEqual([shown]);
  });

  test("[ACL1] a reader's link to a node without access is not shown", async () => {
    const [own, lost] = [graph.node(bob), graph.node(ann)];
    graph.link(own, lost, { conveys: false, ownerId: bob.id });
    await graph.save();
    expect(await reads.ask(bob, 'graph:get')).toMatchObject({ nodes: [{ id: own }], links: [] });
  });
});

describe('pages', () => {
  test("[EVT1 EVT2] only the first page contains the heads of all the caller's feeds and the signed position", async () => {
    const [shared, alone, hidden] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.grant(shared, bob.email, Level.VIEWER);
    graph.grant(alone, bob.email, Level.VIEWER, { branch: false });
    graph.grant(hidden, bob.email, Level.VIEWER, { showing: false });
    await graph.save();
    const first = await reads.ask(bob, 'graph:get', { limit: 1 });
    expect(first.feeds).toEqual({ [userFeed(bob.id)]: 0, [branchFeed(shared)]: 1, [nodeFeed(alone)]: 2 });
    expect(openPosition(SECRET, bob.id, first.position as string)).toEqual(first.feeds);
    expect(openPosition(SECRET, ann.id, first.position as string)).toBeNull();
    const second = await reads.ask(bob, 'graph:get', { limit: 1, after: first.next });
    expect(second).not.toHaveProperty('feeds');
    expect(second).not.toHaveProperty('position');
    expect(idsOf(second.nodes)).toEqual([alone]);
  });

  test('[EVT3] pages over many feeds are merged by id, and a node of several feeds appears once', async () => {
    const large = graph.node(ann);
    graph.grant(large, bob.email, Level.EDITOR);
    const expected = [large];
    for (let turn = 0; turn < 120; turn++) {
      const root = graph.node(turn % 3 === 0 ? bob : ann);
      expected.push(root);
      if (turn % 3 !== 0) graph.grant(root, bob.email, Level.VIEWER, { branch: turn % 2 === 0 });
      if (turn > 4 && turn % 5 === 0) graph.link(root, expected[turn - 3] as string);
      const child = graph.node(ann);
      expected.push(child);
      graph.link(child, large);
      graph.node(ann);
    }
    await graph.save();
    for (const limit of [1000, 50, 7]) {
      const { nodes } = await walk(reads, bob, 'graph:get', { limit });
      expect(idsOf(nodes)).toEqual(expected);
    }
    const { nodes } = await reads.ask(bob, 'graph:get', { limit: 10, offset: 63 });
    expect(idsOf(nodes)).toEqual(expected.slice(63, 73));
  });

  test('[EVT3] the page after the last node continues with the first link', async () => {
    const [root, child] = [graph.node(ann), graph.node(ann)];
    const link = graph.link(child, root);
    graph.grant(root, bob.email, Level.VIEWER);
    await graph.save();
    for (const reader of [ann, bob]) {
      const first = await reads.ask(reader, 'graph:get', { limit: 2 });
      expect(first).toMatchObject({ hasMore: true, next: `node:${child}`, links: [] });
      const second = await reads.ask(reader, 'graph:get', { limit: 2, after: first.next });
      expect(second).toMatchObject({ hasMore: false, next: null, nodes: [], links: [{ id: link }] });
      const past = await reads.ask(reader, 'graph:get', { offset: 3 });
      expect(past).toMatchObject({ hasMore: false, nodes: [], links: [] });
    }
  });

  test.each(['x', 'node:x', 'node:', 'graph:018f0000-0000-7000-8000-000000000000'])(
    '[GEN4] after %s is refused',
    async (after) => {
      expect(await reads.refused(ann, 'graph:get', { after })).toBe('bad_request.invalid_after');
    },
  );

  /** The visible part of a random graph, computed by reachability alone. */
  function expectedFor(reader: ActingUser): { nodes: [string, number, string[]][]; links: string[] } {
    const levels = new Map<string, number>();
    for (const { id, inTrash } of graph.nodes.values()) {
      const access = accessTo(graph, reader, id);
      if (!inTrash && access.isShown) levels.set(id, access.level);
    }
    const links = [...graph.links.values()].filter(
      (link) =>
        !link.inTrash &&
        levels.has(link.source) &&
        levels.has(link.target) &&
        (!link.private || link.ownerId === reader.id),
    );
    const nodes = [...levels]
      .sort()
      .map(([id, level]) => [id, level, rootsOf(reader, id)] as [string, number, string[]]);
    return { nodes, links: links.map(({ id }) => id).sort() };
  }

  /**
   * The share roots that a node belongs to: all of them to its owner, to others those that they can
   * see (ACL2).
   */
  function rootsOf(reader: ActingUser, id: string): string[] {
    const reached = reachFrom(graph, [id]);
    const roots = graph.grants
      .filter(({ nodeId, branch }) => (branch ? reached.has(nodeId) : nodeId === id))
      .map(({ nodeId }) => nodeId);
    const isOwner = graph.nodes.get(id)?.ownerId === reader.id;
    return [...new Set(roots)].filter((root) => isOwner || accessTo(graph, reader, root).level <= 3).sort();
  }

  test('[EVT3 ACL1 LNK9] with random grants, a walk by next returns exactly the visible entities, and so does one by offset', async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, fc.integer({ min: 1, max: 5 }), async (random, limit) => {
        graph = sowGraph(database);
        sowRandom(graph, [ann, bob, cy], random);
        await graph.save();
        try {
          for (const reader of [ann, bob, cy]) await comparePages(reader, limit);
        } finally {
          await graph.remove([]);
        }
      }),
      { numRuns: runs(8) },
    );
  });

  async function comparePages(reader: ActingUser, limit: number): Promise<void> {
    const expected = expectedFor(reader);
    const byNext = await walk(reads, reader, 'graph:get', { limit });
    expect(byNext.nodes.map(({ id, access, shareRoots }) => [id, access, shareRoots])).toEqual(expected.nodes);
    expect(idsOf(byNext.links)).toEqual(expected.links);
    const all = [...expected.nodes.map(([id]) => id), ...expected.links];
    for (const offset of new Set([limit, Math.max(0, all.length - 1), expected.nodes.length])) {
      const page = await reads.ask(reader, 'graph:get', { limit, offset });
      expect([...idsOf(page.nodes), ...idsOf(page.links)]).toEqual(all.slice(offset, offset + limit));
      expect(page.hasMore).toBe(offset + limit < all.length);
    }
  }
});
