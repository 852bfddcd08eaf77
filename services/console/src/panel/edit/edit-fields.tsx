// The fields of a task, for readers who may change them.
import { useId } from 'react';
import type { Task } from '../../graph/task.ts';
import { messages } from '../../messages/messages.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { FieldList, readOnlyRows } from '../fields.tsx';
import type { FieldActors } from './field-actors.ts';
import { ListField } from './list-field.tsx';
import { DescriptionField, DueField, NumberField } from './value-fields.tsx';

interface EditFieldsProps {
  readonly task: Task;
  readonly actors: FieldActors;
}

export function EditFields({ task, actors }: EditFieldsProps) {
  const headingId = useId();
  const { plan } = useWorkspace();
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId} tabIndex={-1} data-section="fields">
        {messages.panel.fields}
      </h3>
      <NumberField task={task} actor={actors.volume} field="volume" />
      <DueField task={task} actor={actors.dueDate} />
      <NumberField task={task} actor={actors.priority} field="priority" />
      <ListField task={task} field="assignee" />
      <ListField task={task} field="tags" />
      <DescriptionField task={task} actor={actors.description} />
      <FieldList rows={readOnlyRows(task, plan?.timesOf(task.id)?.slack)} />
    </section>
  );
}
