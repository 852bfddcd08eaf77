// Signing in and out, and changing the password. Rule: AUTH1.
import { revokeToken, setPassword } from '@taskgraph/graph-store/ending-tokens';
import { openSession } from '@taskgraph/graph-store/tokens';
import { findAccount, readAccount } from '@taskgraph/graph-store/users';
import { refuse } from '@taskgraph/wire/errors';
import { handle, handleFor, tellOfEnded } from './handling.ts';

export const accountFind = handle('account:find', async ({ payload }, { database }) => {
  const account = await findAccount(database, payload.email);
  if (account === null) return { account };
  const { id, disabled, passwordHash } = account;
  return { account: { id, disabled, passwordHash } };
});

export const accountMe = handleFor('account:me', async ({ actor }, { database }) => {
  const account = await readAccount(database, actor.id);
  if (account === null) return refuse('unauthorized', 'This user is gone.');
  const { id, email, username, admin } = account;
  return { user: { id, email, username, admin } };
});

export const accountSession = handle('account:session', async ({ payload }, environment) => {
  const opened = await openSession(environment.database, payload, environment.nowMs());
  if (opened === null) return refuse('unauthorized', 'E-mail or password is wrong.');
  tellOfEnded(environment, opened.ended);
  return { user: opened.user };
});

export const accountLogout = handleFor('account:logout', async ({ payload, actor, now }, environment) => {
  await revokeToken(environment.database, { ...payload, userId: actor.id, kind: 'session', now });
  // A session that has ended already is told of again: the first word may have been lost.
  tellOfEnded(environment, [payload.id]);
  return {};
});

export const accountPassword = handleFor('account:password', async ({ payload, actor, now }, environment) => {
  const ended = await setPassword(environment.database, { ...payload, userId: actor.id, now });
  if (ended === null) return refuse('forbidden.wrong_password', 'The current password is wrong.');
  tellOfEnded(environment, ended);
  return {};
});
