// Ends the children when the launcher itself is killed: a tiny shell waits for the launcher's end of a pipe to close.
import { spawn } from 'node:child_process';

export interface Guardian {
  /** The processes to end; each call replaces the list. */
  watch(pids: readonly number[]): void;
  /** The launcher is done; whatever of the list still runs, by some bug, is ended. */
  release(): void;
}

// The shell holds nothing but the last list that it read; it gets to the kill only when the pipe has closed.
const SCRIPT = 'while read -r line; do pids="$line"; done; [ -z "$pids" ] || kill -TERM $pids 2>/dev/null';

export function startGuardian(): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Where there is no shell, the next start still finds what was left behind.
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
