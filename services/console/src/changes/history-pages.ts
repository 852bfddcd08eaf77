// The pages of the history for React.
import { type HistoryPage, type Replica, rest } from '@taskgraph/client';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { createHistoryList, type HistoryContent, type HistoryList, type Scope } from './history-list.ts';

/** Batches of a page. */
const PAGE = 100;

export type History = HistoryContent & Pick<HistoryList, 'more' | 'reload'>;

export function useHistory(replica: Replica, scope: Scope): History {
  const list = useMemo(() => createHistoryList(replica, scope, (after) => readPage(scope, after)), [replica, scope]);
  const content = useSyncExternalStore(list.subscribe, list.content);
  useEffect(() => list.start(), [list]);
  return { ...content, more: list.more, reload: list.reload };
}

/** Over REST, the scope is everything that the reader sees, without its id (HIS8). */
function readPage(scope: Scope, after: string | null): Promise<HistoryPage> {
  const query: Record<string, string | number> = { limit: PAGE };
  if (scope === 'mine') query.scopeType = 'USER';
  if (after !== null) query.after = after;
  return rest({ url: location.origin, session: true }).request<HistoryPage>('GET', '/api/history', { query });
}
