// Sign-in, and the operations on an account that a session allows. Rules: AUTH1, AUTH2, AUTH4.

import type { ApiTokens, Capabilities, Me, NewApiToken, Scope, Sessions, SignedIn } from '@taskgraph/wire/public-types';
import { type RestClient, rest } from '../rest.ts';

/** Returns what the service offers, such as registration, without an account. */
export function capabilities({ url }: { url: string }): Promise<Omit<Capabilities, 'ok' | 'trace_id'>> {
  return rest({ url, token: '' }).request('GET', '/api/capabilities');
}

/**
 * Signs in by password. Throws a TaskgraphError `unauthorized` if the e-mail or password is wrong.
 */
export function signIn({ url, ...body }: { url: string; email: string; password: string }): Promise<SignedIn> {
  return rest({ url, token: '' }).request('POST', '/api/login', { body });
}

/**
 * Signs in by the token of a sign-in link. Throws a TaskgraphError `not_found` if the link is used or
 * has expired.
 */
export function signInByLink({ url, ...body }: { url: string; token: string }): Promise<SignedIn> {
  return rest({ url, token: '' }).request('POST', '/api/login/link', { body });
}

/**
 * Requests a mail with a link to set a new password. Does not reveal whether the account exists.
 */
export async function forgotPassword({ url, ...body }: { url: string; email: string }): Promise<void> {
  await rest({ url, token: '' }).request('POST', '/api/password/forgot', { body });
}

/** The fields of a new API token. */
export interface TokenFields {
  name?: string;
  expires?: string | null;
  readOnly?: boolean;
  scopes?: readonly Scope[];
}

/**
 * The calls that a session allows; `true` stands for the session of the browser, its cookie. Each
 * throws a TaskgraphError. A call is sent again after a lost connection: then a token may be created
 * twice, and revoking may fail with `not_found`.
 */
export function account({ url, session }: { url: string; session: string | true }) {
  const { request } = rest(session === true ? { url, session } : { url, token: session });
  return {
    me: async () => (await request<Me>('GET', '/api/me')).user,
    /** Ends the session. */
    signOut: async () => void (await request('POST', '/api/logout')),
    /** Also ends all other sessions of the user, and with `endTokens` their API tokens, calendars and webhooks. */
    changePassword: async (body: { current: string; password: string; endTokens?: boolean }) =>
      void (await request('PUT', '/api/password', { body })),
    sessions: {
      list: async () => (await request<Sessions>('GET', '/api/session')).sessions,
      end: async (id: string) => void (await request('DELETE', '/api/session', { body: { id } })),
      endOthers: async () => void (await request('DELETE', '/api/session', { body: {} })),
    },
    tokens: tokenCalls(request),
  };
}

/** The calls on the API tokens of the user, or of a bot. */
export function tokenCalls(request: RestClient['request'], of: { readonly bot?: string } = {}) {
  return {
    list: async () => (await request<ApiTokens>('GET', '/api/token', { query: of })).tokens,
    create: (fields: TokenFields = {}) => request<NewApiToken>('POST', '/api/token', { body: { ...fields, ...of } }),
    rotate: (id: string) => request<NewApiToken>('POST', '/api/token/rotate', { body: { id, ...of } }),
    revoke: async (id: string) => void (await request('DELETE', '/api/token', { body: { id, ...of } })),
  };
}
