// Turns of slots and users in a group, and the bound of a group that few of them fill.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitingJob } from '../test/support/waiting-job.ts';
import type { Job } from './job.ts';
import { jobsByKey } from './jobs-by-key.ts';
import { createMailboxes, type Mailboxes } from './mailboxes.ts';

const GROUP_SIZE = 128;
const every = (_slot: number) => true;

function mailboxesOf(counts: Readonly<Record<string, number>>): Mailboxes {
  const mailboxes = createMailboxes({ groupSize: GROUP_SIZE, groupBytes: 1_000_000, nowMs: () => 0 });
  for (const [slot, [user, count]] of Object.entries(counts).entries()) fill(mailboxes, user, slot, count);
  return mailboxes;
}

function fill(mailboxes: Mailboxes, user: string, slot: number, count: number, from = 1) {
  for (let number = from; number < from + count; number++) {
    mailboxes.put(waitingJob(`${user}${number}`, user, slot));
  }
}

/** The keys of the next group. */
function gather(
  mailboxes: Mailboxes,
  { commands = GROUP_SIZE, committingUsers = [] as string[], maySlot = every } = {},
) {
  return mailboxes.gather(maySlot, { commands, committingUsers }).map(({ key }) => key);
}

test('[LIM7] slots take turns, command by command, and each keeps its order', () => {
  const mailboxes = mailboxesOf({ a: 3, b: 1, c: 2 });
  expect(gather(mailboxes)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(mailboxes.count()).toBe(0);
});

test('[LIM7] a flood takes only the commands of the bound while another user waits', () => {
  const mailboxes = mailboxesOf({ flood: 1_000, a: 2, b: 1 });
  const group = gather(mailboxes, { commands: 40 });
  expect(group.slice(0, 5)).toEqual(['flood1', 'a1', 'b1', 'flood2', 'a2']);
  expect(group).toHaveLength(40);
});

test('[LIM7] a user of the same slot counts as another one', () => {
  const mailboxes = mailboxesOf({ flood: 1_000 });
  fill(mailboxes, 'guest', 0, 1);
  const group = gather(mailboxes, { commands: 40 });
  expect(group.slice(0, 3)).toEqual(['flood1', 'guest1', 'flood2']);
  expect(group).toHaveLength(40);
});

test('[LIM7] a flood meets the bound while commands of others commit, and fills whole groups alone', () => {
  const mailboxes = mailboxesOf({ flood: 1_000 });
  expect(gather(mailboxes, { commands: 40, committingUsers: ['a'] })).toHaveLength(40);
  expect(gather(mailboxes, { commands: 40, committingUsers: ['flood'] })).toHaveLength(GROUP_SIZE);
  expect(gather(mailboxes, { commands: 40 })).toHaveLength(GROUP_SIZE);
});

test('[LIM7] equal loads fill whole groups, also where they exceed the bound', () => {
  const mailboxes = mailboxesOf(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`user${at}-`, 100])));
  const group = gather(mailboxes, { commands: 16, committingUsers: ['a'] });
  expect(group).toHaveLength(GROUP_SIZE);
  expect(group.filter((key) => key.startsWith('user3-'))).toHaveLength(16);
});

test('[LIM7] the first command of a slot is in the group, even if the bound is smaller', () => {
  const mailboxes = mailboxesOf(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`user${at}-`, 1])));
  fill(mailboxes, 'flood', 60, 100);
  expect(gather(mailboxes, { commands: 16 })).toHaveLength(51);
});

test('[LIM7] a slot that a full group left out comes first in the next one', () => {
  const names = Array.from({ length: GROUP_SIZE + 2 }, (_, at) => `user${at}-`);
  const mailboxes = mailboxesOf(Object.fromEntries(names.map((name) => [name, 2])));
  expect(gather(mailboxes).at(-1)).toBe('user127-1');
  expect(gather(mailboxes).slice(0, 3)).toEqual(['user128-1', 'user129-1', 'user0-2']);
});

