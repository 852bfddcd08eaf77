// The order, fairness and bounds of the mailboxes, with a commit that the test ends by hand.
import { composeId } from '@taskgraph/wire/ids';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { expect, test } from 'vitest';
import type { AnyCommand, Job } from './job.ts';
import { createMailboxes, type MailboxOptions } from './mailboxes.ts';

const id = composeId(0, 0, 0, new Uint8Array(6));

function jobOf(
  name: string,
  user: string,
  slot: number,
  deadline = Number.POSITIVE_INFINITY,
): Job & { replies: ReplyMessage[] } {
  const replies: ReplyMessage[] = [];
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
    definition: {} as AnyCommand,
    payload: {},
    slot,
    key: name,
    payloadHash: '',
    bytes: 100,
    replies,
    answer: (reply) => void replies.push(reply),
  };
}

function setUp(options: Partial<MailboxOptions> = {}) {
  const groups: { names: string[]; end: () => void }[] = [];
  const mailboxes = createMailboxes({
    lanes: 2,
    restMs: 0,
    groupSize: 4,
    groupBytes: 1_000,
    waitingCommands: 10,
    waitingBytes: 10_000,
    nowMs: () => 1_000,
    commit: (group) =>
      new Promise<void>((resolve) => groups.push({ names: group.map(({ key }) => key), end: resolve })),
    ...options,
  });
  return { mailboxes, groups, names: () => groups.map(({ names }) => names) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes in one turn of the loop shares a group, over all slots', async () => {
  const { mailboxes, names } = setUp();
  for (const [name, slot] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ] as const)
    mailboxes.deliver(jobOf(name, 'ada', slot));
  await turn();
  expect(names()).toEqual([['a', 'c', 'b']]);
});

test('a slot is in one group at a time, and its commands keep their order', async () => {
  const { mailboxes, groups, names } = setUp({ groupSize: 1 });
  mailboxes.deliver(jobOf('first', 'ada', 1));
  await turn();
  mailboxes.deliver(jobOf('second', 'ada', 1));
  mailboxes.deliver(jobOf('other', 'ada', 2));
  await turn();
  expect(names()).toEqual([['first'], ['other']]);
  groups[0]?.end();
  await turn();
  expect(names()).toEqual([['first'], ['other'], ['second']]);
});

test('users of a slot take turns, so that a busy one starves nobody', async () => {
  const { mailboxes, names } = setUp();
  for (const name of ['a1', 'a2', 'a3', 'a4']) mailboxes.deliver(jobOf(name, 'ada', 1));
  mailboxes.deliver(jobOf('b1', 'bob', 1));
  await turn();
  expect(names()).toEqual([['a1', 'b1', 'a2', 'a3']]);
});

test('a second lane stays closed while the first can take all, and opens when the first takes long', async () => {
  const { mailboxes, names } = setUp();
  mailboxes.deliver(jobOf('long', 'ada', 1));
  await turn();
  mailboxes.deliver(jobOf('waiting', 'bob', 2));
  await turn();
  expect(names()).toEqual([['long']]);
  await expect.poll(names, { timeout: 2_000 }).toEqual([['long'], ['waiting']]);
});

test('past the bounds a command is refused, and one past its deadline is dropped', async () => {
  const { mailboxes, names } = setUp({ waitingCommands: 2 });
  const jobs = ['a', 'b', 'c'].map((name) => jobOf(name, 'ada', 1, name === 'a' ? 999 : 2_000));
  for (const job of jobs) mailboxes.deliver(job);
  await turn();
  expect(names()).toEqual([['b']]);
  const outcome = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
  expect(jobs.map(({ replies }) => replies)).toMatchObject([[outcome], [], [outcome]]);
});

test('it is idle when nothing waits and nothing commits', async () => {
  const { mailboxes, groups } = setUp();
  mailboxes.deliver(jobOf('a', 'ada', 1));
  await turn();
  let idle = false;
  const waiting = mailboxes.idle().then(() => {
    idle = true;
  });
  await turn();
  expect(idle).toBe(false);
  groups[0]?.end();
  await waiting;
});
