// Ends the child processes if the launcher itself is killed: a small shell waits until the
// launcher's end of a pipe closes.
import { spawn } from 'node:child_process';

export interface Guardian {
  /** The processes to end; each call replaces the list. */
  watch(pids: readonly number[]): void;
  /** The launcher has finished. Processes of the list that still run because of a bug are ended. */
  release(): void;
}

// The shell keeps only the last list that it read, and kills only after the pipe has closed. A process
// that is stopped takes the signal when its group continues.
const SCRIPT = `while read -r line; do pids="$line"; done
[ -z "$pids" ] || kill -TERM $pids 2>/dev/null
for pid in $pids; do kill -s CONT -- "-$pid" 2>/dev/null; done`;

export function startGuardian(): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // On a machine without a shell, the next start still ends the remaining processes.
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  return {
    watch: (pids) => {
      child.stdin.write(`${pids.join(' ')}\n`);
    },
    release: () => {
      child.stdin.end();
    },
  };
}
