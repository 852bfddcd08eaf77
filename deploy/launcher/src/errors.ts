// Failures that the user can fix: one line names the problem, the next one the remedy.

export class LauncherError extends Error {
  override readonly name = 'LauncherError';
  readonly remedy: string;
  readonly logLines: readonly string[];

  constructor(what: string, remedy: string, logLines: readonly string[] = []) {
    // Test runners print the cause, but not our own fields.
    super(what, { cause: new Error([remedy, ...logLines].join('\n')) });
    this.remedy = remedy;
    this.logLines = logLines;
  }
}

/** The printed text of a failure: problem, remedy, and the last log lines if there are any. */
export function describeFailure(error: unknown): string {
  if (hasCode(error, 'ENOSPC'))
    return 'error: the disk is full\n  Free some space, or set DATA_DIR to a folder on another disk.';
  if (!(error instanceof LauncherError)) {
    // Any other error is a bug of ours, so the stack trace is useful.
    return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const log = error.logLines.map((line) => `  | ${line}`);
  return [`error: ${error.message}`, `  ${error.remedy}`, ...log].join('\n');
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
