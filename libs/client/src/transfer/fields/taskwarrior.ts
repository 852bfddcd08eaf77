// The attributes of Taskwarrior's tasks, from its release 2.0 on; users may add attributes of their own. Rule: IO9.
import { all, type Fields, IMPLIED, lost, nested, partly, READ } from './field.ts';

const ANNOTATION_FIELDS: Fields = { description: READ, entry: lost('when a note was written') };

export const ATTRIBUTES: Fields = {
  ...all(['uuid', 'description', 'status', 'due', 'tags', 'priority', 'project', 'depends'], READ),
  annotations: nested(ANNOTATION_FIELDS, 'description'),
  start: partly('when a task was begun'),
  entry: lost('when a task was made'),
  ...all(['modified', 'modification'], lost('when a task was changed')),
  end: lost('when a task was completed'),
  wait: lost('until when a task waits'),
  scheduled: lost('when a task is scheduled'),
  until: lost('when a task expires'),
  ...all(['recur', 'rtype', 'mask', 'imask', 'parent', 'last', 'template'], lost('how a task recurs')),
  // The number in a list that changes with it, and a number that follows from other attributes.
  ...all(['id', 'urgency'], IMPLIED),
};

export const TASKWARRIOR_FIELDS = {
  'a task': ATTRIBUTES,
  'an annotation': ANNOTATION_FIELDS,
} as const satisfies Record<string, Fields>;
