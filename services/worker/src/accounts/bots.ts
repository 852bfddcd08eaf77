// The bots of the calling user, and their API tokens and webhooks. Rules: BOT1, BOT2, BOT3.
import { addBot, isMaintainer, listBots, MAXIMUM_BOTS, removeBot } from '@taskgraph/graph-store/accounts/bots';
import type { AccountEvent } from '@taskgraph/wire/bus/account-messages';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountEnvironment, endedCaller, handleFor } from './handler.ts';
import { addTokenOf, revokeTokenOf, rotateTokenOf, tokensOf } from './tokens.ts';
import { deleteHookOf, deliveriesOf, hooksOf, updateHookOf } from './webhooks.ts';

const unknownBot = refuse('not_found', 'There is no such bot.');

export const accountBots = handleFor('account:bots', async ({ actor }, { database }) => ({
  bots: await listBots(database, actor.id),
}));

export const accountBotAdd = handleFor('account:bot:add', async ({ payload, actor, now }, { database }) => {
  const bot = await addBot(database, { ...payload, userId: actor.id, now });
  if (bot === 'ended') return endedCaller;
  if (bot !== 'full') return { bot };
  return refuse('conflict.too_many_bots', `A user can have at most ${MAXIMUM_BOTS} bots.`, { most: MAXIMUM_BOTS });
});

export const accountBotRemove = handleFor('account:bot:remove', async ({ payload, actor, now }, environment) => {
  if (!(await removeBot(environment.database, { ...payload, userId: actor.id, now }))) return unknownBot;
  environment.publishControl({ readers: [], feeds: [], users: [payload.id] });
  return {};
});

type OneBotEvent = Extract<AccountEvent, `account:bot:${'token' | 'hook'}${string}`>;

/**
 * A handler that acts on the tokens or webhooks of one of the actor's bots. A refusal may come from a bot that
 * was removed meanwhile.
 */
function handleForBot<E extends OneBotEvent>(
  event: E,
  work: Parameters<typeof handleFor<E>>[1],
): ReturnType<typeof handleFor<E>> {
  return handleFor(event, async (request, environment) => {
    const refused = await refuseOthersBot(environment, request.actor.id, request.payload.bot);
    if (refused !== null) return refused;
    const result = await work(request, environment);
    if (!isRefusal(result)) return result;
    return (await refuseOthersBot(environment, request.actor.id, request.payload.bot)) ?? result;
  });
}

async function refuseOthersBot({ database }: AccountEnvironment, userId: string, bot: string): Promise<Refusal | null> {
  return (await isMaintainer(database, { userId, bot })) ? null : unknownBot;
}

export const accountBotTokens = handleForBot('account:bot:tokens', async ({ payload }, environment) => ({
  tokens: await tokensOf(payload.bot, environment),
}));

export const accountBotTokenAdd = handleForBot('account:bot:token:add', ({ payload, actor }, environment) => {
  const { bot, ...addition } = payload;
  return addTokenOf({ ...addition, userId: bot, maintainer: actor.id }, environment);
});

export const accountBotTokenRotate = handleForBot('account:bot:token:rotate', (request, environment) => {
  const { bot, ...rotation } = request.payload;
  const { actor, now } = request;
  return rotateTokenOf({ ...rotation, userId: bot, maintainer: actor.id, now }, environment);
});

export const accountBotTokenRevoke = handleForBot('account:bot:token:revoke', (request, environment) => {
  const { bot, ...revocation } = request.payload;
  const { actor, now } = request;
  return revokeTokenOf({ ...revocation, userId: bot, maintainer: actor.id, now }, environment);
});

export const accountBotHooks = handleForBot('account:bot:hooks', ({ payload, actor, now }, environment) =>
  hooksOf({ ...payload, userId: actor.id, now }, environment),
);

export const accountBotHookUpdate = handleForBot('account:bot:hook:update', ({ payload, actor, now }, environment) => {
  const { bot, caller, ...update } = payload;
  return updateHookOf({ userId: actor.id, bot, caller, now }, update, environment);
});

export const accountBotHookDelete = handleForBot('account:bot:hook:delete', ({ payload, actor, now }, environment) => {
  const { bot, caller, ...removal } = payload;
  return deleteHookOf({ userId: actor.id, bot, caller, now }, removal, environment);
});

export const accountBotHookDeliveries = handleForBot(
  'account:bot:hook:deliveries',
  ({ payload, actor }, environment) => {
    const { bot, caller, id } = payload;
    return deliveriesOf({ userId: actor.id, bot, caller }, id, environment);
  },
);
