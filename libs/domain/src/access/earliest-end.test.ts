import { expect, test } from 'vitest';
import { EarliestEnd } from './earliest-end.ts';

const [FIRST, BEFORE_SECOND, SECOND, LAST] = [1, 1.999, 2, 3].map((seconds) =>
  new Date(seconds * 1_000).toISOString(),
) as [string, string, string, string];

test('[ACL5] the earliest of several ends counts, from its own millisecond on', () => {
  const end = new EarliestEnd();
  end.include(null);
  expect([end.time, end.hasPassed(LAST)]).toEqual([undefined, false]);
  for (const due of [LAST, SECOND, null, LAST]) end.include(due);
  expect(end.time).toBe(SECOND);
  expect([FIRST, BEFORE_SECOND, SECOND, LAST].map((now) => end.hasPassed(now))).toEqual([false, false, true, true]);
});
