// Undo and redo with a token that has scopes: each is judged by the changes that it makes.
import { Level } from '@taskgraph/wire/codes';
import { batchable } from '@taskgraph/wire/operations/batch-parser';
import { CHANGE_SCOPES, SCOPES, type Scope } from '@taskgraph/wire/scopes';
import { expect, test } from 'vitest';
import { bob, createScenario, cy } from '../test/support/scenario.ts';

type Scene = ReturnType<typeof createScenario>;
interface Case {
  readonly what: string;
  /** Prepares the graph and names the command. */
  readonly given: (scene: Scene) => readonly [event: string, payload: object];
  readonly undo: readonly Scope[];
  readonly redo: readonly Scope[];
}

/** What cannot be undone (HIS4), or is in no history (ACL6). */
const WITHOUT_UNDO = ['node:delete', 'link:delete', 'node:showing'];

const grant = (id: string) => ({ id, email: bob.email, level: Level.VIEWER });
function grantedNode(scene: Scene): string {
  const id = scene.node();
  scene.run('node:access', grant(id));
  return id;
}

function publishedNode(scene: Scene): string {
  const id = scene.node();
  scene.run('node:publish', { id });
  return id;
}

const CASES: readonly Case[] = [
  { what: 'node:add', given: () => ['node:add', { title: 'a' }], undo: ['trash'], redo: ['trash'] },
  {
    what: 'node:add below another',
    given: (scene) => ['node:add', { title: 'a', target: scene.node() }],
    undo: ['trash'],
    redo: ['trash'],
  },
  {
    what: 'node:update',
    given: (scene) => ['node:update', { id: scene.node(), title: 'b', status: 3 }],
    undo: ['edit'],
    redo: ['edit'],
  },
  { what: 'node:trash', given: (scene) => ['node:trash', { id: scene.node() }], undo: ['trash'], redo: ['trash'] },
  {
    what: 'node:restore',
    given: (scene) => ['node:restore', { id: scene.node({ inTrash: true }) }],
    undo: ['trash'],
    redo: ['trash'],
  },
  {
    what: 'link:add',
    given: (scene) => ['link:add', { source: scene.node(), target: scene.node() }],
    undo: ['trash'],
    redo: ['trash'],
  },
  {
    what: 'link:add over a private link in the trash',
    given: (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      scene.run('link:trash', { id: scene.link(source, target, { private: true }) });
      return ['link:add', { source, target }];
    },
    undo: ['link', 'trash'],
    redo: ['link', 'trash'],
  },
  {
    what: 'link:add over a link in the trash of the opposite direction',
    given: (scene) => {
      const [source, target] = [scene.node(), scene.node()];
      scene.run('link:trash', { id: scene.link(target, source) });
      return ['link:add', { source, target }];
    },
    undo: ['link', 'trash'],
    redo: ['link', 'trash'],
  },
  {
    what: 'link:update',
    given: (scene) => ['link:update', { id: scene.link(scene.node(), scene.node()), type: 1 }],
    undo: ['link'],
    redo: ['link'],
  },
  {
    what: 'link:swap',
    given: (scene) => ['link:swap', { id: scene.link(scene.node(), scene.node()) }],
    undo: ['link'],
    redo: ['link'],
  },
  {
    what: 'link:trash',
    given: (scene) => ['link:trash', { id: scene.link(scene.node(), scene.node()) }],
    undo: ['trash'],
    redo: ['trash'],
  },
  {
    what: 'link:restore',
    given: (scene) => {
      const id = scene.link(scene.node(), scene.node());
      scene.run('link:trash', { id });
      return ['link:restore', { id }];
    },
    undo: ['trash'],
    redo: ['trash'],
  },
  { what: 'node:access', given: (scene) => ['node:access', grant(scene.node())], undo: ['share'], redo: ['share'] },
  {
    what: 'node:access:update',
    given: (scene) => ['node:access:update', { ...grant(grantedNode(scene)), level: Level.EDITOR }],
    undo: ['share'],
    redo: ['share'],
  },
  {
    what: 'node:access:delete',
    given: (scene) => ['node:access:delete', { id: grantedNode(scene), email: bob.email }],
    undo: ['share'],
    redo: ['share'],
  },
  {
    what: 'node:publish',
    given: (scene) => ['node:publish', { id: scene.node() }],
    undo: ['share'],
    redo: ['share'],
  },
  {
    what: 'node:publish:update',
    given: (scene) => ['node:publish:update', { id: publishedNode(scene), branch: false }],
    undo: ['share'],
    redo: ['share'],
  },
  {
    what: 'node:unpublish',
    given: (scene) => ['node:unpublish', { id: publishedNode(scene) }],
    undo: ['share'],
    redo: ['share'],
  },
  {
    what: 'batch:run',
    given: (scene) => {
      const id = scene.node();
      const update = { event: 'node:update', payload: { id, title: 'b' } };
      return ['batch:run', { operations: [update, { event: 'node:access', payload: grant(id) }] }];
    },
    undo: ['edit', 'share'],
    redo: ['edit', 'share'],
  },
];

test.each(CASES)('[SCOPE2 HIS3] the undo and the redo of $what need their scopes', ({ given, undo, redo }) => {
  const scene = createScenario();
  const [event, payload] = given(scene);
  const { batchId, error } = scene.run(event, payload);
  expect(error).toBe(null);
  const attempt = (kind: string, scopes: readonly Scope[]) => scene.run(kind, { batchId, scopes });
  for (const [kind, needed] of [
    ['batch:undo', undo],
    ['batch:redo', redo],
  ] as const) {
    for (const missing of needed) {
      const refused = attempt(kind, ['read', ...CHANGE_SCOPES.filter((scope) => scope !== missing)]);
      expect(refused).toMatchObject({ error: 'forbidden.scope', details: { missing: [missing] }, changes: [] });
    }
    for (const scope of SCOPES) {
      if (needed.every((one) => one === scope)) continue;
      const error = scope === 'read' ? 'forbidden.read_only' : 'forbidden.scope';
      expect(attempt(kind, [scope]), scope).toMatchObject({ error, changes: [] });
    }
    expect(attempt(kind, needed)).toMatchObject({ error: null });
  }
});

test('[SCOPE2] every command of the catalog that can be undone is among these', () => {
  const tried = [...CASES.map(({ what }) => what), ...WITHOUT_UNDO];
  expect(batchable.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

test('[SCOPE2 HIS3] other refusals come first, so scopes reveal nothing about a batch of others', () => {
  const scene = createScenario();
  const id = scene.node();
  scene.grant(id, bob, Level.VIEWER);
  const { batchId } = scene.run('node:update', { id, title: 'b' });
  const scopes = ['share'];
  expect(scene.run('batch:undo', { batchId, scopes }, bob)).toMatchObject({ error: 'forbidden' });
  expect(scene.run('batch:undo', { batchId, scopes }, cy)).toMatchObject({ error: 'not_found' });
  expect(scene.run('batch:undo', { batchId, scopes })).toMatchObject({ error: 'forbidden.scope' });
  scene.run('node:update', { id, title: 'c' });
  expect(scene.run('batch:undo', { batchId, scopes })).toMatchObject({ error: 'version_conflict' });
});

test('[SCOPE2] the scopes are no field of other commands', () => {
  const scene = createScenario();
  const refused = scene.run('node:add', { title: 'a', scopes: ['edit'] });
  expect(refused).toMatchObject({ error: 'bad_request.unknown_field', details: { path: 'scopes' } });
});
