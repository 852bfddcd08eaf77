// The routes of registration: a mailed link lets its reader choose the password. Rules: AUTH1,
// AUTH4, ACL4.

import { randomSlot } from '@taskgraph/runtime/ids';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { openTicket } from '@taskgraph/runtime/security/tickets';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import { type AccountMails, REGISTRATION_MS } from './account-mails.ts';
import type { Devices } from './device.ts';
import { passwordPage } from './pages.ts';
import type { Passwords } from './passwords.ts';
import { type AccountRoute, publicRoute } from './route.ts';

interface RegistrationRoutesOptions {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly newId: (slot: number) => string;
  readonly devices: Devices;
  readonly secret: Secrets;
  /** Null if registration is off. */
  readonly mailing: AccountMails | null;
}

/** The same refusal for a forged, an expired and a used link. */
export const endedLink = refuse('not_found', 'This link was already used or has expired.');

const registrationOff = refuse('forbidden.registration_off', 'Registration is off; ask the operator of the service.');

export function registrationRoutes(options: RegistrationRoutesOptions): readonly AccountRoute[] {
  const { ask, passwords, newId, devices, secret, mailing } = options;
  const register = publicRoute(
    { name: 'register', audited: 'register' },
    async ({ email, username: name }, context) => {
      if (mailing === null) return registrationOff;
      context.note({ email });
      const id = newId(0);
      const expires = new Date(Date.now() + REGISTRATION_MS).toISOString();
      const registered = await ask('account:register', { id, email, username: name, expires }, null, context);
      if (isRefusal(registered)) return registered;
      // A known e-mail gets a mail too, so that neither the answer nor its time shows whether it is
      // known.
      const refused = await (registered.known ? mailing.alreadyRegistered(email) : mailing.registration({ id, email }));
      return refused ?? { body: {} };
    },
  );

  const { html, headers } = passwordPage('Choose a password', { mayEndTokens: false });
  const page = publicRoute({ name: 'register:page' }, async () =>
    mailing === null ? registrationOff : { body: {}, page: html, headers },
  );

  const verify = publicRoute(
    { name: 'register:verify', audited: 'register:verify' },
    async ({ token, password }, context) => {
      if (mailing === null) return registrationOff;
      // The worker checks the link again. This check saves hashing passwords for invalid links.
      const link = openTicket(secret, 'registration', token, Date.now());
      if (link === null) return endedLink;
      context.note({ email: link.email });
      const passwordHash = await passwords.hash(password, [link.email]);
      if (isRefusal(passwordHash)) return passwordHash;
      // A random slot spreads owners over the partitions.
      const userId = newId(randomSlot());
      const verified = await ask('account:verify', { ticket: token, userId, passwordHash }, null, context);
      if (isRefusal(verified)) return verified;
      const { user } = verified;
      context.identify(user);
      context.note({ userId: user.id });
      return { body: { user }, headers: { 'Set-Cookie': devices.known(user.email, context) } };
    },
  );

  return [register, page, verify];
}
