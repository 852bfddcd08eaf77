// The routes of a user's sources of imports. Rule: IO12.
import { isRefusal } from '@taskgraph/wire/errors';
import type { AskAccounts } from '../account-client.ts';
import { type AccountRoute, authenticatedRoute } from '../route.ts';

interface ImportRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
}

export function importRoutes({ ask, newId }: ImportRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'import:list' }, async (_payload, { user }, context) => {
    const found = await ask('account:imports', {}, user, context);
    return isRefusal(found) ? found : { body: { sources: found.sources } };
  });

  const begin = authenticatedRoute({ name: 'import:begin' }, async (payload, { user }, context) => {
    const { under = null, format = null, reading = null, origin = null, fingerprint = '', ...start } = payload;
    const request = { ...start, under, format, reading, origin, fingerprint, id: newId(0) };
    const begun = await ask('account:import:begin', request, user, context);
    return isRefusal(begun) ? begun : { body: { ...begun } };
  });

  const store = authenticatedRoute({ name: 'import:store' }, async (payload, { user }, context) => {
    const { source, run, tasks = [], links = [], droppedTasks = [], droppedLinks = [] } = payload;
    const { batch = null, complete = false } = payload;
    const rows = { source, run, tasks, links, droppedTasks, droppedLinks, batch, complete, request: newId(0) };
    const stored = await ask('account:import:store', rows, user, context);
    return isRefusal(stored) ? stored : { body: {} };
  });

  const rows = authenticatedRoute({ name: 'import:rows' }, async ({ source, after = '' }, { user }, context) => {
    const page = await ask('account:import:rows', { source, after }, user, context);
    return isRefusal(page) ? page : { body: { ...page, hasMore: page.next !== null } };
  });

  const revert = authenticatedRoute({ name: 'import:revert' }, async (payload, { user }, context) => {
    const reverted = await ask('account:import:revert', payload, user, context);
    return isRefusal(reverted) ? reverted : { body: { ...reverted } };
  });

  const remove = authenticatedRoute({ name: 'import:delete' }, async ({ source }, { user }, context) => {
    const removed = await ask('account:import:delete', { source, request: newId(0) }, user, context);
    return isRefusal(removed) ? removed : { body: {} };
  });

  return [list, begin, store, rows, revert, remove];
}
