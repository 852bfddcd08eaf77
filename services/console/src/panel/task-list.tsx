// Tasks as links to their panels, each with its status in form and word.
import type { ReactNode } from 'react';
import type { Task } from '../graph/task.ts';
import { followLink } from '../history.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { pathOf } from '../routes.ts';
import { StatusGlyph } from './status-glyph.tsx';

/** A list shows that many; it says how many others there are. */
const MOST_SHOWN = 50;

interface TaskListProps {
  readonly tasks: readonly Task[];
  /** What follows a task. */
  readonly after?: (task: Task) => ReactNode;
}

export function TaskList({ tasks, after }: TaskListProps) {
  if (tasks.length === 0) return null;
  const more = tasks.length - MOST_SHOWN;
  return (
    <ul className="tasks">
      {tasks.slice(0, MOST_SHOWN).map((task) => (
        <li key={task.id}>
          <TaskLink task={task} />
          <span className="quiet">
            {messages.status[task.status]}
            {after?.(task)}
          </span>
        </li>
      ))}
      {more > 0 && <li className="quiet">{messages.panel.more(more)}</li>}
    </ul>
  );
}

export function TaskLink({ task }: { readonly task: Task }) {
  return (
    <a href={pathOf({ view: 'task', id: task.id })} data-status={task.status} onClick={followLink}>
      <StatusGlyph status={task.status} />
      <span className="task-title" dir="auto">
        {titleOf(task)}
      </span>
    </a>
  );
}
