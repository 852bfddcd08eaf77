// The users of tests that share a database. Their e-mails differ from those of other files and of
// earlier runs.
import { createHash, randomUUID } from 'node:crypto';
import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { addToken } from '@taskgraph/graph-store/accounts/tokens';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { hashPassword } from '@taskgraph/runtime/security/passwords';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import { SLOTS } from '@taskgraph/wire/ids';
import type { Scope } from '@taskgraph/wire/scopes';

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

/** What a token may do: everything, only read, or the calls of its scopes. */
export interface GivenScopes {
  readonly readOnly?: boolean;
  readonly scopes?: readonly Scope[];
}

/**
 * A new API token of the user with this e-mail. Creates the user if necessary, named by the part
 * before the `@`.
 */
export function makeToken(
  environment: Readonly<Record<string, string>>,
  email: string,
  { readOnly = false, scopes }: GivenScopes = {},
): Promise<string> {
  return withUser(environment, email, async (database, userId) => {
    const text = newTokenText();
    const hash = createHash('sha256').update(text).digest('hex');
    const allowed = scopes === undefined ? { readOnly } : { scopes };
    const token = { id: newId(0), hash, prefix: shownPrefix(text), name: '', expires: null, ...allowed };
    if ((await addToken(database, { userId, token }, Date.now())) === null)
      throw new Error(`${email} has too many tokens`);
    return text;
  });
}

/** Sets the password of the user with this e-mail. Creates the user as above. */
export function makePassword(
  environment: Readonly<Record<string, string>>,
  email: string,
  password: string,
): Promise<void> {
  return withUser(environment, email, async (database, userId) => {
    const set = { after: await hashPassword(password), before: null, keep: '', endTokens: false };
    await setPassword(database, { userId, ...set, now: new Date().toISOString() });
  });
}

async function withUser<T>(
  { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' }: Readonly<Record<string, string>>,
  email: string,
  act: (database: Database, userId: string) => Promise<T>,
): Promise<T> {
  const database = openDatabase({ url, user, password });
  try {
    const username = email.replace(/@.*/, '').replace(/[^A-Za-z0-9_]/g, '_');
    const id = newId(Math.floor(Math.random() * SLOTS));
    const { id: userId } = await ensureUser(database, { id, email, username, now: new Date().toISOString() });
    return await act(database, userId);
  } finally {
    await database.close();
  }
}
