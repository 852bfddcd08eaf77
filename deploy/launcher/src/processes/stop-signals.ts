// The signals that end a program with child processes, in order at the first one and at once at the
// second one.
import { watchParent } from './parent.ts';
import { signalAllChildren } from './processes.ts';

/**
 * npm forwards a Ctrl-C that the terminal has also sent to us. Only a later signal counts as a
 * second one.
 */
const SECOND_SIGNAL_AFTER_MS = 700;

/** The exit code after SIGINT, by the convention of shells. */
export const INTERRUPTED = 130;

/** Calls `onStop` at the first signal. The second one kills all children and ends this process. */
export function watchStopSignals(onStop: () => void): void {
  let askedAt: number | undefined;
  const onSignal = () => {
    // A closed terminal ends npm as well, which must not count as a second signal.
    stopParentCheck();
    if (askedAt === undefined) {
      askedAt = Date.now();
      onStop();
    } else if (Date.now() - askedAt >= SECOND_SIGNAL_AFTER_MS) {
      signalAllChildren('SIGKILL');
      process.exit(INTERRUPTED);
    }
  };
  const stopParentCheck = watchParent(onSignal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  // A bug of ours must not leave servers running. After an orderly stop no children remain.
  process.on('exit', () => signalAllChildren('SIGTERM'));
}
