// The report of an upgrade test.
import { verdict } from '../run/report.ts';
import type { UpgradeOutcome } from './upgrade.ts';

export interface UpgradeFigures {
  readonly requests: number;
  readonly retries: number;
  readonly pushes: number;
  readonly connections: number;
  /** Milliseconds from the first attempt to the answer, of the slowest acknowledged command. */
  readonly longestMs: number;
}

function figuresOf({ history, replies, repeated }: UpgradeOutcome): UpgradeFigures {
  const { commands, connections } = history;
  const plain = commands.filter(({ client }) => client.startsWith('plain')).length;
  const acknowledged = commands.filter(({ outcome }) => outcome.kind === 'done');
  return {
    requests: sum(replies.attempts.values()) + plain + repeated,
    retries: sum(replies.retried.values()),
    pushes: connections.reduce((all, { pushes }) => all + pushes.length, 0),
    connections: connections.length,
    longestMs: Math.round(acknowledged.reduce((most, { calledMs, endedMs }) => Math.max(most, endedMs - calledMs), 0)),
  };
}

const SHOWN_ERRORS = 10;
const MAXIMUM_LINE_LENGTH = 2_000;

export function reportUpgrade(outcome: UpgradeOutcome): string {
  const { previous, steps, migrationFailure, rolls, replies, repeated, history, errors } = outcome;
  const { requests, retries, pushes, connections, longestMs } = figuresOf(outcome);
  const plain = history.commands.filter(({ client }) => client.startsWith('plain')).length;
  return [
    `from ${previous} to this tree; the migration added the steps ${steps.join(', ') || 'none'}`,
    migrationFailure === null
      ? 'no step of the migration could be made to fail'
      : `first the migration failed at step ${migrationFailure.step}, after ${migrationFailure.done.join(', ') || 'none'}: ${migrationFailure.message}`,
    ...rolls.map(({ to, replacements }) => {
      const most = (values: readonly number[]) => Math.round(Math.max(0, ...values));
      const kinds = replacements.map(({ kind }) => kind).join(', ');
      const [start, stop] = [replacements.map(({ startMs }) => startMs), replacements.map(({ stopMs }) => stopMs)];
      return `to ${to === 'this' ? 'this tree' : 'the previous release'}: ${kinds}; ready within ${most(start)} ms, stopped within ${most(stop)} ms`;
    }),
    `${requests} requests, of which ${plain} by clients that retry only 503, and ${repeated} repeated after a roll`,
    `${retries} retries${listOf(replies.retried)}; refused by the rules${listOf(replies.refused)}`,
    `${pushes} diffs over ${connections} connections of ${history.replicas.length} sockets; ${history.reads.length} pages`,
    `longest wait of an acknowledged command: ${longestMs} ms (by its start: ${waitsOf(outcome).join(', ')})`,
    ...errors.slice(0, SHOWN_ERRORS).map((line) => `error in ${line.slice(0, MAXIMUM_LINE_LENGTH)}`),
    ...verdict(outcome.anomalies),
  ].join('\n');
}

/** The longest wait of the commands that were called in each phase. */
function waitsOf({ phases, history }: UpgradeOutcome): string[] {
  return phases.map(({ name, fromMs }, index) => {
    const untilMs = phases[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const waits = history.commands
      .filter(({ calledMs, outcome }) => outcome.kind === 'done' && calledMs >= fromMs && calledMs < untilMs)
      .map(({ calledMs, endedMs }) => endedMs - calledMs);
    return `${name} ${Math.round(waits.reduce((most, wait) => Math.max(most, wait), 0))} ms`;
  });
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((all, one) => all + one, 0);
}

function listOf(counts: ReadonlyMap<string, number>): string {
  const lines = [...counts].sort().map(([name, count]) => `${count} × ${name}`);
  return lines.length === 0 ? '' : ` (${lines.join('; ')})`;
}
