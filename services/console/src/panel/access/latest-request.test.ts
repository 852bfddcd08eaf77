import { expect, test } from 'vitest';
import { createLatestRequest } from './latest-request.ts';

test('[CON15] only the last request counts, and none after an end', () => {
  const requests = createLatestRequest();
  const first = requests.begin();
  const second = requests.begin();
  expect([first(), second()]).toEqual([false, true]);
  requests.end();
  expect(second()).toBe(false);
  expect(requests.begin()()).toBe(true);
});
