// The routes of a user's bots: list, create and remove. tokens.ts has those of their tokens. Rules:
// BOT1, BOT2.
import { randomSlot } from '@taskgraph/runtime/ids';
import { isRefusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';

interface BotRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function botRoutes({ ask, newId }: BotRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'bot:list' }, async (_payload, { user }, context) => {
    const found = await ask('account:bots', {}, user, context);
    return isRefusal(found) ? found : { body: found };
  });

  const create = authenticatedRoute(
    { name: 'bot:create', audited: 'bot:create' },
    async ({ name }, { user, token }, context) => {
      const id = newId(randomSlot());
      context.note({ botId: id, name });
      const created = await ask('account:bot:add', { id, name, caller: token.id }, user, context);
      return isRefusal(created) ? created : { body: created };
    },
  );

  const remove = authenticatedRoute(
    { name: 'bot:remove', audited: 'bot:remove' },
    async ({ id }, { user }, context) => {
      context.note({ botId: id });
      const removed = await ask('account:bot:remove', { id }, user, context);
      return isRefusal(removed) ? removed : { body: {} };
    },
  );

  return [list, create, remove];
}
