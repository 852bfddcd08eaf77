// trash:page on a real Neo4j: the entities that the reader may restore, newest first.
import { runs } from '@taskgraph/testkit/runs';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FixtureLink, sowGraph } from '../test/support/graph-fixture.ts';
import { newId, startTestWorker } from '../test/support/harness.ts';
import { accessTo, randomGraph, reachFrom, sowRandom } from '../test/support/random-graph.ts';
import { eachReadScene, type ReadScene } from '../test/support/scenes.ts';
import { idsOf } from '../test/support/whole-reads.ts';

let { database, reads, graph, ann, bob, cy } = {} as ReadScene;
eachReadScene((scene) => {
  ({ database, reads, graph, ann, bob, cy } = scene);
});

/** The ids in a reader's trash. */
async function trashOf(reader: ActingUser): Promise<string[]> {
  const { nodes, links } = await reads.ask(reader, 'trash:page');
  return [...idsOf(nodes), ...idsOf(links)].sort();
}

describe('nodes', () => {
  test('[TRS2] only the owner sees their trashed nodes', async () => {
    const [gone, stays] = [graph.node(ann, { title: 'Gone' }), graph.node(ann)];
    graph.trash(gone);
    await graph.save();
    const { nodes, hasMore } = await reads.ask(ann, 'trash:page');
    expect(nodes).toMatchObject([
      { id: gone, title: 'Gone', inTrash: true, ownerUsername: 'ann', ownerEmail: ann.email },
    ]);
    expect(hasMore).toBe(false);
    expect(await trashOf(bob)).toEqual([]);
    expect(stays).not.toBe(gone);
  });

  test.each([
    [Level.ADMIN, true, true],
    [Level.EDITOR, false, true],
    [Level.EDITOR, true, true],
    [Level.VIEWER, true, false],
    [Level.VIEWER, false, false],
  ])('[TRS2] a grant on the node itself, level %i, branch %s: %s', async (level, branch, isListed) => {
    const gone = graph.node(ann);
    graph.grant(gone, bob.email, level, { branch });
    graph.trash(gone);
    await graph.save();
    expect(await trashOf(bob)).toEqual(isListed ? [gone] : []);
    const { nodes } = await reads.ask(bob, 'trash:page');
    if (isListed) expect(nodes[0]).toMatchObject({ ownerUsername: 'ann', ownerEmail: ann.email });
  });

  test.each([
    ['below its start', {}, {}, true],
    ['below another node of the branch', {}, { deeper: true }, true],
    ['below a link that does not propagate', { conveys: false }, {}, false],
    ['below a private link', { private: true }, {}, false],
    ['below a link that was trashed first', {}, { linkFirst: true }, false],
    ['whose parent left the branch', {}, { parentLeft: true }, false],
    ['whose parent is in the trash too', {}, { parentGone: true }, false],
    ['above the branch', {}, { reversed: true }, false],
  ])('[TRS2] an editor of a branch, and a node %s', async (_what, fields, shape, isListed) => {
    const { deeper, linkFirst, parentLeft, parentGone, reversed } = shape as Record<string, boolean>;
    const [root, parent, gone] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    if (!parentLeft) graph.link(parent, root);
    const under = deeper || parentLeft || parentGone ? parent : root;
    const link = reversed ? graph.link(under, gone, fields) : graph.link(gone, under, fields);
    graph.grant(root, bob.email, Level.EDITOR);
    graph.grant(root, cy.email, Level.VIEWER);
    if (linkFirst) graph.trash(link);
    graph.trash(gone);
    if (parentGone) graph.trash(parent);
    await graph.save();
    const listed = (await reads.ask(bob, 'trash:page')).nodes.map(({ id }) => id);
    expect(listed).toEqual([...(parentGone ? [parent] : []), ...(isListed ? [gone] : [])]);
    expect((await reads.ask(cy, 'trash:page')).nodes).toEqual([]);
  });

  test('[TRS2] an editor of a parent alone does not inherit, and neither does the owner of the tree', async () => {
    const [parent, guest] = [graph.node(ann), graph.node(cy)];
    graph.link(guest, parent);
    graph.grant(parent, bob.email, Level.EDITOR, { branch: false });
    graph.trash(guest);
    await graph.save();
    expect((await reads.ask(bob, 'trash:page')).nodes).toEqual([]);
    expect((await reads.ask(ann, 'trash:page')).nodes).toEqual([]);
    expect((await reads.ask(cy, 'trash:page')).nodes).toHaveLength(1);
  });

  test.each([
    ['64 links of a viewer', 64, Level.VIEWER, 'cy', true],
    ['65 links of a viewer', 65, Level.VIEWER, 'cy', false],
    ['65 links of an editor', 65, Level.EDITOR, 'cy', true],
    ['65 links of several users, one of them a viewer’s', 65, Level.VIEWER, 'ann', true],
    ['20,000 links', 20_000, Level.EDITOR, 'ann', true],
    ['20,001 links', 20_001, Level.EDITOR, 'ann', false],
  ] as const)('[TRS2 LNK2] a node below the last of %s', async (_what, count, level, owner, returns) => {
    const [root, sibling, gone] = [graph.node(ann), graph.node(ann), graph.node(cy)];
    graph.grant(root, bob.email, Level.EDITOR);
    graph.grant(root, cy.email, level);
    const hanging = graph.link(gone, root);
    graph.trash(gone, cy);
    await graph.save();
    const worker = startTestWorker(database);
    // All but the last are there; between two nodes, since only their number counts.
    await attach(sibling, root, { count: count - 1, ownerId: owner === 'cy' ? cy.id : ann.id });
    expect(await trashOf(bob)).toEqual(returns ? [gone, hanging].sort() : []);
    const scope = { scopeType: 'NODE', scopeId: gone };
    expect(await worker.ask(bob, 'history:page', scope)).toMatchObject({ ok: returns });
    // As in commands: each viewer may restore it, and it returns to the branch.
    const reply = await worker.send(bob, 'node:restore', { id: gone });
    expect(reply).toMatchObject(returns ? { ok: true } : { ok: false, error: 'forbidden' });
  });

  /** Links that are active, as fast as they can be made. */
  async function attach(source: string, target: string, { count, ownerId }: { count: number; ownerId: string }) {
    await database.write(
      `MATCH (a:Node {id: $source}), (b:Node {id: $target}) UNWIND $ids AS id
       CREATE (a)-[:RELATES {id: id, type: 1, version: 1, private: false, conveys: false, wasBlocker: false, ownerId: $ownerId,
         trashedWithNode: false, sourceOwnerId: a.ownerId, targetOwnerId: b.ownerId}]->(b)`,
      { source, target, ownerId, ids: Array.from({ length: count }, () => newId(0)) },
      60_000,
    );
  }

  test('[ACL5] an expired grant gives nothing', async () => {
    const [root, gone] = [graph.node(ann), graph.node(ann)];
    graph.link(gone, root);
    graph.grant(root, bob.email, Level.EDITOR, { due: '2026-05-31T23:59:59.999Z' });
    graph.trash(gone);
    await graph.save();
    expect(await trashOf(bob)).toEqual([]);
  });
});

