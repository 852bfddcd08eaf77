// The order, fairness and bounds of the mailboxes, with a commit that the test ends by hand.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitingJob } from '../test/support/waiting-job.ts';
import { createScheduler, type GroupRemainder, type SchedulerOptions } from './group-scheduler.ts';
import type { Job } from './job.ts';

function setUp(options: Partial<SchedulerOptions> = {}) {
  const groups: Group[] = [];
  const parts: Group[] = [];
  const large: { name: string; end: () => void }[] = [];
  const take = (list: Group[]) => (jobs: Job[]) =>
    new Promise<GroupRemainder>((resolve) => {
      const end = (unfinished: Partial<GroupRemainder> = {}) => resolve({ ...NO_REMAINDER, ...unfinished });
      list.push({ names: jobs.map(({ key }) => key), jobs, end });
    });
  const scheduler = createScheduler({
    concurrency: 2,
    partConcurrency: 2,
    groupSize: 4,
    groupBytes: 1_000,
    waitingCommands: 10,
    waitingBytes: 10_000,
    largeCommands: 2,
    largeBytes: 10_000,
    nowMs: () => 1_000,
    commit: take(groups),
    commitPart: take(parts),
    commitLarge: ({ key }) => new Promise((resolve) => large.push({ name: key, end: resolve })),
    ...options,
  });
  const namesOf = (list: Group[]) => () => list.map(({ names }) => names);
  return { scheduler, groups, parts, large, names: namesOf(groups), partNames: namesOf(parts) };
}

interface Group {
  readonly names: string[];
  readonly jobs: Job[];
  readonly end: (unfinished?: Partial<GroupRemainder>) => void;
}
const NO_REMAINDER: GroupRemainder = { stuck: [], later: [], blocked: [], failed: false };

// A group's duration decides how long the next one waits, and here only the test decides it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Lets this time pass, with the turn of the event loop in which its timers end. */
const pass = (ms: number) => {
  vi.advanceTimersByTime(ms);
  return turn();
};

test('commands of one turn of the event loop share a group, over all slots', async () => {
  const { scheduler, names } = setUp();
  for (const [name, slot] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ] as const)
    scheduler.deliver(waitingJob(name, 'ada', slot));
  await turn();
  expect(names()).toEqual([['a', 'c', 'b']]);
});

test('a slot is in one group at a time, and its commands keep their order', async () => {
  const { scheduler, groups, names } = setUp({ groupSize: 1 });
  scheduler.deliver(waitingJob('first', 'ada', 1));
  await turn();
  scheduler.deliver(waitingJob('second', 'ada', 1));
  scheduler.deliver(waitingJob('other', 'ada', 2));
  await turn();
  expect(names()).toEqual([['first'], ['other']]);
  groups[0]?.end();
  await turn();
  expect(names()).toEqual([['first'], ['other'], ['second']]);
});

test('users of a slot take turns, so that a busy one does not starve others', async () => {
  const { scheduler, names } = setUp();
  for (const name of ['a1', 'a2', 'a3', 'a4']) scheduler.deliver(waitingJob(name, 'ada', 1));
  scheduler.deliver(waitingJob('b1', 'bob', 1));
  await turn();
  expect(names()).toEqual([['a1', 'b1', 'a2', 'a3']]);
});

test('a second group waits while the first commits, and starts if the first takes long', async () => {
  const { scheduler, names } = setUp();
  scheduler.deliver(waitingJob('long', 'ada', 1));
  await turn();
  scheduler.deliver(waitingJob('waiting', 'bob', 2));
  await turn();
  await pass(99);
  expect(names()).toEqual([['long']]);
  await pass(1);
  expect(names()).toEqual([['long'], ['waiting']]);
});

test('beyond the bounds a command is refused, and one past its deadline is dropped', async () => {
  const { scheduler, names } = setUp({ waitingCommands: 2 });
  const jobs = ['a', 'b', 'c'].map((name) => waitingJob(name, 'ada', 1, name === 'a' ? 999 : 2_000));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  expect(names()).toEqual([['b']]);
  const outcome = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
  expect(jobs.map(({ replies }) => replies)).toMatchObject([[outcome], [], [outcome]]);
});

test('[LIM4] one user may use only a part of the queue, whatever delays their commands', async () => {
  const bounds = { waitingCommands: 8, waitingBytes: 2_000, userShares: { commands: 1 / 4, bytes: 1 / 4 } };
  const { scheduler, groups, large } = setUp({ ...bounds, groupSize: 10 });
  const heavy = waitingJob('heavy', 'ada', 1);
  scheduler.deliver(heavy);
  await turn();
  groups[0]?.end({ stuck: [heavy] });
  await turn();
  const deliver = (name: string, user: string, bytes: number) => {
    const job = { ...waitingJob(name, user, 1), bytes };
    scheduler.deliver(job);
    return job.replies.length === 0;
  };
  expect(['a1', 'a2', 'a3'].map((name) => deliver(name, 'ada', 100))).toEqual([true, true, false]);
  expect(['b1', 'b2'].map((name) => deliver(name, 'bob', 600))).toEqual([true, false]);
  expect(deliver('c1', 'cy', 100)).toBe(true);
  large[0]?.end();
  await turn();
  expect(groups[1]?.names).toEqual(['a1', 'b1', 'c1', 'a2']);
  groups[1]?.end({ blocked: groups[1].jobs, failed: true });
  // A command that comes back counts again, until it is taken.
  expect(['a4', 'a5'].map((name) => deliver(name, 'ada', 100))).toEqual([true, true]);
});