test('[LIM7] a slot that may not take part keeps its turn and its commands', () => {
  const mailboxes = mailboxesOf({ a: 1, b: 2 });
  expect(gather(mailboxes, { maySlot: (slot) => slot !== 0 })).toEqual(['b1', 'b2']);
  fill(mailboxes, 'b', 1, 1, 3);
  expect(gather(mailboxes)).toEqual(['a1', 'b3']);
});

test('[LIM7] a user who floods two slots counts once', () => {
  const mailboxes = mailboxesOf({ flood: 1_000, a: 1 });
  fill(mailboxes, 'flood', 2, 1_000);
  expect(gather(mailboxes, { commands: 40 })).toHaveLength(40);
});

test('[LIM7] a lone user fills whole groups, also with commands in many slots', () => {
  const mailboxes = mailboxesOf({ alone: 1_000 });
  for (let slot = 1; slot < 10; slot++) fill(mailboxes, 'alone', slot, 1);
  expect(gather(mailboxes, { commands: 40, committingUsers: ['alone'] })).toHaveLength(GROUP_SIZE);
});

test('[LIM7] slots whose commands did not fit a group come first in the next one', () => {
  const mailboxes = mailboxesOf({ a: 2, b: 2, c: 2, d: 1 });
  const take = () => mailboxes.gather(every, { commands: GROUP_SIZE, committingUsers: [] });
  const group = take();
  mailboxes.putBack(group.slice(2));
  fill(mailboxes, 'a', 0, 1, 3);
  fill(mailboxes, 'b', 1, 1, 3);
  expect(take().map(({ key }) => key)).toEqual(['c1', 'd1', 'a2', 'b2', 'c2', 'a3', 'b3']);
});

test('[LIM7] each slot commits within as many groups as there are slots, however few commands fit a group', () => {
  const fits = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fits, (slotCount, committed) => {
      const mailboxes = createMailboxes({ groupSize: 16, groupBytes: 1_000_000, nowMs: () => 0 });
      const lastCommit = Array.from({ length: slotCount }, () => 0);
      for (let turn = 1; turn <= 4 * slotCount; turn++) {
        for (let slot = 0; slot < slotCount; slot++) fill(mailboxes, `user${slot}`, slot, 2);
        const group = mailboxes.gather(every, { commands: 16, committingUsers: [] });
        const count = committed[turn % committed.length] as number;
        for (const { slot } of group.slice(0, count)) lastCommit[slot] = turn;
        mailboxes.putBack(group.slice(count));
        expect(Math.min(...lastCommit)).toBeGreaterThanOrEqual(turn - slotCount);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('[GEN12] groups never change the order of the commands of a slot and user', () => {
  const commands = fc.array(fc.record({ slot: fc.nat(5), user: fc.constantFrom('a', 'b', 'c') }), { maxLength: 60 });
  const bounds = fc.array(fc.record({ commands: fc.integer({ min: 1, max: 20 }), returned: fc.nat(10) }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(commands, bounds, (all, groups) => {
      const mailboxes = createMailboxes({ groupSize: 16, groupBytes: 1_000_000, nowMs: () => 0 });
      for (const [at, { slot, user }] of all.entries()) mailboxes.put(waitingJob(String(at), user, slot));
      const order: Job[] = [];
      for (let turn = 0; mailboxes.count() > 0; turn++) {
        const { commands: bound, returned } = groups[turn % groups.length] as (typeof groups)[number];
        const group = mailboxes.gather(every, { commands: bound, committingUsers: turn % 2 === 1 ? ['d'] : [] });
        // At least one command leaves, so that the loop ends.
        const kept = Math.max(1, group.length - returned);
        mailboxes.putBack(group.slice(kept));
        order.push(...group.slice(0, kept));
      }
      expect(order).toHaveLength(all.length);
      for (const [lane, jobs] of jobsByKey(order, ({ slot, message }) => `${slot} ${message.actor.id}`)) {
        const numbers = jobs.map(({ key }) => Number(key));
        expect(numbers, lane).toEqual(numbers.toSorted((one, other) => one - other));
      }
    }),
    { numRuns: runs(200) },
  );
});
