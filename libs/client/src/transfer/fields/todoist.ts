// The columns of Todoist's template, by the kind of row. Rule: IO9.
import { all, type Fields, IMPLIED, lost, READ } from './field.ts';

/** The languages of dates in words are told with those dates, and a time zone with a time that has a clock. */
const LANGUAGES = ['DATE_LANG', 'DEADLINE_LANG', 'TIMEZONE'] as const;

const TASK_FIELDS: Fields = {
  ...all(['TYPE', 'CONTENT', 'DESCRIPTION', 'IS_COLLAPSED', 'PRIORITY', 'INDENT', 'RESPONSIBLE'], READ),
  ...all(['DATE', 'DEADLINE', 'DURATION', 'DURATION_UNIT'], READ),
  AUTHOR: lost('the creator of a task'),
  ...all(LANGUAGES, IMPLIED),
};
const SECTION_FIELDS: Fields = {
  ...all(['TYPE', 'CONTENT', 'DESCRIPTION', 'IS_COLLAPSED'], READ),
  ...all(LANGUAGES, IMPLIED),
};
const NOTE_FIELDS: Fields = {
  ...all(['TYPE', 'CONTENT'], READ),
  AUTHOR: lost('the author of a note'),
  DATE: lost('the time of a note'),
  ...all(LANGUAGES, IMPLIED),
};
const META_FIELDS: Fields = { TYPE: READ, CONTENT: lost('settings of the view') };

export const TODOIST_FIELDS = {
  task: TASK_FIELDS,
  section: SECTION_FIELDS,
  note: NOTE_FIELDS,
  meta: META_FIELDS,
} as const satisfies Record<string, Fields>;
