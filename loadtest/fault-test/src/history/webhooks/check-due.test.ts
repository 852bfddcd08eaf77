// The due dates of hand-made webhooks: correct ones without anomalies, and one for each kind of error.
import { expect, test } from 'vitest';
import {
  about,
  change,
  completed,
  DUE_AT,
  due,
  dueRun,
  OTHER_AT,
  otherDue,
  reopened,
  revoked,
  type Step,
  second,
} from '../../test/support/hand-made-due.ts';
import { check, findMissed } from '../check.ts';

type Run = Parameters<typeof dueRun>[0];
const found = (run: Run) => {
  const { history, stored } = dueRun(run);
  return check(history, stored).map(({ kind }) => kind);
};
const both = [due(), otherDue];
const MISSED = 'a webhook missed a due date';

test('[HOOK5 HOOK6] dates that arrive once, or again with their id, are no anomalies', () => {
  const apart = [about('d1', 75, [due()]), about('d2', 76, [otherDue])];
  const refused = about('d1', 71, both, { isAccepted: false });
  for (const user of ['ann', 'bob']) {
    expect(found({ user, messages: [about('d1', 75, both)] })).toEqual([]);
    expect(found({ user, messages: apart })).toEqual([]);
    expect(found({ user, messages: [refused, about('d1', 80, both)] })).toEqual([]);
    // The answer was lost, so the message comes again.
    expect(found({ user, messages: [about('d1', 71, both), about('d1', 80, both)] })).toEqual([]);
    expect(found({ user, messages: [about('d1', 71, both)], log: { root: 'root' } })).toEqual([]);
  }
  expect(found({ messages: [], log: { root: 'elsewhere' } })).toEqual([]);
});

test('[HOOK5] a date that never arrives is missed by each user who saw its node', () => {
  for (const user of ['ann', 'bob']) {
    expect(found({ user, messages: [] })).toEqual([MISSED]);
    expect(found({ user, messages: [about('d1', 75, [due()])] })).toEqual([MISSED]);
    expect(found({ user, messages: [about('d1', 75, [otherDue])] })).toEqual([MISSED]);
    expect(found({ user, messages: [about('d1', 75, both, { isAccepted: false })] })).toEqual([MISSED]);
  }
  expect(found({ user: 'eve', messages: [] })).toEqual([]);
  const { history, stored } = dueRun({ messages: [] });
  expect(findMissed(history, stored).map(({ kind }) => kind)).toEqual([MISSED]);
});

test('[HOOK5 HOOK12] dates before the addition of a webhook and after the run are not missed, nor any with set clocks', () => {
  expect(found({ messages: [], log: { addedMs: 61_500 } })).toEqual([]);
  expect(found({ messages: [], log: { addedMs: 58_000 } })).toEqual([MISSED]);
  expect(found({ messages: [], clock: { storedMs: 59_000 } })).toEqual([]);
  expect(found({ messages: [], clock: { isSet: true } })).toEqual([]);
  expect(found({ messages: [], log: { events: ['node.completed'] } })).toEqual([]);
});

test.each<[string, Step]>([
  ['is completed', [65, 'late', completed(4)]],
  ['is trashed', [65, 'late', change(4, { inTrash: true })]],
  ['has another date', [65, 'late', change(4, { dueDate: second(500) })]],
  ['was completed at its date', [59, 'late', completed(4)]],
])('[HOOK5] a date may be missing if its node %s before the search for it has ended', (_, step) => {
  const rest = about('d2', 75, [otherDue]);
  expect(found({ steps: [step], messages: [rest] })).toEqual([]);
  const again: Step = [66, 'again', change(5, { dueDate: DUE_AT, status: 0, inTrash: false })];
  expect(found({ steps: [step, again], messages: [rest] })).toEqual([]);
});

