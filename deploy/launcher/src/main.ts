// `npm start`: reads the settings, starts a stack, prints how to use it, and stops it at Ctrl-C.
import { REPOSITORY } from './backends/backends.ts';
import { readConfiguration, USAGE } from './configuration.ts';
import { describeFailure } from './errors.ts';
import { signalAllChildren } from './processes/processes.ts';
import { type Report, streamReport } from './progress.ts';
import { type Stack, startStack } from './stack.ts';

/**
 * npm forwards a Ctrl-C that the terminal has also sent to us. Only a later signal counts as a
 * second one.
 */
const SECOND_SIGNAL_AFTER_MS = 700;

const PARENT_CHECK_MS = 500;

const ASKED_TO_STOP = Symbol('asked to stop');

/** Runs until it is stopped; returns the exit code. */
export async function main(commandArguments: readonly string[]): Promise<number> {
  if (commandArguments.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const report = streamReport(process.stdout);
  const ending = new AbortController();
  watchSignals(report, ending);
  // A bug of ours must not leave servers running. After an orderly stop no children remain.
  process.on('exit', () => signalAllChildren('SIGTERM'));
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

function watchSignals(report: Report, ending: AbortController): void {
  let askedAt: number | undefined;
  const onSignal = () => {
    if (askedAt === undefined) {
      askedAt = Date.now();
      report.line('stopping; press Ctrl-C again to end at once');
      ending.abort(ASKED_TO_STOP);
    } else if (Date.now() - askedAt >= SECOND_SIGNAL_AFTER_MS) {
      signalAllChildren('SIGKILL');
      process.exit(130);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  watchParent(onSignal);
}

/**
 * A signal to npm ends npm and its shell without reaching this process, which only gets a new
 * parent.
 */
function watchParent(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS).unref();
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
