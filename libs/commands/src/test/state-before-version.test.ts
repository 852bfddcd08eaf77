// Every command with a version guard, on an entity with a refusing state and a stale version. The
// state is reported first. Rules: GEN3, GEN10.
import { expect, test } from 'vitest';
import { commands } from '../commands.ts';
import { blocked, COMMAND_CASES, linked } from './support/command-cases.ts';
import { createScenario, type Scenario } from './support/scenario.ts';

const STALE = 99;

/** The refusing state, and a payload on a small graph in that state. */
type Case = readonly [event: string, code: string, set: (scene: Scenario) => object];

const CASES: readonly Case[] = Object.entries(COMMAND_CASES).flatMap(([event, { states }]) =>
  states.map(([code, set]) => [event, code, set] as const),
);

test.each(CASES)('[GEN3 GEN10] %s reports %s before a stale version', (event, code, set) => {
  const scene = createScenario();
  const payload = set(scene);
  expect(scene.run(event, { ...payload, version: STALE }).error).toBe(code);
});

test('[GEN10] a stale version is reported if the state is acceptable', () => {
  const scene = createScenario();
  expect(scene.run('node:update', { ...blocked(scene, { title: 'a' }), version: STALE }).error).toBe(
    'version_conflict',
  );
  expect(scene.run('link:restore', { ...linked(scene, true), version: STALE }).error).toBe('version_conflict');
});

test('[GEN3] every command with a version guard and a refusing state has a case here', () => {
  const guarded = commands.flatMap(({ name, payload }) => ('version' in payload.shape ? [name] : []));
  // A grant can be ended in any state of its node (ACL4). Tests of claims are in a file of their own.
  const expected = guarded.filter((event) => event !== 'node:access:delete' && !event.startsWith('node:claim'));
  expect([...new Set(CASES.map(([event]) => event))].sort()).toEqual(expected.sort());
});
