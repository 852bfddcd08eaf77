// API tokens of the calling user, and those of bots (bots.ts). Rules: AUTH2, SCOPE1, BOT2.
import { revokeToken, rotateToken } from '@taskgraph/graph-store/accounts/token-endings';
import { addToken, listTokens, MAXIMUM_API_TOKENS } from '@taskgraph/graph-store/accounts/tokens';
import { refuse } from '@taskgraph/wire/errors';
import { type AccountEnvironment, endedCaller, handleFor, publishEndedTokens } from './handler.ts';

const unknownToken = refuse('not_found', 'There is no such token.');

export function tokensOf(userId: string, { database }: AccountEnvironment) {
  return listTokens(database, userId);
}

export async function addTokenOf(request: Parameters<typeof addToken>[1], { database, nowMs }: AccountEnvironment) {
  const token = await addToken(database, request, nowMs());
  if (token === 'ended') return endedCaller;
  if (token !== null) return { token };
  return refuse('conflict.too_many_tokens', `A user can have at most ${MAXIMUM_API_TOKENS} tokens.`, {
    most: MAXIMUM_API_TOKENS,
  });
}

export async function rotateTokenOf(request: Parameters<typeof rotateToken>[1], environment: AccountEnvironment) {
  const token = await rotateToken(environment.database, request);
  if (token === 'ended') return endedCaller;
  if (token === null) return unknownToken;
  if (token === 'expired')
    return refuse('conflict.expired', 'This token has expired; create a new one.', {
      id: request.id,
    });
  publishEndedTokens(environment, [request.id]);
  return { token };
}

export async function revokeTokenOf(
  request: Omit<Parameters<typeof revokeToken>[1], 'kind'>,
  environment: AccountEnvironment,
) {
  if (!(await revokeToken(environment.database, { ...request, kind: 'api' }))) return unknownToken;
  publishEndedTokens(environment, [request.id]);
  return {};
}

export const accountTokens = handleFor('account:tokens', async ({ actor }, environment) => ({
  tokens: await tokensOf(actor.id, environment),
}));

export const accountTokenAdd = handleFor('account:token:add', ({ payload, actor }, environment) =>
  addTokenOf({ ...payload, userId: actor.id }, environment),
);

export const accountTokenRotate = handleFor('account:token:rotate', ({ payload, actor, now }, environment) =>
  rotateTokenOf({ ...payload, userId: actor.id, now }, environment),
);

export const accountTokenRevoke = handleFor('account:token:revoke', ({ payload, actor, now }, environment) =>
  revokeTokenOf({ ...payload, userId: actor.id, now }, environment),
);
