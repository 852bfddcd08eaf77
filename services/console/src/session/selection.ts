// The tasks that the reader has selected, for all views: a set in the address. Rule: CON25.
import { useEffect, useMemo, useRef } from 'react';
import { setParameters, useParameter } from '../history.ts';
import { messages } from '../messages/messages.ts';
import { note } from './notices.ts';
import { MOST_SELECTED, parseIds, printIds, rangeOf } from './selected-ids.ts';
import { useGraphText, useReplicaState, useWorkspace } from './workspace.tsx';

type Lists = readonly (readonly string[])[];

/** A range that the reader extends: it replaces its earlier forms, and keeps what was selected before. */
interface Extension {
  readonly from: string;
  readonly to: string;
  readonly before: ReadonlySet<string>;
}

let extension: Extension | null = null;
/** The lists of the present view, from which ranges and all tasks are selected. */
let lists: (() => Lists) | null = null;

/** The ids in the address. The component renders again when they change. */
export function useSelection(): ReadonlySet<string> {
  const text = useParameter('sel');
  return useMemo(() => parseIds(text), [text]);
}

export function selectedIds(): ReadonlySet<string> {
  return parseIds(new URLSearchParams(location.search).get('sel'));
}

/** Makes the tasks of a view selectable by ranges: its lists, each in the order in which it shows. */
export function useSelectable(listsOf: () => Lists): void {
  const current = useRef(listsOf);
  current.current = listsOf;
  useEffect(() => {
    const own = () => current.current();
    lists = own;
    return () => {
      if (lists === own) lists = null;
    };
  }, []);
}

/** Whether the present view shows the selection. */
export function isSelectable(): boolean {
  return lists !== null;
}

export function toggleSelected(id: string): void {
  const next = new Set(selectedIds());
  if (!next.delete(id)) next.add(id);
  select(next);
  extension = { from: id, to: id, before: selectedIds() };
}

/** Extends the selection by a step of the keyboard, from the active task to the next one. */
export function extendByStep(from: string, to: string): void {
  if (extension?.to !== from) extension = { from, to: from, before: selectedIds() };
  extendTo(to);
}

/** Extends the selection to a task, from the one where the last extension began. */
export function extendTo(to: string, from = to): void {
  const { from: first, before: earlier } = extension ?? { from, before: selectedIds() };
  const list = lists?.().find((each) => each.includes(to)) ?? [];
  // A list of one has no range that could replace an earlier one.
  const before = list.length > 1 ? earlier : selectedIds();
  extension = { from: first, to, before };
  select([...before, ...rangeOf(list, first, to)]);
}

/** Selects all tasks of the view. Returns false if it has none to select. */
export function selectAll(): boolean {
  if (lists === null) return false;
  extension = null;
  select(lists().flat());
  return true;
}

export function clearSelection(): void {
  extension = null;
  select([]);
}

/** The page says so if it leaves tasks out. */
function select(ids: Iterable<string>): void {
  const all = new Set(ids);
  const within = all.size <= MOST_SELECTED ? all : new Set([...all].slice(0, MOST_SELECTED));
  if (within !== all) note('refused', messages.selection.tooMany(MOST_SELECTED, all.size));
  setParameters({ sel: printIds(within) }, { replace: true });
}

/** Removes tasks from the selection that are gone, and follows those that get their real ids. */
export function useSelectionUpkeep(selection: ReadonlySet<string>): void {
  const { replica } = useWorkspace();
  const state = useReplicaState();
  useEffect(
    () =>
      replica.on('command:done', ({ ids }) => {
        const selected = selectedIds();
        if (![...selected].some((id) => ids[id] !== undefined)) return;
        select([...selected].map((id) => ids[id] ?? id));
      }),
    [replica],
  );
  // Before the graph is complete, a task of the address may still come.
  const gone = useGraphText((graph) => {
    if (state !== 'live') return '';
    return [...selection].filter((id) => graph.task(id) === undefined).join(' ');
  });
  useEffect(() => {
    if (gone === '') return;
    const left = new Set(gone.split(' '));
    select([...selectedIds()].filter((id) => !left.has(id)));
  }, [gone]);
}
