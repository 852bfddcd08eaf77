// The signals that a program between npm and its only child passes on.
import { watchParent } from './parent.ts';

/** Passes on the signals that end a program. An end of npm is SIGTERM, unless a signal came before. */
export function forwardSignals(child: { kill(signal: NodeJS.Signals): unknown }): void {
  const stopParentCheck = watchParent(() => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A closed terminal ends npm as well, which must not count as a second signal.
      stopParentCheck();
      // A terminal sends Ctrl-C to the child as well; it must not get it twice.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
}
