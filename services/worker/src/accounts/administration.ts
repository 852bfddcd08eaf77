// The operations of administrators. Rule: AUTH1.
import { setDisabled } from '@taskgraph/graph-store/accounts/token-endings';
import { listAccounts, readAccount } from '@taskgraph/graph-store/accounts/users';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountEnvironment, handleFor } from './handler.ts';

export const accountUsers = handleFor('account:users', async ({ payload, actor }, environment) => {
  const refused = await refuseOthers(actor, environment);
  if (refused !== null) return refused;
  const users = await listAccounts(environment.database, payload);
  return { users: users.map(({ passwordHash: _kept, ...shown }) => shown) };
});

export const accountDisable = handleFor('account:disable', async ({ payload, actor, now }, environment) => {
  const refused = await refuseOthers(actor, environment);
  if (refused !== null) return refused;
  const { id, disabled } = payload;
  if (id === actor.id) return refuse('conflict.own_account', "Administrators can't disable themselves.");
  const concerned = await setDisabled(environment.database, { userId: id, disabled, now });
  if (concerned === null) return refuse('not_found', 'There is no such user.');
  if (disabled) environment.tell({ readers: [], feeds: [], users: concerned });
  return {};
});

/** Read for each call: a cached identity may be a second old. */
async function refuseOthers(actor: ActingUser, { database }: AccountEnvironment): Promise<Refusal | null> {
  const account = await readAccount(database, actor.id);
  if (account?.admin === true && !account.disabled) return null;
  return refuse('forbidden', 'Only administrators may do this.');
}