describe('links', () => {
  test('[LNK7 LNK9] between own nodes: all but the private ones of others', async () => {
    const [one, two] = [graph.node(ann), graph.node(ann)];
    const links = [
      graph.link(one, two),
      graph.link(two, one, { ownerId: bob.id }),
      graph.link(one, two, { private: true }),
      graph.link(one, two, { private: true, ownerId: bob.id }),
    ];
    for (const link of links) graph.trash(link);
    await graph.save();
    expect(await trashOf(ann)).toEqual(links.slice(0, 3).sort());
    expect(await trashOf(bob)).toEqual([]);
  });

  test('[LNK7] the owner of a link while both ends are visible to them', async () => {
    const [root, lost, own] = [graph.node(ann), graph.node(ann), graph.node(bob)];
    graph.grant(root, bob.email, Level.VIEWER);
    const kept = graph.link(own, root, { conveys: false });
    const secret = graph.link(root, own, { private: true, ownerId: bob.id });
    const links = [kept, secret, graph.link(own, lost, { conveys: false })];
    for (const link of links) graph.trash(link);
    await graph.save();
    expect(await trashOf(bob)).toEqual([kept, secret].sort());
    // Ann edits the target of the first, but does not see its source.
    expect(await trashOf(ann)).toEqual([]);
  });

  test('[LNK7] the owner of a link between nodes of others', async () => {
    const [one, two] = [graph.node(ann), graph.node(ann)];
    graph.grant(one, bob.email, Level.VIEWER, { branch: false });
    graph.grant(two, bob.email, Level.VIEWER, { branch: false });
    graph.grant(one, cy.email, Level.VIEWER, { branch: false });
    const link = graph.link(one, two, { private: true, ownerId: bob.id });
    const lost = graph.link(one, two, { ownerId: cy.id });
    graph.trash(link);
    graph.trash(lost);
    await graph.save();
    expect(await trashOf(bob)).toEqual([link]);
    expect(await trashOf(cy)).toEqual([]);
    expect(await trashOf(ann)).toEqual([lost]);
  });

  test('[LNK7] editors of the target who see the source', async () => {
    const [root, child, outside] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.link(child, root);
    graph.grant(root, bob.email, Level.EDITOR);
    graph.grant(root, cy.email, Level.VIEWER);
    const within = graph.link(root, child, { conveys: false });
    const links = [
      within,
      graph.link(outside, child),
      graph.link(child, outside),
      graph.link(child, root, { private: true }),
    ];
    for (const link of links) graph.trash(link);
    await graph.save();
    expect(await trashOf(bob)).toEqual([within]);
    expect(await trashOf(cy)).toEqual([]);
  });

  test('[LNK7] a target edited by a node grant, and a source visible by another grant', async () => {
    const [target, source] = [graph.node(ann), graph.node(ann)];
    graph.grant(target, bob.email, Level.EDITOR, { branch: false });
    graph.grant(source, bob.email, Level.VIEWER, { branch: false });
    const link = graph.link(source, target, { conveys: false });
    const other = graph.link(target, source, { conveys: false });
    graph.trash(link);
    graph.trash(other);
    await graph.save();
    expect(await trashOf(bob)).toEqual([link]);
  });

  test('[LNK7] a user who trashed a propagating link sees its source as if the link were active', async () => {
    const [root, source] = [graph.node(ann), graph.node(cy)];
    graph.grant(root, bob.email, Level.EDITOR);
    const byBob = graph.link(source, root);
    const byAnn = graph.link(source, root, { ownerId: ann.id });
    const loose = graph.link(source, root, { conveys: false });
    graph.trash(byBob, bob);
    graph.trash(byAnn, ann);
    graph.trash(loose, bob);
    await graph.save();
    expect(await trashOf(bob)).toEqual([byBob]);
    expect(await trashOf(ann)).toEqual([byAnn]);
    // Cy owns two of the links, and does not see the target.
    expect(await trashOf(cy)).toEqual([]);
  });

  test('[TRS2 LNK7] ends in the trash count as if they were restored', async () => {
    const [root, gone, below] = [graph.node(ann), graph.node(ann), graph.node(ann)];
    graph.grant(root, bob.email, Level.EDITOR);
    const hanging = graph.link(gone, root);
    const lower = graph.link(below, gone);
    const across = graph.link(root, gone, { conveys: false });
    graph.trash(gone, ann);
    await graph.save();
    // Nodes below it are not restored with it, so that the editor does not see them now.
    expect(await trashOf(bob)).toEqual([gone, hanging, across].sort());
    expect(await trashOf(ann)).toEqual([gone, hanging, across, lower].sort());
  });

  test('[TRS2 LNK7] for a trashed node of another user in the reader’s tree, the trash shows the link and not the node', async () => {
    const [top, guest] = [graph.node(ann), graph.node(bob)];
    const hanging = graph.link(guest, top);
    graph.trash(guest, bob);
    await graph.save();
    expect(await trashOf(ann)).toEqual([hanging]);
    expect(await trashOf(bob)).toEqual([guest]);
  });
});

