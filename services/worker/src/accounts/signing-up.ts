// How accounts begin: registrations, and users for whom a provider vouches. Rules: AUTH1, ACL4.
import { addRegistration, ensureVouchedUser, verifyRegistration } from '@taskgraph/graph-store/signing-up';
import { refuse } from '@taskgraph/wire/errors';
import { handle } from './handling.ts';

export const accountRegister = handle('account:register', async ({ payload, now }, { database }) => ({
  known: await addRegistration(database, payload, now),
}));

export const accountVerify = handle('account:verify', async ({ payload, now }, { database }) => {
  const user = await verifyRegistration(database, { ...payload, now });
  if (user === 'gone') return refuse('not_found', 'This link was used already, or has expired.');
  if (user === 'taken') return refuse('conflict.registered', 'This e-mail has an account already.');
  return { user };
});

export const accountVouch = handle('account:vouch', async ({ payload, now }, { database }) => {
  const user = await ensureVouchedUser(database, { ...payload, now });
  if (user === 'unknown') return refuse('forbidden.registration_off', 'Nobody with this e-mail has an account here.');
  if (user === 'another') return refuse('forbidden.identity', 'This e-mail signs in by another identity.');
  return { user };
});
