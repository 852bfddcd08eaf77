// Missed changes of hand-made webhooks, by the ranges of their messages.
import { Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { batch, command, type RunRecords, rename } from '../../test/support/hand-made.ts';
import {
  again,
  event,
  gained,
  goodMessages,
  type Messages,
  message,
  records,
  renamed,
  webhook,
} from '../../test/support/hand-made-webhooks.ts';
import { check } from '../check.ts';
import type { Change, HookEvent, HookMessage, WebhookLog } from '../history.ts';

const found = ({ history, stored }: RunRecords) => check(history, stored).map(({ kind }) => kind);
const [OWN, SHARED] = ['user:ann', 'root:root'];
const MISSED = 'a webhook missed a change';
const MISSED_SHARED = 'a webhook missed a change of a shared branch';
const LACKS = 'a message lacks a change of its range';
const STRAY = 'a message has a change outside of its ranges';

const CASES: readonly [string, (messages: Messages) => void, string][] = [
  ['[HOOK6] a batch of the own feed never arrives', ({ ann }) => ann.splice(3, 1), MISSED],
  [
    '[HOOK6] the ranges of two messages leave a batch out',
    ({ ann }) => {
      ann[3] = message('a3', 56_000, [again], { feeds: { [OWN]: [5, 6] } });
      ann.splice(1, 2);
    },
    MISSED,
  ],
  [
    '[HOOK6] one of the changes of a batch never arrives',
    ({ ann }) => {
      const [first] = ann as [HookMessage];
      ann[0] = { ...first, events: first.events.filter(({ id }) => id !== 'l-child') };
    },
    LACKS,
  ],
  [
    '[HOOK6] the first attempt lacks a change',
    ({ ann }) => {
      ann[1] = { ...(ann[1] as HookMessage), events: [] };
    },
    LACKS,
  ],
  [
    '[HOOK6] a message of a shared branch lacks a change',
    ({ bob }) => {
      bob[1] = { ...(bob[1] as HookMessage), events: [] };
    },
    LACKS,
  ],
  [
    '[HOOK4] a message has a change after its range',
    ({ ann }) => {
      ann[2] = { ...(ann[2] as HookMessage), events: [renamed, again] };
    },
    STRAY,
  ],
  [
    '[HOOK6] the last attempt of a message is refused',
    ({ ann }) => {
      ann[3] = { ...(ann[3] as HookMessage), isAccepted: false };
    },
    MISSED,
  ],
  ['[HOOK5] a gain of access never arrives', ({ bob }) => bob.splice(0, 1), MISSED],
  [
    '[HOOK6] a message of two batches is truncated',
    ({ ann }) => {
      ann[0] = { ...(ann[0] as HookMessage), isTruncated: true };
    },
    'a message of several batches is truncated',
  ],
];

test.each(CASES)('%s', (_, spoil, kind) => {
  expect(found(records(spoil))).toContain(kind);
});

test('[HOOK6] one batch that is too long for a message may be truncated', () => {
  const made = records(({ ann }) => {
    const [root, , link] = (ann[0] as HookMessage).events;
    const [one, other] = [root, link].map((each) => [each as NonNullable<typeof root>]);
    ann.splice(
      0,
      1,
      message('a0', 14_000, one ?? [], { feeds: { [OWN]: [0, 1] } }),
      message('a1', 15_000, other ?? [], { isTruncated: true, feeds: { [OWN]: [1, 2] } }),
    );
  });
  expect(found(made)).toEqual([]);
});

test('[HOOK12] changes before the addition of a webhook are not missed', () => {
  const late = records(({ ann }) => ann.splice(0, 1));
  expect(found(late)).toContain(MISSED);
  const [first, ...others] = late.history.webhooks as [WebhookLog, ...WebhookLog[]];
  late.history.webhooks = [{ ...first, addedMs: 15_000 }, ...others];
  expect(found(late)).toEqual([]);
});

/** The good history with further renames of the child by Ann, each at a second, and without the loss if `isOpen`. */
function withRenames(seconds: readonly number[], messages: (made: Messages) => void, isOpen = false): RunRecords {
  const made = records(messages);
  const isEnd = (text: string) => isOpen && text.includes('revoke');
  const batches = made.stored.batches.filter(({ id }) => !isEnd(id));
  const commands = made.history.commands
    .filter(({ key }) => !isEnd(key))
    .map(({ payload: { version: _, ...payload }, ...each }) => ({ ...each, payload }));
  for (const [index, second] of seconds.entries()) {
    const key = `more${index}`;
    commands.push(command(key, second * 1_000, { payload: { id: 'child' } }));
    batches.push(batch(key, {}, [rename('child', 0, key)]));
  }
  // Numbers and versions follow from the order of the commands.
  const atOf = (key: string) => commands.find((each) => `ann:${each.key}` === key)?.calledMs ?? 0;
  const numbers = new Map<string, number>();
  const next = (feed: string) => {
    numbers.set(feed, (numbers.get(feed) ?? 0) + 1);
    return numbers.get(feed) as number;
  };
  const ordered = [...batches].sort((one, other) => atOf(one.key) - atOf(other.key));
  let version = 1;
  made.stored.batches = ordered.map((each) => {
    const isRename = each.changes[0]?.id === 'child' && each.changes[0].before !== null;
    const feeds = isRename ? [OWN, SHARED] : Object.keys(each.feeds);
    if (isRename) version++;
    const [{ after }] = each.changes as [Change];
    return {
      ...each,
      ts: new Date(atOf(each.key)).toISOString(),
      feeds: Object.fromEntries(feeds.map((feed) => [feed as string, next(feed as string)])),
      changes: isRename ? [rename('child', version, String(after?.title))] : each.changes,
    };
  });
  made.stored.entries = made.stored.batches.flatMap(({ feeds }) =>
    Object.entries(feeds).map(([feed, seq]) => ({ feed, seq })),
  );
  made.history = { ...made.history, commands, reads: [], connections: [], replicas: [] };
  return made;
}

/** What is missed of Bob's shared branch. */
const ofBob = ({ history, stored }: RunRecords) => {
  const webhooks = history.webhooks.filter(({ user }) => user === 'bob');
  return found({ history: { ...history, webhooks }, stored });
};
const more = (index: number) => event('node.changed', `more${index}`, 'child');

// Bob gains access at 20 s. The renames are at 22, 30 (the one of the good history), 33 and 36 s, with
// the numbers 1 to 4 of the branch. Access ends at 40 s.
const RENAMES = [22, 33, 36];
const GAIN = message('b1', 26_000, [gained], { feeds: { 'user:bob': [0, 1] } });
const LOSS = message('b9', 56_000, [event('access.lost', 'revoke', 'root')], { feeds: { 'user:bob': [1, 2] } });

test('[HOOK5] a branch begins with the first range after the gain, which has all that was requested later', () => {
  const all = [renamed, more(1), more(2)].map((each) => ({ ...each, version: null, title: null }));
  const bobWith = (events: HookEvent[], from: number) =>
    withRenames(RENAMES, ({ bob }) =>
      bob.splice(0, 3, GAIN, message('b2', 38_000, [...events], { feeds: { [SHARED as string]: [from, 4] } }), LOSS),
    );
  expect(ofBob(bobWith(all, 1))).toEqual([]);
  expect(ofBob(bobWith(all.slice(1), 2))).toEqual([MISSED_SHARED]);
});

test('[HOOK6] the ranges of a branch leave nothing out, also if access ended later', () => {
  const first = message('b2', 32_000, [{ ...renamed, version: null, title: null }], {
    feeds: { [SHARED as string]: [1, 2] },
  });
  const bobWith = (range: readonly number[], events: HookEvent[]) =>
    withRenames(RENAMES, ({ bob }) =>
      bob.splice(0, 3, GAIN, first, message('b3', 38_000, events, { feeds: { [SHARED as string]: range } }), LOSS),
    );
  expect(ofBob(bobWith([2, 4], [more(1), more(2)]))).toEqual([]);
  expect(ofBob(bobWith([3, 4], [more(2)]))).toEqual([MISSED_SHARED]);
});

test('[HOOK7] what access was lost before is missed only if a later message shows that it was due', () => {
  const own = event('node.changed', 'more2', 'child');
  const bobWith = (between: readonly HookMessage[]) =>
    withRenames(RENAMES, ({ bob }) => bob.splice(0, 3, GAIN, ...between, LOSS));
  // Nothing of the branch arrived before the loss, and no message was begun meanwhile.
  expect(ofBob(bobWith([]))).toEqual([]);
  // A message was begun at 34 s, when number 2 was stored, and has number 4 only.
  const empty = message('b2', 34_000, [], { type: 'hook.ping' });
  const late = message('b3', 38_000, [own], { feeds: { [SHARED as string]: [3, 4] } });
  expect(ofBob(bobWith([empty, late]))).toEqual([MISSED_SHARED]);
  const unaccepted = message('b3', 38_000, [own], { isAccepted: false, feeds: { [SHARED as string]: [3, 4] } });
  expect(ofBob(bobWith([empty, unaccepted]))).toEqual([MISSED_SHARED]);
  // If it has everything, later attempts may have nothing.
  const whole = message('b3', 38_000, [{ ...renamed, version: null, title: null }, more(1), own], {
    isAccepted: false,
    feeds: { [SHARED as string]: [1, 4] },
  });
  expect(ofBob(bobWith([empty, whole]))).toEqual([]);
});

test('[HOOK6] a change of a shared branch never arrives although access goes on', () => {
  const bobWith = (between: readonly HookMessage[]) =>
    withRenames([], ({ bob }) => bob.splice(0, 3, GAIN, ...between), true);
  const both = message(
    'b2',
    56_000,
    [
      { ...renamed, version: null },
      { ...again, version: null },
    ],
    {
      feeds: { [SHARED as string]: [0, 2] },
    },
  );
  expect(ofBob(bobWith([both]))).toEqual([]);
  expect(ofBob(bobWith([]))).toEqual([MISSED_SHARED]);
});

test('[HOOK12] a branch that was shared before the addition of a webhook belongs to it from the addition on', () => {
  const late = withRenames([], ({ bob }) => bob.splice(0, 3), true);
  late.history.webhooks = late.history.webhooks.map((each) => ({ ...each, addedMs: 45_000 }));
  expect(ofBob(late)).toEqual([MISSED_SHARED]);
  late.history.webhooks = late.history.webhooks.map((each) => ({ ...each, addedMs: 55_000 }));
  expect(ofBob(late)).toEqual([]);
});

test('[HOOK5] webhooks with a filter or a branch receive what these select', () => {
  const made = records();
  const change = made.stored.batches.find(({ id }) => id === 'b-rename')?.changes[0] as Change;
  const completed: Change = {
    ...change,
    op: Op.NODE_STATUS,
    before: { version: 1, status: Status.AVAILABLE },
    after: { version: 2, status: Status.COMPLETED },
  };
  made.stored.batches = made.stored.batches.map((each) =>
    each.id === 'b-rename' ? { ...each, changes: [completed] } : each,
  );
  const kinds = (log: WebhookLog) => found({ ...made, history: { ...made.history, webhooks: [log] } });
  const filter = { events: ['node.completed'] };
  const event = { ...renamed, type: 'node.completed', title: null };
  expect(kinds(webhook('ann', [message('c1', 36_000, [event], { feeds: { 'user:ann': [0, 4] } })], filter))).toEqual(
    [],
  );
  expect(kinds(webhook('ann', [], filter))).toEqual([MISSED]);
  // The completion in the branch of another user, after the gain, which passes the filter.
  const shared = message('c2', 36_000, [event], { feeds: { [SHARED as string]: [0, 1] } });
  expect(kinds(webhook('bob', [GAIN, shared], filter))).toEqual([]);
  expect(kinds(webhook('bob', [GAIN, { ...shared, events: [] }], filter))).toEqual([LACKS]);
});

test('[HOOK5] a webhook of a branch may lack a node only while it is in the trash', () => {
  const { ann } = goodMessages();
  const kinds = (made: RunRecords, messages: readonly HookMessage[]) =>
    found({ ...made, history: { ...made.history, webhooks: [webhook('ann', [...messages], { root: 'root' })] } });
  const made = records();
  expect(kinds(made, ann)).toEqual([]);
  expect(kinds(made, ann.slice(0, -1))).toEqual([MISSED]);
  const other = [webhook('ann', ann, { root: 'other' })];
  expect(found({ ...made, history: { ...made.history, webhooks: other } })).toContain(
    'a webhook of a branch received another branch',
  );
  // The child is trashed at 70 s.
  const trash: Change = { kind: 'node', id: 'child', before: { version: 3 }, after: { version: 4, inTrash: true } };
  made.history.commands = [...made.history.commands, command('trash', 70_000, { payload: { id: 'child' } })];
  made.stored.batches = [
    ...made.stored.batches,
    batch('trash', { [OWN as string]: 7, [SHARED as string]: 3 }, [trash]),
  ];
  made.stored.entries = [...made.stored.entries, { feed: OWN as string, seq: 7 }, { feed: SHARED as string, seq: 3 }];
  const last = (arrivedMs: number, events: HookEvent[]) =>
    message('a3', arrivedMs, events, { feeds: { [OWN as string]: [4, 7] } });
  expect(kinds(made, [...ann.slice(0, 3), last(80_000, [])])).toEqual([]);
  // The rename is due at 56 s, before the trashing, and in a range that later ones leave out.
  const early = message('a3', 56_000, [], { feeds: { [OWN as string]: [4, 6] } });
  expect(kinds(made, [...ann.slice(0, 3), early])).toContain(LACKS);
  const next = message('a4', 60_000, [], { feeds: { [OWN as string]: [6, 7] } });
  expect(kinds(made, [...ann.slice(0, 3), next])).toContain(MISSED);
});
