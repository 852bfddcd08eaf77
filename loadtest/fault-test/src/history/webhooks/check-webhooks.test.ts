// The messages of hand-made webhooks: correct ones without anomalies, and one for each kind of error.
import { Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { good, type RunRecords } from '../../test/support/hand-made.ts';
import { check } from '../check.ts';
import type { Change, HookEvent, HookMessage, WebhookLog } from '../history.ts';

const event = (type: string, batch: string, id: string, more: Partial<HookEvent> = {}): HookEvent => ({
  type,
  batch: `b-${batch}`,
  id,
  isWhole: true,
  version: null,
  digest: 1,
  ...more,
});
const message = (id: string, at: number, events: HookEvent[], more: Partial<HookMessage> = {}): HookMessage => ({
  id,
  type: 'graph.changed',
  arrivedMs: at,
  stalledMs: 0,
  endedMs: at + 10,
  isAccepted: true,
  feeds: {},
  events,
  isTruncated: false,
  ...more,
});
const webhook = (user: string, messages: HookMessage[], more: Partial<WebhookLog> = {}): WebhookLog => ({
  client: `hook of ${user}`,
  user,
  root: null,
  events: [],
  addedMs: Number.NEGATIVE_INFINITY,
  messages,
  ...more,
});

const renamed = event('node.changed', 'rename', 'child', { version: 2 });
const again = event('node.changed', 'again', 'child', { version: 3 });
const gained = event('access.gained', 'share', 'root');
const lost = event('access.lost', 'revoke', 'root');

/** The times in seconds: Ann's commands are at 0, 10, 20 (the grant), 30, 40 (its end) and 50. */
interface Messages {
  ann: HookMessage[];
  bob: HookMessage[];
}

function goodMessages(): Messages {
  return {
    ann: [
      message('a1', 15_000, [
        event('node.added', 'add-root', 'root', { version: 1 }),
        event('node.added', 'add-child', 'child', { version: 1 }),
        event('link.added', 'add-child', 'l-child', { version: 1 }),
      ]),
      message('a2', 35_000, [renamed], { isAccepted: false, feeds: { 'user:ann': [2, 4] } }),
      message('a2', 41_000, [renamed], { feeds: { 'user:ann': [2, 4] } }),
      message('a3', 56_000, [again]),
    ],
    bob: [
      message('b1', 26_000, [gained]),
      message('b2', 36_000, [renamed], { feeds: { 'root:root': [0, 1] } }),
      message('b3', 56_000, [lost]),
    ],
  };
}

/** The good history, a thousand times as slow, with these webhooks. */
function records(spoil: (messages: Messages) => void = () => undefined): RunRecords {
  const { history, stored } = good();
  const messages = goodMessages();
  spoil(messages);
  const slow = <T extends { readonly calledMs: number; readonly endedMs: number }>(each: T): T => ({
    ...each,
    calledMs: each.calledMs * 1_000,
    endedMs: each.endedMs * 1_000,
  });
  return {
    stored,
    history: {
      ...history,
      commands: history.commands.map((each) => ({ ...slow(each), endedMs: each.calledMs * 1_000 + 100 })),
      reads: history.reads.map(slow),
      webhooks: [webhook('ann', messages.ann), webhook('bob', messages.bob)],
    },
  };
}

const found = ({ history, stored }: RunRecords) => check(history, stored).map(({ kind }) => kind);

test('[HOOK6] correct messages have no anomalies, including a refused attempt and a repeated message', () => {
  expect(found(records())).toEqual([]);
  const isRepeated = records(({ ann }) => ann.splice(3, 0, message('a2', 45_000, [renamed])));
  expect(found(isRepeated)).toEqual([]);
});

test('[HOOK5 HOOK6] a later attempt may have an earlier batch that the first one left out, and so may a repeated range', () => {
  const twoAttempts = records(({ ann }) => {
    ann[1] = message('a2', 35_000, [again], { isAccepted: false });
    ann[2] = message('a2', 51_000, [renamed, again]);
  });
  expect(found(twoAttempts)).toEqual([]);
  const repeated = records(({ ann }) =>
    ann.splice(1, 3, message('a3', 51_000, [again]), message('a4', 52_000, [renamed, again])),
  );
  expect(found(repeated)).toEqual([]);
  const inside = records(({ ann }) => ann.splice(1, 3, message('a3', 51_000, [again, renamed])));
  expect(found(inside)).toContain('a webhook received batches out of order');
});

test('[HOOK12] changes before the addition of a webhook are not missed', () => {
  const late = records(({ ann }) => ann.splice(0, 1));
  expect(found(late)).toContain('a webhook missed a change');
  const [first, ...others] = late.history.webhooks as [WebhookLog, ...WebhookLog[]];
  late.history.webhooks = [{ ...first, addedMs: 15_000 }, ...others];
  expect(found(late)).toEqual([]);
});

test('[HOOK5 HOOK6] changes before the message with a gain, and those after which access was lost, may be missing', () => {
  expect(found(records(({ bob }) => bob.splice(0, 2, message('b1', 35_000, [gained]))))).toEqual([]);
  expect(found(records(({ bob }) => bob.splice(1, 1)))).toEqual([]);
});

test('[HOOK7] a body that was built before the end of access may arrive soon after it, or later at a busy reader', () => {
  const late = (stalledMs: number) =>
    records(({ bob }) => {
      bob[1] = message('b2', 45_000, [renamed], { stalledMs });
    });
  expect(found(late(3_500))).toEqual([]);
  expect(found(late(0))).toContain('a webhook received fields after access was lost');
});

const CASES: readonly [string, (messages: Messages) => void, string][] = [
  ['[HOOK6] a batch of the own feed never arrives', ({ ann }) => ann.splice(3, 1), 'a webhook missed a change'],
  [
    '[HOOK6] one of the changes of a batch never arrives',
    ({ ann }) => {
      const [first] = ann as [HookMessage];
      ann[0] = { ...first, events: first.events.filter(({ id }) => id !== 'l-child') };
    },
    'a webhook missed a change',
  ],
  [
    '[HOOK6] the last attempt of a message was refused',
    ({ ann }) => {
      ann[3] = message('a3', 56_000, [again], { isAccepted: false });
    },
    'a webhook missed a change',
  ],
  ['[HOOK5] a gain of access never arrives', ({ bob }) => bob.splice(0, 1), 'a webhook missed a change'],
  [
    '[HOOK6] a later batch arrives first',
    ({ ann }) => {
      const [one, two] = [ann[1], ann[3]] as [HookMessage, HookMessage];
      ann.splice(
        1,
        3,
        { ...two, arrivedMs: 51_000, endedMs: 51_010 },
        { ...one, arrivedMs: 52_000, endedMs: 52_010, isAccepted: true },
      );
    },
    'a webhook received batches out of order',
  ],
  [
    '[HOOK4] a later attempt is about another range',
    ({ ann }) => {
      ann[2] = message('a2', 41_000, [renamed], { feeds: { 'user:ann': [2, 5] } });
    },
    'two attempts of a message differ',
  ],
  [
    '[HOOK7] a later attempt has other fields',
    ({ ann }) => {
      ann[2] = message('a2', 41_000, [{ ...renamed, digest: 2 }], { feeds: { 'user:ann': [2, 4] } });
    },
    'two attempts of a message differ',
  ],
  [
    '[HOOK6] a message comes while another one waits for its answer',
    ({ ann }) => {
      ann[1] = { ...(ann[1] as HookMessage), endedMs: 42_000 };
    },
    'a webhook had two messages at a time',
  ],
  [
    '[HOOK4] a reset without a cause',
    ({ ann }) => ann.push(message('a4', 60_000, [], { type: 'graph.reset' })),
    'a webhook was reset without a cause',
  ],
  [
    'a version that was never stored',
    ({ ann }) => ann.push(message('a4', 60_000, [{ ...again, version: 9 }])),
    'a webhook received a change that is not stored',
  ],
  [
    '[HOOK7] fields after the end of access was acknowledged',
    ({ bob }) => bob.splice(2, 0, message('b2', 43_000, [renamed])),
    'a webhook received fields after access was lost',
  ],
  [
    '[HOOK2] a change from after the end of access, by its id only',
    ({ bob }) => bob.push(message('b4', 60_000, [{ ...again, type: 'node.left', isWhole: false, version: null }])),
    'a webhook was told of a time without access',
  ],
  [
    '[HOOK2] the range of a feed after the end of access',
    ({ bob }) => bob.push(message('b4', 60_000, [], { feeds: { 'root:root': [1, 2] } })),
    'a webhook was told of a feed without access',
  ],
];

test.each(CASES)('%s', (_, spoil, kind) => {
  expect(found(records(spoil))).toContain(kind);
});

test('[HOOK6] a change of a shared branch never arrives although a later one does, or although access goes on', () => {
  const kind = 'a webhook missed a change of a shared branch';
  const shared = (spoil: (messages: Messages) => void) => {
    const made = records(spoil);
    // Bob's access never ends.
    const isEnd = (text: string) => text.includes('revoke');
    return {
      history: { ...made.history, commands: made.history.commands.filter(({ key }) => !isEnd(key)) },
      stored: {
        ...made.stored,
        batches: made.stored.batches.filter(({ id }) => !isEnd(id)),
        entries: [],
      },
    };
  };
  const all = (messages: Messages) => messages.bob.splice(2, 1, message('b3', 56_000, [again]));
  expect(found(shared(all))).not.toContain(kind);
  expect(
    found(
      shared((messages) => {
        all(messages);
        messages.bob.splice(1, 1);
      }),
    ),
  ).toContain(kind);
  expect(found(shared(({ bob }) => bob.splice(2, 1)))).toContain(kind);
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
  const completion = message('c1', 36_000, [{ ...renamed, type: 'node.completed' }]);
  expect(kinds(webhook('ann', [completion], filter))).toEqual([]);
  expect(kinds(webhook('ann', [], filter))).toEqual(['a webhook missed a change']);
  const { ann } = goodMessages();
  expect(kinds(webhook('ann', ann, { root: 'root' }))).toEqual([]);
  expect(kinds(webhook('ann', ann.slice(0, -1), { root: 'root' }))).toEqual(['a webhook missed a change']);
  expect(kinds(webhook('ann', ann, { root: 'other' }))).toContain('a webhook of a branch received another branch');
});