test('[HOOK5 HOOK6] a later change excuses no date before which a later one has arrived', () => {
  const step: Step = [85, 'late', completed(4)];
  expect(found({ steps: [step], messages: [about('d2', 80, [otherDue])] })).toEqual([MISSED]);
  expect(found({ steps: [step], messages: [about('d2', 90, [otherDue])] })).toEqual([]);
  expect(found({ steps: [[85, 'end', revoked]], messages: [about('d2', 80, [otherDue])], user: 'bob' })).toEqual([
    MISSED,
  ]);
  expect(found({ steps: [[65, 'end', revoked]], messages: [], user: 'bob' })).toEqual([]);
});

test('[HOOK7] a date that a refused attempt had may be missing from the next one if its node has changed meanwhile', () => {
  const messages = [about('d1', 71, both, { isAccepted: false }), about('d1', 80, [otherDue])];
  expect(found({ steps: [[75, 'late', completed(4)]], messages })).toEqual([]);
  expect(found({ steps: [[85, 'late', completed(4)]], messages })).toEqual([MISSED]);
  expect(found({ steps: [[75, 'end', revoked]], messages: [messages[0] as never], user: 'bob' })).toEqual([]);
});

const NEVER_HAD = 'a webhook received a due date that its node never had';
const NOT_DUE = 'a webhook received a due date at which its node was not due';
const NO_LONGER = 'a webhook received a due date that its node no longer had';
const OTHER_FIELDS = 'a due date has other fields than its node';
const NO_ACCESS = 'a webhook received a due date without access';
const OTHER_ID = 'a due date came again with another id';
const DIFFER = 'two attempts of a message differ';
const first = about('d1', 71, both, { isAccepted: false });

test.each<[string, Run, string]>([
  ['a date that its node never had', { messages: [about('d1', 75, [due({ dueDate: second(50) })])] }, NEVER_HAD],
  ['a node that never was', { messages: [about('d1', 75, [due({ id: 'nobody' })])] }, NEVER_HAD],
  ['a node without a date', { messages: [about('d1', 75, [due({ id: 'root' })])] }, NEVER_HAD],
  [
    'a date that had passed when it was set',
    {
      steps: [[65, 'past', change(4, { dueDate: second(61) })]],
      messages: [about('d1', 75, [due({ dueDate: second(61), version: 4 })])],
    },
    NOT_DUE,
  ],
  [
    'a node that was completed at its date',
    {
      steps: [
        [55, 'done', completed(4)],
        [65, 'open', reopened(5)],
      ],
      messages: [about('d1', 75, [due({ version: 5 })])],
    },
    NOT_DUE,
  ],
  [
    'a date that was moved away before',
    {
      steps: [[65, 'away', change(4, { dueDate: second(500) })]],
      messages: [about('d1', 75, [due()])],
    },
    NO_LONGER,
  ],
  ['a node that was completed before', { steps: [[65, 'done', completed(4)]], messages: [first] }, NO_LONGER],
  [
    'fields of an earlier version',
    { messages: [about('d1', 75, [due({ version: 2, title: 'child' })])] },
    OTHER_FIELDS,
  ],
  ['the title of another node', { messages: [about('d1', 75, [due({ title: 'foreign' })])] }, OTHER_FIELDS],
  ['a date right after it', { messages: [about('d1', 65, [due()])] }, 'a webhook received a due date too early'],
  ['a node that its user never sees', { messages: [first], user: 'eve' }, NO_ACCESS],
  ['a node after the end of access', { steps: [[65, 'end', revoked]], messages: [first], user: 'bob' }, NO_ACCESS],
  [
    'only the id of a node after the end of access',
    {
      steps: [[65, 'end', revoked]],
      messages: [about('d1', 75, [due({ isWhole: false, dueDate: null })])],
      user: 'bob',
    },
    NO_ACCESS,
  ],
  [
    'a node of another branch',
    { messages: [first], log: { root: 'elsewhere' } },
    'a webhook of a branch received another branch',
  ],
  ['another id at the next attempt', { messages: [first, about('d2', 80, both)] }, OTHER_ID],
  ['a date again with a later one', { messages: [about('d1', 71, [due()]), about('d2', 80, both)] }, OTHER_ID],
  ['other fields under an id', { messages: [first, about('d1', 80, [due({ digest: 2 }), otherDue])] }, DIFFER],
  [
    'another date under an id',
    {
      steps: [[63, 'more', change(4, { dueDate: second(64) })]],
      messages: [first, about('d1', 80, [due({ dueDate: second(64), version: 4 })])],
    },
    DIFFER,
  ],
  [
    'the later date first',
    { messages: [about('d1', 75, [otherDue, due()])] },
    'a webhook received due dates out of order',
  ],
  [
    'the later date in an earlier message',
    { messages: [about('d2', 75, [otherDue]), about('d1', 80, [due()])] },
    'a webhook received due dates out of order',
  ],
  [
    'a range',
    { messages: [about('d1', 75, both, { unknownFields: ['feeds'] })] },
    'a message about due dates has other fields',
  ],
  ['nothing', { messages: [about('d1', 75, [])] }, 'a message about due dates has none'],
  [
    'dates among changes',
    { messages: [about('d1', 75, both, { type: 'graph.changed' })] },
    'a message has events of another kind',
  ],
  [
    'dates that it did not select',
    { messages: [about('d1', 75, both)], log: { events: [] } },
    'a webhook received a type of event that its filter excludes',
  ],
])('[HOOK2 HOOK5 HOOK6 HOOK7] a webhook receives %s', (_, run, kind) => {
  expect(found(run)).toContain(kind);
});

