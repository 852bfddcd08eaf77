// Every mutation with a guard, on an entity whose state and whose version both stand in the way: the state is told. Rules: GEN3, GEN10.
import { Level, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { bob, createScenario, type Scenario } from './support/scenario.ts';

const STALE = 99;
const email = bob.email;

/** The state that refuses, and the payload on a small graph that is in it. */
type Case = readonly [event: string, code: string, set: (scene: Scenario) => object];

const blocked = (scene: Scenario, fields = {}) => {
  const [source, id] = [scene.node(), scene.node()];
  scene.link(source, id);
  expect(scene.nodes.get(id)?.status).toBe(Status.BLOCKED);
  return { id, ...fields };
};
const trashed = (scene: Scenario, fields = {}) => ({ id: scene.node({ inTrash: true }), ...fields });
const active = (scene: Scenario, fields = {}) => ({ id: scene.node(), ...fields });
const published = (scene: Scenario, fields = {}) => {
  const id = scene.node();
  expect(scene.run('node:publish', { id }).error).toBeNull();
  return { id, ...fields };
};
const granted = (scene: Scenario, fields: object) => {
  const id = scene.node({ inTrash: true });
  scene.grant(id, bob, Level.VIEWER);
  return { id, email, ...fields };
};
const linked = (scene: Scenario, inTrash: boolean, end: 'source' | 'target' | null = null) => {
  const [source, target] = [scene.node({ inTrash: end === 'source' }), scene.node({ inTrash: end === 'target' })];
  return { id: scene.link(source, target, { inTrash }) };
};

const CASES: readonly Case[] = [
  ['node:update', 'conflict.in_trash', (scene) => trashed(scene, { title: 'a' })],
  ['node:update', 'conflict.node_blocked', (scene) => blocked(scene, { status: Status.COMPLETED })],
  ['node:update', 'conflict.node_blocked', (scene) => blocked(scene, { status: Status.AVAILABLE, title: 'a' })],
  ['node:trash', 'conflict.already_trashed', trashed],
  ['node:restore', 'not_trashed_node', active],
  ['node:delete', 'not_trashed_node', active],
  ['node:access', 'conflict.in_trash', (scene) => granted(scene, { level: Level.EDITOR })],
  ['node:access:update', 'conflict.in_trash', (scene) => granted(scene, { level: Level.EDITOR })],
  ['node:publish', 'conflict.in_trash', trashed],
  ['node:publish', 'conflict.already_public', published],
  ['node:publish:update', 'conflict.in_trash', (scene) => trashed(scene, { branch: true })],
  ['node:publish:update', 'conflict.not_public', (scene) => active(scene, { branch: true })],
  ['node:unpublish', 'conflict.not_public', active],
  ['link:update', 'conflict.in_trash', (scene) => ({ ...linked(scene, true), type: 1 })],
  ['link:trash', 'conflict.already_trashed', (scene) => linked(scene, true)],
  ['link:swap', 'conflict.in_trash', (scene) => linked(scene, true)],
  ['link:restore', 'not_trashed_link', (scene) => linked(scene, false)],
  ['link:restore', 'conflict.in_trash', (scene) => linked(scene, true, 'source')],
  ['link:restore', 'conflict.in_trash', (scene) => linked(scene, true, 'target')],
  ['link:delete', 'not_trashed_link', (scene) => linked(scene, false)],
];

test.each(CASES)('[GEN3 GEN10] %s tells %s before a stale version', (event, code, set) => {
  const scene = createScenario();
  const payload = set(scene);
  expect(scene.run(event, { ...payload, version: STALE }).error).toBe(code);
});

test('[GEN10] a stale version is told where no state stands in the way', () => {
  const scene = createScenario();
  expect(scene.run('node:update', { ...blocked(scene, { title: 'a' }), version: STALE }).error).toBe(
    'version_conflict',
  );
  expect(scene.run('link:restore', { ...linked(scene, true), version: STALE }).error).toBe('version_conflict');
});

test('[GEN3] every mutation with a guard and a state has a case here', () => {
  const guarded = catalog.flatMap(({ kind, event, payload }) =>
    kind === 'command' && 'version' in payload.shape ? [event] : [],
  );
  // A grant can be taken away in whatever state its node is (ACL4).
  const expected = guarded.filter((event) => event !== 'node:access:delete');
  expect([...new Set(CASES.map(([event]) => event))].sort()).toEqual(expected.sort());
});
