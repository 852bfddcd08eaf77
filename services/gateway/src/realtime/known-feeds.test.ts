// The answers that a gateway keeps of users who connected lately, and their bounds.
import { refuse } from '@taskgraph/wire/errors';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { authorization, userOf } from '../test/support/subscriptions.ts';
import { copyOf, createKnownFeeds, KNOWN_MS } from './known-feeds.ts';
import type { UserFeeds } from './subscriber.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answerOf = (count: number): UserFeeds => ({
  feeds: Array.from({ length: count }, (_, index) => authorization(`root:${index}`, 1)),
  position: 'p',
});

function setUp() {
  const known = createKnownFeeds();
  const learn = (id: string, count = 1) => known.lookUp(userOf(id).user, async () => answerOf(count));
  const count = (ids: readonly string[]) => ids.filter((id) => known.of(userOf(id).user) !== null).length;
  return { known, learn, count };
}

it('keeps at most 10,000 answers', async () => {
  const { known, learn, count } = setUp();
  const ids = Array.from({ length: 10_100 }, (_, index) => `user ${index}`);
  for (const id of ids) await learn(id);
  expect([known.size(), count(ids.slice(0, 100)), count(ids)]).toEqual([10_000, 0, 10_000]);
});

it('keeps at most 200,000 feeds, of the users who connected last, and none of a user with more', async () => {
  const { learn, count } = setUp();
  const ids = Array.from({ length: 120 }, (_, index) => `user ${index}`);
  for (const id of ids) await learn(id, 1_999);
  expect([count(ids), count(ids.slice(0, 20))]).toEqual([100, 0]);
  await learn('giant', 200_000);
  expect([count(['giant']), count(ids)]).toEqual([0, 100]);
});

it('[EVT1] counts the age of an answer from the start of its look-up, and drops it then', async () => {
  const { known, count } = setUp();
  const answered = known.lookUp(userOf('ann').user, async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return answerOf(1);
  });
  await vi.advanceTimersByTimeAsync(2_000);
  await answered;
  await vi.advanceTimersByTimeAsync(KNOWN_MS - 2_001);
  expect(count(['ann'])).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(count(['ann'])).toBe(0);
  await vi.advanceTimersByTimeAsync(2_010);
  expect([known.size(), vi.getTimerCount()]).toEqual([0, 0]);
});

it('[GEN3] keeps no refusal, no failure and no user who is gone', async () => {
  const { known, count } = setUp();
  const { user } = userOf('ann');
  expect(await known.lookUp(user, async () => null)).toBeNull();
  const refused = refuse('unavailable', 'No worker answers.');
  expect(await known.lookUp(user, async () => refused)).toBe(refused);
  await expect(known.lookUp(user, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(count(['ann'])).toBe(0);
});

it('[ACL7] F8: copies only from a socket with the same feeds, and asks at most four of them', () => {
  const socketWith = (feeds: readonly string[]) => ({ subscriptions: new Set(feeds) }) as never;
  const tried: unknown[] = [];
  const copyFrom = (subscribers: unknown[]) =>
    copyOf(answerOf(2), subscribers as never[], (subscriber, _, authorized) => {
      tried.push(subscriber);
      return authorized;
    });
  const [fewer, more, same] = [socketWith(['a']), socketWith(['a', 'b', 'c']), socketWith(['a', 'b'])];
  expect(copyFrom([fewer, more])).toBeNull();
  expect(tried).toEqual([]);
  expect(copyFrom([fewer, more, same])?.feeds).toHaveLength(2);
  expect(tried).toEqual([same, same]);
  expect(copyFrom([fewer, fewer, more, more, same])).toBeNull();
});
