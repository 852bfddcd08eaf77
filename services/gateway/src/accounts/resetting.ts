// The routes that reset a forgotten password, by a link mailed to the account's own address. Rule:
// AUTH4.

import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { openTicket, passwordMark } from '@taskgraph/runtime/security/tickets';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AskAccounts } from './asking.ts';
import type { Devices } from './device.ts';
import type { Later } from './later.ts';
import type { Mailing } from './mailing.ts';
import { passwordPage } from './pages.ts';
import type { Passwords } from './passwords.ts';
import { endedLink } from './registering.ts';
import { type AccountRoute, type Circumstances, openRoute } from './route.ts';

interface Options {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly devices: Devices;
  readonly secret: Secrets;
  /** Runs work after the response. */
  readonly later: Later;
  /** Null if the gateway sends no mail. */
  readonly mailing: Mailing | null;
}

const noMail = refuse('forbidden.mail_off', 'The service cannot send mail; ask its operator to set a new password.');

export function resetting({ ask, passwords, devices, secret, later, mailing }: Options): readonly AccountRoute[] {
  async function mailTo(email: string, sending: Mailing, circumstances: Circumstances): Promise<string> {
    const found = await ask('account:find', { email }, null, circumstances);
    if (isRefusal(found)) return found.code;
    const { account } = found;
    if (account === null || account.disabled) return 'unknown';
    const refused = await sending.reset({ userId: account.id, email, mark: passwordMark(account.salt) });
    return refused?.code ?? 'ok';
  }

  const forgot = openRoute(
    { name: 'password:forgot', audited: 'password:forgot' },
    async ({ email }, circumstances) => {
      if (mailing === null) return noMail;
      circumstances.note({ email });
      // The account is looked up after the answer, so that neither the answer nor its time shows
      // whether it exists.
      const { traceId } = circumstances;
      const what = { email };
      const refused = later({ event: 'password:mail', what, traceId }, () => mailTo(email, mailing, circumstances));
      return refused ?? { body: {} };
    },
  );

  const { html, headers } = passwordPage('Choose another password', { mayEndTokens: true });
  const page = openRoute({ name: 'password:page' }, async () =>
    mailing === null ? noMail : { body: {}, page: html, headers },
  );

  const reset = openRoute(
    { name: 'password:reset', audited: 'password:reset' },
    async ({ token, password, endTokens = false }, circumstances) => {
      if (mailing === null) return noMail;
      // The worker checks the link again. This check saves hashing passwords for invalid links.
      const link = openTicket(secret, 'password-reset', token, Date.now());
      if (link === null) return endedLink;
      circumstances.note({ userId: link.userId, endTokens });
      const passwordHash = await passwords.hash(password, [link.email]);
      if (isRefusal(passwordHash)) return passwordHash;
      const done = await ask('account:reset', { ticket: token, passwordHash, endTokens }, null, circumstances);
      if (isRefusal(done)) return done;
      circumstances.identify({ id: done.userId, email: done.email });
      return { body: {}, headers: { 'Set-Cookie': devices.known(done.email, circumstances) } };
    },
  );

  return [forgot, page, reset];
}
