// The contract of the tests of clients, and the outcome that every generated client must have.

export interface ClientStack {
  readonly url: string;
  /** A token of a new user. */
  newToken(email: string): Promise<string>;
}

export interface ClientOutcome {
  readonly succeeded: boolean;
  /** Whether this machine cannot run the test. */
  readonly isSkipped?: boolean;
  /** One line, or the output of a failure. */
  readonly message: string;
}

export const skipped = (language: string): ClientOutcome => ({
  succeeded: true,
  isSkipped: true,
  message: `SKIPPED, this machine lacks ${language}`,
});

/**
 * The last line that each program prints. It makes two nodes and links them, sees the reversed link
 * refused, adds a third node and its link by `batch:run`, finds one of the blocked nodes by a word, and
 * reads all three by `node:get`.
 */
const WANTED = 'Choose a name 0, Go live 2, Set up the domain 2, 2 links, found Set up the domain';

/** Judges the output of a program. */
export function outcomeOf({ status, stdout, output }: ProgramResult, message: string): ClientOutcome {
  const isWanted = status === 0 && stdout.trim().split('\n').at(-1) === WANTED;
  return isWanted ? { succeeded: true, message } : { succeeded: false, message: `FAILED\n${output}` };
}

interface ProgramResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly output: string;
}
