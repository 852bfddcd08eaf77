// The settings of a gateway, read from its environment.
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
  HOST: { schema: z.string(), default: '127.0.0.1', description: 'Address to listen on.' },
  PORT: {
    schema: z.coerce.number().int().min(0).max(65_535),
    default: 8080,
    description: 'Port to listen on; 0 takes any free port.',
  },
  ...redisSettings('URL of Redis 7 or newer, over which gateways send each other slices and count rate limits.'),
  GATEWAY_ID: { schema: z.string().min(1), default: 'gateway', description: 'Name in logs and at NATS.' },
  COMMAND_DEADLINE_MS: {
    schema: z.coerce.number().int().min(100).max(120_000),
    default: 15_000,
    description: 'Milliseconds after the arrival of a request at which it fails as `unavailable`.',
  },
  HEADS_INTERVAL_MS: {
    schema: z.coerce.number().int().min(100).max(600_000),
    default: 10_000,
    description:
      'Milliseconds between messages that tell each socket the current positions of its feeds, so that it notices a lost push.',
  },
  ALLOWED_ORIGINS: {
    schema: z.string().transform(readOrigins),
    default: [] as readonly string[],
    description:
      "Origins of web pages that may call the API besides the service's own, such as https://app.example.com, separated by commas.",
    see: 'accounts.md',
  },
  HSTS_SECONDS: {
    schema: z.coerce.number().int().min(0).max(63_072_000),
    default: 0,
    description: 'Seconds for which browsers use HTTPS only (`Strict-Transport-Security`); 0 sends no such header.',
  },
  TASKGRAPH_SECRET: {
    schema: signingSecrets,
    description:
      'Signs links, sign-ins and known devices; at least 16 characters, the same in all gateways and workers. During a change: the new one, a comma, the old one.',
    see: 'operations.md#changing-the-secret',
  },
  SESSION_DAYS: {
    schema: z.coerce.number().int().min(1).max(365),
    default: 14,
    description: 'Days after which a session ends.',
  },
  COOKIE_SECURE: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether browsers send the session cookie over HTTPS only; turn it off for plain HTTP on one machine.',
  },
  PUBLIC_URL: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description:
      "The service's public URL; pages of this origin may call the API, and addresses of calendars begin with it. Required for registration and sign-in providers.",
  },
  REGISTRATION: {
    schema: z.stringbool(),
    default: false,
    description: 'Whether people can register; requires SMTP_URL, MAIL_FROM and PUBLIC_URL.',
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/ }).optional(),
    description:
      'Mail server for registrations and forgotten passwords, such as `smtp://user:password@host:587`, or `smtps`; requires MAIL_FROM and PUBLIC_URL.',
  },
  MAIL_FROM: { schema: z.string().optional(), description: 'Sender address of mails.' },
  OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'OpenID Connect provider for sign-in; requires OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and PUBLIC_URL.',
  },
  OIDC_NAME: {
    schema: z.string().min(1).max(100),
    default: 'OpenID Connect',
    description: "The provider's name for people, which `GET /api/capabilities` shows everyone.",
  },
  OIDC_CLIENT_ID: { schema: z.string().optional(), description: "The service's client id at the provider." },
  OIDC_CLIENT_SECRET: { schema: z.string().optional(), description: 'The client secret for it.' },
  OIDC_SCOPES: {
    schema: z.string(),
    default: 'openid email profile',
    description: 'Scopes requested from the provider.',
  },
  OIDC_REGISTRATION: {
    schema: z.stringbool(),
    default: false,
    description: 'Whether each user of the provider gets an account; otherwise only existing users can sign in.',
  },
  OIDC_RETURN_URL: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'Page that users return to after signing in at the provider; PUBLIC_URL if not set.',
  },
  DOCS: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether the gateway serves the page `/docs`; `/openapi.json` and `/asyncapi.json` stay.',
  },
  CONSOLE: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether the gateway serves the console, its pages for people, at `/`.',
    see: 'console.md',
  },
  MCP: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether the gateway serves agents at `/mcp`, with the tools of the Model Context Protocol.',
    see: 'agents.md#over-http',
  },
  COMPRESSION: {
    schema: z.stringbool(),
    default: true,
    description: 'Whether answers over REST are compressed, by gateways and, for pages, by workers.',
  },
  TRUSTED_PROXIES: {
    schema: z.string().transform(readProxies),
    default: [] as TrustedProxies['networks'],
    description:
      'Addresses and networks of proxies whose X-Forwarded-For is trusted, such as 10.1.7.0/24, separated by commas.',
  },
  TRUSTED_PROXY_HOPS: {
    schema: z.coerce.number().int().min(1).max(10),
    default: 1,
    description:
      'Number of proxies that a request passes, one behind the other. Entries further left in the header may be forged.',
  },
  TASKGRAPH_LIMITS: {
    schema: z.enum(['on', 'off']),
    default: 'on',
    description: 'Whether rate limits apply; `off` is for benchmarks and tests, and refused with NODE_ENV=production.',
  },
  NODE_ENV: { schema: z.string(), default: '', description: '`production` forbids `TASKGRAPH_LIMITS=off`.' },
  GATEWAYS: {
    schema: z.coerce.number().int().min(1).max(1_000),
    default: 1,
    description:
      'Number of gateways among which limits are divided if this one has not reached Redis since its start; the launcher sets it.',
  },
  STOP_NOTICE_MS: {
    schema: z.coerce.number().int().min(0).max(60_000),
    default: 0,
    description:
      'Milliseconds for which a stopping gateway reports that it is not ready but still serves, for load balancers that poll readiness.',
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
