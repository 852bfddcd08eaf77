// Hand-made queues: correct ones without anomalies, and one for each kind of error with claims.
import { expect, test } from 'vitest';
import { batch, command, good, outcomeOf, type RunRecords, storeToo, timeOf } from '../test/support/hand-made.ts';
import { check } from './check.ts';
import type { Change, ClaimAnswer, Command } from './history.ts';

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

/** Without the command that ended the first claim, and with another one that may have. */
function endedBy(payload: object, more: Partial<Command> = {}, at = 10.2): RunRecords {
  const records = queue([FIRST, COMPLETE, NEXT]);
  const { history } = records;
  const other = command('other', at * 60_000, { payload: { id: 'child', status: 3, ...payload }, ...more });
  history.commands = [...history.commands.filter(({ key }) => key !== 'complete'), other];
  return records;
}
const kindsOf = ({ history, stored }: RunRecords) => check(history, stored).map(({ kind }) => kind);
const TWICE = 'two claims have a node at once';

test('[CLAIM2 CLAIM3] only a command that names a claim excuses the next one, and only until its deadline', () => {
  const unknown: Partial<Command> = { outcome: { kind: 'unknown' } };
  expect(kindsOf(endedBy({ claim: 'b-first' }, unknown))).not.toContain(TWICE);
  expect(kindsOf(endedBy({ claim: 'b-other' }, unknown))).toContain(TWICE);
  expect(kindsOf(endedBy({}, unknown))).toContain(TWICE);
  expect(kindsOf(endedBy({ claim: 'b-first', status: 1 }, unknown))).toContain(TWICE);
  expect(kindsOf(endedBy({ claim: 'b-first' }, unknown, 9.6))).not.toContain(TWICE);
  expect(kindsOf(endedBy({ claim: 'b-first' }, unknown, 9.4))).toContain(TWICE);
});

const WRONG = 'a refusal of a claim was wrong';

/** The steps, and a command at a minute that was refused. */
function refused(steps: readonly ClaimStep[], at: number, code: string, more: Partial<Command>): string[] {
  const records = queue(steps);
  const outcome = { kind: 'refused', code, details: {} } as const;
  records.history.commands = [...records.history.commands, command('refused', at * 60_000, { outcome, ...more })];
  return kindsOf(records);
}

test('[CLAIM2] a claim in force is refused as ended', () => {
  const naming = { payload: { id: 'child', claim: 'b-first', title: 'late' } };
  expect(refused([FIRST], 10.5, 'conflict.claim_ended', naming)).toEqual([WRONG]);
  expect(refused([FIRST], 11, 'conflict.claim_ended', naming)).toEqual([]);
  expect(refused([FIRST, COMPLETE], 10.5, 'conflict.claim_ended', naming)).toEqual([]);
  expect(refused([FIRST, COMPLETE, NEXT], 10.6, 'conflict.claim_ended', naming)).toEqual([]);
});

test('[CLAIM1] a free node is refused as claimed', () => {
  const claim = { event: 'node:claim', payload: { id: 'child', lease: 1 } };
  expect(refused([FIRST, COMPLETE], 10.5, 'conflict.claimed', claim)).toEqual([WRONG]);
  expect(refused([FIRST], 10.5, 'conflict.claimed', claim)).toEqual([]);
});

test.each<[string, Change]>([
  ['another field', { kind: 'node', id: 'child', before: { version: 4 }, after: { version: 5, title: 'job' } }],
  ['a node without a claim', { kind: 'node', id: 'root', before: { version: 1 }, after: { version: 2, status: 0 } }],
])('[CLAIM3] a job that expires a claim changes %s', (_, change) => {
  const records = queue([FIRST, EXPIRE]);
  records.stored.batches = records.stored.batches.map((each) =>
    each.id === 'b-expire' ? { ...each, changes: [change] } : each,
  );
  expect(kindsOf(records)).toContain('a job changed more than an ended claim');
});
