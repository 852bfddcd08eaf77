// Each refusal of a command names the obstacle, as far as the caller sees it.
import { Level, Status } from '@taskgraph/wire/codes';
import { DETAILS } from '@taskgraph/wire/error-details';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy, type Result, type Scenario } from './support/scenario.ts';

type Case = [name: string, code: string, refused: (scene: Scenario) => readonly [Result, details: object | undefined]];

const NOBODY = '019b76da-a801-7007-8000-00000000beef';

/** A node of Ann's on which Bob has a level. */
function shared(scene: Scenario, level: Level, fields: object = {}) {
  const id = scene.node(fields);
  scene.grant(id, bob, level);
  return id;
}

const cases: Case[] = [
  [
    'GEN7: no access at all',
    'forbidden',
    (scene) => {
      const id = scene.node();
      return [scene.run('node:update', { id, title: 'a' }, bob), { id, needed: Level.EDITOR, level: null }];
    },
  ],
  [
    'ACL1: the level and the needed level',
    'forbidden',
    (scene) => {
      const id = shared(scene, Level.VIEWER);
      return [scene.run('node:trash', { id }, bob), { id, needed: Level.EDITOR, level: Level.VIEWER }];
    },
  ],
  [
    'NODE5: the parent',
    'forbidden',
    (scene) => {
      const target = shared(scene, Level.VIEWER);
      return [scene.run('node:add', { target }, bob), { id: target, needed: Level.EDITOR, level: Level.VIEWER }];
    },
  ],
  [
    'LNK2: the invisible end',
    'forbidden',
    (scene) => {
      const [source, target] = [shared(scene, Level.VIEWER), scene.node()];
      return [scene.run('link:add', { source, target }, bob), { id: target, needed: Level.VIEWER, level: null }];
    },
  ],
  [
    'ACL4: an admin of one node alone',
    'forbidden',
    (scene) => {
      const id = shared(scene, Level.ADMIN);
      const lack = { id, needed: Level.ADMIN, level: Level.ADMIN, branch: true };
      return [scene.run('node:access', { id, email: cy.email }, bob), lack];
    },
  ],
  [
    'PUB1: callers below admin do not learn that a branch is published',
    'forbidden',
    (scene) => {
      const id = shared(scene, Level.EDITOR, { publicToken: 'a', publicBranch: true });
      return [scene.run('node:unpublish', { id }, bob), { id, needed: Level.ADMIN, level: Level.EDITOR }];
    },
  ],
  [
    'LNK7: a visible link',
    'forbidden',
    (scene) => {
      const [source, target] = [shared(scene, Level.VIEWER), shared(scene, Level.VIEWER)];
      const id = scene.link(source, target);
      return [scene.run('link:swap', { id }, bob), { id: target, needed: Level.EDITOR, level: Level.VIEWER }];
    },
  ],
  [
    'LNK7 GEN7: nothing of an invisible link is revealed, not even its ends',
    'forbidden',
    (scene) => {
      const id = scene.link(scene.node(), shared(scene, Level.VIEWER));
      return [scene.run('link:swap', { id }, bob), { needed: Level.VIEWER, level: null }];
    },
  ],
  [
    'LNK10: only the owner changes privacy',
    'forbidden',
    (scene) => {
      const id = scene.link(shared(scene, Level.EDITOR), shared(scene, Level.EDITOR));
      return [scene.run('link:update', { id, private: true }, bob), { id, needed: Level.OWNER, level: null }];
    },
  ],
  [
    'HIS3: to undo',
    'forbidden',
    (scene) => {
      const id = shared(scene, Level.VIEWER);
      const { batchId } = scene.run('node:update', { id, title: 'a' });
      return [scene.run('batch:undo', { batchId }, bob), { id, needed: Level.EDITOR, level: Level.VIEWER }];
    },
  ],
  [
    'HIS3: to undo a partly invisible batch',
    'forbidden',
    (scene) => {
      const [id, other] = [shared(scene, Level.EDITOR), scene.node()];
      const operations = [id, other].map((each) => ({ event: 'node:update', payload: { id: each, title: 'a' } }));
      const { batchId } = scene.run('batch:run', { operations });
      return [scene.run('batch:undo', { batchId }, bob), { hidden: true }];
    },
  ],
  [
    'GEN7: no such node',
    'not_found',
    (scene) => [scene.run('link:add', { source: scene.node(), target: NOBODY }), { id: NOBODY }],
  ],
  [
    'ACL4: no such grant',
    'not_found',
    (scene) => {
      const id = scene.node();
      return [scene.run('node:access:delete', { id, email: bob.email }), { id, email: bob.email }];
    },
  ],
  ['HIS3: no such batch', 'not_found', (scene) => [scene.run('batch:undo', { batchId: NOBODY }), { batchId: NOBODY }]],
  [
    'TRS4',
    'conflict.in_trash',
    (scene) => {
      const id = scene.node({ inTrash: true });
      return [scene.run('node:update', { id, title: 'a' }), { id }];
    },
  ],
  [
    'LNK2: an end',
    'conflict.in_trash',
    (scene) => {
      const [source, target] = [scene.node(), scene.node({ inTrash: true })];
      return [scene.run('link:add', { source, target }), { id: target }];
    },
  ],
  [
    'TRS4',
    'conflict.already_trashed',
    (scene) => {
      const id = scene.node({ inTrash: true });
      return [scene.run('node:trash', { id }), { id }];
    },
  ],
  [
    'NODE5',
    'conflict.target_in_trash',
    (scene) => {
      const target = scene.node({ inTrash: true });
      return [scene.run('node:add', { target }), { id: target }];
    },
  ],
  [
    'TRS3',
    'not_trashed_node',
    (scene) => {
      const id = scene.node();
      return [scene.run('node:restore', { id }), { id }];
    },
  ],
  [
    'LNK10',
    'not_trashed_link',
    (scene) => {
      const id = scene.link(scene.node(), scene.node());
      return [scene.run('link:delete', { id }), { id }];
    },
  ],
  [
    'BLK4',
    'conflict.node_blocked',
    (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      const link = scene.link(source, target);
      return [scene.run('node:update', { id: target, status: 3 }), { blockers: [{ id: source, link }] }];
    },
  ],
  [
    'LNK4: the path, with one gap for invisible nodes',
    'conflict.cycle',
    (scene) => {
      const [top, bottom] = [shared(scene, Level.EDITOR), shared(scene, Level.EDITOR)];
      const [one, two] = [scene.node(), scene.node()];
      for (const [source, target] of [
        [bottom, one],
        [one, two],
        [two, top],
      ])
        scene.link(source as string, target as string);
      return [scene.run('link:add', { source: top, target: bottom, type: 0 }, bob), { path: [bottom, null, top] }];
    },
  ],
  [
    'LNK5',
    'conflict.duplicate_link',
    (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      const link = scene.link(source, target);
      return [scene.run('link:add', { source, target }), { link }];
    },
  ],
  [
    'LNK5',
    'conflict.duplicate_reversed_link',
    (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      const link = scene.link(source, target);
      return [scene.run('link:add', { source: target, target: source }), { link }];
    },
  ],
  [
    'LNK2',
    'conflict.too_many_links',
    (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      scene.claimLinks(target, 20_000);
      return [scene.run('link:add', { source, target }), { id: target, most: 20_000 }];
    },
  ],
  [
    'LNK2: the limit of a viewer',
    'conflict.too_many_links',
    (scene) => {
      const [source, target] = [scene.node({ ownerId: bob.id }), shared(scene, Level.VIEWER)];
      scene.claimLinksOf(target, bob, 64);
      return [scene.run('link:add', { source, target }, bob), { id: target, most: 64 }];
    },
  ],
  [
    'ACL10',
    'conflict.too_many_grants',
    (scene) => {
      const id = scene.node();
      scene.claimGrants(ann, bob, 2_000);
      return [scene.run('node:access', { id, email: bob.email }), { id, email: bob.email, most: 2_000 }];
    },
  ],
  [
    'ACL2: the nodes above the limit',
    'conflict.too_many_feeds',
    (scene) => {
      const [top, node, below] = [scene.node({ ownerId: bob.id }), scene.node(), scene.node()];
      scene.link(below, node);
      scene.grant(node, bob, Level.ADMIN, { branch: true });
      for (let count = 1; count < 64; count++) {
        const root = scene.node();
        scene.grant(root, cy, Level.VIEWER, { branch: true });
        scene.link(node, root);
      }
      const refused = scene.run('link:add', { source: node, target: top, type: 1 }, bob);
      return [refused, { nodes: [{ id: node }, { id: below }], most: 64 }];
    },
  ],
  [
    'PUB1',
    'conflict.already_public',
    (scene) => {
      const id = scene.node({ publicToken: 'a' });
      return [scene.run('node:publish', { id }), { id }];
    },
  ],
  [
    'PUB1',
    'conflict.not_public',
    (scene) => {
      const id = scene.node();
      return [scene.run('node:unpublish', { id }), { id }];
    },
  ],
  [
    'HIS5: the batch that undid it',
    'conflict.already_undone',
    (scene) => {
      const { batchId } = scene.run('node:update', { id: scene.node(), title: 'a' });
      const { batchId: by } = scene.run('batch:undo', { batchId });
      return [scene.run('batch:undo', { batchId }), { batchId, by }];
    },
  ],
  [
    'HIS5',
    'conflict.not_undone',
    (scene) => {
      const { batchId } = scene.run('node:update', { id: scene.node(), title: 'a' });
      return [scene.run('batch:redo', { batchId }), { batchId }];
    },
  ],
  [
    'HIS4: the deleted entity',
    'conflict.irreversible',
    (scene) => {
      const id = scene.node();
      const { batchId } = scene.run('node:trash', { id });
      scene.run('node:delete', { id });
      return [scene.run('batch:undo', { batchId }), { id }];
    },
  ],
  [
    'HIS4: the grantee',
    'conflict.expired',
    (scene) => {
      const id = scene.node();
      const due = new Date(scene.nowMs() + 3_000).toISOString();
      scene.run('node:access', { id, email: bob.email, due });
      const { batchId } = scene.run('node:access:delete', { id, email: bob.email });
      for (let wait = 0; wait < 3; wait++) scene.run('node:add', {});
      return [scene.run('batch:undo', { batchId }), { id, email: bob.email }];
    },
  ],
  [
    'GEN10',
    'version_conflict',
    (scene) => [scene.run('node:update', { id: scene.node({ version: 3 }), title: 'a', version: 2 }), { version: 3 }],
  ],
  [
    'BAT3: the index of the operation',
    'conflict.in_trash',
    (scene) => {
      const id = scene.node({ inTrash: true });
      const operations = [
        { event: 'node:add', payload: {} },
        { event: 'node:update', payload: { id, title: 'a' } },
      ];
      return [scene.run('batch:run', { operations }), { id, index: 1 }];
    },
  ],
];

