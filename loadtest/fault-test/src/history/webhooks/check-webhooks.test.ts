// The messages of hand-made webhooks: correct ones without anomalies, and one for each kind of error.
// `check-missed.test.ts` has those of missed changes.
import { expect, test } from 'vitest';
import type { RunRecords } from '../../test/support/hand-made.ts';
import {
  again,
  event,
  gained,
  type Messages,
  message,
  records,
  renamed,
} from '../../test/support/hand-made-webhooks.ts';
import { check } from '../check.ts';
import type { HookMessage, WebhookLog } from '../history.ts';

const found = ({ history, stored }: RunRecords) => check(history, stored).map(({ kind }) => kind);
const OWN = 'user:ann';

test('[HOOK6] correct messages have no anomalies, including a refused attempt and a repeated message', () => {
  expect(found(records())).toEqual([]);
  const isRepeated = records(({ ann }) =>
    ann.splice(3, 0, message('a2', 45_000, [renamed], { feeds: { [OWN]: [2, 4] } })),
  );
  expect(found(isRepeated)).toEqual([]);
});

test('[HOOK5 HOOK6] a repeated range may have an earlier batch that an earlier message left out', () => {
  const whole = { feeds: { [OWN]: [2, 6] } };
  const repeated = records(({ ann }) =>
    ann.splice(
      1,
      3,
      message('a3', 51_000, [again], { feeds: { [OWN]: [5, 6] } }),
      message('a4', 52_000, [renamed, again], whole),
    ),
  );
  expect(found(repeated)).toEqual([]);
  const inside = records(({ ann }) => ann.splice(1, 3, message('a3', 51_000, [again, renamed], whole)));
  expect(new Set(found(inside))).toEqual(new Set(['a webhook received batches out of order']));
});

test('[HOOK6] a busy reader may notice the end of a connection after the next message', () => {
  const late = (stalledMs: number) =>
    records(({ ann }) => {
      ann[1] = { ...(ann[1] as HookMessage), endedMs: 42_000 };
      ann[2] = { ...(ann[2] as HookMessage), stalledMs };
    });
  expect(found(late(900))).toEqual([]);
  expect(found(late(0))).toEqual(['a webhook had two messages at a time']);
});

test('[HOOK7] a body that was built before the end of access may arrive soon after it, or later at a busy reader', () => {
  const late = (stalledMs: number) =>
    records(({ bob }) => {
      bob[1] = message('b2', 45_000, [renamed], { stalledMs, feeds: { 'root:root': [0, 1] } });
    });
  expect(found(late(3_500))).toEqual([]);
  expect(found(late(0))).toContain('a webhook received fields after access was lost');
});

const NOT_STORED = 'a webhook received a change that is not stored';

const CASES: readonly [string, (messages: Messages) => void, string][] = [
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
      ann[2] = message('a2', 41_000, [renamed], { feeds: { [OWN]: [2, 5] } });
    },
    'two attempts of a message differ',
  ],
  [
    '[HOOK7] a later attempt has other fields',
    ({ ann }) => {
      ann[2] = message('a2', 41_000, [{ ...renamed, digest: 2 }], { feeds: { [OWN]: [2, 4] } });
    },
    'two attempts of a message differ',
  ],
  [
    '[HOOK4] a reset without a cause',
    ({ ann }) => ann.push(message('a4', 60_000, [], { type: 'graph.reset' })),
    'a webhook was reset without a cause',
  ],
  [
    'a version that was never stored',
    ({ ann }) => ann.push(message('a4', 60_000, [{ ...again, version: 9 }])),
    NOT_STORED,
  ],
  [
    'the title of another node',
    ({ ann }) => ann.push(message('a4', 60_000, [{ ...again, title: 'foreign' }])),
    NOT_STORED,
  ],
  ["[HOOK5] somebody else's grant", ({ ann }) => ann.push(message('a4', 60_000, [gained])), NOT_STORED],
  [
    '[HOOK5] a grant at another level',
    ({ bob }) => {
      bob[0] = message('b1', 26_000, [{ ...gained, level: 1 }], { feeds: { 'user:bob': [0, 1] } });
    },
    NOT_STORED,
  ],
  [
    '[HOOK5] the end of an access that never was',
    ({ bob }) => bob.push(message('b4', 60_000, [event('access.lost', 'share', 'root')])),
    NOT_STORED,
  ],
  [
    '[HOOK4] a message that another secret signed',
    ({ ann }) => {
      ann[0] = { ...(ann[0] as HookMessage), isSigned: false };
    },
    'a message has a wrong signature',
  ],
  [
    '[HOOK7] fields after the end of access was acknowledged',
    ({ bob }) => bob.splice(2, 0, message('b2', 43_000, [renamed])),
    'a webhook received fields after access was lost',
  ],
  [
    '[HOOK2] a change from after the end of access, by its id only',
    ({ bob }) => bob.push(message('b4', 60_000, [{ ...again, type: 'node.left', isWhole: false, version: null }])),
    'a webhook received a change of a time without access',
  ],
  [
    '[HOOK2] the range of a feed after the end of access',
    ({ bob }) => bob.push(message('b4', 60_000, [], { feeds: { 'root:root': [1, 2] } })),
    'a webhook received the range of a feed without access',
  ],
];

test.each(CASES)('%s', (_, spoil, kind) => {
  expect(found(records(spoil))).toContain(kind);
});

test('[HOOK5] a filter excludes all other types but the gain of access', () => {
  const made = records();
  const kinds = (events: readonly string[]) => {
    const [, bob] = made.history.webhooks as [WebhookLog, WebhookLog];
    return found({ ...made, history: { ...made.history, webhooks: [{ ...bob, events }] } });
  };
  const excluded = 'a webhook received a type of event that its filter excludes';
  expect(kinds(['node.changed', 'access.lost'])).not.toContain(excluded);
  expect(kinds(['node.changed'])).toContain(excluded);
});
