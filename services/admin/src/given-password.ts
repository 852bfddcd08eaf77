// A password by an option, or on standard input: what stands in a command is seen by all users of the machine, and kept by shells.
import type { Readable } from 'node:stream';

/** More than the longest password; whoever sends more has sent something else. */
const MOST_BYTES = 16 * 1024;

/** The options of a command that takes a password, for `parseArgs`. */
export const passwordOptions = {
  password: { type: 'string' },
  'password-stdin': { type: 'boolean' },
} as const;

interface Given {
  readonly password?: string | undefined;
  readonly 'password-stdin'?: boolean | undefined;
}

/**
 * The password that the options give: `--password TEXT`, or the first line of the input with `--password-stdin` or `--password -`.
 * Undefined where they say nothing of one. Throws an Error where both are given, or where the input holds none.
 */
export async function givenPassword(given: Given, input: Readable): Promise<string | undefined> {
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
