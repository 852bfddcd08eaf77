import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy, type Scenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();

/** A node on which Bob has the level. */
function nodeFor(scene: Scenario, level: Level | null, independent = false): string {
  const id = scene.node({ ownerId: level === Level.OWNER ? bob.id : ann.id, independent });
  if (level !== null && level !== Level.OWNER) scene.grant(id, bob, level);
  return id;
}

test('[BLK2 BLK9] a primary link blocks its target', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node({ status: 1 })];
  const { diff } = scene.run('link:add', { source, target });
  const after = { source, target, type: 0, private: false, version: 1, wasBlocker: true, inTrash: false };
  expect(diff.links).toMatchObject([{ op: Op.LINK_ADD, before: {}, after }]);
  expect(diff.nodes).toMatchObject([{ op: Op.NODE_STATUS, before: { status: 1 }, after: { id: target, status: 2 } }]);
});

/**
 * The table of LNK3: caller's level on the source, level on the target, and whether `private` is
 * forced.
 */
const table: [Level, Level, boolean][] = [
  [Level.OWNER, Level.OWNER, false],
  [Level.OWNER, Level.ADMIN, false],
  [Level.OWNER, Level.EDITOR, false],
  [Level.OWNER, Level.VIEWER, true],
  [Level.ADMIN, Level.OWNER, false],
  [Level.ADMIN, Level.ADMIN, false],
  [Level.ADMIN, Level.EDITOR, false],
  [Level.ADMIN, Level.VIEWER, true],
  [Level.EDITOR, Level.OWNER, false],
  [Level.EDITOR, Level.ADMIN, false],
  [Level.EDITOR, Level.EDITOR, false],
  [Level.EDITOR, Level.VIEWER, true],
  [Level.VIEWER, Level.OWNER, false],
  [Level.VIEWER, Level.ADMIN, true],
  [Level.VIEWER, Level.EDITOR, true],
  [Level.VIEWER, Level.VIEWER, true],
];

test.each(table)('[LNK3] level %i on the source and %i on the target: private is forced: %s', (on, at, forced) => {
  for (const wanted of [false, true]) {
    const scene = scenario();
    const [source, target] = [nodeFor(scene, on), nodeFor(scene, at)];
    const { diff } = scene.run('link:add', { source, target, private: wanted }, bob);
    const type = at === Level.VIEWER ? LinkType.SECONDARY : LinkType.PRIMARY;
    expect(diff.links[0]?.after).toMatchObject({ private: wanted || forced, type });
  }
});

test('[LNK3 BLK7] a link into an independent node is secondary', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node({ independent: true })];
  const { diff } = scene.run('link:add', { source, target, type: 0 });
  expect(diff.links[0]?.after).toMatchObject({ type: 1, wasBlocker: false });
  expect(diff.nodes).toEqual([]);
});

test.each([
  [null, Level.OWNER],
  [Level.OWNER, null],
  [null, null],
])('[LNK2 GEN7] level %j on the source and %j on the target is too little', (on, at) => {
  const scene = scenario();
  const raw = { source: nodeFor(scene, on), target: nodeFor(scene, at) };
  expect(scene.run('link:add', raw, bob).error).toBe('forbidden');
});

test('[GEN3 GEN7] a missing end is reported before a forbidden one', () => {
  const scene = scenario();
  const foreign = scene.node();
  for (const raw of [
    { source: foreign, target: ann.id },
    { source: ann.id, target: foreign },
  ]) {
    expect(scene.run('link:add', raw, bob).error).toBe('not_found');
  }
});

test('[TRS4] neither end may be in the trash', () => {
  const scene = scenario();
  const [active, trashed] = [scene.node(), scene.node({ inTrash: true })];
  expect(scene.run('link:add', { source: active, target: trashed }).error).toBe('conflict.in_trash');
  expect(scene.run('link:add', { source: trashed, target: active }).error).toBe('conflict.in_trash');
});

test.each(['source', 'target'])('[LNK2] the %s has at most 20,000 links', (end) => {
  const scene = scenario();
  const raw = { source: scene.node(), target: scene.node() };
  scene.claimLinks(end === 'source' ? raw.source : raw.target, 20_000);
  expect(scene.run('link:add', raw).error).toBe('conflict.too_many_links');
  scene.claimLinks(end === 'source' ? raw.source : raw.target, 19_999);
  expect(scene.run('link:add', raw).error).toBeNull();
});

