// The users of tests that share a database. Their e-mails differ from those of other files and of
// earlier runs.
import { createHash, randomUUID } from 'node:crypto';
import { addToken } from '@taskgraph/graph-store/accounts/tokens';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import { SLOTS } from '@taskgraph/wire/ids';

const newId = createIdFactory();
const newDomain = () => `${randomUUID().slice(0, 8)}.example`;
let domain = newDomain();

/**
 * Changes the e-mails of `emailOf` from now on. users.setup.ts calls it for each file, because the
 * files of a process share this module.
 */
export function useOtherEmails(): void {
  domain = newDomain();
}

/** The e-mail of a user by this name, unique to this file. */
export function emailOf(name: string): string {
  return `${name}@${domain}`;
}

/**
 * A new API token of the user with this e-mail. Creates the user if necessary, named by the part
 * before the `@`.
 */
export async function makeToken(
  environment: Readonly<Record<string, string>>,
  email: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<string> {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  const database = openDatabase({ url, user, password });
  try {
    const username = email.replace(/@.*/, '').replace(/[^A-Za-z0-9_]/g, '_');
    const id = newId(Math.floor(Math.random() * SLOTS));
    const owner = await ensureUser(database, { id, email, username, now: new Date().toISOString() });
    const text = newTokenText();
    const hash = createHash('sha256').update(text).digest('hex');
    const token = { id: newId(0), hash, prefix: shownPrefix(text), name: '', readOnly, expires: null };
    if ((await addToken(database, { userId: owner.id, token }, Date.now())) === null)
      throw new Error(`${email} has too many tokens`);
    return text;
  } finally {
    await database.close();
  }
}
