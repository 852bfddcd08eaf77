// The table of all account routes, with their shared parts. Rules: AUTH1, AUTH2, AUTH4.
import type { Requester } from '@taskgraph/bus/requests/request';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { CookieSettings } from '../auth/origin.ts';
import type { InFlight } from '../calls/in-flight.ts';
import type { BackOff } from '../limits/back-off.ts';
import { administration } from './administration.ts';
import { askAccounts } from './asking.ts';
import { createDevices, type Devices } from './device.ts';
import { createLater } from './later.ts';
import { createMailing, type MailingSettings } from './mailing.ts';
import { type OpenidSettings, openid } from './openid.ts';
import { createPasswords } from './passwords.ts';
import { registering } from './registering.ts';
import { resetting } from './resetting.ts';
import type { AccountRoute } from './route.ts';
import { createOpenSession } from './session.ts';
import { managingSessions } from './sessions.ts';
import { signingIn } from './signing-in.ts';
import { managingTokens } from './tokens.ts';

export interface AccountSettings {
  /** TASKGRAPH_SECRET. */
  readonly secret: Secrets;
  readonly sessionDays: number;
  readonly cookies: CookieSettings;
  /** Null if the gateway sends no mail. */
  readonly mailing: MailingSettings | null;
  readonly mayRegister: boolean;
  /** Null without an OpenID Connect provider. */
  readonly openid: OpenidSettings | null;
}

interface Options {
  readonly settings: AccountSettings;
  readonly requester: Pick<Requester, 'read'>;
  readonly deadlineMs: number;
  /** Creates an id in a slot. */
  readonly newId: (slot: number) => string;
  readonly backOff: BackOff;
  readonly inFlight: InFlight;
  readonly audit: Audit;
  readonly log: { error(fields: object, message: string): void };
}

/** The routes, and the subject counted for calls that name an account. */
interface Accounts extends Pick<Devices, 'shareOf'> {
  readonly accountRoutes: readonly AccountRoute[];
}

export function createAccounts(options: Options): Accounts {
  const { settings, requester, deadlineMs, newId, backOff, inFlight, audit, log } = options;
  const { cookies, secret } = settings;
  const ask = askAccounts({ requester, deadlineMs, secret });
  const passwords = createPasswords();
  const devices = createDevices({ secret, newId, cookies });
  const openSession = createOpenSession({ ask, newId, cookies, devices, lifetimeDays: settings.sessionDays });
  const mailing = settings.mailing === null ? null : createMailing(settings.mailing);
  const later = createLater({ inFlight, audit, log });
  const shared = { ask, passwords, newId, devices, secret };
  const accountRoutes = [
    ...signingIn({ ...shared, openSession, cookies, backOff }),
    ...managingSessions({ ask, newId }),
    ...managingTokens({ ask, newId }),
    ...registering({ ...shared, mailing: settings.mayRegister ? mailing : null }),
    ...resetting({ ...shared, later, mailing }),
    ...openid({ ask, openSession, newId, cookies, settings: settings.openid }),
    ...administration({ ask }),
  ];
  return { accountRoutes, shareOf: devices.shareOf };
}
