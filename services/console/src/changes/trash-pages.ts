// The pages of the trash for React.
import type { Replica } from '@taskgraph/client';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { createTrashList, type TrashContent, type TrashList } from './trash-list.ts';

export type Trash = TrashContent & Pick<TrashList, 'more' | 'reload' | 'hide' | 'show'>;

export function useTrash(replica: Replica): Trash {
  const list = useMemo(() => createTrashList(replica), [replica]);
  const content = useSyncExternalStore(list.subscribe, list.content);
  useEffect(() => list.start(), [list]);
  const { more, reload, hide, show } = list;
  return { ...content, more, reload, hide, show };
}
