// A browser without pages that signs in at an OpenID Connect provider.
import { call, type Reply } from './account-calls.ts';

const LONGEST_WAY = 12;

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
