// The routes of administrators: they list users, disable and enable them. Rule: AUTH1.
import { isRefusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';

export function administrationRoutes({ ask }: { readonly ask: AskAccounts }): readonly AccountRoute[] {
  const users = authenticatedRoute({ name: 'admin:users' }, async ({ limit, after = '' }, { user }, context) => {
    // One extra user shows whether there are more.
    const found = await ask('account:users', { after, limit: limit + 1 }, user, context);
    if (isRefusal(found)) return found;
    const [users, hasMore] = [found.users.slice(0, limit), found.users.length > limit];
    return { body: { users, hasMore, next: hasMore ? (users.at(-1)?.id ?? null) : null } };
  });

  const disable = authenticatedRoute(
    { name: 'admin:user', audited: 'admin:user' },
    async (payload, { user }, context) => {
      context.note({ userId: payload.id, disabled: payload.disabled });
      const done = await ask('account:disable', payload, user, context);
      return isRefusal(done) ? done : { body: {} };
    },
  );

  return [users, disable];
}
