// How accounts begin: registrations, and users for whom a provider vouches. Rules: AUTH1, ACL4.
import { addRegistration, ensureVouchedUser, verifyRegistration } from '@taskgraph/graph-store/accounts/sign-up';
import { openTicket } from '@taskgraph/runtime/security/tickets';
import { refuse } from '@taskgraph/wire/errors';
import { handle, publishEndedTokens } from './handler.ts';
import { endedLink } from './sessions.ts';

export const accountRegister = handle('account:register', async ({ payload, now }, { database }) => ({
  known: await addRegistration(database, payload, now),
}));

export const accountVerify = handle('account:verify', async ({ payload, now }, { database, secret, nowMs }) => {
  const link = openTicket(secret, 'registration', payload.ticket, nowMs());
  if (link === null) return endedLink;
  const user = await verifyRegistration(database, { ...link, ...payload, now });
  if (user === 'gone') return endedLink;
  if (user === 'taken') return refuse('conflict.registered', 'This e-mail address already has an account.');
  return { user };
});

export const accountVouch = handle('account:vouch', async ({ payload, now }, environment) => {
  const vouched = await ensureVouchedUser(environment.database, { ...payload, now });
  if (vouched === 'unknown') return refuse('forbidden.registration_off', 'This e-mail address has no account here.');
  if (vouched === 'another') return refuse('forbidden.identity', 'This e-mail address is bound to another identity.');
  publishEndedTokens(environment, vouched.ended);
  return { user: vouched.user };
});
