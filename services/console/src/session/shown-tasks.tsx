// The tasks that the views show, by the filter and the scope in the address. One set for all views.
import {
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Filter, isTooLong, parseFilter, searchOf } from '../graph/filter.ts';
import type { Neighbourhood } from '../graph/neighbourhood.ts';
import { allTasks, createShownTasks, type ShownTasks } from '../graph/shown-tasks.ts';
import { setParameters, useParameter } from '../history.ts';
import { useWorkspace } from './workspace.tsx';

interface FilterState {
  readonly filter: Filter;
  /** As the reader wrote it. */
  readonly text: string;
  /** Whether it has more than a search may have: then it has no effect. */
  readonly isTooLong: boolean;
  /** The task to whose branch the views are limited. */
  readonly root: string | null;
  /** The task to whose neighbourhood the views are limited. */
  readonly neighbourhood: Neighbourhood | null;
  /** Whether there is a filter or a scope. */
  readonly isOn: boolean;
}

const ShownContext = createContext<ShownTasks | null>(null);

export function ShownTasksProvider({ children }: { readonly children: ReactNode }) {
  const { replica, index } = useWorkspace();
  const { text, root, neighbourhood } = useFilter();
  const all = useMemo(() => allTasks(replica), [replica]);
  const [shown, setShown] = useState(all);
  // Before the first paint, so that no view flashes the tasks that the filter leaves out.
  useLayoutEffect(() => {
    const filter = parseFilter(text);
    const search = isTooLong(filter) ? null : searchOf(filter);
    if (search === null && root === null && neighbourhood === null) return setShown(all);
    const created = createShownTasks(replica, index, { search, root, neighbourhood });
    setShown(created);
    return created.stop;
  }, [replica, index, all, text, root, neighbourhood]);
  return <ShownContext value={shown}>{children}</ShownContext>;
}

/** The component renders again when a task enters or leaves. */
export function useShownTasks(): ShownTasks {
  const shown = useContext(ShownContext);
  if (shown === null) throw new Error('there is no open graph');
  useSyncExternalStore(shown.subscribe, shown.version);
  return shown;
}

export function useFilter(): FilterState {
  const text = useParameter('f') ?? '';
  const root = useParameter('in');
  const centre = useParameter('around');
  const steps = stepsIn(useParameter('steps'));
  const neighbourhood = useMemo(() => (centre === null ? null : { id: centre, steps }), [centre, steps]);
  return useMemo(() => {
    const filter = parseFilter(text);
    const isOn = root !== null || neighbourhood !== null || searchOf(filter) !== null;
    return { filter, text, isTooLong: isTooLong(filter), root, neighbourhood, isOn };
  }, [text, root, neighbourhood]);
}

const FIRST_STEPS = 2;
/** Beyond it, a neighbourhood is hardly smaller than the branch. */
export const MOST_STEPS = 9;

/** The steps in the address; the first number for a text that is none. */
function stepsIn(text: string | null): number {
  return text !== null && /^[1-9]$/.test(text) ? Number(text) : FIRST_STEPS;
}

/** Limits the views to the neighbourhood of a task; null ends this. */
export function setNeighbourhood(neighbourhood: Neighbourhood | null): void {
  const steps = neighbourhood === null || neighbourhood.steps === FIRST_STEPS ? null : String(neighbourhood.steps);
  setParameters({ around: neighbourhood?.id ?? null, steps });
}

/** The neighbourhood of a task, with the first number of steps. */
export function focusOn(id: string): void {
  setNeighbourhood({ id, steps: FIRST_STEPS });
}

/** Writing replaces the address; choosing a condition adds a step to which the button back leads. */
export function setFilter(text: string, step: { readonly replace?: boolean } = {}): void {
  setParameters({ f: text.trim() === '' ? null : text }, step);
}

export function clearFilter(): void {
  setParameters({ f: null, in: null, around: null, steps: null });
}
