// The bots of the calling user, and their API tokens. Rules: BOT1, BOT2.
import { addBot, listBots, MAXIMUM_BOTS, maintains, removeBot } from '@taskgraph/graph-store/accounts/bots';
import type { AccountEvent } from '@taskgraph/wire/bus/account-messages';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountEnvironment, handleFor } from './handler.ts';
import { addTokenOf, revokeTokenOf, rotateTokenOf, tokensOf } from './tokens.ts';

const unknownBot = refuse('not_found', 'There is no such bot.');

export const accountBots = handleFor('account:bots', async ({ actor }, { database }) => ({
  bots: await listBots(database, actor.id),
}));

export const accountBotAdd = handleFor('account:bot:add', async ({ payload, actor, now }, { database }) => {
  const bot = await addBot(database, { ...payload, userId: actor.id, now });
  if (bot !== 'full') return { bot };
  return refuse('conflict.too_many_bots', `A user can have at most ${MAXIMUM_BOTS} bots.`, { most: MAXIMUM_BOTS });
});

export const accountBotDelete = handleFor('account:bot:delete', async ({ payload, actor, now }, environment) => {
  if (!(await removeBot(environment.database, { ...payload, userId: actor.id, now }))) return unknownBot;
  environment.tell({ readers: [], feeds: [], users: [payload.id] });
  return {};
});

type BotTokenEvent = Extract<AccountEvent, `account:bot:token${string}`>;

/** A handler that acts on the tokens of one of the actor's bots. */
function handleForBot<E extends BotTokenEvent>(
  event: E,
  work: Parameters<typeof handleFor<E>>[1],
): ReturnType<typeof handleFor<E>> {
  return handleFor(event, async (request, environment) => {
    const refused = await refuseOthersBot(environment, request.actor.id, request.payload.bot);
    return refused ?? work(request, environment);
  });
}

async function refuseOthersBot({ database }: AccountEnvironment, userId: string, bot: string): Promise<Refusal | null> {
  return (await maintains(database, { userId, bot })) ? null : unknownBot;
}

export const accountBotTokens = handleForBot('account:bot:tokens', async ({ payload }, environment) => ({
  tokens: await tokensOf(payload.bot, environment),
}));

export const accountBotTokenAdd = handleForBot('account:bot:token:add', ({ payload: { bot, token } }, environment) =>
  addTokenOf({ userId: bot, token, ofBot: true }, environment),
);

export const accountBotTokenRotate = handleForBot('account:bot:token:rotate', ({ payload, now }, environment) => {
  const { bot, ...rotation } = payload;
  return rotateTokenOf({ ...rotation, userId: bot, now }, environment);
});

export const accountBotTokenRevoke = handleForBot('account:bot:token:revoke', ({ payload, now }, environment) => {
  const { bot, ...revocation } = payload;
  return revokeTokenOf({ ...revocation, userId: bot, now }, environment);
});
