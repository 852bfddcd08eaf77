// Continues processes that are stopped (SIGSTOP): until then they do not take the SIGTERM that ends them.

/** Continues a process and its group, if it leads one. It may have ended. */
export function continueGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGCONT');
    } catch {
      // It has ended, or leads no group.
    }
  }
}
