import { Level } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { catalog, definitionOf } from './catalog.ts';
import { bob, createScenario, cy } from './test/support/scenario.ts';

/** The fields of each guarded command besides its id: a change, and whether the entity is in the trash. */
const guarded: Record<string, { fields?: object; inTrash?: true; isPublic?: true; withGrant?: true }> = {
  'node:update': { fields: { title: 'x' } },
  'node:trash': {},
  'node:restore': { inTrash: true },
  'node:delete': { inTrash: true },
  'node:access': { fields: { email: bob.email, level: 2 }, withGrant: true },
  'node:access:update': { fields: { email: bob.email, level: 2 }, withGrant: true },
  'node:access:delete': { fields: { email: bob.email }, withGrant: true },
  'node:publish': {},
  'node:publish:update': { fields: { branch: false }, isPublic: true },
  'node:unpublish': { isPublic: true },
  'link:update': { fields: { type: 1 } },
  'link:swap': {},
  'link:trash': {},
  'link:restore': { inTrash: true },
  'link:delete': { inTrash: true },
};

test('[GEN10] every mutation that names one entity by its id is among those below', () => {
  // A grant's showing is its grantee's alone, and has no version.
  const named = catalog.filter(
    ({ kind, event, payload }) => kind === 'command' && Object.hasOwn(payload.shape, 'id') && event !== 'node:showing',
  );
  expect(named.map(({ event }) => event).sort()).toEqual(Object.keys(guarded).sort());
});

describe.each(Object.entries(guarded))('%s', (event, { fields = {}, inTrash = false, isPublic, withGrant }) => {
  function entity() {
    const scene = createScenario();
    if (withGrant) {
      const id = scene.node();
      scene.grant(id, bob, Level.VIEWER, { version: 5, branch: true });
      return { scene, id };
    }
    const publication = isPublic ? { publicToken: 'a token', publicBranch: true } : {};
    const state = { version: 5, inTrash, ...publication };
    if (event.startsWith('node:')) return { scene, id: scene.node(state) };
    return { scene, id: scene.link(scene.node(), scene.node(), state) };
  }

  test.each([4, 6])('[GEN10] version %i where it is 5 is stale, and changes nothing', (version) => {
    const { scene, id } = entity();
    const outcome = scene.run(event, { id, ...fields, version });
    expect(outcome).toMatchObject({ error: 'version_conflict', details: { version: 5 }, changes: [] });
  });

  test('[GEN10] the version that it has, and none at all, are no guard', () => {
    for (const guard of [{ version: 5 }, {}]) {
      const { scene, id } = entity();
      expect(scene.run(event, { id, ...fields, ...guard }).error).toBeNull();
    }
  });

  test('[GEN3 GEN7] a stale version is not said to whom the command is forbidden', () => {
    const { scene, id } = entity();
    const outcome = scene.run(event, { id, ...fields, version: 4 }, cy);
    expect(outcome.error).toBe('forbidden');
    expect(outcome.details).not.toHaveProperty('version');
  });
});

test('[GEN1] a command goes to the slot of what it names', () => {
  const scene = createScenario();
  const [node, theirs] = [scene.node(), scene.node({ ownerId: bob.id })];
  const route = (event: string, payload: object) => {
    const definition = definitionOf(event);
    return definition?.kind === 'command' ? definition.route(payload, bob) : null;
  };
  expect(route('node:add', {})).toBe(8);
  expect(route('node:add', { target: node })).toBe(7);
  expect(route('link:add', { source: theirs, target: node })).toBe(7);
  for (const event of Object.keys(guarded)) expect(route(event, { id: node })).toBe(7);
});

test('every event and every route is there once', () => {
  const routes = catalog.map(({ rest }) => `${rest.method} ${rest.path}`);
  expect(new Set(routes).size).toBe(routes.length);
  expect(new Set(catalog.map(({ event }) => event)).size).toBe(catalog.length);
});
