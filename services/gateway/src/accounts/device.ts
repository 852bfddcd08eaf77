// Known devices: a browser that has signed in stores a signed cookie and counts separately in the
// account's limits. So guessing elsewhere does not lock users out on their own devices. Rules:
// AUTH1, AUTH4.
import { isProof, prove, type Secrets } from '@taskgraph/runtime/security/signed-text';
import { issueTicket, MOST_KNOWN_ACCOUNTS, openTicket } from '@taskgraph/runtime/security/tickets';
import { cookieHeader, cookieName, cookieNamed } from '../auth/credential.ts';
import type { CookieSettings } from '../auth/origin.ts';

const COOKIE = 'taskgraph_device';
/** How long a device stays known after its last sign-in. */
const KNOWN_SECONDS = 365 * 24 * 60 * 60;

/** The Cookie and the Host header of a request. */
interface DeviceHeaders {
  readonly cookie: string;
  readonly host: string;
}

export interface Devices {
  /** Whether this device has signed in to the account before. */
  isKnown(email: string, request: DeviceHeaders): boolean;
  /** The subject counted for a call that names the account: its e-mail, or its known device. */
  shareOf(email: string, request: DeviceHeaders): string;
  /** The cookie header that makes a device known for one more account. */
  known(email: string, request: DeviceHeaders): string;
}

interface DevicesOptions {
  readonly secret: Secrets;
  readonly newId: (slot: number) => string;
  readonly cookies: CookieSettings;
}

export function createDevices({ secret, newId, cookies }: DevicesOptions): Devices {
  const deviceOf = ({ cookie, host }: DeviceHeaders) =>
    openTicket(secret, 'device', cookieNamed(cookieName(COOKIE, host, cookies), cookie) ?? '', Date.now());
  const isAccount = (account: string, email: string) => isProof(secret, 'known-account', folded(email), account);
  const knownDevice = (email: string, request: DeviceHeaders) => {
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
