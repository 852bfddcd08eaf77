// A group never waits for a plan: until a smaller statement is planned, a larger one with all its
// parts replaces it.
import { expect, test, vi } from 'vitest';
import { createLoadPlans } from './plans.ts';
import { LOAD_STATEMENTS, type LoadStatement, statementFor } from './statement.ts';

const SMALL = ['keys', 'nodes'] as const;
const largest = LOAD_STATEMENTS.at(-1);

function setUp(plan: (statement: LoadStatement) => Promise<void>) {
  const failures: unknown[] = [];
  const plans = createLoadPlans({ plan, onFailure: (error) => void failures.push(error) });
  const ask = (times: number) => Array.from({ length: times }, () => plans.statementFor(SMALL)).at(-1);
  return { plans, ask, failures };
}

/** A plan that completes on the test's signal. */
function slowPlan() {
  const finishing: (() => void)[] = [];
  const plan = vi.fn((_statement: LoadStatement) => new Promise<void>((resolve) => void finishing.push(resolve)));
  return { plan, finish: () => finishing.pop()?.() };
}

test('the largest statement is used until a smaller one is requested often and planned', async () => {
  const { plan, finish } = slowPlan();
  const { plans, ask } = setUp(plan);
  expect(ask(99)).toBe(largest);
  expect(plan).not.toHaveBeenCalled();
  expect(ask(50)).toBe(largest);
  expect(plan.mock.calls).toEqual([[statementFor(SMALL)]]);
  finish();
  await vi.waitFor(() => expect(plans.statementFor(SMALL)).toBe(statementFor(SMALL)), 60_000);
  plans.forget();
  expect(plans.statementFor(SMALL)).toBe(largest);
});

test('plans of a previous database are discarded', async () => {
  const { plan, finish } = slowPlan();
  const { plans, ask } = setUp(plan);
  ask(100);
  plans.forget();
  finish();
  await Promise.resolve();
  expect(plans.statementFor(SMALL)).toBe(largest);
});

test('a statement that could not be planned is tried again later', async () => {
  const plan = vi.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue(undefined);
  const { plans, ask, failures } = setUp(plan);
  ask(100);
  await vi.waitFor(() => expect(failures).toEqual([new Error('away')]), 60_000);
  expect(ask(99)).toBe(largest);
  ask(1);
  await vi.waitFor(() => expect(plans.statementFor(SMALL)).toBe(statementFor(SMALL)), 60_000);
});
