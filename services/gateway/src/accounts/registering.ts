// Registering with an e-mail, which a link that is sent there verifies. Rules: AUTH1, ACL4.
import { seal, unseal } from '@taskgraph/runtime/sealing';
import { reachableEmail, username } from '@taskgraph/wire/accounts';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { text } from '@taskgraph/wire/fields';
import { anyId, SLOTS } from '@taskgraph/wire/ids';
import { z } from 'zod';
import type { AskAccounts } from './asking.ts';
import type { SendMail } from './mail.ts';
import { newPassword, type Passwords } from './passwords.ts';
import { type AccountRoute, openRoute } from './route.ts';

/** How long the link counts. */
const LINK_MS = 24 * 60 * 60 * 1_000;
const LONGEST_LINK = 2_000;
const VERIFY_PATH = '/api/register/verify';

/** What registering needs. */
export interface RegistrationSettings {
  readonly send: SendMail;
  /** Where people reach the service, without a slash at the end: the link leads there. */
  readonly publicUrl: string;
  /** Signs the links. */
  readonly secret: string;
}

interface Options {
  readonly ask: AskAccounts;
  readonly passwords: Passwords;
  readonly newId: (slot: number) => string;
  /** Null where nobody can register. */
  readonly settings: RegistrationSettings | null;
}

const link = z.strictObject({ id: anyId, email: reachableEmail, expires: z.iso.datetime() });
const registrationOff = refuse('forbidden.registration_off', 'Nobody can register here; ask who runs the service.');
const brokenLink = refuse('not_found', 'This link was used already, or has expired.');

export function registering({ ask, passwords, newId, settings }: Options): readonly AccountRoute[] {
  const register = openRoute(
    {
      name: 'register',
      rest: { method: 'POST', path: '/api/register' },
      payload: z.strictObject({ email: reachableEmail, username, password: newPassword }),
    },
    async ({ email, username: name, password }, circumstances) => {
      if (settings === null) return registrationOff;
      const passwordHash = await passwords.hash(password);
      if (isRefusal(passwordHash)) return passwordHash;
      const [id, expires] = [newId(0), new Date(Date.now() + LINK_MS).toISOString()];
      const registration = { id, email, username: name, passwordHash, expires };
      const kept = await ask('account:register', registration, null, circumstances);
      if (isRefusal(kept)) return kept;
      // To a known e-mail goes a mail too: neither the answer nor its time tells whether it is known.
      const token = seal(settings.secret, 'registration', Buffer.from(JSON.stringify({ id, email, expires })));
      const mail = kept.known ? knownMail() : linkMail(`${settings.publicUrl}${VERIFY_PATH}?token=${token}`);
      const refused = await settings.send({ to: email, ...mail });
      return refused ?? { body: {} };
    },
  );

  const verify = openRoute(
    {
      name: 'register:verify',
      rest: { method: 'GET', path: VERIFY_PATH, alsoPost: true },
      payload: z.strictObject({ token: text(LONGEST_LINK, 1) }),
    },
    async ({ token }, circumstances) => {
      if (settings === null) return registrationOff;
      const content = unseal(settings.secret, 'registration', token);
      if (content === null) return brokenLink;
      const { id, email, expires } = link.parse(JSON.parse(content.toString('utf8')));
      if (Date.parse(expires) <= Date.now()) return brokenLink;
      // A user's slot is drawn at random: it spreads owners over the partitions.
      const userId = newId(Math.floor(Math.random() * SLOTS));
      const verified = await ask('account:verify', { id, email, userId }, null, circumstances);
      return isRefusal(verified) ? verified : { body: { user: verified.user } };
    },
  );

  return [register, verify];
}

/** Mails hold nothing that whoever registers has written: they go to people who may not know of it. */
function linkMail(url: string): { subject: string; text: string } {
  const lines = [
    'Somebody has registered with this e-mail address. If it was you, open this link within 24 hours:',
    url,
    'If it was not you, do nothing: without the link nothing comes of it.',
  ];
  return { subject: 'Verify your e-mail address', text: lines.join('\n\n') };
}

function knownMail(): { subject: string; text: string } {
  const lines = [
    'Somebody has tried to register with this e-mail address, which has an account already.',
    'If it was you, sign in with the password that you have. If it was not you, do nothing: nothing has changed.',
  ];
  return { subject: 'You have an account already', text: lines.join('\n\n') };
}
