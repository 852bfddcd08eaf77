// The calls on the bots of an account. Rules: BOT1, BOT2, BOT3.
import type { Bots, NewBot } from '@taskgraph/wire/public-types';
import { rest } from '../rest.ts';
import { tokenCalls } from './account.ts';
import { managedWebhooks } from './webhooks.ts';

/**
 * The bots that the user of a session maintains; `true` stands for the session of the browser. Each
 * call throws a TaskgraphError. A call is sent again after a lost connection: then a bot may be
 * created twice.
 */
export function bots({ url, session }: { url: string; session: string | true }) {
  const { request } = rest(session === true ? { url, session } : { url, token: session });
  return {
    list: async () => (await request<Bots>('GET', '/api/bot')).bots,
    create: async (name: string) => (await request<NewBot>('POST', '/api/bot', { body: { name } })).bot,
    /** Ends its tokens too. */
    remove: async (id: string) => void (await request('DELETE', '/api/bot', { body: { id } })),
    /** The calls on the API tokens of a bot, given by its id, as `account().tokens` has them. */
    tokens: (bot: string) => tokenCalls(request, { bot }),
    /** The calls on the webhooks of a bot that its maintainer has. Only a token of the bot adds one. */
    webhooks: (bot: string) => managedWebhooks(request, { bot }),
  };
}
