// The users of tests that share a database: their e-mails are those of no other file, nor of an earlier run of the same.
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

/** From here on `emailOf` gives other e-mails: users.setup.ts calls it for each file, since files of a process share this module. */
export function useOtherEmails(): void {
  domain = newDomain();
}

/** The e-mail of a user by this name, in this file alone. */
export function emailOf(name: string): string {
  return `${name}@${domain}`;
}

/** A new API token of the user with this e-mail, who is made if there is none and named by what stands before the `@`. */
export async function makeToken(environment: Readonly<Record<string, string>>, email: string): Promise<string> {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  const database = openDatabase({ url, user, password });
  try {
    const username = email.replace(/@.*/, '').replace(/[^A-Za-z0-9_]/g, '_');
    const id = newId(Math.floor(Math.random() * SLOTS));
    const owner = await ensureUser(database, { id, email, username, now: new Date().toISOString() });
    const text = newTokenText();
    const hash = createHash('sha256').update(text).digest('hex');
    const token = { id: newId(0), hash, prefix: shownPrefix(text), name: '', readOnly: false, expires: null };
    if ((await addToken(database, { userId: owner.id, token }, Date.now())) === null)
      throw new Error(`${email} has too many tokens`);
    return text;
  } finally {
    await database.close();
  }
}
