// The report of a run: tables of faults and operations, and the first anomalies.
import { CLAIM_EXPIRY } from '../history/check-commands.ts';
import type { Anomaly, Command, History, StoredData } from '../history/history.ts';
import type { InjectedFault } from './judge-faults.ts';
import type { Outcome } from './run.ts';
import { backendOf } from './schedule.ts';

const SHOWN_ANOMALIES = 20;
const MAXIMUM_RECORD_LENGTH = 4_000;

/** `leftOut` lists the kinds of faults that this machine does not support, with the reasons. */
export function report(
  { injectedFaults, history, stored, anomalies }: Outcome,
  leftOut: ReadonlyMap<string, string> = new Map(),
): string {
  const pushes = history.connections.reduce((sum, each) => sum + each.pushes.length, 0);
  const messages = history.webhooks.flatMap((webhook) => webhook.messages);
  const events = messages.reduce((sum, each) => sum + each.events.length, 0);
  const dates = messages.flatMap((message) => message.events.filter(({ type }) => type === 'node.due')).length;
  const accepted = messages.filter(({ isAccepted }) => isAccepted).length;
  return [
    ...faultTable(injectedFaults, history.commands),
    ...[...leftOut].map(([kind, why]) => row([kind, '0', `left out: ${why}`, '', '', ''])),
    '',
    ...operationTable(history.commands),
    '',
    `${history.reads.length} pages read, ${pushes} slices pushed over ${history.connections.length} connections, ` +
      `${stored.batches.length} batches and ${stored.entries.length} numbers of feeds stored`,
    claimLine(history.claims, stored),
    `${messages.length} messages with ${events} events, of which ${dates} are due dates, came to ${history.webhooks.length} webhooks; ${accepted} were accepted`,
    ...verdict(anomalies),
  ].join('\n');
}

function claimLine(claims: History['claims'], { batches }: StoredData): string {
  const nodes = claims.flatMap(({ claim }) => claim ?? []);
  const distinct = new Set(nodes.map(({ claimId }) => claimId)).size;
  const expired = batches.filter(({ event }) => event === CLAIM_EXPIRY).length;
  return `${distinct} claims, answered ${nodes.length} times; the jobs ended ${expired}`;
}

function faultTable(injectedFaults: readonly InjectedFault[], commands: readonly Command[]): string[] {
  const rows = tally(injectedFaults, ({ fault }) => `${fault.kind} ${nameOf(fault.target)}`);
  const lines = [...rows].map(([name, those]) => {
    const healed = ascending(those.map(({ healedMs }) => healedMs));
    const median = healed[Math.floor(healed.length / 2)] as number;
    const waits = ascending(those.flatMap((each) => waitsDuring(each, commands)));
    const [p99 = 0, longest = 0] = [waits[Math.floor(waits.length * 0.99)], waits.at(-1)];
    const figures = [median, healed.at(-1) as number, p99, longest].map((ms) => `${Math.round(ms)}`);
    return row([name, `${those.length}`, ...figures]);
  });
  return [
    `${injectedFaults.length} faults`,
    row(['fault', 'times', 'healed after ms, median', 'longest', 'commands ms, p99', 'longest']),
    row(['---', '---', '---', '---', '---', '---']),
    ...lines.sort(),
  ];
}

/** Counts services of a kind together, and so the servers of a cluster. */
function nameOf(target: string): string {
  const kind = target.replace(/-\d$/, '');
  return kind !== target && backendOf(target) !== undefined ? `one of ${kind}` : kind;
}

/**
 * Response times in milliseconds of the acknowledged commands that overlapped the fault or its
 * recovery.
 */
function waitsDuring({ fromMs, untilMs, healedMs }: InjectedFault, commands: readonly Command[]): number[] {
  return commands
    .filter(({ outcome, calledMs, endedMs }) => {
      return outcome.kind === 'done' && endedMs > fromMs && calledMs < untilMs + healedMs;
    })
    .map(({ calledMs, endedMs }) => endedMs - calledMs);
}

const ascending = (numbers: readonly number[]) => [...numbers].sort((one, other) => one - other);

function operationTable(commands: readonly Command[]): string[] {
  const rows = tally(commands, ({ event }) => event);
  const count = (those: readonly Command[], kind: string) =>
    `${those.filter(({ outcome }) => outcome.kind === kind).length}`;
  const lines = [...rows].map(([event, those]) =>
    row([event, `${those.length}`, count(those, 'done'), count(those, 'refused'), count(those, 'unknown')]),
  );
  const total = row([
    'all',
    `${commands.length}`,
    count(commands, 'done'),
    count(commands, 'refused'),
    count(commands, 'unknown'),
  ]);
  const head = row(['operation', 'asked', 'acknowledged', 'refused', 'unknown']);
  return [head, row(['---', '---', '---', '---', '---']), ...lines.sort(), total];
}

export function verdict(anomalies: readonly Anomaly[]): string[] {
  if (anomalies.length === 0) return ['ok: 0 anomalies'];
  const kinds = tally(anomalies, ({ kind }) => kind);
  const first = anomalies[0] as Anomaly;
  return [
    `not ok: ${anomalies.length} anomalies`,
    ...[...kinds].map(([kind, those]) => `  ${those.length} times: ${kind}`),
    ...[...kinds.values()]
      .flatMap((those) => those.slice(0, 3))
      .slice(0, SHOWN_ANOMALIES)
      .map(({ kind, what }) => `  ${kind}: ${what}`),
    'the first of them:',
    `  ${first.kind}: ${first.what}`,
    ...first.about.map((each) => `  ${JSON.stringify(each).slice(0, MAXIMUM_RECORD_LENGTH)}`),
  ];
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function tally<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}
