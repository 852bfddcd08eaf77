// The signals that end a program with child processes, in order at the first one and at once at the
// second one.
import { signalAllChildren } from './processes.ts';

/**
 * npm forwards a Ctrl-C that the terminal has also sent to us. Only a later signal counts as a
 * second one.
 */
const SECOND_SIGNAL_AFTER_MS = 700;

const PARENT_CHECK_MS = 500;

/** The exit code after SIGINT, by the convention of shells. */
export const INTERRUPTED = 130;

/** Calls `onStop` at the first signal. The second one kills all children and ends this process. */
export function watchStopSignals(onStop: () => void): void {
  let askedAt: number | undefined;
  const onSignal = () => {
    if (askedAt === undefined) {
      askedAt = Date.now();
      onStop();
    } else if (Date.now() - askedAt >= SECOND_SIGNAL_AFTER_MS) {
      signalAllChildren('SIGKILL');
      process.exit(INTERRUPTED);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  watchParent(onSignal);
  // A bug of ours must not leave servers running. After an orderly stop no children remain.
  process.on('exit', () => signalAllChildren('SIGTERM'));
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
