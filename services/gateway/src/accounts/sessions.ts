// The routes of a user's sessions: list them, and end one or all others. Rule: AUTH4.
import { isRefusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from './account-client.ts';
import { type AccountRoute, authenticatedRoute } from './route.ts';

interface SessionRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function sessionRoutes({ ask, newId }: SessionRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'session:list' }, async (_payload, { user, token }, context) => {
    const found = await ask('account:sessions', {}, user, context);
    if (isRefusal(found)) return found;
    const sessions = found.sessions.map((session) => ({ ...session, current: session.id === token.id }));
    return { body: { sessions } };
  });

  const end = authenticatedRoute(
    { name: 'session:end', audited: 'session:end' },
    async ({ id }, { user, token }, context) => {
      context.note(id === undefined ? { others: true } : { sessionId: id });
      const ended =
        id === undefined
          ? await ask('account:sessions:end', { keep: token.id, caller: token.id, request: newId(0) }, user, context)
          : await ask('account:session:end', { id, request: newId(0) }, user, context);
      return isRefusal(ended) ? ended : { body: {} };
    },
  );

  return [list, end];
}
