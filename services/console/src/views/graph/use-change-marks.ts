// The marks of the tasks with changes that the service does not have. Rule: CON39.
import type { Replica } from '@taskgraph/client';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { type ChangeMarks, changeMarks } from '../../picture/change-marks.ts';
import { useRefusals, useWorkspace } from '../../session/workspace.tsx';

/** The same map until a change comes or goes. The component renders again when they change. */
export function useChangeMarks(): ChangeMarks {
  const { replica } = useWorkspace();
  const refusals = useRefusals();
  const waiting = useSyncExternalStore(
    useCallback((changed: () => void) => followCommands(replica, changed), [replica]),
    () =>
      replica
        .commands()
        .map(({ key }) => key)
        .join(' '),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys say that other commands wait.
  return useMemo(() => changeMarks(replica.commands(), refusals), [replica, refusals, waiting]);
}

function followCommands(replica: Replica, changed: () => void): () => void {
  const ends = [
    replica.subscribe(({ revision }) => revision, changed),
    // The command leaves the queue after the event.
    replica.on('command:done', () => queueMicrotask(changed)),
    replica.on('command:refused', () => queueMicrotask(changed)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
