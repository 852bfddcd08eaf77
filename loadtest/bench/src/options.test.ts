import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { SCENARIOS } from './scenarios/table.ts';

const namesOf = (...commandLine: string[]) => readOptions(commandLine, SCENARIOS).scenarios.map(({ name }) => name);

test('scenarios are chosen by name, in the order of the table, or all of them', () => {
  expect(namesOf('mutations-idle', 'mutations')).toEqual(['mutations', 'mutations-idle']);
  expect(namesOf('all')).toEqual(SCENARIOS.map(({ name }) => name));
});

test('--quick without names runs the short scenarios', () => {
  const names = namesOf('--quick');
  expect(names).toEqual(expect.arrayContaining(['mutations', 'mutations-idle', 'database-cost', 'node-cost']));
  expect(names).not.toContain('growth');
});

test('no name or an unknown one is rejected with the list of names', () => {
  expect(() => namesOf()).toThrow('growth');
  expect(() => namesOf('mutation')).toThrow('there is no scenario mutation');
  expect(() => namesOf('--fast')).toThrow('--fast');
});

test('--quick uses smaller bounds', () => {
  const [quick, full] = [readOptions(['--quick'], SCENARIOS).pace, readOptions(['all'], SCENARIOS).pace];
  expect(quick.turns * quick.turnMs).toBeLessThan(full.turns * full.turnMs);
  expect(quick.warmUpLimitMs).toBeLessThan(full.warmUpLimitMs);
});

test('scenario names are unique', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
});
