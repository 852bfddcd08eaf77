// A column of the board: its head, its first cards, and the others on demand.
import { type DragEvent, useId, useState } from 'react';
import { BLOCKED, COMPLETED, type Task } from '../../graph/task.ts';
import { messages } from '../../messages/messages.ts';
import { boardTexts } from '../../messages/texts/board.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { BoardCard } from './board-card.tsx';

/** Cards that are added at once. */
export const CARDS = 50;

interface ColumnProps {
  readonly status: number;
  readonly tasks: readonly Task[];
  /** How many of them show. */
  readonly cards: number;
  /** The card at which the Tab key stops. */
  readonly stop: string | null;
  readonly chosen: string | null;
  readonly selection: ReadonlySet<string>;
  /** Whether a card of another column is being dragged. */
  readonly isTarget: boolean;
  readonly onActivate: (id: string) => void;
  readonly onMore: () => void;
  readonly onMove: (task: Task, status: number) => void;
  readonly onDragStart: (task: Task | null) => boolean;
  readonly onDrop: () => void;
}

export function Column(props: ColumnProps) {
  const { status, tasks, cards, stop, chosen, selection, isTarget, onActivate, onMore } = props;
  const { onMove, onDragStart, onDrop } = props;
  const headingId = useId();
  const [isOver, setOver] = useState(false);
  const name = messages.status[status] ?? '';
  const left = tasks.length - cards;
  const over = (event: DragEvent) => {
    if (!isTarget) return;
    // Without this, the browser refuses the drop before the page can say why.
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setOver(true);
  };
  return (
    <section
      className="board-column"
      aria-labelledby={headingId}
      data-status={status}
      data-target={isTarget}
      data-over={isTarget && isOver}
      data-refuses={status === BLOCKED}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop();
      }}
    >
      <h2 id={headingId}>
        <StatusGlyph status={status} /> {name} <span className="number">{messages.number(tasks.length)}</span>
      </h2>
      {tasks.length === 0 && <p className="quiet">{boardTexts.empty}</p>}
      <ul aria-label={boardTexts.columnTasks(name)}>
        {tasks.slice(0, cards).map((task) => (
          <BoardCard
            key={task.id}
            task={task}
            isStop={task.id === stop}
            isChosen={task.id === chosen}
            isSelected={selection.has(task.id)}
            isCompleted={status === COMPLETED}
            onActivate={onActivate}
            onMove={onMove}
            onDragStart={onDragStart}
          />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" onClick={onMore}>
          {boardTexts.more(Math.min(left, CARDS))}
        </button>
      )}
    </section>
  );
}