test('a command that commits alone occupies only its slot, and later commands of the slot stay in order', async () => {
  const { scheduler, groups, large, names } = setUp();
  const [heavy, behind, other] = [
    waitingJob('heavy', 'ada', 1),
    waitingJob('behind', 'ada', 1),
    waitingJob('other', 'bob', 2),
  ];
  for (const job of [heavy, behind, other]) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: [heavy, behind] });
  scheduler.deliver(waitingJob('last', 'ada', 1));
  scheduler.deliver(waitingJob('more', 'bob', 2));
  await turn();
  expect(large.map(({ name }) => name)).toEqual(['heavy']);
  expect(names().slice(1)).toEqual([['more']]);
  groups[1]?.end();
  await turn();
  expect(names()).toHaveLength(2);
  expect(scheduler.waiting()).toEqual({ commands: 2, bytes: 200, large: 0 });
  large[0]?.end();
  await turn();
  expect(names().slice(2)).toEqual([['behind', 'last']]);
});

test('one command commits alone at a time, users take turns, and beyond the bounds commands are refused', async () => {
  const { scheduler, groups, large } = setUp({ groupSize: 10 });
  const jobs = ['a1', 'a2', 'a3', 'b1'].map((name, index) => waitingJob(name, name.charAt(0), index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: [jobs[0], jobs[1], jobs[3]] as Job[] });
  await turn();
  expect(scheduler.waiting().large).toBe(2);
  const past = waitingJob('past', 'cy', 9);
  scheduler.deliver(past);
  await turn();
  groups[1]?.end({ stuck: [past] });
  await turn();
  expect(past.replies).toMatchObject([{ ok: false, error: 'unavailable' }]);
  for (const [index, name] of ['a1', 'a2', 'b1'].entries()) {
    expect(large.at(-1)?.name).toBe(name);
    large[index]?.end();
    await turn();
  }
  expect(scheduler.waiting().large).toBe(0);
});

test('[LIM5] one user has at most a quarter of the commands that wait to commit alone', async () => {
  const { scheduler, groups, large } = setUp({ groupSize: 10, largeCommands: 8 });
  const jobs = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name, index) => waitingJob(name, name.charAt(0), index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: jobs });
  await turn();
  expect(jobs.map(({ replies }) => replies.length)).toEqual([0, 0, 0, 1, 0]);
  expect(jobs[3]?.replies).toMatchObject([{ ok: false, error: 'unavailable', details: { outcome: 'not_done' } }]);
  expect([large.length, scheduler.waiting().large]).toEqual([1, 3]);
});

test('[LIM5] each slot commits within as many groups as there are slots, however few commands fit a group', async () => {
  const slots = [1, 2, 3, 4];
  for (const fitting of [1, 2, 3]) {
    const { scheduler, groups } = setUp({ groupSize: 16, waitingCommands: 1_000, waitingBytes: 1_000_000 });
    const lastCommit = new Map(slots.map((slot) => [slot, 0]));
    const refill = () => {
      for (const slot of slots) scheduler.deliver(waitingJob('heavy', `user ${slot}`, slot));
    };
    refill();
    for (let at = 0; at < 20; at++) {
      await turn();
      const { jobs, end } = groups[at] as Group;
      for (const { slot } of jobs.slice(0, fitting)) lastCommit.set(slot, at);
      // Commands arrive while the group commits.
      refill();
      end({ later: jobs.slice(fitting) });
      expect(at - Math.min(...lastCommit.values())).toBeLessThanOrEqual(slots.length);
    }
  }
});

test('[LIM5] a slot that floods has its share of a group while another has commands', async () => {
  const { scheduler, groups, names } = setUp({ groupSize: 8, slotShare: 2, waitingCommands: 100, concurrency: 1 });
  const flood = (from: number, to: number) => {
    for (let at = from; at < to; at++) scheduler.deliver(waitingJob(`f${at}`, 'flood', 1));
  };
  flood(0, 8);
  await turn();
  scheduler.deliver(waitingJob('a', 'ada', 2));
  flood(8, 20);
  groups[0]?.end();
  await turn();
  // The writer's next command is probably on its way, so the flood does not fill the group after it.
  // That group cannot grow, and starts at once.
  vi.advanceTimersByTime(20);
  groups[1]?.end();
  await turn();
  groups[2]?.end();
  await turn();
  expect(names()).toEqual([
    ['f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7'],
    ['a', 'f8', 'f9'],
    ['f10', 'f11'],
    ['f12', 'f13', 'f14', 'f15', 'f16', 'f17', 'f18', 'f19'],
  ]);
});

