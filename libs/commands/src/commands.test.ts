import { Level } from '@taskgraph/wire/codes';
import { operationOf, operations, socketOperations } from '@taskgraph/wire/operations/operations';
import { describe, expect, test } from 'vitest';
import { commands, definitionOf, systemCommands, systemDefinitionOf } from './commands.ts';
import { COMMAND_CASES } from './test/support/command-cases.ts';
import { bob, createScenario, cy } from './test/support/scenario.ts';

/** The commands with a version guard: their fields besides the id, and the state of the entity. */
const guarded = Object.fromEntries(
  Object.entries(COMMAND_CASES).flatMap(([event, { guard }]) => (guard === null ? [] : [[event, guard] as const])),
);

test('[GEN10] the table below has every command on one existing entity', () => {
  // `showing` belongs to the grantee and has no version. Tests of claims are in a file of their own.
  const named = commands.filter(
    ({ name, payload }) => Object.hasOwn(payload.shape, 'id') && !/^node:(showing|claim)/.test(name),
  );
  expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(guarded).sort());
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

  test.each([4, 6])('[GEN10] version %i instead of 5 is stale and changes nothing', (version) => {
    const { scene, id } = entity();
    const outcome = scene.run(event, { id, ...fields, version });
    expect(outcome).toMatchObject({ error: 'version_conflict', details: { version: 5 }, changes: [] });
  });

  test('[GEN10] the current version, or none, lets the command run', () => {
    for (const guard of [{ version: 5 }, {}]) {
      const { scene, id } = entity();
      expect(scene.run(event, { id, ...fields, ...guard }).error).toBeNull();
    }
  });

  test('[GEN3 GEN7] a forbidden caller does not learn of a stale version', () => {
    const { scene, id } = entity();
    const outcome = scene.run(event, { id, ...fields, version: 4 }, cy);
    expect(outcome.error).toBe('forbidden');
    expect(outcome.details).not.toHaveProperty('version');
  });
});

test('[GEN1] a command is routed by the slot of the entity that it names', () => {
  const scene = createScenario();
  const [node, theirs] = [scene.node(), scene.node({ ownerId: bob.id })];
  const route = (event: string, payload: object) => definitionOf(event)?.route(payload, bob);
  expect(route('node:add', {})).toBe(8);
  expect(route('node:add', { target: node })).toBe(7);
  expect(route('link:add', { source: theirs, target: node })).toBe(7);
  for (const event of Object.keys(guarded)) expect(route(event, { id: node })).toBe(7);
});

test('routes are unique', () => {
  const routes = operations.map(({ transports: { rest } }) => `${rest.method} ${rest.path}`);
  expect(new Set(routes).size).toBe(routes.length);
});

test('the table lists exactly the declared commands, each once', () => {
  const declared = socketOperations.filter(({ kind }) => kind === 'command').map(({ name }) => name);
  expect(commands.map(({ name }) => name).sort()).toEqual(declared.sort());
});

test('[HIS1] no transport leads to a system command', () => {
  const open = new Set(operations.map(({ name }) => name));
  for (const definition of systemCommands) {
    expect(open.has(definition.name)).toBe(false);
    expect(operationOf(definition.name)).toBeUndefined();
    expect(definitionOf(definition.name)).toBeUndefined();
    expect(definition).not.toHaveProperty('transports');
    expect(systemDefinitionOf(definition.name)).toBe(definition);
  }
  expect(commands.map(({ name }) => systemDefinitionOf(name)).filter((found) => found !== undefined)).toEqual([]);
});
