// The outline: the graph as a tree of rows, in which everything can be reached by keys and read
// aloud. Only the rows in view are elements.
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { alongLine } from '../../arrow-keys.ts';
import { homesOf, type OutlineRow, outlineRows } from '../../graph/outline.ts';
import { shownOutline } from '../../graph/shown-outline.ts';
import { isPrimary } from '../../graph/task.ts';
import { goTo } from '../../history.ts';
import { latinKey } from '../../key-names.ts';
import { messages } from '../../messages/messages.ts';
import { usePixels } from '../../parts/pixels.ts';
import { pathOf } from '../../routes.ts';
import { move } from '../../session/acts.ts';
import { extendByStep, useSelectable, useSelection } from '../../session/selection.ts';
import { useFilter, useShownTasks } from '../../session/shown-tasks.tsx';
import { useGraphText, useWorkspace } from '../../session/workspace.tsx';
import '../../style/outline.css';
import { FilteredEmpty } from '../filtered-empty.tsx';
import { Gap, rowKeyAt, useActiveRow, useRowParts } from '../virtual-rows.tsx';
import { DraftRow, type FieldEnd, Row } from './outline-row.tsx';
import { type DraftEntry, useDraft } from './use-draft.ts';
import { useRealIds } from './use-real-ids.ts';
import { useTitleEdit } from './use-title-edit.ts';

/** The height of a row, as in outline.css. */
const ROW_REM = 2.25;
/** Levels that are expanded at first. */
const FIRST_LEVELS = 1;