test.each([
  ['source', Level.VIEWER, 'conflict.too_many_links'],
  ['target', Level.VIEWER, 'conflict.too_many_links'],
  ['target', Level.EDITOR, null],
])(
  '[LNK2] a user has at most 64 links on a node that they only read: on the %s, with level %i: %j',
  (end, level, error) => {
    const scene = scenario();
    const [node, own] = [nodeFor(scene, level), nodeFor(scene, Level.OWNER)];
    const raw = end === 'source' ? { source: node, target: own } : { source: own, target: node };
    scene.claimLinksOf(node, bob, 64);
    expect(scene.run('link:add', raw, bob).error).toBe(error);
    scene.claimLinksOf(node, bob, 63);
    if (error !== null) expect(scene.run('link:add', raw, bob).error).toBeNull();
  },
);

describe('duplicates', () => {
  test.each([LinkType.PRIMARY, LinkType.SECONDARY])('[LNK5] in both directions, of type %i', (type) => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    scene.link(source, target, { type: LinkType.SECONDARY });
    const again = scene.run('link:add', { source, target, type });
    expect(again.error).toBe('conflict.duplicate_link');
    const reversed = scene.run('link:add', { source: target, target: source, type });
    expect(reversed.error).toBe('conflict.duplicate_reversed_link');
  });

  test("[LNK5 LNK9] private links of other users neither collide nor show; the caller's own link collides", () => {
    const scene = scenario();
    const [source, target] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.EDITOR)];
    const theirs = scene.link(source, target, { private: true, type: LinkType.SECONDARY });
    const outcome = scene.run('link:add', { source, target, private: true }, bob);
    expect(outcome.error).toBeNull();
    expect(JSON.stringify(outcome.diff)).not.toContain(theirs);
    expect(scene.run('link:add', { source, target }, bob).error).toBe('conflict.duplicate_link');
  });
});

describe('cycles', () => {
  test('[LNK4] the path goes from the target along the links to the source', () => {
    const scene = scenario();
    const [a, b, c] = [scene.node(), scene.node(), scene.node()];
    scene.link(a, b);
    scene.link(b, c);
    const outcome = scene.run('link:add', { source: c, target: a });
    expect(outcome).toMatchObject({ error: 'conflict.cycle', details: { path: [a, b, c] } });
    expect(scene.run('link:add', { source: c, target: a, type: LinkType.SECONDARY }).error).toBeNull();
  });

  test('[LNK4] one null replaces a run of invisible nodes', () => {
    const scene = scenario();
    const seen = Array.from({ length: 3 }, () => nodeFor(scene, Level.EDITOR));
    const [first, middle, last] = seen as [string, string, string];
    const hidden = Array.from({ length: 3 }, () => scene.node()) as [string, string, string];
    const chain = [first, hidden[0], hidden[1], middle, hidden[2], last];
    for (let at = 1; at < chain.length; at++) scene.link(chain[at - 1] as string, chain[at] as string);
    const { error, details } = scene.run('link:add', { source: last, target: first }, bob);
    expect(error).toBe('conflict.cycle');
    expect(details).toEqual({ path: [first, null, middle, null, last] });
  });

  test('[LNK4 LNK9] private links of other users close cycles; trashed and secondary links do not', () => {
    const scene = scenario();
    const [a, b] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.EDITOR)];
    scene.link(a, b, { inTrash: true, private: true });
    scene.link(a, b, { type: LinkType.SECONDARY, private: true });
    expect(scene.run('link:add', { source: b, target: a }, bob).error).toBeNull();
    const [c, d] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.EDITOR)];
    scene.link(c, d, { private: true });
    expect(scene.run('link:add', { source: d, target: c }, bob).error).toBe('conflict.cycle');
  });

  test('[LNK4 LNK9] one null replaces invisible links between two nodes, unless another link there is visible', () => {
    const scene = scenario();
    const [a, b, c, d] = Array.from({ length: 4 }, () => nodeFor(scene, Level.EDITOR)) as [
      string,
      string,
      string,
      string,
    ];
    scene.link(a, b, { private: true });
    scene.link(b, c, { private: true });
    scene.link(b, c, { private: true, ownerId: bob.id });
    scene.link(c, d, { private: true });
    const pathFor = (source: string, target: string) => {
      const { error, details } = scene.run('link:add', { source, target }, bob);
      expect(error).toBe('conflict.cycle');
      return details?.path;
    };
    expect(pathFor(b, a)).toEqual([a, null, b]);
    expect(pathFor(d, a)).toEqual([a, null, b, c, null, d]);
    const hidden = scene.node();
    scene.link(d, hidden, { private: true });
    const [e] = [nodeFor(scene, Level.EDITOR)];
    scene.link(hidden, e);
    expect(pathFor(e, c)).toEqual([c, null, d, null, e]);
  });

  test('[LNK5 LNK4] a duplicate is reported before a cycle', () => {
    const scene = scenario();
    const [a, b] = [scene.node(), scene.node()];
    scene.link(a, b);
    expect(scene.run('link:add', { source: b, target: a }).error).toBe('conflict.duplicate_reversed_link');
  });
});