test('[HOOK8] a webhook that the run enabled again begins its present message anew, once', () => {
  const log = { enabledMs: 78_000 };
  const again = about('d2', 80, both);
  expect(found({ messages: [first, again], log })).toEqual([]);
  expect(found({ messages: [first, { ...first, arrivedMs: 79_000, endedMs: 79_010 }, again], log })).toEqual([]);
  expect(found({ messages: [first, again], log: { enabledMs: 90_000 } })).toContain(OTHER_ID);
  expect(found({ messages: [first, again, about('d3', 85, both)], log })).toContain(OTHER_ID);
});

test('[HOOK7] a body that was built before the end of access may arrive soon after it', () => {
  const end: Step = [74, 'end', revoked];
  expect(found({ steps: [end], messages: [about('d1', 75, both)], user: 'bob' })).toEqual([]);
  expect(found({ steps: [end], messages: [about('d1', 79, both)], user: 'bob' })).toContain(NO_ACCESS);
  const stalled = about('d1', 79, both, { stalledMs: 3_500 });
  expect(found({ steps: [end], messages: [stalled], user: 'bob' })).toEqual([]);
});

test('[HOOK5] after more changes than the service reads, a date counts as passed', () => {
  const changes = (count: number): Step[] => [
    [55, 'done', completed(4)],
    [61, 'open', reopened(5)],
    ...Array.from(
      { length: count },
      (_, index): Step => [62 + index / 100, `more${index}`, change(6 + index, { title: `more${index}` })],
    ),
  ];
  const messages = (count: number) => [about('d1', 75, [due({ version: 5 + count, title: `more${count - 1}` })])];
  expect(found({ steps: changes(40), messages: messages(40) })).toContain(NOT_DUE);
  expect(found({ steps: changes(50), messages: messages(50) })).not.toContain(NOT_DUE);
});

test('[HOOK5] a change in the millisecond of a date was before it', () => {
  const at: Step = [60, 'same', change(4, { dueDate: second(70) })];
  expect(found({ steps: [at], messages: [about('d1', 75, [otherDue])], clock: { storedMs: 69_000 } })).toEqual([]);
  const after: Step = [60.001, 'after', change(4, { dueDate: second(70) })];
  const back: Step = [61, 'back', change(5, { dueDate: DUE_AT })];
  expect(found({ steps: [after, back], messages: [about('d1', 75, [due({ version: 5 }), otherDue])] })).toEqual([]);
  expect(OTHER_AT > DUE_AT).toBe(true);
});
