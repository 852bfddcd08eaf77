import { expect, test } from 'vitest';
import { jsonLine, sentences } from './format.ts';
import { atLeast, atMost, resultOf, verdictOf } from './result.ts';

const result = resultOf({
  scenario: 'mutations',
  ours: 1_650.4,
  baseline: 550,
  unit: 'commands/s',
  cpu: { ours: { neo4j: 0.71234 }, baseline: { neo4j: 2.06 } },
  warmUp: { seconds: 130.2, steady: true },
});

test('a ratio is ours divided by the baseline, from unrounded figures', () => {
  expect(result.ratio).toBe(3);
  expect(resultOf({ scenario: 'x', ours: 1, baseline: 3, unit: 'ms', ratio: 3 }).ratio).toBe(3);
});

test('a goal applies to results whose name contains all of its words', () => {
  const goals = [atMost(1, 'grantee', 'cold'), atMost(1.2, 'owner', 'cold'), atMost(0.3, 'warm')];
  const cold = resultOf({ scenario: 'graph-page owner cold', ours: 1.1, baseline: 1, unit: 'ms' });
  const warm = resultOf({ scenario: 'graph-page owner warm', ours: 1.1, baseline: 1, unit: 'ms' });
  expect(verdictOf(cold, goals)?.reached).toBe(true);
  expect(verdictOf(warm, goals)?.reached).toBe(false);
  expect(verdictOf(result, goals)).toBeNull();
});

test('a ratio that could not be measured misses its goal', () => {
  const unseen = resultOf({ scenario: 'database-cost', ours: Number.NaN, baseline: 1, unit: 'ms' });
  expect(verdictOf(unseen, [atLeast(5)])?.reached).toBe(false);
  expect(verdictOf(unseen, [atMost(5)])?.reached).toBe(false);
});

test('the JSON line begins with the main figures', () => {
  const line = jsonLine(result, false, {});
  expect(Object.keys(JSON.parse(line)).slice(0, 6)).toEqual(['scenario', 'ours', 'baseline', 'ratio', 'unit', 'cpu']);
  const versions = { worker: 'Node 24.21.0' };
  expect(JSON.parse(jsonLine(result, true, versions))).toMatchObject({ quick: true, versions });
});

test('the sentences contain the goal, the processor time, and a warning about quick figures', () => {
  const text = sentences(result, [atLeast(5)], true).join('\n');
  expect(text).toContain('mutations: ours 1650 commands/s, baseline 550 commands/s, ratio 3 (missed: at least 5)');
  expect(text).toContain('ours neo4j 0.712');
  expect(text).toContain('quick');
});
