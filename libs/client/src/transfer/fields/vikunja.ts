// The fields of Vikunja's exports, from its release 0.18 on. Rule: IO9.
import { all, type Fields, IMPLIED, lost, nested, READ } from './field.ts';

const USER_FIELDS: Fields = {
  username: READ,
  name: lost('the full name of a person'),
  email: lost('the address of a person'),
  ...all(['id', 'created', 'updated', 'bot_owner_id'], IMPLIED),
};
const LABEL_FIELDS: Fields = {
  title: READ,
  description: lost('the description of a label'),
  hex_color: lost('the colour of a label'),
  created_by: lost('who made a label'),
  ...all(['created', 'updated'], lost('when a label was made or changed')),
  id: IMPLIED,
};
export const TASK_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'done', 'due_date', 'priority', 'related_tasks', 'deleted_at'], READ),
  labels: nested(LABEL_FIELDS, 'title'),
  assignees: nested(USER_FIELDS, 'username'),
  start_date: lost('when a task begins'),
  end_date: lost('when a task ends'),
  done_at: lost('when a task was completed'),
  ...all(['reminders', 'reminder_dates'], lost('reminders')),
  ...all(['repeat_after', 'repeat_mode'], lost('how a task recurs')),
  ...all(['attachments', 'cover_image_attachment_id'], lost('attachments')),
  percent_done: lost('how much of a task is done'),
  ...all(['bucket_id', 'buckets'], lost('the bucket of a task')),
  ...all(['position', 'kanban_position'], lost('the position of a task among others')),
  hex_color: lost('a colour'),
  ...all(['comments', 'comment_count'], lost('comments')),
  reactions: lost('reactions'),
  time_entries_count: lost('time that was tracked'),
  is_favorite: lost('that a task is a favourite'),
  is_unread: lost('that a task is unread'),
  subscription: lost('who follows a task'),
  created_by: lost('who made a task'),
  created: lost('when a task was made'),
  updated: lost('when a task was changed'),
  ...all(['identifier', 'index'], lost('the number of a task in its project')),
  ...all(['list_id', 'project_id'], IMPLIED),
};
/** A list is a project by its name before 0.21. */
export const PROJECT_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'parent_project_id', 'tasks', 'child_projects'], READ),
  is_archived: lost('that a project is archived'),
  ...all(['buckets', 'default_bucket_id', 'done_bucket_id'], lost('the buckets of a project')),
  task_buckets: lost('the buckets of tasks'),
  positions: lost('the positions of tasks'),
  views: lost('the views of a project'),
  identifier: lost('the short name of a project'),
  hex_color: lost('the colour of a project'),
  ...all(['background_information', 'background_blur_hash', 'background_file_id'], lost('the picture of a project')),
  is_favorite: lost('that a project is a favourite'),
  position: lost('the position of a project among others'),
  subscription: lost('who follows a project'),
  owner: lost('who owns a project'),
  created: lost('when a project was made'),
  updated: lost('when a project was changed'),
  ...all(['namespace_id', 'max_permission'], IMPLIED),
};
export const NAMESPACE_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'lists', 'projects'], READ),
  is_archived: lost('that a namespace is archived'),
  hex_color: lost('the colour of a namespace'),
  subscription: lost('who follows a namespace'),
  owner: lost('who owns a namespace'),
  created: lost('when a namespace was made'),
  updated: lost('when a namespace was changed'),
};
export const VIKUNJA_FIELDS = {
  'a namespace': NAMESPACE_FIELDS,
  'a list or project': PROJECT_FIELDS,
  'a task': TASK_FIELDS,
  'a label': LABEL_FIELDS,
  'an assignee': USER_FIELDS,
} as const satisfies Record<string, Fields>;
