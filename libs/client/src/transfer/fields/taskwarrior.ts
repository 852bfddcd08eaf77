// The attributes of Taskwarrior's tasks, from its release 2.0 on; users may add attributes of their own. Rule: IO9.
import { all, type Fields, IMPLIED, lost, nested, partly, READ } from './field.ts';

const ANNOTATION_FIELDS: Fields = { description: READ, entry: lost('the time of a note') };

export const ATTRIBUTES: Fields = {
  ...all(['uuid', 'description', 'status', 'due', 'tags', 'priority', 'project', 'depends'], READ),
  annotations: nested(ANNOTATION_FIELDS, 'description'),
  start: partly('the start time of a task'),
  entry: lost('the creation time of a task'),
  ...all(['modified', 'modification'], lost('the change time of a task')),
  end: lost('the completion time of a task'),
  wait: lost('the wait date of a task'),
  scheduled: lost('the scheduled date of a task'),
  until: lost('the expiry date of a task'),
  ...all(['recur', 'rtype', 'mask', 'imask', 'parent', 'last', 'template'], lost('the recurrence of a task')),
  // The number in a list that changes with it, and a number that follows from other attributes.
  ...all(['id', 'urgency'], IMPLIED),
};

export const TASKWARRIOR_FIELDS = {
  'a task': ATTRIBUTES,
  'an annotation': ANNOTATION_FIELDS,
} as const satisfies Record<string, Fields>;
