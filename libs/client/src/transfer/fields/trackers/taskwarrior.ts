// The attributes of Taskwarrior's tasks since release 2.0. Users can define further ones. Rule:
// IO9.
import {
  all,
  CHANGE_TIME,
  COMPLETION_TIME,
  CREATION_TIME,
  IMPLIED,
  nested,
  READ,
  RECURRENCE,
  readInPart,
  SCHEDULED_DATE,
  type SourceFields,
  START,
  unread,
} from '../source-field.ts';

const ANNOTATION_FIELDS: SourceFields = { description: READ, entry: unread('the time of a note') };

export const TASK_FIELDS: SourceFields = {
  ...all(['uuid', 'description', 'status', 'due', 'tags', 'priority', 'project', 'depends'], READ),
  annotations: nested(ANNOTATION_FIELDS, 'description'),
  start: readInPart(START),
  entry: unread(CREATION_TIME),
  ...all(['modified', 'modification'], unread(CHANGE_TIME)),
  end: unread(COMPLETION_TIME),
  wait: unread('the wait date of a task'),
  scheduled: unread(SCHEDULED_DATE),
  until: unread('the expiry date of a task'),
  ...all(['recur', 'rtype', 'mask', 'imask', 'parent', 'last', 'template'], unread(RECURRENCE)),
  // `id` is the current number in the list; `urgency` follows from other attributes.
  ...all(['id', 'urgency'], IMPLIED),
};

export const TASKWARRIOR_FIELDS = {
  'a task': TASK_FIELDS,
  'an annotation': ANNOTATION_FIELDS,
} as const satisfies Record<string, SourceFields>;
