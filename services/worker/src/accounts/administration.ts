// The operations of administrators. Their answers have nothing that a user writes, except what
// identifies a person. Rules: AUTH1, ADMIN1 to ADMIN6.
import { endSessions, revokeToken, setDisabled } from '@taskgraph/graph-store/accounts/token-endings';
import { listSessions, listTokens } from '@taskgraph/graph-store/accounts/tokens';
import { findAccount, listAccounts, readAccount } from '@taskgraph/graph-store/accounts/users';
import { disableAdminWebhook, listAdminWebhooks } from '@taskgraph/graph-store/webhooks/admin-webhooks';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountAnswer, AccountEvent, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountEnvironment, type AccountHandler, endedCaller, handleFor, publishEndedTokens } from './handler.ts';

interface AdministratorRequest<E extends AccountEvent> {
  readonly payload: AccountPayload<E>;
  readonly actor: ActingUser;
  readonly now: string;
}

/** A handler that only administrators may call. */
function handleForAdministrators<E extends AccountEvent>(
  event: E,
  work: (request: AdministratorRequest<E>, environment: AccountEnvironment) => Promise<AccountAnswer<E> | Refusal>,
): AccountHandler {
  return handleFor(event, async (request, environment) => {
    const refused = await refuseOthers(request.actor, environment);
    return refused ?? work(request, environment);
  });
}

const notAdministrator = refuse('forbidden', 'Only administrators may do this.');
const unknownUser = refuse('not_found', 'There is no such user.');

export const accountUsers = handleForAdministrators('account:users', async ({ payload }, { database }) => {
  const { email, ...page } = payload;
  const found = email === undefined ? await listAccounts(database, page) : [await findAccount(database, email)];
  const users = found.filter((user) => user !== null);
  return { users: users.map(({ passwordHash: _kept, ...shown }) => shown) };
});

export const accountDisable = handleForAdministrators(
  'account:disable',
  async ({ payload, actor, now }, environment) => {
    const { id, disabled, caller, request } = payload;
    if (id === actor.id) return refuse('conflict.own_account', "Administrators can't disable themselves.");
    const change = { actor: actor.id, userId: id, disabled, caller, request, now };
    const concerned = await setDisabled(environment.database, change);
    if (concerned === 'ended') return endedCaller;
    if (concerned === null) return unknownUser;
    if (concerned === 'forbidden') return notAdministrator;
    if (disabled) environment.publishControl({ readers: [], feeds: [], users: concerned });
    return {};
  },
);

export const accountAdminStatus = handleForAdministrators('account:admin:status', async (_request, { survey }) => {
  const result = await survey(null);
  if (isRefusal(result)) return result;
  const { replies, truncated } = result;
  return { services: replies.map(({ report }) => report), truncated };
});

export const accountAdminService = handleForAdministrators('account:admin:service', async ({ payload }, { survey }) => {
  const result = await survey(payload.process);
  if (isRefusal(result)) return result;
  const [reply] = result.replies;
  if (reply === undefined || reply.details === null) return refuse('not_found', 'No such process answers.');
  return { service: reply.report, details: reply.details };
});

export const accountAdminSessions = handleForAdministrators(
  'account:admin:sessions',
  async ({ payload: { user }, now }, { database }) => {
    if ((await readAccount(database, user)) === null) return unknownUser;
    return { sessions: await listSessions(database, user, now) };
  },
);

export const accountAdminSessionEnd = handleForAdministrators(
  'account:admin:session:end',
  async ({ payload: { user, id, request, caller }, actor, now }, environment) => {
    const { database } = environment;
    if (id === null) {
      if ((await readAccount(database, user)) === null) return unknownUser;
      // No session has this id, so all end.
      const call = { userId: actor.id, caller, request, now };
      const all = await endSessions(database, call, { userId: user, keep: '' });
      if (all === 'ended') return endedCaller;
      publishEndedTokens(environment, all);
      return {};
    }
    const ended = await revokeToken(database, { userId: user, id, request, kind: 'session', now });
    if (!ended) return refuse('not_found', 'There is no such session.');
    publishEndedTokens(environment, [id]);
    return {};
  },
);

export const accountAdminTokens = handleForAdministrators(
  'account:admin:tokens',
  async ({ payload: { user } }, { database }) => {
    if ((await readAccount(database, user)) === null) return unknownUser;
    const tokens = await listTokens(database, user);
    return { tokens: tokens.map(({ name: _written, ...shown }) => shown) };
  },
);

export const accountAdminTokenRevoke = handleForAdministrators(
  'account:admin:token:revoke',
  async ({ payload: { user, id, request }, now }, environment) => {
    const ended = await revokeToken(environment.database, { userId: user, id, request, kind: 'api', now });
    if (!ended) return refuse('not_found', 'There is no such token.');
    publishEndedTokens(environment, [id]);
    return {};
  },
);

export const accountAdminHooks = handleForAdministrators(
  'account:admin:hooks',
  async ({ payload, now }, { database }) => ({
    hooks: await listAdminWebhooks(database, { ...payload, now }),
  }),
);

export const accountAdminHookDisable = handleForAdministrators(
  'account:admin:hook:disable',
  async ({ payload, actor, now }, { database }) => {
    const found = await disableAdminWebhook(database, { ...payload, userId: actor.id, now });
    if (found === 'ended') return endedCaller;
    return found ? {} : refuse('not_found', 'There is no such webhook.');
  },
);

/** Read for each call: a cached identity may be a second old. */
async function refuseOthers(actor: ActingUser, { database }: AccountEnvironment): Promise<Refusal | null> {
  const account = await readAccount(database, actor.id);
  if (account?.admin === true && !account.disabled) return null;
  return notAdministrator;
}
