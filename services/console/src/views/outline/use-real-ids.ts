// The ids of tasks that the reader has just added: the service replaces a provisional id by a real one.
import { useCallback, useEffect, useRef } from 'react';
import { useWorkspace } from '../../session/workspace.tsx';

/** Returns the present id of a task by the id that it had at any time since the view opened. */
export function useRealIds(): (id: string) => string {
  const { replica, graph } = useWorkspace();
  const known = useRef(new Map<string, string>());
  useEffect(
    () =>
      replica.on('command:done', ({ ids }) => {
        for (const [provisional, real] of Object.entries(ids)) known.current.set(provisional, real);
      }),
    [replica],
  );
  return useCallback((id) => (graph.task(id) === undefined ? (known.current.get(id) ?? id) : id), [graph]);
}