/** Codes whose details other tests check: payloads, accounts, limits, reads and claims. */
const ELSEWHERE = [
  'bad_request',
  'invalid_due',
  'rate_limited',
  'unauthorized',
  'unavailable',
  'internal',
  'forbidden.read_only',
  'forbidden.scope',
  'conflict.not_open',
  'conflict.claimed',
  'conflict.not_claimable',
  'conflict.claim_ended',
  'conflict.too_many_tokens',
  'conflict.too_many_bots',
  'conflict.too_many_calendars',
  'conflict.too_many_hooks',
  'conflict.too_many_imports',
  'conflict.too_many_import_rows',
  'conflict.import_settings',
  'conflict.idempotency_key',
];

describe('[WHY4] details name the obstacle', () => {
  test.each(cases)('%s: %s', (_name, code, refused) => {
    const [{ error, details }, expected] = refused(createScenario());
    expect({ error, details }).toEqual({ error: code, details: expected });
  });

  test('for each code with details', () => {
    const proven = new Set(cases.map(([, code]) => code));
    const left = Object.keys(DETAILS).filter(
      (code) => !proven.has(code) && !ELSEWHERE.some((each) => code === each || code.startsWith(`${each}.`)),
    );
    expect(left).toEqual([]);
  });
});

describe('[WHY4 HIS2 BAT5] an undo of several operations names all conflicts', () => {
  const rename = (id: string, title: string) => ({ event: 'node:update', payload: { id, title } });

  test('of each operation, with each field once', () => {
    const scene = createScenario();
    const [one, two, three] = [scene.node(), scene.node(), scene.node()];
    const operations = [rename(one, 'a'), rename(two, 'b'), rename(two, 'c'), rename(three, 'd')];
    const { batchId } = scene.run('batch:run', { operations });
    const first = scene.run('node:update', { id: one, title: 'x' }).batchId;
    const second = scene.run('node:update', { id: two, title: 'y' }).batchId;
    const { error, details } = scene.run('batch:undo', { batchId });
    const actor = { username: 'ann', email: ann.email };
    expect(error).toBe('version_conflict');
    expect(details).toEqual({
      conflicts: [
        { entity: two, field: 'title', batchId: second, actor },
        { entity: one, field: 'title', batchId: first, actor },
      ],
    });
  });

  test('but not intermediate values of its own operations', () => {
    const scene = createScenario();
    const [one, two] = [scene.node(), scene.node()];
    const operations = [
      rename(one, 'a'),
      { event: 'node:update', payload: { id: two, status: Status.IN_PROGRESS } },
      rename(one, 'b'),
      { event: 'node:update', payload: { id: two, status: Status.COMPLETED } },
    ];
    const { batchId } = scene.run('batch:run', { operations });
    scene.run('node:update', { id: two, status: Status.AVAILABLE });
    const { details } = scene.run('batch:undo', { batchId });
    expect(details?.conflicts).toMatchObject([{ entity: two, field: 'status' }]);
  });

  test('with one hidden entry for invisible entities', () => {
    const scene = createScenario();
    const [one, two] = [shared(scene, Level.EDITOR), shared(scene, Level.EDITOR)];
    const operations = [rename(one, 'a'), rename(two, 'b')];
    const { batchId } = scene.run('batch:run', { operations }, bob);
    for (const id of [one, two]) scene.run('node:update', { id, title: 'x' });
    scene.run('node:access:delete', { id: one, email: bob.email });
    const { error, details } = scene.run('batch:undo', { batchId }, bob);
    expect(error).toBe('version_conflict');
    expect(details?.conflicts).toEqual([expect.objectContaining({ entity: two }), { hidden: true }]);
  });
});
