// `npm start`: reads the settings, starts a stack, prints how to use it, and stops it at Ctrl-C.
import { REPOSITORY } from './backends/backends.ts';
import { readConfiguration, USAGE } from './configuration.ts';
import { describeFailure } from './errors.ts';
import { watchStopSignals } from './processes/stop-signals.ts';
import { streamReport } from './progress.ts';
import { type Stack, startStack } from './stack.ts';

const ASKED_TO_STOP = Symbol('asked to stop');

/** Runs until it is stopped; returns the exit code. */
export async function main(commandArguments: readonly string[]): Promise<number> {
  if (commandArguments.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const report = streamReport(process.stdout);
  const ending = new AbortController();
  watchStopSignals(() => {
    report.line('stopping; press Ctrl-C again to end at once');
    ending.abort(ASKED_TO_STOP);
  });
  try {
    const configuration = readConfiguration(process.env, commandArguments, REPOSITORY);
    const options = { ...configuration, environment: process.env, report, signal: ending.signal, demoUser: true };
    const stack = await startStack({ ...options, onFailure: (error) => ending.abort(error) });
    announce(stack);
    await aborted(ending.signal);
    await stack.stop();
    ending.signal.throwIfAborted();
  } catch (error) {
    // The first failure of a start is the cause; the error is its consequence.
    const cause: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (cause !== ASKED_TO_STOP) {
      console.error(describeFailure(cause));
      return 1;
    }
  }
  report.line('stopped');
  return 0;
}

function announce(stack: Stack): void {
  const [url = ''] = stack.urls;
  const { token, signInLink } = stack.demo ?? {};
  console.log(`\ntoken ${token}\n`);
  console.log(`curl -H "Authorization: Bearer ${token}" ${url}/api/graph\n`);
  if (process.env.CONSOLE !== 'off')
    console.log(`Open the console as the demo user, once, within 15 minutes:\n${signInLink}\n`);
  console.log(`ready ${url}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