describe('a trashed link is restored', () => {
  const trashed = { inTrash: true } as const;
  const early = { ...trashed, lastEditedTime: '2026-01-01T00:00:01.000Z' };
  const late = { ...trashed, lastEditedTime: '2026-01-01T00:00:02.000Z' };

  test('[LNK6 BLK9] with the requested direction, type and privacy, under the same id, in one LINK_RESTORE', () => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    const id = scene.link(target, source, { ...trashed, type: LinkType.SECONDARY });
    const { diff } = scene.run('link:add', { source, target, private: true });
    const after = { id, source, target, type: 0, private: true, inTrash: false, version: 2, wasBlocker: true };
    expect(diff.links).toMatchObject([{ op: Op.LINK_RESTORE, after }]);
    expect(scene.nodes.get(target)?.status).toBe(Status.BLOCKED);
    expect(scene.links.size).toBe(1);
  });

  test('[LNK6] the same direction before the reversed one, then the newest', () => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    scene.link(target, source, { ...trashed, lastEditedTime: '2026-01-01T00:00:03.000Z' });
    scene.link(source, target, early);
    const newest = scene.link(source, target, late);
    scene.link(source, target, early);
    expect(scene.run('link:add', { source, target }).diff.links[0]?.after.id).toBe(newest);
  });

  test.each<[what: string, link: object, raw: object, comesBack: boolean]>([
    ['a private link of the caller', { private: true, ownerId: bob.id }, {}, true],
    ["another user's public link", {}, {}, true],
    ["not another user's private link", { private: true }, {}, false],
    ["not another user's public link for a private request", {}, { private: true }, false],
  ])('[LNK6 LNK9] restores %s', (_what, link, raw, comesBack) => {
    const scene = scenario();
    const [source, target] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.EDITOR)];
    const id = scene.link(source, target, { ...trashed, ownerId: cy.id, ...link });
    const { diff } = scene.run('link:add', { source, target, ...raw }, bob);
    expect(diff.links[0]?.op).toBe(comesBack ? Op.LINK_RESTORE : Op.LINK_ADD);
    expect(diff.links[0]?.after.id === id).toBe(comesBack);
    if (!comesBack) expect(scene.links.get(id)?.inTrash).toBe(true);
  });

  test("[LNK6 LNK7] another user's link only if the caller may restore it in its stored direction", () => {
    const scene = scenario();
    const [editable, visible] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.OWNER)];
    const readOnly = nodeFor(scene, Level.VIEWER);
    scene.link(visible, readOnly, trashed);
    // Stored with a target that Bob only reads, so he makes a new link in the direction that he may
    // write.
    const { diff } = scene.run('link:add', { source: readOnly, target: visible }, bob);
    expect(diff.links[0]?.op).toBe(Op.LINK_ADD);
    scene.link(visible, editable, trashed);
    const back = scene.run('link:add', { source: editable, target: visible }, bob);
    expect(back.diff.links[0]?.op).toBe(Op.LINK_RESTORE);
  });

  test('[TRS3] a link that was trashed with a node loses its mark', () => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    const id = scene.link(source, target, { ...trashed, trashedWithNode: true });
    scene.run('link:add', { source, target });
    expect(scene.links.get(id)).toMatchObject({ inTrash: false, trashedWithNode: false });
  });
});
