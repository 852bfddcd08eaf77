// The faults of the game day agree with docs/operations.md, and each has one right action.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { anchorOf, autoOperator } from './game.ts';
import { SCENARIOS } from './scenarios.ts';

const runbook = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');

test('the runbook lists the faults of the game day in their order, with their sections', () => {
  const [, section = ''] = runbook.split('\n## Game day\n');
  const rows = [
    ...(section.split('\n## ')[0]?.matchAll(/^\| `(\w+)` \| [^|]+ \| \[[^\]]+\]\(#([\w-]+)\) \|$/gm) ?? []),
  ];
  expect(rows.map(([, name, anchor]) => [name, `docs/operations.md#${anchor}`])).toEqual(
    SCENARIOS.map((scenario) => [scenario.name, anchorOf(scenario)]),
  );
});

test.each(SCENARIOS)('$name: its section exists, and exactly one action is right', async (scenario) => {
  expect(runbook).toContain(`\n### ${scenario.section}\n`);
  const right = scenario.actions.filter(({ wrongBecause }) => wrongBecause === null);
  expect(right).toHaveLength(1);
  expect(scenario.actions.length).toBeGreaterThan(2);
  expect(scenario.actions[Number(await autoOperator.answer(scenario)) - 1]).toBe(right[0]);
});
