// A card of the board: a task with its facts, a link to its panel, and the menu that moves it.
import { memo } from 'react';
import { blockersOf } from '../../graph/blockers.ts';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, mayEdit, type Task } from '../../graph/task.ts';
import { followLink } from '../../history.ts';
import { dueLabel, messages, titleOf } from '../../messages/messages.ts';
import { boardTexts } from '../../messages/texts/board.ts';
import { blockedReason } from '../../panel/blocked-reason.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { pathOf } from '../../routes.ts';
import { useTasks } from '../../session/workspace.tsx';

const SETTABLE = [AVAILABLE, IN_PROGRESS, COMPLETED] as const;

interface BoardCardProps {
  readonly task: Task;
  readonly isStop: boolean;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
  readonly isCompleted: boolean;
  readonly onActivate: (id: string) => void;
  readonly onMove: (task: Task, status: number) => void;
  /** Null ends the drag. Returns false if the card cannot be dragged. */
  readonly onDragStart: (task: Task | null) => boolean;
}

export const BoardCard = memo(function BoardCard(props: BoardCardProps) {
  const { task, isStop, isChosen, isSelected, isCompleted, onActivate, onMove, onDragStart } = props;
  const title = titleOf(task);
  const isMovable = mayEdit(task) && task.status !== BLOCKED;
  return (
    <li
      className="board-card"
      data-status={task.status}
      data-selected={isSelected}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', title);
        if (!onDragStart(task)) event.preventDefault();
      }}
      onDragEnd={() => onDragStart(null)}
    >
      <a
        href={pathOf({ view: 'task', id: task.id })}
        data-task={task.id}
        aria-current={isChosen ? 'true' : undefined}
        tabIndex={isStop ? 0 : -1}
        draggable={false}
        onFocus={() => onActivate(task.id)}
        onClick={followLink}
      >
        <span dir="auto">{title}</span>
        {isSelected && <span className="unseen">, {messages.selection.selected}</span>}
      </a>
      <CardFacts task={task} isCompleted={isCompleted} />
      {task.status === BLOCKED && <BlockedBy id={task.id} />}
      {isMovable && (
        <details className="board-moves">
          <summary aria-label={boardTexts.moveTo(title)} tabIndex={isStop ? 0 : -1}>
            {boardTexts.move}
          </summary>
          {SETTABLE.filter((status) => status !== task.status).map((status) => (
            <button key={status} type="button" onClick={() => onMove(task, status)}>
              <StatusGlyph status={status} />
              {messages.status[status]}
            </button>
          ))}
        </details>
      )}
    </li>
  );
});

function CardFacts({ task, isCompleted }: { readonly task: Task; readonly isCompleted: boolean }) {
  const isLate = task.status !== COMPLETED && task.dueDate !== null && Date.parse(task.dueDate) < Date.now();
  const { completedTime } = task;
  return (
    <span className="facts">
      {isLate && <span className="late">! {messages.late}</span>}
      {isCompleted && typeof completedTime === 'string' && (
        <span>{boardTexts.completedOn(messages.moment(completedTime))}</span>
      )}
      {!isCompleted && task.dueDate !== null && <span>{messages.due(dueLabel(task.dueDate))}</span>}
      {task.volume > 0 && <span>{messages.effort(task.volume)}</span>}
      {task.assignee !== undefined && task.assignee.length > 0 && <span>{messages.list(task.assignee)}</span>}
    </span>
  );
}

function BlockedBy({ id }: { readonly id: string }) {
  const blockers = useTasks((graph) => blockersOf(graph, id));
  return <p className="board-reason">{blockedReason(blockers)}</p>;
}