export function OutlineView({ chosen }: { readonly chosen: string | null }) {
  const { outline: texts } = messages;
  const { replica, graph } = useWorkspace();
  const shown = useShownTasks();
  const { rows, toggle, expand, expandAll } = useOutline();
  const [active, setActive] = useState<string | null>(null);
  const selection = useSelection();
  // Tasks that only lead to others are not selected with all.
  useSelectable(() => [rows.filter(({ id }) => shown.has(id)).map(({ id }) => id)]);
  const realId = useRealIds();
  const titleEdit = useTitleEdit(rows, realId);
  const draft = useDraft(rows, realId);
  const { entries } = draft;
  const scroller = useRef<HTMLDivElement>(null);
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ key }) => key === active),
  );
  const rowOf = (key: string | null) => rows.find((row) => row.key === key) ?? null;
  // A field has the focus instead of the active row.
  const isField = (entry: OutlineRow | DraftEntry) => !('id' in entry) || entry === titleEdit.row;
  const hasField = draft.isOpen || titleEdit.row !== null;
  const focused = hasField ? entries.findIndex(isField) : activeIndex;
  const rowHeight = usePixels(ROW_REM);
  const parts = useRowParts(scroller, { rows: entries.length, rowHeight, active: focused });
  useActiveRow(scroller, { key: active, index: activeIndex, isPaused: hasField });

  const activate = (index: number) => setActive(rows[Math.min(rows.length - 1, Math.max(0, index))]?.key ?? null);
  /** Shows the row in which the task of a reference stands in full. */
  const showHome = ({ id }: OutlineRow) => {
    const homes = homesOf(graph, id);
    expandAll(homes);
    setActive(homes.length === 0 ? id : `${homes.at(-1)}/${id}`);
  };
  const draftBelow = (parent: OutlineRow | null) => {
    if (parent !== null) expand(parent);
    draft.begin(parent);
  };
  /** Puts the task of a row below another one; null makes it a root. */
  const moveBelow = (row: OutlineRow, to: OutlineRow | null) => {
    const task = graph.task(row.id);
    if (task === undefined) return;
    if (to !== null) expand(to);
    const from = rowOf(row.parent)?.id;
    const links = graph.outgoing(row.id).filter((link) => isPrimary(link) && link.target === from);
    void move(replica, task, { links: links.map(({ id }) => id), target: to?.id ?? null });
    setActive(to === null ? row.id : `${to.id}/${row.id}`);
  };
  const extend = (row: OutlineRow, index: number) => {
    const next = rows[index] ?? row;
    setActive(next.key);
    extendByStep(row.id, next.id);
  };
  const keys: Readonly<Record<string, (row: OutlineRow, index: number) => void>> = {
    'Shift ArrowDown': (row, index) => extend(row, index + 1),
    'Shift ArrowUp': (row, index) => extend(row, index - 1),
    ArrowDown: (_row, index) => activate(index + 1),
    ArrowUp: (_row, index) => activate(index - 1),
    Home: () => activate(0),
    End: () => activate(rows.length - 1),
    ArrowRight(row, index) {
      if (row.isReference) showHome(row);
      else if (row.isExpanded) activate(index + 1);
      else if (row.hasChildren) toggle(row);
    },
    ArrowLeft(row) {
      if (row.isExpanded) toggle(row);
      else if (row.parent !== null) setActive(row.parent);
    },
    Enter: (row) => goTo(pathOf({ view: 'task', id: row.id })),
    F2: titleEdit.begin,
    e: titleEdit.begin,
    c: (row) => draftBelow(rowOf(row.parent)),
    C: (row) => (row.isReference ? showHome(row) : draftBelow(row)),
    'Alt ArrowRight'(row, index) {
      const before = rows.slice(0, index).findLast(({ level }) => level <= row.level);
      if (before?.level === row.level && !before.isReference) moveBelow(row, before);
    },
    'Alt ArrowLeft'(row) {
      const parent = rowOf(row.parent);
      if (parent !== null) moveBelow(row, rowOf(parent.parent));
    },
  };
  const press = (event: KeyboardEvent) => {
    const key = rowKeyAt(event.target);
    const index = rows.findIndex((each) => each.key === key);
    const row = rows[index];
    const isStep = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const modifier = event.altKey ? 'Alt ' : event.shiftKey && isStep ? 'Shift ' : '';
    const act = keys[`${modifier}${alongLine(latinKey(event))}`];
    if (act === undefined || row === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act(row, index);
  };
  const finishDraft = (end: FieldEnd) => {
    // Its row may have moved to a level at which rows are closed at first.
    if (end.by !== 'escape' && draft.parent !== null) expand(draft.parent);
    return draft.finish(end);
  };
  const finishEdit = (end: FieldEnd) => {
    // Its row may have moved.
    if (end.by !== 'elsewhere') setActive(titleEdit.row?.key ?? null);
    titleEdit.finish(end);
  };
  return (
    <div className="outline-scroller" ref={scroller}>
      <h1>{texts.title}</h1>
      <p className="quiet" id="outline-help">
        {texts.help}
      </p>
      {rows.length === 0 && <FilteredEmpty whenAll={messages.ready.first} />}
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a tree in a table is a treegrid.
        role="treegrid"
        aria-label={texts.list}
        aria-describedby="outline-help"
        aria-rowcount={rows.length}
        aria-multiselectable="true"
        onKeyDown={press}
      >
        <tbody>
          {parts.map((part) => {
            if (part.row === null) return <Gap key={`gap ${part.start}`} rows={part.rows} rowHeight={rowHeight} />;
            const entry = entries[part.row] as OutlineRow | DraftEntry;
            if (!('id' in entry)) return <DraftRow key={entry.key} level={entry.level} onEnd={finishDraft} />;
            return (
              <Row
                // The element of a field moves with its row: another one would lose the text and the focus.
                key={entry === titleEdit.row ? 'edited' : entry.key}
                row={entry}
                index={part.row}
                isActive={rows[activeIndex] === entry}
                isChosen={entry.id === chosen}
                isSelected={selection.has(entry.id)}
                isOutside={!shown.has(entry.id)}
                written={entry === titleEdit.row ? titleEdit.written : null}
                onToggle={toggle}
                onActivate={setActive}
                onWrite={titleEdit.write}
                onEnd={finishEdit}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/**
 * The rows of the present graph, and what expands them. They are listed again when the structure of the
 * graph changes; a change of a task renders its row alone.
 */
function useOutline() {
  const { graph, index } = useWorkspace();
  const shown = useShownTasks();
  const { isOn, root } = useFilter();
  const { toggled, setToggled } = useToggled();
  const firstLevels = isOn ? Number.POSITIVE_INFINITY : FIRST_LEVELS;
  const structure = Number(useGraphText(() => String(index.structure())));
  const version = shown.version();
  const rows = useMemo(() => {
    const isExpanded = (id: string, level: number) => toggled.has(id) !== level <= firstLevels;
    const all = { ...graph, roots: index.roots };
    return structure + version < 0 ? [] : outlineRows(isOn ? shownOutline(all, shown, root) : all, isExpanded);
  }, [graph, index, toggled, firstLevels, shown, isOn, root, structure, version]);

  const expandAt = (next: Set<string>, id: string, level: number) => {
    const isExpanded = next.has(id) !== level <= firstLevels;
    if (!isExpanded && !next.delete(id)) next.add(id);
  };
  return {
    rows,
    toggle: ({ id }: OutlineRow) =>
      setToggled((next) => {
        if (!next.delete(id)) next.add(id);
      }),
    expand: ({ id, level }: OutlineRow) => setToggled((next) => expandAt(next, id, level)),
    /** Expands tasks from a root down. */
    expandAll: (ids: readonly string[]) =>
      setToggled((next) => {
        ids.forEach((id, above) => {
          expandAt(next, id, above + 1);
        });
      }),
  };
}

/** The rows that the reader has opened or closed. A filter opens all, so each filter has its own. */
function useToggled() {
  const { isOn, text, root } = useFilter();
  const [sets, setSets] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  const key = isOn ? `${root} ${text}` : '';
  const toggled = sets.get(key) ?? NONE;
  const setToggled = (change: (next: Set<string>) => void) =>
    setSets((before) => {
      const next = new Set(before.get(key));
      change(next);
      return new Map([
        ['', before.get('') ?? NONE],
        [key, next],
      ]);
    });
  return { toggled, setToggled };
}

const NONE: ReadonlySet<string> = new Set();
