// The table of all routes of accounts, and what they are made of. Rules: AUTH1, AUTH2.
import type { Requester } from '@taskgraph/bus/request';
import type { CookieSettings } from '../credential.ts';
import { administration } from './administration.ts';
import { askAccounts } from './asking.ts';
import { type OpenidSettings, openid } from './openid.ts';
import { createPasswords } from './passwords.ts';
import { type RegistrationSettings, registering } from './registering.ts';
import type { AccountRoute } from './route.ts';
import { createOpenSession } from './session.ts';
import { signingIn } from './signing-in.ts';
import { managingTokens } from './tokens.ts';

/** How accounts work here. */
export interface AccountSettings {
  /** TASKGRAPH_SECRET. */
  readonly secret: string;
  readonly sessionDays: number;
  readonly cookies: CookieSettings;
  /** Null where nobody can register. */
  readonly registration: RegistrationSettings | null;
  /** Null where there is no OpenID Connect provider. */
  readonly openid: OpenidSettings | null;
}

interface Options {
  readonly settings: AccountSettings;
  readonly requester: Pick<Requester, 'read'>;
  readonly deadlineMs: number;
  /** Makes an id in a slot. */
  readonly newId: (slot: number) => string;
}

export function accountRoutes({ settings, requester, deadlineMs, newId }: Options): readonly AccountRoute[] {
  const { cookies } = settings;
  const ask = askAccounts({ requester, deadlineMs, secret: settings.secret });
  const passwords = createPasswords();
  const openSession = createOpenSession({ ask, newId, cookies, lifetimeDays: settings.sessionDays });
  return [
    ...signingIn({ ask, passwords, openSession, cookies, newId }),
    ...managingTokens({ ask, newId }),
    ...registering({ ask, passwords, newId, settings: settings.registration }),
    ...openid({ ask, openSession, newId, cookies, settings: settings.openid }),
    ...administration({ ask }),
  ];
}
