// What the environment says about accounts, judged as a whole: some settings are of no use without others. Rule: AUTH1.
import type { ConfigOf } from '@taskgraph/runtime/config';
import type { configuration } from '../configuration.ts';
import type { AccountSettings } from './table.ts';

type Config = ConfigOf<typeof configuration>;

export function accountSettings(config: Config): AccountSettings {
  return { sessionDays: config.SESSION_DAYS, cookies: { isSecure: config.COOKIE_SECURE } };
}
