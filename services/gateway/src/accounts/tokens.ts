// The routes of a user's API tokens: list, create, rotate and revoke. Rule: AUTH2.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AskAccounts } from './asking.ts';
import { type AccountRoute, ownRoute } from './route.ts';
import { kept } from './session.ts';

interface Options {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function managingTokens({ ask, newId }: Options): readonly AccountRoute[] {
  const list = ownRoute({ name: 'token:list' }, async (_payload, { user }, circumstances) => {
    const found = await ask('account:tokens', {}, user, circumstances);
    return isRefusal(found) ? found : { body: found };
  });

  const create = ownRoute(
    { name: 'token:create', audited: 'token:create' },
    async ({ name = '', expires = null, readOnly = false }, { user }, circumstances) => {
      if (expires !== null && Date.parse(expires) <= Date.now()) return pastExpiry;
      const plaintext = newTokenText('api');
      const token = { ...kept(plaintext, newId), name, readOnly, expires };
      circumstances.note({ tokenId: token.id, name, readOnly, expires });
      const made = await ask('account:token:add', { token }, user, circumstances);
      return isRefusal(made) ? made : { body: { ...made, plaintext } };
    },
  );

  const rotate = ownRoute(
    { name: 'token:rotate', audited: 'token:rotate' },
    async ({ id }, { user }, circumstances) => {
      const plaintext = newTokenText('api');
      const payload = { id, request: newId(0), token: kept(plaintext, newId) };
      circumstances.note({ tokenId: id, nextId: payload.token.id });
      const made = await ask('account:token:rotate', payload, user, circumstances);
      return isRefusal(made) ? made : { body: { ...made, plaintext } };
    },
  );

  const revoke = ownRoute(
    { name: 'token:revoke', audited: 'token:revoke' },
    async ({ id }, { user }, circumstances) => {
      circumstances.note({ tokenId: id });
      const revoked = await ask('account:token:revoke', { id, request: newId(0) }, user, circumstances);
      return isRefusal(revoked) ? revoked : { body: {} };
    },
  );

  return [list, create, rotate, revoke];
}

const pastExpiry = refuse('invalid_due', 'The field expires must lie in the future.', { path: 'expires' });
