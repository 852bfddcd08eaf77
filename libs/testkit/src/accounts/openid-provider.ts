// A real OpenID Connect provider on this machine, which signs everybody in as `person`.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const CLIENT_ID = 'taskgraph';
const SECRET = 'a secret of client and provider';
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
