// The settings of a gateway, from its environment.
import { defineConfig } from '@taskgraph/runtime/service/config';
import { natsSettings, redisSettings, signingSecrets, watchSettings } from '@taskgraph/runtime/service/settings';
import { z } from 'zod';
import { isOrigin } from './auth/origin.ts';
import { parseNetworks, type TrustedProxies } from './http/client-address.ts';
import { limitSettings } from './limits/limit-settings.ts';
import { connectionSettings } from './socket/connection-settings.ts';

export const configuration = defineConfig({
  ...watchSettings,
  ...natsSettings,
  HOST: { schema: z.string(), default: '127.0.0.1', description: 'The address to listen on.' },
  PORT: { schema: z.coerce.number().int().min(0).max(65_535), default: 8080, description: 'The port to listen on.' },
  ...redisSettings('Where Redis 7 is, over which gateways hand slices to each other and count limits.'),
  GATEWAY_ID: { schema: z.string().min(1), default: 'gateway', description: "The gateway's name in logs and at NATS." },
  COMMAND_DEADLINE_MS: {
    schema: z.coerce.number().int().min(100).max(120_000),
    default: 15_000,
    description: 'Milliseconds from the arrival of a request after which it is refused as `unavailable`.',
  },
  HEADS_INTERVAL_MS: {
    schema: z.coerce.number().int().min(100).max(600_000),
    default: 10_000,
    description: 'Milliseconds after which sockets learn how far their feeds are, in case that a push got lost.',
  },
  ALLOWED_ORIGINS: {
    schema: z.string().transform(readOrigins),
    default: [] as readonly string[],
    description: 'Origins of web pages, with commas between, that may call besides those of the service itself.',
  },
  HSTS_SECONDS: {
    schema: z.coerce.number().int().min(0).max(63_072_000),
    default: 0,
    description: 'Seconds for which browsers shall come back over HTTPS alone; 0 says nothing of it.',
  },
  TASKGRAPH_SECRET: {
    schema: signingSecrets,
    description:
      'Signs links, sign-ins and known devices; the same in all gateways. While it is changed: the new one, a comma, the old one.',
  },
  SESSION_DAYS: {
    schema: z.coerce.number().int().min(1).max(365),
    default: 14,
    description: 'Days after which a session ends.',
  },
  COOKIE_SECURE: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether browsers send the cookie of a session over HTTPS alone.',
  },
  PUBLIC_URL: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description:
      'Where people reach the service: pages of that origin may call. Needed where they register or sign in by a provider.',
  },
  REGISTRATION: { schema: z.stringbool(), default: false, description: 'Whether people can register.' },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    description: 'The server that takes mail, with user and password: `smtp://user:password@host:587`.',
  },
  MAIL_FROM: { schema: z.string().optional(), description: 'The address that mail comes from.' },
  OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'The OpenID Connect provider by which people can sign in.',
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), description: 'What the provider knows this service by.' },
  OIDC_CLIENT_SECRET: { schema: z.string().optional(), description: 'The secret that goes with it.' },
  OIDC_SCOPES: { schema: z.string(), default: 'openid email profile', description: 'What the provider is asked for.' },
  OIDC_REGISTRATION: {
    schema: z.stringbool(),
    default: false,
    description: 'Whether whoever the provider knows gets an account; else only those who have one sign in.',
  },
  OIDC_RETURN_URL: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'Where people are sent when the provider has signed them in; PUBLIC_URL if not set.',
  },
  DOCS: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether there is the page `/docs`, on which people read of the API and try it.',
  },
  TRUSTED_PROXIES: {
    schema: z.string().transform(readProxies),
    default: [] as TrustedProxies['networks'],
    description: 'Addresses and networks of proxies, with commas between, whose X-Forwarded-For is believed.',
  },
  TRUSTED_PROXY_HOPS: {
    schema: z.coerce.number().int().min(1).max(10),
    default: 1,
    description:
      'How many proxies a request passes, one behind the other; what stands further left in the header may be made up.',
  },
  TASKGRAPH_LIMITS: {
    schema: z.enum(['on', 'off']),
    default: 'on',
    description:
      'Whether there are rate limits; `off` is for benchmarks and tests, and refused with NODE_ENV=production.',
  },
  NODE_ENV: { schema: z.string(), default: '', description: '`production` does not let limits be off.' },
  GATEWAYS: {
    schema: z.coerce.number().int().min(1).max(1_000),
    default: 1,
    description: 'How many gateways share the limits while Redis is away and has not told how many there are.',
  },
  STOP_NOTICE_MS: {
    schema: z.coerce.number().int().min(0).max(60_000),
    default: 0,
    description:
      'For how long a gateway that is told to stop goes on serving while it says that it is not ready: for load balancers that only learn it so.',
  },
  ...connectionSettings,
  ...limitSettings,
});

function readOrigins(text: string, context: z.RefinementCtx): readonly string[] {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.every(isOrigin)) return origins;
  context.addIssue({ code: 'custom', message: 'it must be origins such as https://app.example.com' });
  return z.NEVER;
}

function readProxies(text: string, context: z.RefinementCtx): TrustedProxies['networks'] {
  try {
    return parseNetworks(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'it must be addresses or networks such as 10.1.7.0/24' });
    return z.NEVER;
  }
}
