// Failures that a person can act on: one line says what went wrong, the next what to do about it.

export class LauncherError extends Error {
  override readonly name = 'LauncherError';
  readonly remedy: string;
  readonly logLines: readonly string[];

  constructor(what: string, remedy: string, logLines: readonly string[] = []) {
    // Test runners print the cause, and nothing of our own fields.
    super(what, { cause: new Error([remedy, ...logLines].join('\n')) });
    this.remedy = remedy;
    this.logLines = logLines;
  }
}

/** The text that is shown for a failure: what, what to do, and the last log lines if there are any. */
export function describeFailure(error: unknown): string {
  if (hasCode(error, 'ENOSPC'))
    return 'error: the disk is full\n  Free some space, or set DATA_DIR to a folder on another disk.';
  if (!(error instanceof LauncherError)) {
    // Anything else is a bug of ours, so the stack is what helps.
    return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const log = error.logLines.map((line) => `  | ${line}`);
  return [`error: ${error.message}`, `  ${error.remedy}`, ...log].join('\n');
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
