// The routes of a user's sessions: list them, and end one or all others. Rule: AUTH4.
import { isRefusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from './asking.ts';
import { type AccountRoute, ownRoute } from './route.ts';

interface Options {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function managingSessions({ ask, newId }: Options): readonly AccountRoute[] {
  const list = ownRoute({ name: 'session:list' }, async (_payload, { user, token }, circumstances) => {
    const found = await ask('account:sessions', {}, user, circumstances);
    if (isRefusal(found)) return found;
    const sessions = found.sessions.map((session) => ({ ...session, current: session.id === token.id }));
    return { body: { sessions } };
  });

  const end = ownRoute(
    { name: 'session:end', audited: 'session:end' },
    async ({ id }, { user, token }, circumstances) => {
      circumstances.note(id === undefined ? { others: true } : { sessionId: id });
      const ended =
        id === undefined
          ? await ask('account:sessions:end', { keep: token.id }, user, circumstances)
          : await ask('account:session:end', { id, request: newId(0) }, user, circumstances);
      return isRefusal(ended) ? ended : { body: {} };
    },
  );

  return [list, end];
}
