// A row of the plan: the task in words, and its bar. The end of the bar can be dragged.
import { memo, type PointerEvent, useRef } from 'react';
import type { PlannedTask } from '../../graph/plan-order.ts';
import { dayAt, isLate, lastDayAt } from '../../graph/plan-scale.ts';
import { COMPLETED, mayEdit, type Task } from '../../graph/task.ts';
import type { EarliestTimes } from '../../graph/what-if.ts';
import { followLink, goTo } from '../../history.ts';
import { isRightToLeft } from '../../language.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { planTexts } from '../../messages/texts/plan.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { pathOf } from '../../routes.ts';
import { useTask } from '../../session/workspace.tsx';
import { type ChartScale, share } from './chart-scale.tsx';

interface PlanRowProps {
  readonly planned: PlannedTask;
  readonly index: number;
  readonly scale: ChartScale;
  /** The times that it would have; null if they are the same. */
  readonly moved: EarliestTimes | null;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
  readonly onActivate: (id: string) => void;
  /** The reader drags the end of the bar to this effort. `isDone`: they let go. */
  readonly onDrag: (task: Task, volume: number, isDone: boolean) => void;
}

export const PlanRow = memo(function PlanRow(props: PlanRowProps) {
  const { planned, index, scale, isActive, isChosen, isSelected, onActivate } = props;
  const task = useTask(planned.id);
  if (task === undefined) return null;
  const isTaskLate = isLate(task, planned.earliestFinish, scale.calendar, Date.now());
  return (
    <tr
      className="plan-row"
      data-task={task.id}
      data-key={task.id}
      data-status={task.status}
      data-critical={planned.slack === 0 && task.status !== COMPLETED}
      data-late={isTaskLate}
      aria-rowindex={index + 1}
      aria-current={isChosen ? 'true' : undefined}
      aria-selected={isSelected}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => onActivate(task.id)}
      onDoubleClick={() => goTo(pathOf({ view: 'task', id: task.id }))}
    >
      <td>
        <StatusGlyph status={task.status} />
        <a
          className="plan-title"
          dir="auto"
          title={titleOf(task)}
          href={pathOf({ view: 'task', id: task.id })}
          tabIndex={-1}
          onClick={followLink}
        >
          {titleOf(task)}
        </a>
        <Facts task={task} planned={planned} scale={scale} moved={props.moved} isLate={isTaskLate} />
      </td>
      <td>{task.status !== COMPLETED && <Bar {...props} task={task} isLate={isTaskLate} />}</td>
    </tr>
  );
});

interface FactsProps extends Pick<PlanRowProps, 'planned' | 'scale' | 'moved'> {
  readonly task: Task;
  readonly isLate: boolean;
}

function Facts({ task, planned, scale, moved, isLate: isTaskLate }: FactsProps) {
  const { earliestStart, earliestFinish, slack } = planned;
  if (task.status === COMPLETED) return <span className="plan-facts">{messages.status[COMPLETED]}</span>;
  return (
    <span className="plan-facts">
      <span>{messages.effort(task.volume)}</span>
      <span className={slack === 0 ? 'critical' : ''}>{slack === 0 ? messages.critical : messages.slack(slack)}</span>
      <span className="unseen">
        {[
          messages.status[task.status],
          planTexts.starts(startText(earliestStart, scale)),
          planTexts.ends(endText(earliestFinish, scale)),
          moved === null ? '' : planTexts.becomes(endText(moved.earliestFinish, scale)),
          isTaskLate ? messages.late : '',
        ]
          .filter((fact) => fact !== '')
          .join(', ')}
      </span>
    </span>
  );
}

interface BarProps extends PlanRowProps {
  readonly task: Task;
  readonly isLate: boolean;
}

function Bar({ task, planned, scale, moved, isLate: isTaskLate, onDrag }: BarProps) {
  const { earliestStart, earliestFinish, latestFinish } = planned;
  const end = moved ?? planned;
  // The reader grasps the handle beside the exact end of the bar.
  const grasp = useRef(0);
  const drag = (event: PointerEvent<HTMLElement>, isDone: boolean) => {
    const handle = event.currentTarget;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const time = timeAtPointer(event, scale) - grasp.current;
    onDrag(task, Math.max(0, Math.round(time - earliestStart)), isDone);
    if (isDone) handle.releasePointerCapture(event.pointerId);
  };
  return (
    <div className="chart" aria-hidden="true">
      <div className="bar" style={placeOf(planned, scale)} />
      <div
        className="slack"
        style={{
          insetInlineStart: share(earliestFinish, scale),
          inlineSize: share(latestFinish - earliestFinish, scale),
        }}
      />
      {moved !== null && <div className="ghost" style={placeOf(moved, scale)} />}
      {isTaskLate && (
        <span className="late" style={{ insetInlineStart: share(Math.max(latestFinish, end.earliestFinish), scale) }}>
          ! {messages.late}
        </span>
      )}
      {mayEdit(task) && (
        <div
          className="bar-end"
          style={{ insetInlineStart: share(end.earliestFinish, scale) }}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.preventDefault();
            grasp.current = timeAtPointer(event, scale) - end.earliestFinish;
            event.currentTarget.closest('tr')?.focus({ preventScroll: true });
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => drag(event, false)}
          onPointerUp={(event) => drag(event, true)}
          onPointerCancel={(event) => drag(event, true)}
        />
      )}
    </div>
  );
}

function placeOf({ earliestStart, earliestFinish }: EarliestTimes, scale: ChartScale) {
  return { insetInlineStart: share(earliestStart, scale), inlineSize: share(earliestFinish - earliestStart, scale) };
}

/** The time at the pointer on a handle of the chart. */
function timeAtPointer({ clientX, currentTarget }: PointerEvent, { end }: ChartScale): number {
  const chart = currentTarget.parentElement ?? currentTarget;
  const { left, right, width } = chart.getBoundingClientRect();
  const fromStart = isRightToLeft ? right - clientX : clientX - left;
  return (Math.min(Math.max(0, fromStart), width) / Math.max(1, width)) * end;
}

/** When a task starts, in words: a time of the plan, or a day. */
function startText(time: number, { calendar }: ChartScale): string {
  const day = calendar === null ? null : dayAt(calendar, time);
  return day === null ? planTexts.at(time) : planTexts.on(messages.day(day));
}

function endText(time: number, scale: ChartScale): string {
  const end = endTimeText(time, scale);
  return scale.calendar === null ? planTexts.at(time) : planTexts.on(end);
}

/** A time at which work ends, without a preposition. */
export function endTimeText(time: number, { calendar }: ChartScale): string {
  const day = calendar === null ? null : lastDayAt(calendar, time);
  return day === null ? planTexts.number(time) : messages.day(day);
}
