// The board: the tasks by status. A card is dragged to another column, or moved by its menu; Blocked
// is a result of links, so nothing moves there or away by hand.
import { type KeyboardEvent, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { alongLine } from '../../arrow-keys.ts';
import { blockersOf } from '../../graph/blockers.ts';
import { type BoardColumns, createBoardColumns } from '../../graph/board-columns.ts';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, mayEdit, type Task } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { boardTexts } from '../../messages/texts/board.ts';
import { blockedReason } from '../../panel/blocked-reason.ts';
import { setStatus } from '../../session/acts.ts';
import { note } from '../../session/notices.ts';
import { extendByStep, useSelectable, useSelection } from '../../session/selection.ts';
import { useShownTasks } from '../../session/shown-tasks.tsx';
import { useWorkspace } from '../../session/workspace.tsx';
import '../../style/board.css';
import { FilteredEmpty } from '../filtered-empty.tsx';
import { CARDS, Column } from './column.tsx';

const STATUSES = [AVAILABLE, IN_PROGRESS, BLOCKED, COMPLETED] as const;

export function BoardView({ chosen }: { readonly chosen: string | null }) {
  const columns = useColumns();
  const [active, setActive] = useState<string | null>(null);
  /** The number of cards that each column shows, by status. */
  const [numbers, setNumbers] = useState<readonly number[]>(STATUSES.map(() => CARDS));
  const { dragged, startDrag, drop, moveByMenu } = useMoves();
  const selection = useSelection();
  useSelectable(() => STATUSES.map((status) => (columns?.column(status) ?? []).map(({ id }) => id)));
  const isEmpty = columns === null || STATUSES.every((status) => columns.column(status).length === 0);
  // One card takes the Tab key: the one last used if it shows.
  const cards = STATUSES.flatMap((status) => columns?.column(status).slice(0, numbers[status]) ?? []);
  const stop = (cards.find(({ id }) => id === active) ?? cards[0])?.id ?? null;
  return (
    <section className="board-view" aria-label={messages.board.title} aria-describedby="board-help" onKeyDown={step}>
      <h1>{messages.board.title}</h1>
      <p className="quiet" id="board-help">
        {boardTexts.lead} <span className="unseen">{boardTexts.help}</span>
      </p>
      {isEmpty && <FilteredEmpty whenAll={messages.ready.first} />}
      {columns !== null && (
        <div className="board">
          {STATUSES.map((status) => (
            <Column
              key={status}
              status={status}
              tasks={columns.column(status)}
              cards={numbers[status] ?? CARDS}
              stop={stop}
              chosen={chosen}
              selection={selection}
              isTarget={dragged !== null && dragged.status !== status}
              onActivate={setActive}
              onMore={() => setNumbers(numbers.map((each, place) => (place === status ? each + CARDS : each)))}
              onMove={moveByMenu}
              onDragStart={startDrag}
              onDrop={() => drop(status)}
            />
          ))}
        </div>
      )}
    </section>
  );
}

/** The columns of the tasks that the views show. */
function useColumns(): BoardColumns | null {
  const { replica } = useWorkspace();
  const shown = useShownTasks();
  const [columns, setColumns] = useState<BoardColumns | null>(null);
  useEffect(() => {
    const created = createBoardColumns(replica, shown);
    setColumns(created);
    return created.stop;
  }, [replica, shown]);
  useSyncExternalStore(
    useMemo(() => columns?.subscribe ?? (() => () => undefined), [columns]),
    () => columns?.version() ?? 0,
  );
  return columns;
}

interface Moves {
  /** The card that is being dragged. */
  readonly dragged: Task | null;
  /** Null ends the drag. Returns false if the card cannot be dragged. */
  startDrag(task: Task | null): boolean;
  /** Ends the drag in the column of a status. */
  drop(status: number): void;
  /** The focus follows the card. */
  moveByMenu(task: Task, status: number): void;
}

function useMoves(): Moves {
  const { replica, graph } = useWorkspace();
  const [dragged, setDragged] = useState<Task | null>(null);
  const [moved, setMoved] = useState<{ readonly id: string; readonly status: number } | null>(null);
  const refusal = (task: Task, status: number | null): string | null => {
    if (!mayEdit(task)) return boardTexts.viewOnly(titleOf(task));
    if (task.status === BLOCKED)
      return `${messages.quoted(titleOf(task))}: ${blockedReason(blockersOf(graph, task.id))}`;
    return status === BLOCKED ? boardTexts.notBlocked(titleOf(task)) : null;
  };
  // The card becomes an element of another column, some renders later.
  useEffect(() => {
    if (moved === null) return;
    const column = `.board-column[data-status="${moved.status}"]`;
    const card = document.querySelector<HTMLElement>(`${column} [data-task="${CSS.escape(moved.id)}"]`);
    const isFocusLost = document.activeElement === document.body;
    if (card === null && !isFocusLost) return;
    setMoved(null);
    if (isFocusLost) (card ?? document.getElementById('content'))?.focus();
  });
  const move = (task: Task, status: number): boolean => {
    setDragged(null);
    if (status === task.status) return false;
    const reason = refusal(task, status);
    if (reason !== null) note('refused', reason);
    else void setStatus(replica, task, status as Parameters<typeof setStatus>[2]);
    return reason === null;
  };
  return {
    dragged,
    startDrag(task) {
      const reason = task === null ? null : refusal(task, null);
      setDragged(reason === null ? task : null);
      if (reason !== null) note('refused', reason);
      return reason === null;
    },
    drop(status) {
      if (dragged !== null) move(dragged, status);
    },
    moveByMenu(task, status) {
      if (move(task, status)) setMoved({ id: task.id, status });
    },
  };
}

/**
 * Arrow keys lead from card to card: up and down in a column, where Shift extends the selection, and
 * sideways to the nearest column with cards.
 */
function step(event: KeyboardEvent<HTMLElement>): void {
  const card = event.target as HTMLElement;
  if (!card.matches('[data-task]') || event.ctrlKey || event.metaKey || event.altKey) return;
  const columns = [...event.currentTarget.querySelectorAll('.board-column')].map((column) => [
    ...column.querySelectorAll<HTMLElement>('[data-task]'),
  ]);
  const at = columns.findIndex((cards) => cards.includes(card));
  const place = columns[at]?.indexOf(card) ?? 0;
  const beside = (order: HTMLElement[][]) => {
    const cards = order.find((each) => each.length > 0) ?? [];
    return cards[Math.min(place, cards.length - 1)];
  };
  const next: Readonly<Record<string, () => HTMLElement | undefined>> = {
    ArrowDown: () => columns[at]?.[place + 1],
    ArrowUp: () => columns[at]?.[place - 1],
    ArrowRight: () => beside(columns.slice(at + 1)),
    ArrowLeft: () => beside(columns.slice(0, at).reverse()),
    Home: () => columns[at]?.[0],
    End: () => columns[at]?.at(-1),
  };
  const find = next[alongLine(event.key)];
  if (find === undefined) return;
  event.preventDefault();
  const found = find();
  found?.focus();
  const [from, to] = [card.dataset.task, found?.dataset.task];
  const isInColumn = event.key === 'ArrowUp' || event.key === 'ArrowDown';
  if (event.shiftKey && isInColumn && from !== undefined) extendByStep(from, to ?? from);
}
