// Hand-made histories: a correct one without anomalies, and one for each kind of error that a
// service without one of its protections makes.
import { expect, test } from 'vitest';
import { batch, command, good, outcomeOf, type RunRecords, rename, storeToo } from '../test/support/hand-made.ts';
import { check } from './check.ts';
import type { Outcome } from './history.ts';

test('a correct history has no anomalies, including a missing answer and a correct refusal', () => {
  const records = good();
  outcomeOf(records, 'again', { kind: 'unknown' });
  const unanswered = command('never', 70, { outcome: { kind: 'unknown' } });
  const details = { version: 2 };
  const conflict = command('stale', 36, {
    payload: { id: 'child', version: 1 },
    outcome: { kind: 'refused', code: 'version_conflict', details },
  });
  const late = command('late', 56, {
    user: 'bob',
    payload: { id: 'child' },
    outcome: { kind: 'refused', code: 'forbidden', details: {} },
  });
  records.history.commands = [...records.history.commands, unanswered, conflict, late];
  expect(check(records.history, records.stored)).toEqual([]);
});

const CASES: readonly [string, (records: RunRecords) => void, string][] = [
  [
    '[GEN8] without a key look-up a retry executes again',
    (records) =>
      storeToo(records, batch('other', { 'user:ann': 7 }, [rename('child', 4, 'again')], { key: 'ann:fresh' })),
    'a command was executed twice',
  ],
  [
    '[GEN8] an acknowledged batch is missing',
    (records) => {
      records.history.commands = [...records.history.commands, command('lost', 70)];
    },
    'an acknowledged command is lost',
  ],
  [
    '[GEN8] without a key look-up after a failure an executed command is reported as refused',
    (records) =>
      outcomeOf(records, 'again', { kind: 'refused', code: 'unavailable', details: { outcome: 'not_done' } }),
    'a command was executed but not acknowledged as executed',
  ],
  [
    '[GEN8] an answer names the batch of another command',
    (records) => outcomeOf(records, 'again', { kind: 'done', batch: 'b-rename', versions: [] }),
    'an answer names another batch',
  ],
  [
    'a batch belongs to no command',
    (records) => storeToo(records, batch('ghost', { 'user:ann': 7 }, [rename('child', 4, 'ghost')])),
    'a batch belongs to no command',
  ],
  [
    'without the owner lock two commands change the same version',
    (records) => {
      records.history.commands = [...records.history.commands, command('beside', 50, { payload: { id: 'child' } })];
      storeToo(records, batch('beside', { 'user:ann': 7 }, [rename('child', 3, 'beside')]));
    },
    'versions do not follow each other',
  ],
  [
    '[EVT1] without the owner lock a feed gives a number twice',
    (records) => {
      records.history.commands = [...records.history.commands, command('beside', 50, { payload: { id: 'child' } })];
      storeToo(records, batch('beside', { 'user:ann': 6 }, [rename('child', 4, 'beside')]));
    },
    'a feed has a number twice',
  ],
  [
    '[EVT1] a number is skipped',
    (records) => {
      records.stored.entries = records.stored.entries.filter(({ feed, seq }) => feed !== 'user:ann' || seq !== 3);
    },
    'a feed has a hole or a number twice',
  ],
  [
    'an earlier acknowledged command comes later in the order',
    (records) => {
      records.history.commands = records.history.commands.map((each) =>
        each.key === 'rename' ? { ...each, calledMs: 70, endedMs: 75 } : each,
      );
    },
    'the order contradicts the clock',
  ],
  [
    'an answer contains a version that was not stored',
    (records) =>
      outcomeOf(records, 'again', { kind: 'done', batch: 'b-again', versions: [{ id: 'child', version: 9 }] }),
    'an answer differs from the stored batch',
  ],
  [
    '[GEN10] a stale guard is accepted',
    (records) => {
      records.history.commands = records.history.commands.map((each) =>
        each.key === 'again' ? { ...each, payload: { id: 'child', version: 1 } } : each,
      );
    },
    'a stale guard was accepted',
  ],
  [
    '[ACL4] a user writes after the revocation of the grant',
    (records) => {
      records.history.commands = records.history.commands.map((each) =>
        each.key === 'again' ? { ...each, user: 'bob' } : each,
      );
      records.stored.batches = records.stored.batches.map((each) =>
        each.id === 'b-again' ? { ...each, key: 'bob:again' } : each,
      );
    },
    'a command was executed without access',
  ],
  [
    'a conflict names a version that never existed',
    (records) => {
      const outcome: Outcome = { kind: 'refused', code: 'version_conflict', details: { version: 3 } };
      const early = command('early', 26, { payload: { id: 'child', version: 9 }, outcome });
      records.history.commands = [...records.history.commands, early];
    },
    'a refusal was wrong',
  ],
  [
    '[AUTH2] a valid token is refused',
    (records) => outcomeOf(records, 'again', { kind: 'refused', code: 'unauthorized.late', details: {} }),
    'a valid token was refused',
  ],
  [
    '[EVT3] without the survey of gaps a page is older than an earlier answer',
    (records) => {
      records.history.reads = [
        {
          client: 'r',
          user: 'ann',
          calledMs: 60,
          endedMs: 62,
          seen: [
            { id: 'root', version: 1 },
            { id: 'child', version: 2 },
            { id: 'l-child', version: 1 },
          ],
        },
      ];
    },
    'a page matches no moment',
  ],
  [
    '[EVT3] a page omits an entity that existed throughout',
    (records) => {
      records.history.reads = [
        { client: 'r', user: 'ann', calledMs: 16, endedMs: 62, seen: [{ id: 'child', version: 3 }] },
      ];
    },
    'a page matches no moment',
  ],
  [
    '[ACL7] a page contains an entity whose grant was revoked before the request',
    (records) => {
      records.history.reads = [
        {
          client: 'r',
          user: 'bob',
          calledMs: 56,
          endedMs: 59,
          seen: [
            { id: 'root', version: 1 },
            { id: 'child', version: 3 },
            { id: 'l-child', version: 1 },
          ],
        },
      ];
    },
    'a page matches no moment',
  ],
  [
    '[ACL7] without epochs a slice reaches a user who has lost the branch',
    (records) => {
      const push = { feed: 'root:root', seq: 2, batch: 'b-again', versions: [] };
      records.history.connections = [{ client: 'bob/0', user: 'bob', pushes: [push] }];
    },
    'a slice reached a reader without access',
  ],
  [
    '[ACL7] a replica shows a version from after the revocation',
    (records) => {
      records.history.replicas = [
        { client: 'w', user: 'bob', shown: [{ id: 'child', version: 3 }], last: {}, read: {} },
      ];
    },
    'a version reached a reader who could never see it',
  ],
  [
    '[EVT1] a slice differs from the stored one with its number',
    (records) => {
      const push = { feed: 'user:ann', seq: 2, batch: 'b-rename', versions: [] };
      records.history.connections = [{ client: 'ann/0', user: 'ann', pushes: [push] }];
    },
    'a push differs from the stored batch',
  ],
  [
    '[EVT1] a slice is pushed twice',
    (records) => {
      const push = { feed: 'user:ann', seq: 2, batch: 'b-add-child', versions: [] };
      records.history.connections = [{ client: 'ann/0', user: 'ann', pushes: [push, push] }];
    },
    'a slice was pushed twice',
  ],
  [
    '[EVT2] a replica differs from the stored data at the end',
    (records) => {
      records.history.replicas = [{ client: 'w', user: 'bob', shown: [], last: { own: 'old' }, read: { own: 'new' } }];
    },
    'a replica differs from the store',
  ],
  [
    'two owners have the same two batches in different orders',
    (records) => {
      records.stored.batches = records.stored.batches.map((each) =>
        each.id === 'b-share' || each.id === 'b-revoke'
          ? { ...each, feeds: { ...each.feeds, 'user:bob': each.id === 'b-share' ? 2 : 1 } }
          : each,
      );
    },
    'the orders of several owners contradict each other',
  ],
];

test.each(CASES)('%s', (_, spoil, kind) => {
  const records = good();
  spoil(records);
  const found = check(records.history, records.stored);
  expect(found.map((each) => each.kind)).toContain(kind);
});
