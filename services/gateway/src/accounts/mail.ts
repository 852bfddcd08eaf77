// Sends mail over SMTP: the only file that imports nodemailer. Rule: AUTH1.
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { createTransport } from 'nodemailer';

/** Mails sent at once, and mails that may wait. */
const AT_ONCE = 4;
const WAITING = 100;
/** The limit for each step of the SMTP server. */
const STEP_LIMIT_MS = 5_000;

export interface MailSettings {
  /** The SMTP server with user and password: `smtp://user:password@host:587`, or `smtps`. */
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

/** Sends a mail: null if the server accepted it, else `unavailable`. */
export type SendMail = (mail: Mail) => Promise<null | Refusal>;

/** A password requires TLS, even if the server does not offer it; the local machine is exempt. */
function needsTls({ hostname, username }: URL): boolean {
  return username !== '' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

interface FailureLog {
  warn(fields: object, message: string): void;
}

export function createMailer({ url, from }: MailSettings, log: FailureLog): SendMail {
  const transport = createTransport({
    url,
    connectionTimeout: STEP_LIMIT_MS,
    greetingTimeout: STEP_LIMIT_MS,
    socketTimeout: STEP_LIMIT_MS,
    requireTLS: needsTls(new URL(url)),
    // No content of a mail is read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bounded = createConcurrencyLimit({ atOnce: AT_ONCE, waiting: WAITING });
  return ({ to, subject, text }) =>
    bounded(async () => {
      try {
        // As an object it is one address, whatever characters it has.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
        return null;
      } catch (error) {
        const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
        // The server's message may contain the address.
        log.warn({ code, responseCode }, 'a mail could not be sent');
        return refuse('unavailable', "Mail can't be sent just now; try again later.");
      }
    });
}
