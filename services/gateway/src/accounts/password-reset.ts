// The routes that reset a forgotten password, by a link mailed to the account's own address. Rule:
// AUTH4.

import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { openTicket, passwordMark } from '@taskgraph/runtime/security/tickets';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import type { AccountMails } from './account-mails.ts';
import type { RunInBackground } from './background-tasks.ts';
import type { Devices } from './device.ts';
import { passwordPage } from './pages.ts';
import type { Passwords } from './passwords.ts';
import { endedLink } from './registration.ts';
import { type AccountRoute, publicRoute, type RequestContext } from './route.ts';

interface PasswordResetRoutesOptions {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly devices: Devices;
  readonly secret: Secrets;
  /** Runs work after the response. */
  readonly runInBackground: RunInBackground;
  /** Null if the gateway sends no mail. */
  readonly mailing: AccountMails | null;
}

const noMail = refuse('forbidden.mail_off', 'The service cannot send mail; ask its operator to set a new password.');

export function passwordResetRoutes({
  ask,
  passwords,
  devices,
  secret,
  runInBackground,
  mailing,
}: PasswordResetRoutesOptions): readonly AccountRoute[] {
  async function mailTo(email: string, sending: AccountMails, context: RequestContext): Promise<string> {
    const found = await ask('account:find', { email }, null, context);
    if (isRefusal(found)) return found.code;
    const { account } = found;
    if (account === null || account.disabled) return 'unknown';
    const refused = await sending.reset({ userId: account.id, email, mark: passwordMark(account.salt) });
    return refused?.code ?? 'ok';
  }

  const forgot = publicRoute({ name: 'password:forgot', audited: 'password:forgot' }, async ({ email }, context) => {
    if (mailing === null) return noMail;
    context.note({ email });
    // The account is looked up after the answer, so that neither the answer nor its time shows
    // whether it exists.
    const { traceId } = context;
    const what = { email };
    const refused = runInBackground({ event: 'password:mail', what, traceId }, () => mailTo(email, mailing, context));
    return refused ?? { body: {} };
  });

  const { html, headers } = passwordPage('Choose another password', { mayEndTokens: true });
  const page = publicRoute({ name: 'password:page' }, async () =>
    mailing === null ? noMail : { body: {}, page: html, headers },
  );

  const reset = publicRoute(
    { name: 'password:reset', audited: 'password:reset' },
    async ({ token, password, endTokens = false }, context) => {
      if (mailing === null) return noMail;
      // The worker checks the link again. This check saves hashing passwords for invalid links.
      const link = openTicket(secret, 'password-reset', token, Date.now());
      if (link === null) return endedLink;
      context.note({ userId: link.userId, endTokens });
      const passwordHash = await passwords.hash(password, [link.email]);
      if (isRefusal(passwordHash)) return passwordHash;
      const done = await ask('account:reset', { ticket: token, passwordHash, endTokens }, null, context);
      if (isRefusal(done)) return done;
      context.identify({ id: done.userId, email: done.email });
      return { body: {}, headers: { 'Set-Cookie': devices.known(done.email, context) } };
    },
  );

  return [forgot, page, reset];
}
