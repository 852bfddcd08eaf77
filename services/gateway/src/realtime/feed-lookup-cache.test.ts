// The look-ups that a gateway caches, and their bounds.
import { refuse } from '@taskgraph/wire/errors';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { authorization, userOf } from '../test/support/subscriptions.ts';
import { CACHE_MS, createFeedLookupCache, PAUSE_MS } from './feed-lookup-cache.ts';
import type { UserFeeds } from './subscriber.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answerOf = (count: number): UserFeeds => ({
  feeds: Array.from({ length: count }, (_, index) => authorization(`root:${index}`, 1)),
  position: 'p',
});

function setUp() {
  const cache = createFeedLookupCache(10_000);
  const learn = (id: string, count = 1) => cache.lookUp(userOf(id).user, async () => answerOf(count));
  const count = (ids: readonly string[]) => ids.filter((id) => cache.get(userOf(id).user) !== null).length;
  return { cache, learn, count };
}

it('caches the look-ups of at most 10,000 users', async () => {
  const { cache, learn, count } = setUp();
  const ids = Array.from({ length: 10_100 }, (_, index) => `user ${index}`);
  for (const id of ids) await learn(id);
  expect([cache.size(), count(ids.slice(0, 100)), count(ids)]).toEqual([10_000, 0, 10_000]);
});

it('caches at most 200,000 feeds, of the users who connected last, and none of a user with more', async () => {
  const { learn, count } = setUp();
  const ids = Array.from({ length: 120 }, (_, index) => `user ${index}`);
  for (const id of ids) await learn(id, 1_999);
  expect([count(ids), count(ids.slice(0, 20))]).toEqual([100, 0]);
  await learn('giant', 200_000);
  expect([count(['giant']), count(ids)]).toEqual([0, 100]);
});

it('[EVT1] counts the age of a look-up from the start of its look-up, and drops it then', async () => {
  const { cache, count } = setUp();
  const answered = cache.lookUp(userOf('ann').user, async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return answerOf(1);
  });
  await vi.advanceTimersByTimeAsync(2_000);
  await answered;
  // Sums of fractions of a millisecond are not exact.
  await vi.advanceTimersByTimeAsync(CACHE_MS - 2_002);
  expect(count(['ann'])).toBe(1);
  await vi.advanceTimersByTimeAsync(4);
  expect(count(['ann'])).toBe(0);
  await vi.advanceTimersByTimeAsync(2_010);
  expect([cache.size(), vi.getTimerCount()]).toEqual([0, 0]);
});

it('[GEN3] caches no refusal, no failure and no user who is gone', async () => {
  const { cache, count } = setUp();
  const { user } = userOf('ann');
  expect(await cache.lookUp(user, async () => null)).toBeNull();
  const refused = refuse('unavailable', 'No worker answers.');
  expect(await cache.lookUp(user, async () => refused)).toBe(refused);
  await expect(cache.lookUp(user, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(count(['ann'])).toBe(0);
});

it('[EVT1] uses no look-up that started before a loss of messages, or shortly after it', async () => {
  const { cache, learn, count } = setUp();
  await learn('ann');
  let answer = () => undefined as unknown;
  const answered = cache.lookUp(userOf('bob').user, async () => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return answerOf(1);
  });
  cache.dropAll();
  answer();
  await answered;
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  await learn('carol');
  expect(count(['ann', 'bob', 'carol'])).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await learn('carol');
  expect(count(['ann', 'bob', 'carol'])).toBe(1);
});
