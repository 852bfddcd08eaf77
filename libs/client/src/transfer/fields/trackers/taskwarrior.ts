// The attributes of Taskwarrior's tasks since release 2.0. Users can define further ones. Rule:
// IO9.
import { all, IMPLIED, nested, READ, readInPart, type SourceFields, unread } from '../source-field.ts';

const ANNOTATION_FIELDS: SourceFields = { description: READ, entry: unread('the time of a note') };

export const TASK_FIELDS: SourceFields = {
  ...all(['uuid', 'description', 'status', 'due', 'tags', 'priority', 'project', 'depends'], READ),
  annotations: nested(ANNOTATION_FIELDS, 'description'),
  start: readInPart('the start time of a task'),
  entry: unread('the creation time of a task'),
  ...all(['modified', 'modification'], unread('the change time of a task')),
  end: unread('the completion time of a task'),
  wait: unread('the wait date of a task'),
  scheduled: unread('the scheduled date of a task'),
  until: unread('the expiry date of a task'),
  ...all(['recur', 'rtype', 'mask', 'imask', 'parent', 'last', 'template'], unread('the recurrence of a task')),
  // `id` is the current number in the list; `urgency` follows from other attributes.
  ...all(['id', 'urgency'], IMPLIED),
};

export const TASKWARRIOR_FIELDS = {
  'a task': TASK_FIELDS,
  'an annotation': ANNOTATION_FIELDS,
} as const satisfies Record<string, SourceFields>;
