import { beforeEach, expect, test } from 'vitest';
import { createHeadSchedule, type HeadSchedule } from './head-schedule.ts';

let atMs: number;
let schedule: HeadSchedule;
beforeEach(() => {
  atMs = 1_000_000;
  schedule = createHeadSchedule(() => atMs);
});

const webhook = (userId: string, grants: number) => ({
  id: `hook of ${userId}`,
  userId,
  isDue: false,
  isHealthy: true,
  dueSinceMs: 0,
  headsSum: '',
  grants,
});
const many = (count: number, grants: number) =>
  Array.from({ length: count }, (_, index) => webhook(`${grants} grants ${index}`, grants));
function sweep(webhooks: ReturnType<typeof many>, isDone: (userId: string) => boolean = () => true): string[][] {
  const statements = schedule.choose(webhooks);
  for (const users of statements) {
    const works = users.every(({ userId }) => isDone(userId));
    for (const user of users) schedule.note(user, works);
  }
  return statements.map((users) => users.map(({ userId }) => userId));
}

test('[HOOK10] a statement reads at most 20,000 grants and 500 users, and a sweep about 30,000 grants', () => {
  const users = [...many(1_200, 0), ...many(40, 5_000), webhook('alone', 30_000)];
  const statements = schedule.choose(users);
  for (const one of statements) {
    const grants = one.reduce((sum, user) => sum + user.grants, 0);
    expect(one.length === 1 || (grants <= 20_000 && one.length <= 500)).toBe(true);
  }
  const total = statements.flat().reduce((sum, user) => sum + user.grants, 0);
  expect(total).toBe(30_000);
  expect(schedule.choose([webhook('huge', 200_000)]).map((one) => one.length)).toEqual([1]);
});

test('[HOOK10] users with many grants delay no others, and the feeds of each user are compared', () => {
  const heavy = many(40, 5_000);
  const light = many(100, 3);
  const checks = new Map<string, number>();
  for (let sweeps = 0; sweeps < 30; sweeps++, atMs += 1_000)
    for (const userId of sweep([...heavy, ...light]).flat()) checks.set(userId, (checks.get(userId) ?? 0) + 1);
  for (const { userId } of heavy) expect([4, 5]).toContain(checks.get(userId));
  for (const { userId } of light) expect(checks.get(userId)).toBe(30);
});

test('[HOOK10 HOOK14] a user whose check fails gets a statement of their own, and counts as lag since then', () => {
  const users = many(5, 10);
  const [bad = webhook('', 0)] = users;
  const works = (userId: string) => userId !== bad.userId;
  const startedMs = atMs;
  expect(sweep(users, works)).toHaveLength(1);
  expect(schedule.oldestMs()).toBe(startedMs);
  atMs += 1_000;
  expect(sweep(users, works)).toEqual([]);
  atMs += 10_000;
  expect(sweep(users, works)).toHaveLength(5);
  expect(schedule.oldestMs()).toBe(startedMs);
  atMs += 1_000;
  const others = users.slice(1).map(({ userId }) => userId);
  expect(sweep(users, works)).toEqual([others]);
  atMs += 10_000;
  sweep(users);
  expect(schedule.oldestMs()).toBeGreaterThanOrEqual(atMs);
});

test('[HOOK10] the feeds of a user are checked once for all of their webhooks', () => {
  const two = [
    { ...webhook('ann', 2), id: 'a' },
    { ...webhook('ann', 2), id: 'b' },
  ];
  expect(schedule.choose(two)).toEqual([[{ userId: 'ann', grants: 2, webhooks: two }]]);
});
