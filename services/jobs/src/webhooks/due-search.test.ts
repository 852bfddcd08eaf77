import { expect, test } from 'vitest';
import { afterFailedRead, isDueFirst, LAG_MS, nextSearchMs, searchMs } from './due-search.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00.001Z') + LAG_MS;
/** A window ends at START - LAG_MS, up to which the last search has come. */
const state = (dueSearchMs: number | null, events: readonly string[] = ['node.due']) => ({
  events,
  duePosition: { time: new Date(START - LAG_MS).toISOString(), id: '' },
  dueSearchMs,
  dueFailures: null,
  message: null,
  dueMessage: null,
});
const MESSAGE = { id: 'm', from: null, to: '', firstMs: 0, attempts: 0, nextMs: 0 };
const DUE_MESSAGE = { ...MESSAGE, nodes: [], to: { time: '', id: '' }, until: null };

test('[HOOK5] only a webhook that selects due dates has searches', () => {
  for (const events of [[], ['node.completed'], ['link.*']]) {
    expect(searchMs(state(0, events), true, START)).toBeNull();
    expect(isDueFirst(state(0, events), START)).toBe(false);
  }
  expect(searchMs(state(7, ['node.*']), false, START)).toBe(7);
});

test('[HOOK10] changes bring the next search forward, to the next window', () => {
  const later = START + 5 * MINUTE_MS;
  expect(searchMs(state(later), false, START)).toBe(later);
  expect(searchMs(state(later), true, START)).toBe(START + MINUTE_MS);
  expect(searchMs(state(later), true, START + 2 * MINUTE_MS)).toBe(START + 2 * MINUTE_MS);
  // One that is due already stays due, however many changes come.
  expect(searchMs(state(START), true, START + 2 * MINUTE_MS)).toBe(START);
});

test('[HOOK8 HOOK12] a webhook that begins anew searches at once', () => {
  expect(searchMs(state(null), false, START)).toBe(START);
  expect(searchMs({ ...state(START + DAY_MS), duePosition: null }, false, START)).toBe(START);
});

test('[HOOK6] a search that changes have delayed for a minute goes first', () => {
  expect(isDueFirst(state(START), START + MINUTE_MS - 1)).toBe(false);
  expect(isDueFirst(state(START), START + MINUTE_MS)).toBe(true);
  expect(isDueFirst(state(null), START + DAY_MS)).toBe(false);
});

test('[HOOK10] the next search is after the window of the next due date, at least once a day and not twice a minute', () => {
  const next = (ms: number) => new Date(START + ms).toISOString();
  expect(nextSearchMs({ next: null }, START)).toBe(START + DAY_MS + MINUTE_MS);
  expect(nextSearchMs({ next: next(-LAG_MS) }, START)).toBe(START + MINUTE_MS);
  expect(nextSearchMs({ next: next(5 * MINUTE_MS - LAG_MS - 1) }, START)).toBe(START + 5 * MINUTE_MS);
  expect(nextSearchMs({ next: next(5 * MINUTE_MS - LAG_MS) }, START)).toBe(START + 6 * MINUTE_MS);
  expect(nextSearchMs({ next: next(9 * DAY_MS) }, START)).toBe(START + DAY_MS + MINUTE_MS);
});

test('[HOOK2 HOOK10] each window is searched once, however late the last search came', () => {
  const next = new Date(START - LAG_MS).toISOString();
  for (const lateMs of [0, 1, 30_000, MINUTE_MS - 1])
    expect(nextSearchMs({ next }, START + lateMs)).toBe(START + MINUTE_MS);
  expect(nextSearchMs({ next }, START + MINUTE_MS)).toBe(START + 2 * MINUTE_MS);
});

test('[HOOK6] a failed read comes again after a minute, then later, and changes do not bring it forward', () => {
  const delays: number[] = [];
  let failed: { dueSearchMs: number | null; dueFailures: number | null } = { dueSearchMs: START, dueFailures: null };
  for (let failures = 1; failures <= 7; failures++) {
    failed = afterFailedRead(failed, START);
    expect(failed.dueFailures).toBe(failures);
    delays.push(((failed.dueSearchMs as number) - START) / MINUTE_MS);
    expect(searchMs({ ...state(null), ...failed }, true, START)).toBe(failed.dueSearchMs);
    expect(isDueFirst({ ...state(null), ...failed }, START)).toBe(false);
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 32]);
});

test('[HOOK6] a message about due nodes goes before changes, unless it cannot be read or one of changes is in progress', () => {
  const due = { ...state(START), dueMessage: DUE_MESSAGE };
  expect(isDueFirst(due, START)).toBe(true);
  expect(isDueFirst({ ...due, message: MESSAGE }, START)).toBe(false);
  const unread = { ...due, ...afterFailedRead(due, START) };
  expect(isDueFirst(unread, START + MINUTE_MS - 1)).toBe(false);
  expect(isDueFirst(unread, START + MINUTE_MS)).toBe(true);
});
