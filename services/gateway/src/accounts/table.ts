// The table of all account routes, with their shared parts. Rules: AUTH1, AUTH2, AUTH4, AUTH5.
import type { Requester } from '@taskgraph/bus/requests/request';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { CookieSettings } from '../auth/origin.ts';
import type { InFlight } from '../calls/in-flight.ts';
import type { BackOff } from '../limits/back-off.ts';
import { createAskAccounts } from './account-client.ts';
import { type AccountMailSettings, createAccountMails } from './account-mails.ts';
import { administrationRoutes } from './administration.ts';
import { createBackgroundTasks } from './background-tasks.ts';
import { botRoutes } from './bots.ts';
import { calendarRoutes } from './calendars/calendar-routes.ts';
import { capabilitiesRoutes, type ServiceFacts } from './capabilities.ts';
import { createDevices, type Devices } from './device.ts';
import { importRoutes } from './imports/import-routes.ts';
import { type OpenidSettings, openidRoutes } from './openid.ts';
import { passwordResetRoutes } from './password-reset.ts';
import { createPasswords } from './passwords.ts';
import { registrationRoutes } from './registration.ts';
import type { AccountRoute } from './route.ts';
import { createOpenSession } from './session.ts';
import { sessionRoutes } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { tokenRoutes } from './tokens.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export interface AccountSettings {
  /** TASKGRAPH_SECRET. */
  readonly secret: Secrets;
  readonly sessionDays: number;
  readonly cookies: CookieSettings;
  /** Null if the gateway sends no mail. */
  readonly mailing: AccountMailSettings | null;
  readonly mayRegister: boolean;
  /** The service's public URL, without a slash at its end; null if none is configured. */
  readonly publicUrl: string | null;
  /** Null without an OpenID Connect provider. */
  readonly openid: OpenidSettings | null;
}

interface AccountsOptions {
  readonly settings: AccountSettings;
  readonly service: ServiceFacts;
  readonly requester: Pick<Requester, 'read'>;
  readonly deadlineMs: number;
  /** Creates an id in a slot. */
  readonly newId: (slot: number) => string;
  readonly backOff: BackOff;
  readonly inFlight: InFlight;
  readonly audit: Audit;
  readonly log: { error(fields: object, message: string): void };
}

/** The address of the service; without a configured one, that of a request's Host header. */
export function baseUrlOf(
  { publicUrl, cookies }: Pick<AccountSettings, 'publicUrl' | 'cookies'>,
  host: string,
): string {
  return publicUrl ?? `${cookies.isSecure ? 'https' : 'http'}://${host}`;
}

/** The routes, and the subject counted for calls that name an account. */
interface Accounts extends Pick<Devices, 'shareOf'> {
  readonly accountRoutes: readonly AccountRoute[];
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { settings, service, requester, deadlineMs, newId, backOff, inFlight, audit, log } = options;
  const { cookies, secret } = settings;
  const ask = createAskAccounts({ requester, deadlineMs, secret });
  const passwords = createPasswords();
  const devices = createDevices({ secret, newId, cookies });
  const openSession = createOpenSession({ ask, newId, cookies, devices, lifetimeDays: settings.sessionDays });
  const mailing = settings.mailing === null ? null : createAccountMails(settings.mailing);
  const runInBackground = createBackgroundTasks({ inFlight, audit, log });
  const shared = { ask, passwords, newId, devices, secret };
  const accountRoutes = [
    ...capabilitiesRoutes({
      ...service,
      mayRegister: settings.mayRegister,
      sendsMail: mailing !== null,
      provider: settings.openid?.name ?? null,
    }),
    ...signInRoutes({ ...shared, openSession, cookies, backOff }),
    ...sessionRoutes({ ask, newId }),
    ...tokenRoutes({ ask, newId }),
    ...botRoutes({ ask, newId }),
    ...calendarRoutes({ ask, newId, baseOf: (host) => baseUrlOf(settings, host) }),
    ...webhookRoutes({ ask, newId, secret }),
    ...importRoutes({ ask, newId }),
    ...registrationRoutes({ ...shared, mailing: settings.mayRegister ? mailing : null }),
    ...passwordResetRoutes({ ...shared, runInBackground, mailing }),
    ...openidRoutes({ ask, openSession, newId, cookies, settings: settings.openid }),
    ...administrationRoutes({ ask, newId }),
  ];
  return { accountRoutes, shareOf: devices.shareOf };
}