describe('with random grants and trashed entities', () => {
  /**
   * The nodes to which a trashed node would belong if it were restored now, besides itself (TRS2).
   */
  function regained(id: string): Set<string> {
    if (!graph.nodes.get(id)?.inTrash) return new Set();
    const back: FixtureLink[] = [];
    for (const link of hungOn(id)) if (!duplicates(link, back) && !closesCycle(link, back)) back.push(link);
    const parents = back.filter((link) => link.source === id && link.conveys && !link.private);
    return reachFrom(graph, new Set(parents.map(({ target }) => target)));
  }

  /** The links that may come back with a trashed node, in order of id (TRS3). */
  function hungOn(id: string): FixtureLink[] {
    const hung = [...graph.links.values()].filter(
      ({ source, target, inTrash, trashedWithNode }) =>
        inTrash &&
        trashedWithNode &&
        [source, target].includes(id) &&
        [source, target].every((end) => end === id || graph.nodes.get(end)?.inTrash === false),
    );
    return hung.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Whether the link's owner sees one of these between the same two nodes (LNK5). */
  function duplicates({ source, target, ownerId }: FixtureLink, back: readonly FixtureLink[]): boolean {
    return back.some(
      (one) =>
        [source, target].includes(one.source) &&
        [source, target].includes(one.target) &&
        (!one.private || one.ownerId === ownerId),
    );
  }

  /** Whether active primary links and these lead from the link's target to its source (LNK4). */
  function closesCycle({ type, source, target }: FixtureLink, back: readonly FixtureLink[]): boolean {
    if (type !== 0) return false;
    const reached = new Set([target]);
    for (const at of reached) {
      for (const link of [...graph.links.values()].filter(({ inTrash }) => !inTrash).concat(back)) {
        if (link.type === 0 && link.source === at) reached.add(link.target);
      }
    }
    return reached.has(source);
  }

  function mayRestoreLink(reader: ActingUser, link: FixtureLink): boolean {
    if (link.private && link.ownerId !== reader.id) return false;
    const isTrasher = link.trashedBy === reader.id && link.conveys && !link.private;
    // With an end in the trash it could not be active, and conveys nothing.
    const couldConvey = [link.source, link.target].every((id) => graph.nodes.get(id)?.inTrash === false);
    const byLink = isTrasher && couldConvey ? reachFrom(graph, [link.target]) : [];
    const onSource = accessTo(graph, reader, link.source, [...regained(link.source), ...byLink]).level;
    const onTarget = accessTo(graph, reader, link.target, regained(link.target)).level;
    return onSource <= 3 && onTarget <= 3 && (link.ownerId === reader.id || onTarget <= 2);
  }

  function expectedFor(reader: ActingUser): string[] {
    const nodes = [...graph.nodes.values()].filter(
      ({ id, inTrash }) => inTrash && accessTo(graph, reader, id, regained(id)).level <= 2,
    );
    const links = [...graph.links.values()].filter((link) => link.inTrash && mayRestoreLink(reader, link));
    const newestFirst = (one: TrashEntry, other: TrashEntry) => (keyOf(one) < keyOf(other) ? 1 : -1);
    return [...nodes, ...links].sort(newestFirst).map(({ id }) => id);
  }

  type TrashEntry = { id: string; lastEditedTime?: unknown };
  const keyOf = ({ id, lastEditedTime }: TrashEntry) => `${lastEditedTime} ${id}`;

  test('[TRS2 LNK7 LNK9 EVT3] a reader sees exactly the entities that they may restore', async () => {
    await fc.assert(
      fc.asyncProperty(randomGraph, fc.integer({ min: 1, max: 4 }), async (random, limit) => {
        graph = sowGraph(database);
        sowRandom(graph, [ann, bob, cy], random);
        await graph.save();
        try {
          for (const reader of [ann, bob, cy]) await comparePages(reader, limit);
        } finally {
          await graph.remove([]);
        }
      }),
      { numRuns: runs(10) },
    );
  });

  async function comparePages(reader: ActingUser, limit: number): Promise<void> {
    const expected = expectedFor(reader);
    expect(await trashOf(reader)).toEqual([...expected].sort());
    for (let offset = 0; offset <= expected.length; offset += limit) {
      const page = await reads.ask(reader, 'trash:page', { limit, offset });
      const listed = [...idsOf(page.nodes), ...idsOf(page.links)].sort();
      expect(listed).toEqual(expected.slice(offset, offset + limit).sort());
      expect(page.hasMore).toBe(offset + limit < expected.length);
    }
  }
});

describe('pages', () => {
  /** Ann's trashed nodes, newest first: her own ones, and the ones that Bob edits. */
  async function sowMany(): Promise<{ all: string[]; edited: string[] }> {
    const [root, other] = [graph.node(ann), graph.node(ann)];
    const all: string[] = [];
    const edited: string[] = [];
    for (let turn = 0; turn < 30; turn++) {
      const node = graph.node(ann);
      const link = graph.link(node, turn % 2 === 0 ? root : other, { conveys: turn % 2 === 0 });
      graph.trash(link);
      graph.trash(node);
      all.unshift(node, link);
    }
    graph.grant(root, bob.email, Level.EDITOR);
    // Hung under the branch, and trashed as one: they share a time.
    for (let turn = 0; turn < 4; turn++) {
      const node = graph.node(ann);
      const link = graph.link(node, root);
      graph.trash(node);
      all.unshift(...[node, link].sort().reverse());
      edited.unshift(...[node, link].sort().reverse());
    }
    await graph.save();
    return { all, edited };
  }

  test('[TRS2 EVT3] are parts of one list of nodes and links, newest first', async () => {
    const { all, edited } = await sowMany();
    for (const [reader, list] of [
      [ann, all],
      [bob, edited],
    ] as const) {
      for (const [limit, offset] of [
        [3, 0],
        [3, 4],
        [5, list.length - 5],
        [5, list.length - 3],
        [5, list.length + 7],
        [5, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const page = await reads.ask(reader, 'trash:page', { limit, offset });
        expect([...idsOf(page.nodes), ...idsOf(page.links)].sort()).toEqual(list.slice(offset, offset + limit).sort());
        expect(page.hasMore).toBe(offset + limit < list.length);
      }
    }
  });

  test('[TRS2] continue after many candidates that the reader may not restore', async () => {
    const [root, lost, own] = [graph.node(ann), graph.node(ann), graph.node(bob)];
    graph.grant(root, bob.email, Level.EDITOR);
    const first = graph.link(own, root, { conveys: false });
    graph.trash(first);
    const second = graph.link(root, own, { conveys: false, ownerId: bob.id });
    graph.trash(second);
    for (let turn = 0; turn < 1_100; turn++) graph.trash(graph.link(own, lost, { conveys: false }));
    graph.trash(own);
    await graph.save();
    const list = [own, second, first];
    for (const offset of [0, 1, 2, 3]) {
      const { nodes, links, hasMore } = await reads.ask(bob, 'trash:page', { limit: 1, offset });
      expect([...idsOf(nodes), ...idsOf(links)]).toEqual(list.slice(offset, offset + 1));
      expect(hasMore).toBe(offset < 2);
    }
  });

  test('[EVT3] are bounded, also for readers whose rights must be checked for each entity', async () => {
    for (const limit of [0, 1_001]) {
      expect(await reads.refused(ann, 'trash:page', { limit })).toBe('bad_request.out_of_range');
    }
  });
});
