// The contract of the tests of clients, and the result that every generated client must have.

export interface ClientStack {
  readonly url: string;
  /** A token of a new user. */
  newToken(email: string): Promise<string>;
}

/** A test of a client, or of several of one language. Throws if a step fails. */
export interface ClientTest {
  readonly name: string;
  /** A program that this machine lacks for the test; null if it lacks none. */
  lacks(): string | null;
  /** Installs the tools and makes the client in an empty folder. It needs no stack. */
  build(folder: string): void;
  /** Makes the calls. Returns one line about the client. */
  run(folder: string, stack: ClientStack): Promise<string>;
}

/**
 * The last line that each program prints. It makes two nodes and links them, sees the reversed link
 * refused, adds a third node and its link by `batch:run`, finds one of the blocked nodes by a word, and
 * reads all three by `node:get`.
 */
const WANTED = 'Choose a name 0, Go live 2, Set up the domain 2, 2 links, found Set up the domain';

/** Throws if a program has printed something else. */
export function verifyOutput(stdout: string): void {
  const printed = stdout.trim().split('\n').at(-1);
  if (printed !== WANTED)
    throw new Error(`The program printed another result.\n  wanted: ${WANTED}\n  got: ${printed}`);
}
