// The routes of administrators: they look at users, disable them, and enable them again. Rule: AUTH1.
import { isRefusal } from '@taskgraph/wire/errors';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import type { AskAccounts } from './asking.ts';
import { type AccountRoute, ownRoute } from './route.ts';

const USERS_A_PAGE = 100;
const MOST_USERS_A_PAGE = 1_000;

export function administration({ ask }: { readonly ask: AskAccounts }): readonly AccountRoute[] {
  const users = ownRoute(
    {
      name: 'admin:users',
      rest: { method: 'GET', path: '/api/admin/users' },
      caller: 'session',
      payload: z.strictObject({
        limit: z.int().min(1).max(MOST_USERS_A_PAGE).default(USERS_A_PAGE),
        after: anyId.optional(),
      }),
    },
    async ({ limit, after = '' }, { user }, circumstances) => {
      // One more than asked for tells whether there are more.
      const found = await ask('account:users', { after, limit: limit + 1 }, user, circumstances);
      if (isRefusal(found)) return found;
      const [users, hasMore] = [found.users.slice(0, limit), found.users.length > limit];
      return { body: { users, hasMore, next: hasMore ? (users.at(-1)?.id ?? null) : null } };
    },
  );

  const disable = ownRoute(
    {
      name: 'admin:user',
      rest: { method: 'PUT', path: '/api/admin/user' },
      ...{ caller: 'session', changes: true, audited: 'admin:user' },
      payload: z.strictObject({ id: anyId, disabled: z.boolean() }),
    },
    async (payload, { user }, circumstances) => {
      circumstances.note({ userId: payload.id, disabled: payload.disabled });
      const done = await ask('account:disable', payload, user, circumstances);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  return [users, disable];
}
