// Hand-made histories: a correct one without anomalies, and one for each kind of error that a
// service without one of its protections makes.
import { expect, test } from 'vitest';
import { batch, command, good, type RunRecords, rename, timeOf } from '../test/support/hand-made.ts';
import { check } from './check.ts';
import type { Batch, Change, ClaimAnswer, Command, Outcome } from './history.ts';

const outcomeOf = (records: RunRecords, key: string, outcome: Outcome) => {
  records.history.commands = records.history.commands.map((each) => (each.key === key ? { ...each, outcome } : each));
};
const storeToo = (records: RunRecords, more: Batch) => {
  records.stored.batches = [...records.stored.batches, more];
  records.stored.entries = [
    ...records.stored.entries,
    ...Object.entries(more.feeds).map(([feed, seq]) => ({ feed, seq })),
  ];
};

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

/** A step of a queue at a minute: its command, and the claim of the child after it. */
interface ClaimStep {
  readonly key: string;
  readonly at: number;
  readonly claimId: string | null;
  readonly until?: number;
  readonly more: Partial<Command>;
  readonly answer?: ClaimAnswer;
}

const claimStep = (key: string, at: number, more: Partial<ClaimStep> = {}): ClaimStep => {
  const claim = { node: 'child', claimId: `b-${key}`, until: timeOf(at + 1) };
  const [calledMs, endedMs] = [at * 60_000, at * 60_000 + 5];
  const answer = { key, client: `agent ${key}`, user: 'ann', calledMs, endedMs, lease: 1, claim };
  const request = { event: 'node:claim', payload: { root: 'root', lease: 1 } };
  return { key, at, claimId: claim.claimId, until: at + 1, more: request, answer, ...more };
};
const endStep = (key: string, at: number, payload: object, event = 'node:update'): ClaimStep => ({
  key,
  at,
  claimId: null,
  more: { event, payload: { id: 'child', ...payload } },
});
const FIRST = claimStep('first', 10);
const NEXT = claimStep('next', 10.5);
const COMPLETE = endStep('complete', 10.2, { claim: 'b-first', status: 3 });
const EXPIRE = endStep('expire', 11.5, {}, 'node:claim:expire');

/** The good history, and these steps on the child after it. */
function queue(steps: readonly ClaimStep[]): RunRecords {
  const records = good();
  for (const [index, { key, at, claimId, until, more, answer }] of steps.entries()) {
    const version = 4 + index;
    const after = { version, claimId, claimUntil: until === undefined ? null : timeOf(until) };
    const change: Change = { kind: 'node', id: 'child', before: { version: version - 1 }, after };
    const { event = '' } = more;
    const isOfJob = event === 'node:claim:expire';
    const head = { event, ts: timeOf(at), ...(isOfJob ? { key } : {}) };
    storeToo(records, batch(key, { 'user:ann': 7 + index, 'root:root': 3 + index }, [change], head));
    const asked = command(key, at * 60_000, more);
    if (!isOfJob) records.history.commands = [...records.history.commands, asked];
    if (answer !== undefined) records.history.claims = [...records.history.claims, answer];
  }
  return records;
}

test.each<[string, readonly ClaimStep[]]>([
  ['after it was completed', [FIRST, COMPLETE, NEXT]],
  ['after its end', [FIRST, claimStep('next', 11)]],
  ['after a job ended it', [FIRST, EXPIRE, claimStep('next', 12)]],
])('[CLAIM2 CLAIM3] a claim that follows another one %s is no anomaly', (_, steps) => {
  const { history, stored } = queue(steps);
  expect(check(history, stored)).toEqual([]);
});

test('[CLAIM4] a claim that is repeated with its key, or took nothing at first, is no anomaly', () => {
  const { history, stored } = queue([FIRST]);
  const { answer } = FIRST as { answer: ClaimAnswer };
  history.claims = [
    { ...answer, calledMs: 1, endedMs: 2, claim: null },
    answer,
    { ...answer, calledMs: answer.endedMs + 1, endedMs: answer.endedMs + 2 },
  ];
  expect(check(history, stored)).toEqual([]);
});

const CLAIM_CASES: readonly [string, readonly ClaimStep[], (records: RunRecords) => void, string][] = [
  ['[CLAIM2] two agents have a node at once', [FIRST, NEXT], () => undefined, 'two claims have a node at once'],
  [
    '[CLAIM2] by the answers alone, two agents have a node at once',
    [FIRST, COMPLETE, NEXT],
    ({ history }) => {
      history.commands = history.commands.filter(({ key }) => key !== 'complete');
    },
    'two claims have a node at once',
  ],
  [
    '[CLAIM2] by the stored order alone, two agents have a node at once',
    [FIRST, NEXT],
    ({ history }) => {
      history.claims = [];
    },
    'two claims have a node at once',
  ],
  [
    '[CLAIM2] an acknowledged claim is missing in the history',
    [FIRST],
    ({ history }) => {
      const { answer } = FIRST as { answer: ClaimAnswer };
      history.claims = [{ ...answer, claim: { node: 'child', claimId: 'b-lost', until: timeOf(11) } }];
    },
    'an acknowledged claim is not in the history',
  ],
  [
    '[CLAIM4] a repeated key gets another node',
    [FIRST, COMPLETE, NEXT],
    ({ history }) => {
      history.claims = history.claims.map((answer) => ({ ...answer, key: 'first' }));
    },
    'a repeated claim got another node',
  ],
  [
    '[CLAIM4] a claim without an answer is never found',
    [FIRST],
    (records) => outcomeOf(records, 'first', { kind: 'unknown' }),
    'a claim was not found by its key',
  ],
  [
    '[CLAIM2] an agent changes the node after the end of its claim',
    [FIRST, endStep('late', 11.1, { claim: 'b-first', status: 3 })],
    () => undefined,
    'a command of an ended claim was executed',
  ],
  [
    '[CLAIM2] an agent changes the node of the next one',
    [FIRST, claimStep('next', 11), endStep('late', 11.5, { claim: 'b-first', status: 3 })],
    () => undefined,
    'a command of an ended claim was executed',
  ],
  [
    '[CLAIM3] a job ends a claim in force',
    [FIRST, { ...EXPIRE, at: 10.5 }],
    () => undefined,
    'a job ended a claim too early',
  ],
];

test.each(CLAIM_CASES)('%s', (_, steps, spoil, kind) => {
  const records = queue(steps);
  spoil(records);
  const found = check(records.history, records.stored);
  expect(found.map((each) => each.kind)).toContain(kind);
});
