// Signing in, and what somebody who has signed in may do with their account. Rules: AUTH1, AUTH2, AUTH4.

import type { ApiTokens, Me, NewApiToken, Sessions, SignedIn } from '@taskgraph/wire/public-types';
import { rest } from './rest.ts';

/** Signs in by password; throws a TaskgraphError `unauthorized` where e-mail or password is wrong. */
export function signIn({ url, ...body }: { url: string; email: string; password: string }): Promise<SignedIn> {
  return rest({ url, token: '' }).request('POST', '/api/login', { body });
}

/** Has a link mailed to an account, for another password; says nothing of whether there is one. */
export async function forgotPassword({ url, ...body }: { url: string; email: string }): Promise<void> {
  await rest({ url, token: '' }).request('POST', '/api/password/forgot', { body });
}

/**
 * The calls that a session allows. Each throws a TaskgraphError. After a lost connection a call is sent again: a token whose answer got
 * lost may be there twice then, and one that was revoked may be `not_found`.
 */
export function account({ url, session }: { url: string; session: string }) {
  const { request } = rest({ url, token: session });
  return {
    me: async () => (await request<Me>('GET', '/api/me')).user,
    /** Ends the session. */
    signOut: async () => void (await request('POST', '/api/logout')),
    /** Ends all other sessions of the user too, and with `endTokens` their API tokens. */
    changePassword: async (body: { current: string; password: string; endTokens?: boolean }) =>
      void (await request('PUT', '/api/password', { body })),
    sessions: {
      list: async () => (await request<Sessions>('GET', '/api/session')).sessions,
      end: async (id: string) => void (await request('DELETE', '/api/session', { body: { id } })),
      endOthers: async () => void (await request('DELETE', '/api/session', { body: {} })),
    },
    tokens: {
      list: async () => (await request<ApiTokens>('GET', '/api/token')).tokens,
      create: (body: { name?: string; expires?: string | null; readOnly?: boolean } = {}) =>
        request<NewApiToken>('POST', '/api/token', { body }),
      rotate: (id: string) => request<NewApiToken>('POST', '/api/token/rotate', { body: { id } }),
      revoke: async (id: string) => void (await request('DELETE', '/api/token', { body: { id } })),
    },
  };
}
