// The account settings, validated together, since some need others. Rule: AUTH1.
import type { ConfigOf } from '@taskgraph/runtime/service/config';
import type { configuration } from '../configuration.ts';
import type { AccountMailSettings } from './account-mails.ts';
import { createMailer } from './mail.ts';
import { CALLBACK_PATH, type OpenidSettings } from './openid.ts';
import { createProvider } from './provider.ts';
import type { AccountSettings } from './table.ts';

type Config = ConfigOf<typeof configuration>;

interface FailureLog {
  warn(fields: object, message: string): void;
}

/** Throws an Error that names a missing setting, without any values. */
export function accountSettings(config: Config, log: FailureLog): AccountSettings {
  return {
    secret: config.TASKGRAPH_SECRET,
    sessionDays: config.SESSION_DAYS,
    cookies: { isSecure: config.COOKIE_SECURE, publicOrigin: originOf(config.PUBLIC_URL) },
    mailing: mailingSettings(config, log),
    mayRegister: config.REGISTRATION,
    publicUrl: config.PUBLIC_URL === undefined ? null : withoutSlash(config.PUBLIC_URL),
    openid: config.OIDC_ISSUER === undefined ? null : openidSettings(config, config.OIDC_ISSUER, log),
  };
}

function mailingSettings(config: Config, log: FailureLog): AccountMailSettings | null {
  const because = config.REGISTRATION ? 'REGISTRATION is on' : 'SMTP_URL is set';
  if (config.SMTP_URL === undefined && !config.REGISTRATION) return null;
  const url = needed(config, 'SMTP_URL', because);
  const from = needed(config, 'MAIL_FROM', because);
  const publicUrl = withoutSlash(needed(config, 'PUBLIC_URL', because));
  return { send: createMailer({ url, from }, log), publicUrl, secret: config.TASKGRAPH_SECRET };
}

function openidSettings(config: Config, issuer: string, log: FailureLog): OpenidSettings {
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) {
    throw new Error('The configuration is wrong.\n- OIDC_ISSUER must be https, except on this machine.');
  }
  const publicUrl = withoutSlash(needed(config, 'PUBLIC_URL', 'OIDC_ISSUER is set'));
  const provider = createProvider(
    {
      issuer,
      scopes: config.OIDC_SCOPES,
      redirectUrl: publicUrl + CALLBACK_PATH,
      clientId: needed(config, 'OIDC_CLIENT_ID', 'OIDC_ISSUER is set'),
      clientSecret: needed(config, 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER is set'),
    },
    log,
  );
  const returnUrl = config.OIDC_RETURN_URL ?? `${publicUrl}/`;
  return {
    name: config.OIDC_NAME,
    provider,
    secret: config.TASKGRAPH_SECRET,
    mayRegister: config.OIDC_REGISTRATION,
    returnUrl,
  };
}

type Texts = 'SMTP_URL' | 'MAIL_FROM' | 'PUBLIC_URL' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET';

function needed(config: Config, name: Texts, because: string): string {
  const value = config[name];
  if (value === undefined) throw new Error(`The configuration is wrong.\n- ${name} is needed, since ${because}.`);
  return value;
}

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

function withoutSlash(url: string): string {
  // Backtracks: the address comes from the configuration.
  return url.replace(/\/+$/, '');
}
