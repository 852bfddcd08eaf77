// Sends mail over SMTP: the one file that knows nodemailer. Rule: AUTH1.
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { createTransport } from 'nodemailer';

/** Mails that are handed over at once, and that may wait for it. */
const AT_ONCE = 4;
const WAITING = 100;
/** A server that takes longer for any one step is given up. */
const STEP_LIMIT_MS = 5_000;

export interface MailSettings {
  /** Where the SMTP server is, with user and password: `smtp://user:password@host:587`, or `smtps`. */
  readonly url: string;
  /** The sender's address. */
  readonly from: string;
}

interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Hands a mail to the server; null when it was taken, `unavailable` where it was not. */
export type SendMail = (mail: Mail) => Promise<null | Refusal>;

/** A password must not cross a network in plain text, though a server may forget to offer TLS. */
function needsTls({ hostname, username }: URL): boolean {
  return username !== '' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

interface FailureLog {
  warn(fields: object, message: string): void;
}

export function createMailer({ url, from }: MailSettings, log: FailureLog): SendMail {
  const transport = createTransport({
    url,
    ...{ connectionTimeout: STEP_LIMIT_MS, greetingTimeout: STEP_LIMIT_MS, socketTimeout: STEP_LIMIT_MS },
    requireTLS: needsTls(new URL(url)),
    // Nothing that stands in a mail is ever read from a file or fetched.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const bounded = createConcurrencyLimit({ atOnce: AT_ONCE, waiting: WAITING });
  return ({ to, subject, text }) =>
    bounded(async () => {
      try {
        // As an object it is one address, whatever is in it.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
        return null;
      } catch (error) {
        const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
        // The server's own words may hold the address.
        log.warn({ code, responseCode }, 'a mail could not be sent');
        return refuse('unavailable', "Mail can't be sent just now; try again later.");
      }
    });
}
