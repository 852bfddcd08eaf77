// The columns of a Todoist template, by the type of row. Rule: IO9.
import { all, IMPLIED, READ, type SourceFields, unread } from '../source-field.ts';

/** The reader reports dates in words and times without an offset, so these columns add nothing. */
const DATE_CONTEXT = ['DATE_LANG', 'DEADLINE_LANG', 'TIMEZONE'] as const;

const TASK_FIELDS: SourceFields = {
  ...all(['TYPE', 'CONTENT', 'DESCRIPTION', 'IS_COLLAPSED', 'PRIORITY', 'INDENT', 'RESPONSIBLE'], READ),
  ...all(['DATE', 'DEADLINE', 'DURATION', 'DURATION_UNIT'], READ),
  AUTHOR: unread('the creator of a task'),
  ...all(DATE_CONTEXT, IMPLIED),
};
const SECTION_FIELDS: SourceFields = {
  ...all(['TYPE', 'CONTENT', 'DESCRIPTION', 'IS_COLLAPSED'], READ),
  ...all(DATE_CONTEXT, IMPLIED),
};
const NOTE_FIELDS: SourceFields = {
  ...all(['TYPE', 'CONTENT'], READ),
  AUTHOR: unread('the author of a note'),
  DATE: unread('the time of a note'),
  ...all(DATE_CONTEXT, IMPLIED),
};
const META_FIELDS: SourceFields = { TYPE: READ, CONTENT: unread('settings of the view') };

export const TODOIST_FIELDS = {
  task: TASK_FIELDS,
  section: SECTION_FIELDS,
  note: NOTE_FIELDS,
  meta: META_FIELDS,
} as const satisfies Record<string, SourceFields>;
