// Reads a password from an option or standard input. Other users of the machine see a command's
// arguments, and shells store them.
import type { Readable } from 'node:stream';

/** Longer than any password; longer input is not a password. */
const MOST_BYTES = 16 * 1024;

/** The options of a command that takes a password, for `parseArgs`. */
export const passwordOptions = {
  password: { type: 'string' },
  'password-stdin': { type: 'boolean' },
} as const;

interface GivenPassword {
  readonly password?: string | undefined;
  readonly 'password-stdin'?: boolean | undefined;
}

/**
 * The password from `--password TEXT`, or the first line of the input with `--password-stdin` or
 * `--password -`. Undefined without these options. Throws an Error if both are given or the input
 * is empty.
 */
export async function givenPassword(given: GivenPassword, input: Readable): Promise<string | undefined> {
  const { password, 'password-stdin': isRead = false } = given;
  if (isRead && password !== undefined) throw new Error('Give the password by --password or by --password-stdin.');
  return isRead || password === '-' ? firstLine(input) : password;
}

async function firstLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > MOST_BYTES) throw new Error('Standard input holds too much for a password.');
    if (bytes.includes('\n')) break;
  }
  const line = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)).split('\n')[0] ?? '';
  const password = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (password === '') throw new Error('Standard input holds no password.');
  return password;
}
