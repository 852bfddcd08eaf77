// The routes of a user's API tokens: list, create, rotate and revoke. Rule: AUTH2.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
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
    return isRefusal(found) ? found : { body: found };
  });

  const create = authenticatedRoute(
    { name: 'token:create', audited: 'token:create' },
    async ({ name = '', expires = null, readOnly = false }, { user }, context) => {
      if (expires !== null && Date.parse(expires) <= Date.now()) return pastExpiry;
      const plaintext = newTokenText('api');
      const token = { ...storedToken(plaintext, newId), name, readOnly, expires };
      context.note({ tokenId: token.id, name, readOnly, expires });
      const added = await ask('account:token:add', { token }, user, context);
      return isRefusal(added) ? added : { body: { ...added, plaintext } };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'token:rotate', audited: 'token:rotate' },
    async ({ id }, { user }, context) => {
      const plaintext = newTokenText('api');
      const payload = { id, request: newId(0), token: storedToken(plaintext, newId) };
      context.note({ tokenId: id, nextId: payload.token.id });
      const rotated = await ask('account:token:rotate', payload, user, context);
      return isRefusal(rotated) ? rotated : { body: { ...rotated, plaintext } };
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

const pastExpiry = refuse('invalid_due', 'The field expires must lie in the future.', { path: 'expires' });
