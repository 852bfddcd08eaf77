// The devices that accounts are known on: a browser that has signed in keeps a signed cookie, and has a share of its own in the limits that
// count for an account. So nobody is locked out where they always sign in, whoever guesses at their password elsewhere. Rules: AUTH1, AUTH4.
import { isProof, prove, type Secrets } from '@taskgraph/runtime/security/signed-text';
import { issueTicket, MOST_KNOWN_ACCOUNTS, openTicket } from '@taskgraph/runtime/security/tickets';
import { cookieHeader, cookieName, cookieNamed } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';

const COOKIE = 'taskgraph_device';
/** How long a device is known after its last sign-in. */
const KNOWN_SECONDS = 365 * 24 * 60 * 60;

/** The Cookie and the Host header of a request. */
interface Headed {
  readonly cookie: string;
  readonly host: string;
}

export interface Devices {
  /** Whether this device has signed in to the account before. */
  isKnown(email: string, request: Headed): boolean;
  /** The caller that is counted for a call that names this account: its e-mail, or this device of it. */
  shareOf(email: string, request: Headed): string;
  /** The header that makes a device known for an account, besides those that it is known for. */
  known(email: string, request: Headed): string;
}

interface Options {
  readonly secret: Secrets;
  readonly newId: (slot: number) => string;
  readonly cookies: CookieSettings;
}

export function createDevices({ secret, newId, cookies }: Options): Devices {
  const deviceOf = ({ cookie, host }: Headed) =>
    openTicket(secret, 'device', cookieNamed(cookieName(COOKIE, host, cookies), cookie) ?? '', Date.now());
  const isAccount = (account: string, email: string) => isProof(secret, 'known-account', folded(email), account);
  const knownDevice = (email: string, request: Headed) => {
    const device = deviceOf(request);
    return device?.accounts.some((account) => isAccount(account, email)) === true ? device : null;
  };
  return {
    isKnown: (email, request) => knownDevice(email, request) !== null,
    shareOf(email, request) {
      const device = knownDevice(email, request);
      return device === null ? email : `${email} on ${device.id}`;
    },
    known(email, request) {
      const account = prove(secret, 'known-account', folded(email));
      const { id, accounts } = deviceOf(request) ?? { id: newId(0), accounts: [] };
      const newest = [account, ...accounts.filter((other) => !isAccount(other, email))].slice(0, MOST_KNOWN_ACCOUNTS);
      const value = issueTicket(secret, 'device', { id, accounts: newest }, Date.now() + KNOWN_SECONDS * 1_000);
      return cookieHeader({ name: COOKIE, value, seconds: KNOWN_SECONDS }, request.host, cookies);
    },
  };
}

function folded(email: string): string {
  return email.trim().toLowerCase();
}
