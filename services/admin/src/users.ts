// Shared steps of the commands for users: finding the user and setting a password. Rule: AUTH1.

import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { isCommonPassword } from '@taskgraph/runtime/security/common-passwords';
import { hashPassword } from '@taskgraph/runtime/security/passwords';
import { isBotAddress, PASSWORD_LENGTH, username as validUsername } from '@taskgraph/wire/account-fields';
import type { ActingUser } from '@taskgraph/wire/actor';
import { z } from 'zod';

export const newId = createIdFactory();

interface UserArguments {
  readonly email: string;
  readonly username?: string | undefined;
  readonly password: string | undefined;
}

/** Throws if an argument is invalid for a user. */
export function checkUser({ email, username, password }: UserArguments): void {
  if (!z.email().safeParse(email).success) throw new Error(`${email} is not an e-mail address.`);
  if (isBotAddress(email)) throw new Error(`${email} is the address of a bot, which only its maintainer manages.`);
  if (username !== undefined && !validUsername.safeParse(username).success) {
    throw new Error('A username is one line of at most 100 characters, at least one of them visible.');
  }
  const { least, most } = PASSWORD_LENGTH;
  if (password !== undefined && (password.length < least || password.length > most)) {
    throw new Error(`A password has ${least} to ${most} characters.`);
  }
  if (password !== undefined && isCommonPassword(password, [email])) {
    throw new Error('This password is among the first that others try.');
  }
}

/** The user with this e-mail, which counts as verified; created if absent. */
export function findOrMakeUser(
  database: Database,
  { email, username }: { email: string; username: string | undefined },
): Promise<ActingUser> {
  // A random slot spreads owners over the partitions.
  const id = newId(randomSlot());
  const name = username ?? email.split('@')[0] ?? email;
  return ensureUser(database, { id, email, username: name, now: new Date().toISOString() });
}

/** Sets a user's password and ends all their sessions. Returns the ids of the sessions. */
export async function givePassword(database: Database, userId: string, password: string): Promise<string[]> {
  const after = await hashPassword(password);
  const now = new Date().toISOString();
  const ended = await setPassword(database, { userId, before: null, after, keep: '', endTokens: false, now });
  return Array.isArray(ended) ? ended : [];
}
