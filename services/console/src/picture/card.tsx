// A near card: an element over the canvas, so that it can be read, focused and pressed.
import { memo, type PointerEvent } from 'react';
import { BLOCKED, mayEdit, type Task } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { graphTexts } from '../messages/texts/graph.ts';
import { linkTexts } from '../messages/texts/link-editor.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import { CHANGE_SIGNS, type ChangeMark } from './change-marks.ts';

/** The handlers of the port from which the reader drags a link. */
export interface PortHandlers {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerCancel: () => void;
}

interface CardProps {
  readonly task: Task;
  /** Of the upper left corner, in units of the world. */
  readonly x: number;
  readonly y: number;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
  readonly isCritical: boolean;
  /** Whether it does not meet the filter. */
  readonly isOutside: boolean;
  /** The number of visible tasks that block it. */
  readonly waitsFor: number;
  readonly holdsUp: number;
  /** Whether the link that the reader has begun cannot lead to it. */
  readonly isFaint: boolean;
  readonly port: PortHandlers;
  /** Whether other tasks are below it, which can be collapsed. */
  readonly hasBranch: boolean;
  /** The number of tasks that it hides. */
  readonly hidden: number;
  readonly onCollapse: (id: string, collapsed: boolean) => void;
  /** A change that waits to be sent, or that was refused. */
  readonly change: ChangeMark | undefined;
  /** The words for it. */
  readonly changeText: string;
}

export const Card = memo(function Card(props: CardProps) {
  const { task, x, y, isChosen, isSelected, isStop, isCritical, isOutside, isFaint, waitsFor, holdsUp, port } = props;
  const { hasBranch, hidden, onCollapse, change, changeText } = props;
  const isCollapsed = task.collapsed === true;
  const facts = [
    task.status === BLOCKED && waitsFor > 0 ? graphTexts.blockedBy(waitsFor) : messages.status[task.status],
    holdsUp > 0 ? graphTexts.holdsUp(holdsUp) : '',
    isCritical ? messages.critical : '',
    hidden > 0 ? graphTexts.hidden(hidden) : '',
    task.pinned === true ? graphTexts.isPinned : '',
    isOutside ? messages.filter.outside : '',
    isSelected ? messages.selection.selected : '',
    change === undefined ? '' : changeText,
  ].filter((fact) => fact !== '');
  return (
    <li className="card-place" style={{ transform: `translate(${x}px, ${y}px)` }}>
      <button
        type="button"
        className="card"
        data-task={task.id}
        data-status={task.status}
        data-critical={isCritical}
        data-selected={isSelected}
        data-outside={isOutside || isFaint}
        data-change={change}
        aria-pressed={isChosen}
        tabIndex={isStop ? 0 : -1}
      >
        <span className="card-title" dir="auto">
          {titleOf(task)}
        </span>
        <span className="unseen">, {facts.join(', ')}</span>
        <span className="card-facts" aria-hidden="true">
          <StatusGlyph status={task.status} />
          {task.volume > 0 && <span>{messages.effort(task.volume)}</span>}
          {(task.assignee?.length ?? 0) > 0 && <span>{messages.list(task.assignee ?? [])}</span>}
          {holdsUp > 0 && <span className="number">⚑ {messages.number(holdsUp)}</span>}
        </span>
        {change !== undefined && (
          <span className="card-change" title={changeText} aria-hidden="true">
            {CHANGE_SIGNS[change]}
          </span>
        )}
      </button>
      {(hasBranch || isCollapsed) && mayEdit(task) && (
        <button
          type="button"
          className="collapse"
          data-collapsed={isCollapsed}
          tabIndex={isStop ? 0 : -1}
          aria-keyshortcuts={isCollapsed ? ',' : '.'}
          onClick={() => onCollapse(task.id, !isCollapsed)}
        >
          {isCollapsed ? graphTexts.more(hidden) : <span aria-hidden="true">−</span>}
          <span className="unseen"> {(isCollapsed ? graphTexts.expand : graphTexts.collapse)(titleOf(task))}</span>
        </button>
      )}
      <span className="port" title={linkTexts.port} aria-hidden="true" {...port} />
    </li>
  );
});
