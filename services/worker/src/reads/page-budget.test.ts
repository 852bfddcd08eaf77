// The memory budget of a worker for concurrent pages, and pages beyond it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPageBudget } from './page-budget.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Room for two pages at once. */
const budget = () => createPageBudget({ pageBytes: 1_000, budgetBytes: 7_000, waitMs: 500 });

test('[GEN11] pages without a share wait in turn, and are refused if none becomes free in time', async () => {
  const pages = budget();
  const [first, second] = [await pages.take(), await pages.take()];
  expect([first, second]).not.toContain(null);
  const [third, fourth] = [pages.take(), pages.take()];
  expect([pages.takenBytes(), pages.waiting(), pages.refused()]).toEqual([6_000, 2, 0]);
  first?.();
  // Given back twice, it is still one.
  first?.();
  expect(await third).not.toBeNull();
  expect([pages.takenBytes(), pages.waiting()]).toEqual([6_000, 1]);
  await vi.advanceTimersByTimeAsync(500);
  expect(await fourth).toBeNull();
  expect([pages.takenBytes(), pages.waiting(), pages.refused()]).toEqual([6_000, 0, 1]);
  second?.();
  (await third)?.();
  expect(pages.takenBytes()).toBe(0);
});

test('[GEN11] the number of waiting pages is bounded too', async () => {
  const pages = budget();
  await Promise.all([pages.take(), pages.take()]);
  const waiting = Array.from({ length: 1_000 }, () => pages.take());
  expect(await pages.take()).toBeNull();
  expect([pages.waiting(), pages.refused()]).toEqual([1_000, 1]);
  await vi.advanceTimersByTimeAsync(500);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
});

test('[GEN11] a budget below one share still allows one page, and long texts use one share', async () => {
  const pages = createPageBudget({ pageBytes: 1_000, budgetBytes: 1, waitMs: 500 });
  const turns = [await pages.take(), await pages.takeLong()];
  expect(turns).not.toContain(null);
  const late = [pages.take(), pages.takeLong()];
  await vi.advanceTimersByTimeAsync(500);
  expect(await Promise.all(late)).toEqual([null, null]);
});
