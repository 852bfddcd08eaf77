// API tokens of the calling user. Rule: AUTH2.
import { revokeToken, rotateToken } from '@taskgraph/graph-store/accounts/token-endings';
import { addToken, listTokens, MAXIMUM_API_TOKENS } from '@taskgraph/graph-store/accounts/tokens';
import { refuse } from '@taskgraph/wire/errors';
import { handleFor, tellOfEnded } from './handler.ts';

const unknownToken = refuse('not_found', 'There is no such token.');

export const accountTokens = handleFor('account:tokens', async ({ actor }, { database }) => ({
  tokens: await listTokens(database, actor.id),
}));

export const accountTokenAdd = handleFor('account:token:add', async ({ payload, actor }, { database, nowMs }) => {
  const token = await addToken(database, { userId: actor.id, token: payload.token }, nowMs());
  if (token !== null) return { token };
  return refuse('conflict.too_many_tokens', `A user can have at most ${MAXIMUM_API_TOKENS} tokens.`, {
    most: MAXIMUM_API_TOKENS,
  });
});

export const accountTokenRotate = handleFor('account:token:rotate', async ({ payload, actor, now }, environment) => {
  const token = await rotateToken(environment.database, { ...payload, userId: actor.id, now });
  if (token === null) return unknownToken;
  if (token === 'expired')
    return refuse('conflict.expired', 'This token has expired; create a new one.', {
      id: payload.id,
    });
  tellOfEnded(environment, [payload.id]);
  return { token };
});

export const accountTokenRevoke = handleFor('account:token:revoke', async ({ payload, actor, now }, environment) => {
  const isRevoked = await revokeToken(environment.database, { ...payload, userId: actor.id, kind: 'api', now });
  if (!isRevoked) return unknownToken;
  tellOfEnded(environment, [payload.id]);
  return {};
});
