// Mails with links that prove the ownership of an e-mail address. Rules: AUTH1, AUTH4.

import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { issueTicket } from '@taskgraph/runtime/security/tickets';
import type { Refusal } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import type { SendMail } from './mail.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** How long each link is valid. */
export const REGISTRATION_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;

/** The paths of the links: GET returns the page, which then sends a POST. */
const VERIFY_PATH = OPERATIONS['register:page'].transports.rest.path;
const RESET_PATH = OPERATIONS['password:page'].transports.rest.path;

export interface AccountMailSettings {
  readonly send: SendMail;
  /** The service's public address for the links, without a trailing slash. */
  readonly publicUrl: string;
  /** Signs the links. */
  readonly secret: Secrets;
}

/**
 * Mails contain no text of the person who caused them, since the recipient may be a stranger to
 * that person.
 */
export interface AccountMails {
  registration(registration: { readonly id: string; readonly email: string }): Promise<null | Refusal>;
  alreadyRegistered(email: string): Promise<null | Refusal>;
  reset(whose: { readonly userId: string; readonly email: string; readonly mark: string }): Promise<null | Refusal>;
}

export function createAccountMails({ send, publicUrl, secret }: AccountMailSettings): AccountMails {
  // Behind the `#`, so that only the page gets the token: no log, no proxy, no other page.
  const link = (path: string, token: string) => `${publicUrl}${path}#token=${token}`;
  const write = (to: string, subject: string, lines: readonly string[]) =>
    send({ to, subject, text: lines.join('\n\n') });
  return {
    registration({ id, email }) {
      const token = issueTicket(secret, 'registration', { id, email }, Date.now() + REGISTRATION_MS);
      return write(email, 'Verify your e-mail address', [
        'Somebody has registered with this e-mail address. If it was you, open this link within 24 hours and choose a password:',
        link(VERIFY_PATH, token),
        'If it was not you, do nothing: without the link nothing comes of it.',
      ]);
    },
    alreadyRegistered: (email) =>
      write(email, 'You have an account already', [
        'Somebody has tried to register with this e-mail address, which has an account already.',
        'If it was you, sign in, or ask for another password. If it was not you, do nothing: nothing has changed.',
      ]),
    reset({ userId, email, mark }) {
      const token = issueTicket(secret, 'password-reset', { userId, email, mark }, Date.now() + RESET_MS);
      return write(email, 'Choose another password', [
        'Somebody has asked for another password for this account. If it was you, open this link within an hour and choose one:',
        link(RESET_PATH, token),
        'If it was not you, do nothing: your password stays as it is.',
      ]);
    },
  };
}
