// Judges what clients met during the faults of a run and after them.
import { slotOf } from '@taskgraph/wire/ids';
import type { Anomaly, Command } from '../history/history.ts';
import type { ServiceDeath } from './fault-stack.ts';
import { backendOf, type Fault } from './schedule.ts';

/**
 * An injected fault, its time, and the time after its end until a command on each owner's nodes was
 * acknowledged again.
 */
export interface InjectedFault {
  readonly fault: Fault;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly healedMs: number;
}

/** After which a service ends without the calls in progress (libs/runtime/src/service/lifecycle.ts). */
const STOP_LIMIT_MS = 10_000;
const HEALED_WITHIN_MS = 10_000;
/**
 * A killed database restarts cold: it must load its code and plan every statement again, which
 * takes most of this time on a small machine.
 */
const DATABASE_HEALED_WITHIN_MS = 60_000;

/**
 * The slot of the nodes that an acknowledged command is about; null for others. Agents of all users claim
 * from the queues of few, so the user of a command says nothing.
 */
export function slotOfCommand({ payload: { id, target, source, batchId }, outcome }: Command): number | null {
  const subject = id ?? target ?? source ?? batchId;
  return outcome.kind === 'done' && typeof subject === 'string' ? slotOf(subject) : null;
}

function isColdStart({ kind, target }: Fault): boolean {
  return ['kill', 'full', 'power'].includes(kind) && (target === 'neo4j' || target === 'everything');
}

export function judgeHealing(injectedFaults: readonly InjectedFault[]): Anomaly[] {
  return injectedFaults
    .filter(({ fault, healedMs }) => healedMs > (isColdStart(fault) ? DATABASE_HEALED_WITHIN_MS : HEALED_WITHIN_MS))
    .map(({ fault, healedMs }) => ({
      kind: 'recovery took too long',
      what: `${fault.kind} ${fault.target}: ${Math.round(healedMs)} ms`,
      about: [fault],
    }));
}

/**
 * No service crashed. A stop waits for the calls in progress, and ends after its limit without them: that is
 * no crash while a backend is away or cold.
 */
export function judgeDeaths(deaths: readonly ServiceDeath[], injectedFaults: readonly InjectedFault[]): Anomaly[] {
  const isExcused = ({ log, atMs }: ServiceDeath) =>
    log.includes('did not stop in time') &&
    injectedFaults.some(({ fault, fromMs, untilMs }) => {
      const afterMs = isColdStart(fault) ? DATABASE_HEALED_WITHIN_MS : HEALED_WITHIN_MS;
      const isOfBackend = backendOf(fault.target) !== undefined || fault.target === 'everything';
      return isOfBackend && atMs > fromMs && atMs < untilMs + afterMs + STOP_LIMIT_MS;
    });
  return deaths
    .filter((death) => !isExcused(death))
    .map(({ name, reason, log }) => ({ kind: 'a service crashed', what: `${name}: ${reason}\n${log}`, about: [] }));
}

/**
 * Without a backend the service still answers, by a command's deadline at the latest. The SDK's own
 * time limit does not count.
 */
export function judgeWaits(injectedFaults: readonly InjectedFault[], commands: readonly Command[]): Anomaly[] {
  const away = injectedFaults.filter(({ fault }) => backendOf(fault.target) !== undefined);
  const hanging = commands.filter(
    ({ outcome, calledMs }) =>
      outcome.kind === 'unknown' &&
      /aborted due to timeout|has timed out/.test(outcome.why ?? '') &&
      away.some(({ fromMs, untilMs }) => calledMs > fromMs && calledMs < untilMs),
  );
  return hanging.map((command) => ({ kind: 'a command was never answered', what: command.key, about: [command] }));
}
