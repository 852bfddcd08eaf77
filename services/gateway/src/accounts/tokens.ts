// The routes of a user's API tokens: list, create, rotate and revoke. Rules: AUTH2, SCOPE1.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { onlyReads, SCOPES, type Scope, scopesOf } from '@taskgraph/wire/scopes';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';
import { storedToken } from './session.ts';

interface TokenRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function tokenRoutes({ ask, newId }: TokenRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'token:list' }, async (_payload, { user }, context) => {
    const found = await ask('account:tokens', {}, user, context);
    return isRefusal(found) ? found : { body: { tokens: found.tokens.map(shownToken) } };
  });

  const create = authenticatedRoute(
    { name: 'token:create', audited: 'token:create' },
    async ({ name = '', expires = null, ...rights }, { user }, context) => {
      if (expires !== null && Date.parse(expires) <= Date.now()) return pastExpiry;
      const plaintext = newTokenText('api');
      const token = { ...storedToken(plaintext, newId), name, expires, ...storedRights(rights) };
      const { readOnly, may } = shownRights(storedRights(rights));
      context.note({ tokenId: token.id, name, readOnly, may, expires });
      const added = await ask('account:token:add', { token }, user, context);
      return isRefusal(added) ? added : { body: { token: shownToken(added.token), plaintext } };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'token:rotate', audited: 'token:rotate' },
    async ({ id }, { user }, context) => {
      const plaintext = newTokenText('api');
      const payload = { id, request: newId(0), token: storedToken(plaintext, newId) };
      context.note({ tokenId: id, nextId: payload.token.id });
      const rotated = await ask('account:token:rotate', payload, user, context);
      return isRefusal(rotated) ? rotated : { body: { token: shownToken(rotated.token), plaintext } };
    },
  );

  const revoke = authenticatedRoute(
    { name: 'token:revoke', audited: 'token:revoke' },
    async ({ id }, { user }, context) => {
      context.note({ tokenId: id });
      const revoked = await ask('account:token:revoke', { id, request: newId(0) }, user, context);
      return isRefusal(revoked) ? revoked : { body: {} };
    },
  );

  return [list, create, rotate, revoke];
}

/** The stored form: a token that has all scopes or only reads is stored as earlier releases do. */
function storedRights({ readOnly = false, may }: { readOnly?: boolean | undefined; may?: Scope[] | undefined }) {
  if (may === undefined) return { readOnly };
  return onlyReads(may) ? { readOnly: true } : { may: SCOPES.filter((scope) => may.includes(scope)) };
}

interface StoredRights {
  readonly readOnly?: boolean | undefined;
  readonly may?: readonly string[] | undefined;
}

/** The scopes as clients see them: all are listed. */
function shownRights({ readOnly = false, may }: StoredRights): { readOnly: boolean; may: readonly Scope[] } {
  const scopes = scopesOf({ readOnly, may });
  return { readOnly: onlyReads(scopes), may: scopes ?? SCOPES };
}

function shownToken<T extends StoredRights>(token: T) {
  return { ...token, ...shownRights(token) };
}

const pastExpiry = refuse('invalid_due', 'The field expires must lie in the future.', { path: 'expires' });
