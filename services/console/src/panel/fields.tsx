// The fields of a task, to read.
import { isProvisional } from '@taskgraph/client';
import { type ReactNode, useId } from 'react';
import type { Task } from '../graph/task.ts';
import { dueLabel, messages } from '../messages/messages.ts';
import { useWorkspace } from '../session/workspace.tsx';

/** A name and its value; null or an empty text is not shown. */
export type FieldRow = readonly [string, ReactNode];

export function Fields({ task }: { readonly task: Task }) {
  const { panel: texts } = messages;
  const headingId = useId();
  const { plan } = useWorkspace();
  const rows: readonly FieldRow[] = [
    [texts.effort, task.volume === 0 ? null : messages.number(task.volume)],
    [texts.dueDate, task.dueDate === null ? null : dueLabel(task.dueDate)],
    [texts.priority, task.priority === 0 ? null : messages.number(task.priority)],
    [texts.assignee, messages.list(task.assignee ?? [])],
    [texts.tags, messages.list(task.tags)],
    ...readOnlyRows(task, plan?.timesOf(task.id)?.slack),
  ];
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId} tabIndex={-1} data-section="fields">
        {texts.fields}
      </h3>
      <FieldList rows={rows} />
      {task.description !== '' && (
        <>
          <h3>{texts.description}</h3>
          <p className="description" dir="auto">
            {task.description}
          </p>
        </>
      )}
    </section>
  );
}

/** The fields that nobody sets. */
export function readOnlyRows(task: Task, slack: number | undefined): FieldRow[] {
  const { panel: texts } = messages;
  return [
    [texts.slack, slack === undefined ? null : slack === 0 ? texts.slackCritical : messages.number(slack)],
    [texts.claim, claimText(task)],
    [texts.owner, task.ownerUsername === undefined ? null : <bdi key="owner">{task.ownerUsername}</bdi>],
    // The service has not created a task with a provisional id yet.
    [texts.created, isProvisional(task.id) ? null : messages.moment(task.createdTime)],
    [texts.changed, isProvisional(task.id) ? null : messages.moment(task.lastEditedTime)],
  ];
}

/** The user and the end of a claim; null once it has ended (CLAIM3). */
function claimText({ claimedBy, claimUntil }: Task): string | null {
  if (claimedBy == null || claimUntil == null || Date.parse(claimUntil) <= Date.now()) return null;
  return messages.panel.claimUntil(claimedBy, messages.moment(claimUntil));
}

export function FieldList({ rows }: { readonly rows: readonly FieldRow[] }) {
  return (
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
  );
}
