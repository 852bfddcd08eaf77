// The game day: npm run gameday -- --only worker,nats --auto. See docs/operations.md. It exits with 1
// if the service did not recover, or lost an acknowledged node.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { INTERRUPTED, watchStopSignals } from '@taskgraph/launcher/processes/stop-signals';
import { autoOperator, type Operator, playGame } from './game.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';

const STOPPED = Symbol('stopped');

const print = (line: string) => void process.stdout.write(`${line}\n`);
const NAMES = SCENARIOS.map(({ name }) => name).join(', ');

function chosen(only: string): readonly Scenario[] {
  if (only === '') return SCENARIOS;
  return only.split(',').map((name) => {
    const scenario = SCENARIOS.find((each) => each.name === name);
    if (scenario === undefined) throw new Error(`--only takes some of ${NAMES}, not "${name}"`);
    return scenario;
  });
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, auto: { type: 'boolean', default: false } },
  });
  const scenarios = chosen(values.only);
  if (!values.auto && !process.stdin.isTTY) throw new Error('a game day needs a terminal, or --auto');
  const terminal = values.auto ? null : createInterface({ input: process.stdin, output: process.stdout });
  const stopping = new AbortController();
  watchStopSignals(() => {
    print('stopping; press Ctrl-C again to end at once');
    stopping.abort(STOPPED);
  });
  // A terminal in readline's mode sends no signal.
  terminal?.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // The end of the input quits after the repair.
  const ended = new Promise<string>((resolve) => terminal?.once('close', () => resolve('quit')));
  const person = (): Operator => ({
    answer: () => Promise.race([terminal?.question('> ') ?? ended, ended]),
  });
  try {
    const { results, losses } = await playGame(scenarios, {
      operator: terminal === null ? autoOperator : person(),
      print,
      signal: stopping.signal,
    });
    for (const { name, wrongActions, reactionMs, recoveryMs } of results) {
      const [reaction, recovery] = [reactionMs, recoveryMs].map((ms) => `${(ms / 1_000).toFixed(1)} s`);
      print(`${name.padEnd(7)} reaction ${reaction}, ${wrongActions} wrong actions, recovery ${recovery}`);
    }
    return losses.length === 0 && results.every(({ defects }) => defects.length === 0);
  } finally {
    terminal?.close();
  }
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    if (error === STOPPED) process.exit(INTERRUPTED);
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
