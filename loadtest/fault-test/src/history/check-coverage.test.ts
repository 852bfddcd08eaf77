// A long run in which something never happened is an anomaly.
import { expect, test } from 'vitest';
import { batch, command, good, type RunRecords } from '../test/support/hand-made.ts';
import { about, due } from '../test/support/hand-made-due.ts';
import { event, gained, message, webhook } from '../test/support/hand-made-webhooks.ts';
import { checkCoverage } from './check-coverage.ts';
import type { ClaimAnswer, Command, Outcome } from './history.ts';

const MINUTES = 5;
const COMMANDS = 1_600;
const REFUSED: Outcome = { kind: 'refused', code: 'conflict.claim_ended', details: {} };

const claimAt = (minute: number, key: string): ClaimAnswer => ({
  key,
  client: 'agent',
  user: 'bob',
  calledMs: minute * 60_000,
  endedMs: minute * 60_000 + 5,
  lease: 1,
  claim: { node: 'child', claimId: `b-${key}`, until: '' },
});

/** A run of some minutes in which everything happened, without what a test takes away. */
function longRun(minutes = MINUTES): RunRecords {
  const { history, stored } = good();
  const stepMs = (minutes * 60_000) / COMMANDS;
  const work = Array.from({ length: COMMANDS }, (_, index) => command(`work${index}`, index * stepMs));
  const naming = (key: string, more: Partial<Command>) =>
    command(key, 60_000, { payload: { id: 'child', claim: 'b-early' }, ...more });
  const shared = event('node.changed', 'rename', 'child');
  const events = [gained, shared, event('access.lost', 'revoke', 'root')];
  return {
    history: {
      ...history,
      commands: [
        ...history.commands,
        ...work,
        naming('fence', { outcome: REFUSED }),
        naming('renewal', { event: 'node:claim:renew' }),
        naming('completion', { payload: { id: 'child', claim: 'b-early', status: 3 } }),
        command('claim', 60_000, { event: 'node:claim', payload: { root: 'root' } }),
      ],
      claims: [claimAt(1, 'early'), claimAt(2, 'early'), claimAt(minutes * 0.9, 'late')],
      webhooks: [
        webhook('bob', [message('b1', 1, events, { isAccepted: false }), message('b1', 2, events)]),
        webhook('ann', [message('a1', 1, [shared])]),
        webhook('bob', [about('d1', 1, [due()])], { client: 'due-hook', events: ['node.due'] }),
      ],
    },
    stored: { ...stored, batches: [...stored.batches, batch('expire', {}, [], { event: 'node:claim:expire' })] },
  };
}

const found = ({ history, stored }: RunRecords) => checkCoverage(history, stored).map(({ what }) => what);

test('a long run with everything is complete, and a short one need not be', () => {
  expect(found(longRun())).toEqual([]);
  const none = (minutes: number) => {
    const run = longRun(minutes);
    run.history = { ...run.history, claims: [], webhooks: [] };
    return found(run);
  };
  expect(none(2)).toEqual([]);
  expect(none(3)).toContain('webhooks');
});

const without = (keep: (each: Command) => boolean) => (run: RunRecords) => {
  run.history.commands = run.history.commands.filter(keep);
};

test.each<[string, (run: RunRecords) => void]>([
  ['commands of ended claims', without(({ outcome }) => outcome.kind !== 'refused')],
  ['renewals of claims', without(({ event: name }) => name !== 'node:claim:renew')],
  ['completions by agents', without(({ payload }) => payload.status !== 3)],
  ['claims of a queue', without(({ event: name }) => name !== 'node:claim')],
  [
    'repeats of a claim under its key',
    (run) => {
      run.history.claims = run.history.claims.slice(1);
    },
  ],
  [
    'claims of the queue root in the last third',
    (run) => {
      run.history.claims = run.history.claims.slice(0, 2);
    },
  ],
  [
    'the expiry of claims by jobs',
    (run) => {
      run.stored.batches = run.stored.batches.filter(({ id }) => id !== 'b-expire');
    },
  ],
  [
    'accepted messages of hook of ann',
    (run) => {
      run.history.webhooks = run.history.webhooks.map((each, index) => (index === 1 ? webhook('ann', []) : each));
    },
  ],
  [
    'repeated attempts of a message',
    (run) => {
      run.history.webhooks = run.history.webhooks.map((each) => ({ ...each, messages: each.messages.slice(-1) }));
    },
  ],
  [
    'changes of shared branches in messages',
    (run) => {
      run.history.webhooks = run.history.webhooks.map((each) => ({
        ...each,
        messages: each.messages.map((one) => ({
          ...one,
          events: one.events.filter(({ id, type }) => id === 'root' || type === 'node.due'),
        })),
      }));
    },
  ],
  [
    'due dates of shared branches in messages',
    (run) => {
      run.history.webhooks = run.history.webhooks.map((each) =>
        each.client === 'due-hook' ? { ...each, user: 'ann' } : each,
      );
    },
  ],
  [
    'events access.gained',
    (run) => {
      run.history.webhooks = run.history.webhooks.map((each) => ({
        ...each,
        messages: each.messages.map((one) => ({
          ...one,
          events: one.events.filter(({ type }) => type !== 'access.gained'),
        })),
      }));
    },
  ],
])('a long run without %s is incomplete', (name, spoil) => {
  const run = longRun();
  spoil(run);
  expect(found(run)).toEqual([name]);
});
