// The reader's own tasks that have a share or a public link.
import type { Replica } from '@taskgraph/client';
import { useCallback, useRef, useState, useSyncExternalStore } from 'react';
import type { Task } from '../../graph/task.ts';
import { titleOf } from '../../messages/messages.ts';
import { access as accessTexts } from '../../messages/texts/access.ts';
import { shared as texts } from '../../messages/texts/shared.ts';
import { GrantList } from '../../panel/access/grant-list.tsx';
import { isPublic, sharedTaskOf } from '../../panel/access/shared-task.ts';
import { useAccess } from '../../panel/access/use-access.ts';
import { recordedShares } from '../../session/share-changes.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { SharedList } from './shared-list.tsx';

const OWNER = 0;

export function SharedByMe({ chosen }: { readonly chosen: string | null }) {
  const { replica } = useWorkspace();
  const ids = useOwnShareRoots(replica);
  if (ids.length === 0) return <p className="hint">{texts.byMeEmpty}</p>;
  return (
    <SharedList
      label={texts.byMe}
      ids={ids}
      chosen={chosen}
      facts={(task) => (isPublic(sharedTaskOf(task)) ? [texts.publicLink] : [])}
      acts={(task) => <People task={task} />}
    />
  );
}

function People({ task }: { readonly task: Task }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="shared-people" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary aria-label={texts.peopleOf(titleOf(task))}>{texts.people}</summary>
      {isOpen && <Grants id={task.id} />}
    </details>
  );
}

function Grants({ id }: { readonly id: string }) {
  const { state, reload, readMore } = useAccess(id, true);
  switch (state.kind) {
    case 'loading':
      return <p className="quiet">{accessTexts.loading}</p>;
    case 'refused':
      return <p className="refusal">{state.reason}</p>;
    case 'loaded': {
      const { grants, next } = state.access;
      if (grants.length === 0) return <p className="quiet">{texts.noPeople}</p>;
      return <GrantList grants={grants} hasMore={next !== undefined} onMore={readMore} onChange={reload} />;
    }
  }
}

/** The scan runs once, and again only when a share or a publication changes. */
function useOwnShareRoots(replica: Replica): readonly string[] {
  const last = useRef<readonly string[] | null>(null);
  const subscribe = useCallback(
    (changed: () => void) => {
      const scanAgain = () => {
        last.current = null;
        changed();
      };
      const ends = [
        replica.on('slice', ({ access = [] }) => {
          if (access.length > 0) scanAgain();
        }),
        replica.on('node:changed', ({ node, before }) => {
          if (node.publicToken !== before.publicToken) scanAgain();
        }),
        replica.on('node:removed', ({ id }) => {
          if (last.current?.includes(id) === true) scanAgain();
        }),
        replica.on('state', scanAgain),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    [replica],
  );
  return useSyncExternalStore(subscribe, () => {
    last.current ??= ownShareRoots(replica);
    return last.current;
  });
}

function ownShareRoots(replica: Replica): string[] {
  const recorded = recordedShares(replica);
  const ids: string[] = [];
  for (const node of replica.snapshot().nodes.values()) {
    const { id, access, shareRoots = [] } = sharedTaskOf(node);
    const isShared = shareRoots.includes(id) || recorded.has(id) || isPublic(sharedTaskOf(node));
    if (access === OWNER && isShared) ids.push(id);
  }
  return ids.sort();
}
