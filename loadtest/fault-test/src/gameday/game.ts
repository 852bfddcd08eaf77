// Plays faults one after the other: begins each, asks for the reaction, repairs, and checks that the
// service has recovered.
import { type GameStack, startGameStack, waitFor } from './game-stack.ts';
import { type BegunFault, look, type Scenario } from './scenarios.ts';

/** Answers questions: a person at a terminal, or the right action at once. */
export interface Operator {
  /** The number of an action from 1 on, or a command: `readyz`, `metrics TEXT`, `give up` or `quit`. */
  answer(scenario: Scenario): Promise<string>;
}

export interface Result {
  readonly name: Scenario['name'];
  /** Actions that did not help. */
  readonly wrongActions: number;
  /** From the symptom to the right action, and from there until the service was healthy. */
  readonly reactionMs: number;
  readonly recoveryMs: number;
  /** What was still wrong after the limit; empty after a recovery. */
  readonly defects: readonly string[];
}

export interface GameReport {
  readonly results: readonly Result[];
  /** Ids of acknowledged nodes that do not exist. */
  readonly losses: readonly string[];
}

const SYMPTOM_LIMIT_MS = 60_000;
/** A restarted database begins cold. */
const RECOVERY_LIMIT_MS = 180_000;
/** Then the answer is given. */
const MOST_ANSWERS = 50;
const RUNBOOK = 'docs/operations.md';
const HELP = 'The number of an action, or: readyz; metrics TEXT, such as metrics waiting; give up; quit';

/** The anchor of a section, as links contain it. */
export function anchorOf({ section }: Pick<Scenario, 'section'>): string {
  return `${RUNBOOK}#${section.toLowerCase().replaceAll(' ', '-')}`;
}

/** The person, their screen, and a signal that stops the game day. */
export interface Table {
  readonly operator: Operator;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * However it ends, the fault is over and the stack has stopped. Throws the reason of the signal if
 * it fires.
 */
export async function playGame(scenarios: readonly Scenario[], table: Table): Promise<GameReport> {
  const { print, signal } = table;
  print('starting a stack of 2 gateways, 3 workers, 2 jobs and 2 hooks services');
  const proxied = scenarios.flatMap((scenario) => scenario.proxied ?? []);
  const game = await startGameStack({ proxied, note: print, signal });
  try {
    const healthy = await waitUntilHealthy(game, signal);
    if (healthy.length > 0) throw new Error(`the stack did not become healthy: ${healthy.join('; ')}`);
    const results: Result[] = [];
    for (const scenario of scenarios) {
      const { result, isLast } = await play(game, scenario, table);
      results.push(result);
      if (isLast) break;
    }
    const losses = await game.findLosses();
    print(`\n${game.acknowledged()} nodes were acknowledged, ${losses.length} of them lost`);
    return { results, losses };
  } finally {
    await game.stop();
  }
}

interface Round {
  readonly result: Result;
  readonly isLast: boolean;
}

/** Begins a fault, and ends it even if the right action was not taken. */
async function play(game: GameStack, scenario: Scenario, table: Table): Promise<Round> {
  const fault = await scenario.begin(game);
  try {
    return await playFault(game, scenario, fault, table);
  } finally {
    await fault.end();
  }
}

/** After a `quit` the fault is repaired, as after every answer, but it is the last one. */
async function playFault(game: GameStack, scenario: Scenario, fault: BegunFault, table: Table): Promise<Round> {
  const { print, signal } = table;
  const symptom = await waitFor(fault.symptom, SYMPTOM_LIMIT_MS, signal);
  if (symptom === null) throw new Error(`${scenario.name}: the fault had no visible effect`);
  print(`\n=== ${scenario.page}\n    ${symptom}`);
  for (const [index, { text }] of scenario.actions.entries()) print(`  ${index + 1}. ${text}`);
  print(`  ${HELP}`);
  const shownAt = performance.now();
  const { wrongActions, quits } = await react(game, scenario, table);
  const repairedAt = performance.now();
  await unlessAborted(fault.repair(), signal);
  const defects = await waitUntilHealthy(game, signal);
  const [reactionMs, recoveryMs] = [repairedAt - shownAt, performance.now() - repairedAt];
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  if (defects.length === 0)
    print(`  recovered ${seconds(recoveryMs)} after the right action, which took you ${seconds(reactionMs)}`);
  else print(`  NOT recovered: ${defects.join('; ')}`);
  print(`  runbook: ${anchorOf(scenario)}`);
  const result = { name: scenario.name, wrongActions, reactionMs, recoveryMs, defects };
  return { result, isLast: quits || defects.length > 0 };
}

interface Reaction {
  readonly wrongActions: number;
  readonly quits: boolean;
}

/** Asks until the right action, or until the person gives up or quits. */
async function react(game: GameStack, scenario: Scenario, { operator, print, signal }: Table): Promise<Reaction> {
  let wrongActions = 0;
  for (let asked = 0; asked < MOST_ANSWERS; asked++) {
    const answer = (await unlessAborted(operator.answer(scenario), signal)).trim().toLowerCase();
    const action = /^\d+$/.test(answer) ? scenario.actions[Number(answer) - 1] : undefined;
    if (answer === 'quit') return { wrongActions, quits: true };
    if (answer === 'give up') break;
    if (action?.wrongBecause === null) return { wrongActions, quits: false };
    if (action !== undefined) {
      wrongActions++;
      print(`  That does not help: ${action.wrongBecause}.`);
    } else if (/^(readyz|metrics)\b/.test(answer)) print(await look(game, answer));
    else print(`  ${HELP}`);
  }
  print(`  The right action is: ${scenario.actions.find(({ wrongBecause }) => wrongBecause === null)?.text}`);
  return { wrongActions, quits: false };
}

/** Waits until nothing is wrong and a new node is acknowledged; returns the remaining defects. */
async function waitUntilHealthy(game: GameStack, signal: AbortSignal): Promise<readonly string[]> {
  const isHealthy = async () => ((await game.findDefects()).length === 0 ? true : null);
  if ((await waitFor(isHealthy, RECOVERY_LIMIT_MS, signal)) === null) return game.findDefects();
  const before = game.acknowledged();
  const isAcknowledged = async () => (game.acknowledged() > before ? true : null);
  return (await waitFor(isAcknowledged, RECOVERY_LIMIT_MS, signal)) === null ? ['no node is acknowledged'] : [];
}

/** The result of the work; throws the reason of the signal if it fires first. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const release = () => signal.removeEventListener('abort', onAbort);
    work.then(resolve, reject).finally(release);
  });
}

/** Takes the right action at once. */
export const autoOperator: Operator = {
  async answer({ actions }) {
    return String(actions.findIndex(({ wrongBecause }) => wrongBecause === null) + 1);
  },
};
