// A real OpenID Connect provider on this machine, and a browser that signs in there, always as
// `person`.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { call, type Reply } from './account-calls.ts';

const CLIENT_ID = 'taskgraph';
const SECRET = 'a secret of client and provider';
const LONGEST_WAY = 12;
/** Seconds for which the provider keeps things. */
const TTL = 600;

/** The person who signs in at the provider: its subject and other claims. */
export interface Person {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export interface TestProvider {
  readonly environment: Record<string, string>;
  person: Person;
  close(): Promise<void>;
}

/** `publicUrl`: that of the service, to which people come back. */
export async function openProvider(publicUrl: string): Promise<TestProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened: TestProvider = {
    environment: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: SECRET },
    person: { sub: 'nobody' },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: SECRET, redirect_uris: [`${publicUrl}/api/oidc/callback`] }],
    ttl: { Interaction: TTL, Session: TTL, Grant: TTL, AccessToken: TTL, IdToken: TTL, AuthorizationCode: 60 },
    cookies: { keys: ['a key of this test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...opened.person, sub }) }),
  });
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/')) void interact(provider, opened.person, request, response);
    else void answer(request, response);
  });
  return opened;
}

/** Consents to every request of the provider. */
async function interact(provider: Provider, { sub }: Person, request: IncomingMessage, response: ServerResponse) {
  const { prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: sub } });
  const grant = new provider.Grant({ accountId: sub, clientId: CLIENT_ID });
  grant.addOIDCScope('openid email profile');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/**
 * A browser, for which the public address leads to the service: it follows the way to the provider
 * and back, and keeps cookies. Gives the service's answer to the way back.
 */
export async function signInByProvider(serviceUrl: string, publicUrl: string): Promise<Reply> {
  const cookies = new Map<string, string>();
  const begun = await call(serviceUrl, 'GET', '/api/oidc/login');
  const own = cookieValue(begun.cookies['__Host-taskgraph_sign_in']);
  let location = begun.location;
  for (let steps = 0; steps < LONGEST_WAY && location !== null; steps++) {
    if (location.startsWith(publicUrl)) {
      const headers = { cookie: `__Host-taskgraph_sign_in=${own}` };
      return call(serviceUrl, 'GET', location.slice(publicUrl.length), { headers });
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response: Response = await fetch(location, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next: string | null = response.headers.get('location');
    if (next === null) throw new Error(`the way ends at ${location}: ${response.status} ${await response.text()}`);
    location = new URL(next, location).href;
  }
  throw new Error(`the way to the provider does not lead back: ${JSON.stringify(begun)}`);
}

/** A cookie without its attributes. */
export function cookieValue(cookie: string | undefined): string {
  return cookie?.split(';')[0] ?? '';
}
