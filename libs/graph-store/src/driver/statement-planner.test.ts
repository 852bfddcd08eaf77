import { afterEach, expect, test, vi } from 'vitest';
import { failureOf, StatementNotPlanned } from './failures.ts';
import { createStatementPlanner } from './statement-planner.ts';

afterEach(() => {
  vi.useRealTimers();
});

const slow = () =>
  Promise.reject(Object.assign(new Error('too slow'), { code: 'Neo.ClientError.Transaction.TransactionTimedOut' }));
const never = () => Promise.reject(new Error('a statement was planned that did not exceed its time'));

/** Plans of which each ends when the test says so, in the order of their starts. */
function controlledPlans() {
  const started: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const plan = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  };
  return { started, plan, end: (error?: Error) => ends.shift()?.(error) };
}

test('a statement that exceeds its time is planned once, and later executions wait for the plan', async () => {
  const { started, plan, end } = controlledPlans();
  const planner = createStatementPlanner({ planMs: 60_000 });
  const failed = ['one', 'other'].map((name) => planner.run('statement', plan(name), slow));
  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(started).toEqual(['one']);
  const executions: string[] = [];
  const waiting = planner.run('statement', never, async () => void executions.push('waiting'));
  await planner.run('another statement', never, async () => void executions.push('another'));
  expect(executions).toEqual(['another']);
  end();
  await waiting;
  expect(executions).toEqual(['another', 'waiting']);
});

test('one statement is planned at a time, also after a plan that fails', async () => {
  const { started, plan, end } = controlledPlans();
  const planner = createStatementPlanner({ planMs: 60_000 });
  for (const name of ['first', 'second']) await expect(planner.run(name, plan(name), slow)).rejects.toThrow('too slow');
  expect(started).toEqual(['first']);
  const second = planner.run('second', never, async () => 'executed');
  end(new Error('the database is away'));
  expect(await planner.run('first', never, async () => 'executed')).toBe('executed');
  await vi.waitFor(() => expect(started).toEqual(['first', 'second']));
  end();
  expect(await second).toBe('executed');
});

test('an execution waits for a plan only as long as a transaction may take, and fails as slow', async () => {
  vi.useFakeTimers();
  const { plan } = controlledPlans();
  const planner = createStatementPlanner({ waitMs: 3_000, planMs: 60_000 });
  await expect(planner.run('statement', plan('endless'), slow)).rejects.toThrow('too slow');
  const waiting = planner.run('statement', never, async () => 'executed');
  const result = expect(waiting).rejects.toSatisfy(
    (error) => error instanceof StatementNotPlanned && failureOf(error) === 'slow',
  );
  await vi.advanceTimersByTimeAsync(3_000);
  await result;
});

test('a statement that waits to be planned is executed after the time of a transaction', async () => {
  vi.useFakeTimers();
  const { started, plan } = controlledPlans();
  const planner = createStatementPlanner({ waitMs: 3_000, planMs: 60_000 });
  for (const name of ['first', 'second']) await expect(planner.run(name, plan(name), slow)).rejects.toThrow('too slow');
  const second = planner.run('second', never, async () => 'executed');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await second).toBe('executed');
  expect(started).toEqual(['first']);
});

test('a plan without an end delays the next one only for some time', async () => {
  vi.useFakeTimers();
  const { started, plan } = controlledPlans();
  const planner = createStatementPlanner({ planMs: 60_000 });
  for (const name of ['first', 'second']) await expect(planner.run(name, plan(name), slow)).rejects.toThrow('too slow');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(started).toEqual(['first', 'second']);
  expect(await planner.run('first', never, async () => 'executed')).toBe('executed');
});

test('other failures start no planning', async () => {
  const planner = createStatementPlanner({ planMs: 60_000 });
  const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ServiceUnavailable' }));
  await expect(planner.run('statement', never, away)).rejects.toThrow('away');
  expect(await planner.run('statement', never, async () => 'executed')).toBe('executed');
});
