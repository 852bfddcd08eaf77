// The order, fairness and bounds of the mailboxes, with a commit that the test ends by hand.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import { composeId } from '@taskgraph/wire/ids';

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScheduler, type GroupRemainder, type SchedulerOptions } from './group-scheduler.ts';
import type { Job } from './job.ts';

const id = composeId(0, 0, 0, new Uint8Array(6));

function jobOf(
  name: string,
  user: string,
  slot: number,
  deadline = Number.POSITIVE_INFINITY,
): Job & { replies: Reply[] } {
  const replies: Reply[] = [];
  return {
    message: {
      id,
      event: name,
      payload: {},
      actor: { id: user, username: user, email: `${user}@example.com` },
      key: null,
      deadline,
      traceId: '',
    },
    definition: {} as AnyDefinition,
    payload: {},
    slot,
    key: name,
    dryRun: false,
    payloadHash: '',
    scopes: null,
    bytes: 100,
    replies,
    answer: (reply) => void replies.push(reply),
  };
}

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
    scheduler.deliver(jobOf(name, 'ada', slot));
  await turn();
  expect(names()).toEqual([['a', 'c', 'b']]);
});

test('a slot is in one group at a time, and its commands keep their order', async () => {
  const { scheduler, groups, names } = setUp({ groupSize: 1 });
  scheduler.deliver(jobOf('first', 'ada', 1));
  await turn();
  scheduler.deliver(jobOf('second', 'ada', 1));
  scheduler.deliver(jobOf('other', 'ada', 2));
  await turn();
  expect(names()).toEqual([['first'], ['other']]);
  groups[0]?.end();
  await turn();
  expect(names()).toEqual([['first'], ['other'], ['second']]);
});

test('users of a slot take turns, so that a busy one does not starve others', async () => {
  const { scheduler, names } = setUp();
  for (const name of ['a1', 'a2', 'a3', 'a4']) scheduler.deliver(jobOf(name, 'ada', 1));
  scheduler.deliver(jobOf('b1', 'bob', 1));
  await turn();
  expect(names()).toEqual([['a1', 'b1', 'a2', 'a3']]);
});

test('a second group waits while the first commits, and starts if the first takes long', async () => {
  const { scheduler, names } = setUp();
  scheduler.deliver(jobOf('long', 'ada', 1));
  await turn();
  scheduler.deliver(jobOf('waiting', 'bob', 2));
  await turn();
  await pass(99);
  expect(names()).toEqual([['long']]);
  await pass(1);
  expect(names()).toEqual([['long'], ['waiting']]);
});

test('beyond the bounds a command is refused, and one past its deadline is dropped', async () => {
  const { scheduler, names } = setUp({ waitingCommands: 2 });
  const jobs = ['a', 'b', 'c'].map((name) => jobOf(name, 'ada', 1, name === 'a' ? 999 : 2_000));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  expect(names()).toEqual([['b']]);
  const outcome = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
  expect(jobs.map(({ replies }) => replies)).toMatchObject([[outcome], [], [outcome]]);
});

test('[LIM4] one user may use only a part of the queue, whatever delays their commands', async () => {
  const bounds = { waitingCommands: 8, waitingBytes: 2_000, userShares: { commands: 1 / 4, bytes: 1 / 4 } };
  const { scheduler, groups, large } = setUp({ ...bounds, groupSize: 10 });
  const heavy = jobOf('heavy', 'ada', 1);
  scheduler.deliver(heavy);
  await turn();
  groups[0]?.end({ stuck: [heavy] });
  await turn();
  const deliver = (name: string, user: string, bytes: number) => {
    const job = { ...jobOf(name, user, 1), bytes };
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
  const [heavy, behind, other] = [jobOf('heavy', 'ada', 1), jobOf('behind', 'ada', 1), jobOf('other', 'bob', 2)];
  for (const job of [heavy, behind, other]) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: [heavy, behind] });
  scheduler.deliver(jobOf('last', 'ada', 1));
  scheduler.deliver(jobOf('more', 'bob', 2));
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
  const jobs = ['a1', 'a2', 'a3', 'b1'].map((name, index) => jobOf(name, name.charAt(0), index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: [jobs[0], jobs[1], jobs[3]] as Job[] });
  await turn();
  expect(scheduler.waiting().large).toBe(2);
  const past = jobOf('past', 'cy', 9);
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
  const jobs = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name, index) => jobOf(name, name.charAt(0), index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: jobs });
  await turn();
  expect(jobs.map(({ replies }) => replies.length)).toEqual([0, 0, 0, 1, 0]);
  expect(jobs[3]?.replies).toMatchObject([{ ok: false, error: 'unavailable', details: { outcome: 'not_done' } }]);
  expect([large.length, scheduler.waiting().large]).toEqual([1, 3]);
});

test('[LIM5] commands that a group deferred continue with the next one, before later ones', async () => {
  const { scheduler, groups, names, partNames } = setUp();
  const jobs = [jobOf('a', 'ada', 1), jobOf('b', 'bob', 2), jobOf('c', 'bob', 2)];
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  scheduler.deliver(jobOf('d', 'bob', 2));
  groups[0]?.end({ later: jobs.slice(1) });
  await turn();
  expect(names()[1]).toEqual(['b', 'c', 'd']);
  expect(partNames()).toEqual([]);
});

test('after a command that committed alone beside others, the next one waits as long as it took, and otherwise it does not', async () => {
  const { scheduler, groups, large } = setUp({ groupSize: 10 });
  const jobs = ['a', 'b', 'c'].map((name, index) => jobOf(name, name, index));
  for (const job of jobs) scheduler.deliver(job);
  await turn();
  groups[0]?.end({ stuck: jobs });
  await pass(60);
  large[0]?.end();
  await turn();
  expect(large).toHaveLength(2);
  await pass(60);
  scheduler.deliver(jobOf('other', 'dan', 3));
  large[1]?.end();
  await turn();
  await pass(59);
  expect(large).toHaveLength(2);
  await pass(1);
  expect(large).toHaveLength(3);
});

test('blocked commands continue slot by slot at once, and a slot that failed again stays separate until a success', async () => {
  const { scheduler, groups, parts, names, partNames } = setUp();
  const jobs = [jobOf('a', 'ada', 1), jobOf('b', 'bob', 2), jobOf('c', 'cy', 3), jobOf('d', 'ada', 1)];
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
    scheduler.deliver(jobOf(name, 'ada', slot));
  await turn();
  expect([names()[1], partNames()[3]]).toEqual([['f'], ['e']]);
  parts[3]?.end();
  groups[1]?.end();
  scheduler.deliver(jobOf('g', 'ada', 1));
  await turn();
  expect(names()[2]).toEqual(['g']);
});

test('it is idle when nothing waits and nothing commits', async () => {
  const { scheduler, groups } = setUp();
  scheduler.deliver(jobOf('a', 'ada', 1));
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