test('[LIM5] a slot that waits for its group does not make others start small groups', async () => {
  const { scheduler, groups, names } = setUp({ groupSize: 4, slotShare: 2, waitingCommands: 100 });
  for (let at = 0; at < 10; at++) scheduler.deliver(waitingJob(`f${at}`, 'flood', 1));
  await turn();
  scheduler.deliver(waitingJob('a', 'ada', 2));
  await turn();
  expect(names()).toEqual([['f0', 'f1', 'f2', 'f3']]);
  groups[0]?.end();
  await turn();
  expect(names().slice(1)).toEqual([['f4', 'f5', 'a']]);
});

test('slots that all have their share fill a group evenly', async () => {
  const { scheduler, names } = setUp({ groupSize: 8, slotShare: 2, waitingCommands: 100 });
  for (let at = 0; at < 8; at++) for (const slot of [1, 2]) scheduler.deliver(waitingJob(`${slot}.${at}`, 'ada', slot));
  await turn();
  expect(names()).toEqual([['1.0', '1.1', '1.2', '1.3', '2.0', '2.1', '2.2', '2.3']]);
});

test('each user of a slot gets a command beside slots with fewer', async () => {
  const { scheduler, names } = setUp({ groupSize: 8, slotShare: 2, waitingCommands: 100 });
  scheduler.deliver(waitingJob('a', 'ada', 2));
  for (const user of ['u', 'v', 'w', 'x'])
    for (let at = 0; at < 3; at++) scheduler.deliver(waitingJob(`${user}${at}`, user, 1));
  await turn();
  await pass(100);
  expect(names()).toEqual([['a', 'u0', 'v0', 'w0', 'x0']]);
});

test('a slot that waits for a large command of its own does not reduce the share of another', async () => {
  const { scheduler, groups, names } = setUp({ groupSize: 4, slotShare: 2, waitingCommands: 100 });
  const large = waitingJob('large', 'ada', 2);
  scheduler.deliver(large);
  scheduler.deliver(waitingJob('behind', 'ada', 2));
  await turn();
  groups[0]?.end({ stuck: groups[0].jobs });
  await turn();
  for (let at = 0; at < 8; at++) scheduler.deliver(waitingJob(`f${at}`, 'flood', 1));
  await turn();
  groups[1]?.end();
  await turn();
  expect(names()).toEqual([
    ['large', 'behind'],
    ['f0', 'f1'],
    ['f2', 'f3', 'f4', 'f5'],
  ]);
});

test('[LIM5] commands that a group deferred continue with the next one, before later ones', async () => {
  const { scheduler, groups, names, partNames } = setUp();
  const jobs = [waitingJob('a', 'ada', 1), waitingJob('b', 'bob', 2), waitingJob('c', 'bob', 2)];
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  scheduler.deliver(waitingJob('d', 'bob', 2));
  groups[0]?.end({ later: jobs.slice(1) });
  await turn();
  expect(names()[1]).toEqual(['b', 'c', 'd']);
  expect(partNames()).toEqual([]);
});

test('after a command that committed alone beside others, the next one waits as long as it took, and otherwise it does not', async () => {
  const { scheduler, groups, large } = setUp({ groupSize: 10 });
  const jobs = ['a', 'b', 'c'].map((name, index) => waitingJob(name, name, index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: jobs });
  await pass(60);
  large[0]?.end();
  await turn();
  expect(large).toHaveLength(2);
  await pass(60);
  scheduler.deliver(waitingJob('other', 'dan', 3));
  large[1]?.end();
  await turn();
  await pass(59);
  expect(large).toHaveLength(2);
  await pass(1);
  expect(large).toHaveLength(3);
});

test('blocked commands continue slot by slot at once, and a slot that failed again stays separate until a success', async () => {
  const { scheduler, groups, parts, names, partNames } = setUp();
  const jobs = [
    waitingJob('a', 'ada', 1),
    waitingJob('b', 'bob', 2),
    waitingJob('c', 'cy', 3),
    waitingJob('d', 'ada', 1),
  ];
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  expect(names()).toEqual([['a', 'd', 'b', 'c']]);
  groups[0]?.end({ blocked: groups[0].jobs, failed: true });
  await turn();
  expect(partNames()).toEqual([['a', 'd'], ['b']]);
  parts[0]?.end({ failed: true });
  parts[1]?.end();
  await turn();
  expect(partNames()[2]).toEqual(['c']);
  parts[2]?.end();
  for (const [name, slot] of [
    ['e', 1],
    ['f', 2],
  ] as const)
    scheduler.deliver(waitingJob(name, 'ada', slot));
  await turn();
  expect([names()[1], partNames()[3]]).toEqual([['f'], ['e']]);
  parts[3]?.end();
  groups[1]?.end();
  scheduler.deliver(waitingJob('g', 'ada', 1));
  await turn();
  expect(names()[2]).toEqual(['g']);
});

test('it is idle when nothing waits and nothing commits', async () => {
  const { scheduler, groups } = setUp();
  scheduler.deliver(waitingJob('a', 'ada', 1));
  await turn();
  let idle = false;
  const waiting = scheduler.idle().then(() => {
    idle = true;
  });
  await turn();
  expect(idle).toBe(false);
  groups[0]?.end();
  await waiting;
});
