// The fields of a task, to read.
import { type ReactNode, useId } from 'react';
import type { Task } from '../graph/task.ts';
import { dueWords, messages } from '../messages/messages.ts';
import { useWorkspace } from '../session/workspace.tsx';

export function Fields({ task }: { readonly task: Task }) {
  const { panel: texts } = messages;
  const headingId = useId();
  const { planned } = useWorkspace();
  const slack = planned.get(task.id)?.slack;
  const rows: (readonly [string, ReactNode])[] = [
    [texts.effort, task.volume === 0 ? null : messages.number(task.volume)],
    [texts.slack, slack === undefined ? null : slack === 0 ? texts.slackCritical : messages.number(slack)],
    [texts.dueDate, task.dueDate === null ? null : dueWords(task.dueDate)],
    [texts.priority, task.priority === 0 ? null : messages.number(task.priority)],
    [texts.assignee, messages.list(task.assignee ?? [])],
    [texts.tags, messages.list(task.tags)],
    [texts.owner, task.ownerUsername ?? null],
    [texts.created, messages.moment(task.createdTime)],
    [texts.changed, messages.moment(task.lastEditedTime)],
  ];
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId}>{texts.fields}</h3>
      <dl className="fields">
        {rows
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {task.description !== '' && (
        <>
          <h3>{texts.description}</h3>
          <p className="description">{task.description}</p>
        </>
      )}
    </section>
  );
}
