// One row of the outline, and the field that edits or adds a title.
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { MOST_TITLE_CHARACTERS } from '../../graph/limits.ts';
import type { OutlineRow } from '../../graph/outline.ts';
import type { Task } from '../../graph/task.ts';
import { goTo } from '../../history.ts';
import { dueLabel, messages, titleOf } from '../../messages/messages.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { pathOf } from '../../routes.ts';
import { useTask } from '../../session/workspace.tsx';

/** Pixels for each level. */
const INDENT = 20;

export interface FieldEnd {
  readonly title: string;
  /** How the reader left the field. */
  readonly by: 'enter' | 'escape' | 'elsewhere';
}

interface RowProps {
  readonly row: OutlineRow;
  readonly index: number;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
  /** Whether it only shows because tasks below it meet the filter. */
  readonly isOutside: boolean;
  /** What the reader has written in place of the title; null without an edit. */
  readonly written: string | null;
  readonly onToggle: (row: OutlineRow) => void;
  readonly onActivate: (key: string) => void;
  readonly onWrite: (title: string) => void;
  readonly onEnd: (end: FieldEnd) => void;
}

export function Row(props: RowProps) {
  const { row, index, isActive, isChosen, isSelected, isOutside, written, onToggle, onActivate, onWrite, onEnd } =
    props;
  const { outline: texts } = messages;
  const task = useTask(row.id);
  if (task === undefined) return null;
  return (
    <tr
      className="outline-row"
      data-task={row.id}
      data-key={row.key}
      data-status={task.status}
      data-outside={isOutside}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-rowindex={index + 1}
      aria-expanded={row.hasChildren ? row.isExpanded : undefined}
      aria-current={isChosen ? 'true' : undefined}
      aria-selected={isSelected}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => onActivate(row.key)}
      onDoubleClick={() => goTo(pathOf({ view: 'task', id: row.id }))}
    >
      <TitleCell level={row.level}>
        <span
          className="twisty"
          aria-hidden="true"
          data-open={row.isExpanded}
          onClick={() => row.hasChildren && onToggle(row)}
        >
          {row.hasChildren ? '▸' : ''}
        </span>
        <StatusGlyph status={task.status} />
        {written === null ? (
          <span className="outline-title" dir="auto">
            {titleOf(task)}
          </span>
        ) : (
          <TitleField
            title={written}
            label={texts.titleOf(titleOf(task))}
            onWrite={onWrite}
            onEnd={(end) => {
              onEnd(end);
              return true;
            }}
          />
        )}
        {row.isReference && <span className="quiet">{texts.reference}</span>}
      </TitleCell>
      <Facts task={task} />
    </tr>
  );
}

const Facts = memo(function Facts({ task }: { readonly task: Task }) {
  return (
    <td>
      <div className="facts">
        <span>{messages.status[task.status]}</span>
        {task.dueDate !== null && <span>{messages.due(dueLabel(task.dueDate))}</span>}
        {task.volume > 0 && <span>{messages.effort(task.volume)}</span>}
        {task.assignee !== undefined && task.assignee.length > 0 && <span>{messages.list(task.assignee)}</span>}
      </div>
    </td>
  );
});

interface TitleCellProps {
  readonly level: number;
  readonly children: ReactNode;
}

/** The cell stays one of a table: cells that are flexible boxes stand below each other. */
function TitleCell({ level, children }: TitleCellProps) {
  return (
    <td>
      <div className="outline-cell" style={{ paddingInlineStart: (level - 1) * INDENT }}>
        {children}
      </div>
    </td>
  );
}

/** The row of a task that does not exist yet. */
export function DraftRow({ level, onEnd }: { readonly level: number } & Pick<TitleFieldProps, 'onEnd'>) {
  return (
    <tr className="outline-row" aria-level={level}>
      <TitleCell level={level}>
        <span className="twisty" aria-hidden="true" />
        <TitleField title="" label={messages.ready.addTitle} onEnd={onEnd} />
      </TitleCell>
      <td />
    </tr>
  );
}

interface TitleFieldProps {
  readonly title: string;
  readonly label: string;
  readonly onWrite?: (title: string) => void;
  /** Returns false if the field stays. */
  readonly onEnd: (end: FieldEnd) => boolean;
}

function TitleField({ title: before, label, onWrite, onEnd }: TitleFieldProps) {
  const [title, setTitle] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  // The end removes the field, which takes the focus away: that is no second end.
  const hasEnded = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (by: FieldEnd['by']) => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    hasEnded.current = onEnd({ title, by });
  };
  return (
    <input
      ref={field}
      aria-label={label}
      value={title}
      maxLength={MOST_TITLE_CHARACTERS}
      autoComplete="off"
      onChange={({ target }) => {
        setTitle(target.value);
        onWrite?.(target.value);
      }}
      onBlur={() => end('elsewhere')}
      onKeyDown={(event) => {
        event.stopPropagation();
        // An input method uses these keys for its own candidates.
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        end(event.key === 'Enter' ? 'enter' : 'escape');
      }}
    />
  );
}
