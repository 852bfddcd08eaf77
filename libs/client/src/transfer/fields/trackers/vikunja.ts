// The fields of Vikunja's exports since release 0.18. Rule: IO9.
import { all, IMPLIED, nested, READ, type SourceFields, unread } from '../source-field.ts';

const USER_FIELDS: SourceFields = {
  username: READ,
  name: unread('the full name of a person'),
  email: unread('the e-mail address of a person'),
  ...all(['id', 'created', 'updated', 'bot_owner_id'], IMPLIED),
};
const LABEL_FIELDS: SourceFields = {
  title: READ,
  description: unread('the description of a label'),
  hex_color: unread('the colour of a label'),
  created_by: unread('the creator of a label'),
  ...all(['created', 'updated'], unread('the creation or change time of a label')),
  id: IMPLIED,
};
export const TASK_FIELDS: SourceFields = {
  ...all(['id', 'title', 'description', 'done', 'due_date', 'priority', 'related_tasks', 'deleted_at'], READ),
  labels: nested(LABEL_FIELDS, 'title'),
  assignees: nested(USER_FIELDS, 'username'),
  start_date: unread('the start of a task'),
  end_date: unread('the end of a task'),
  done_at: unread('the completion time of a task'),
  ...all(['reminders', 'reminder_dates'], unread('reminders')),
  ...all(['repeat_after', 'repeat_mode'], unread('the recurrence of a task')),
  ...all(['attachments', 'cover_image_attachment_id'], unread('attachments')),
  percent_done: unread('the progress of a task'),
  ...all(['bucket_id', 'buckets'], unread('the bucket of a task')),
  ...all(['position', 'kanban_position'], unread('the position of a task among others')),
  hex_color: unread('a colour'),
  ...all(['comments', 'comment_count'], unread('comments')),
  reactions: unread('reactions'),
  time_entries_count: unread('the tracked time of a task'),
  is_favorite: unread('the favourite mark of a task'),
  is_unread: unread('the unread mark of a task'),
  subscription: unread('the subscription to a task'),
  created_by: unread('the creator of a task'),
  created: unread('the creation time of a task'),
  updated: unread('the change time of a task'),
  ...all(['identifier', 'index'], unread('the number of a task in its project')),
  ...all(['list_id', 'project_id'], IMPLIED),
};
/** Before 0.21, a project was called a list. */
export const PROJECT_FIELDS: SourceFields = {
  ...all(['id', 'title', 'description', 'parent_project_id', 'tasks', 'child_projects'], READ),
  is_archived: unread('the archived mark of a project'),
  ...all(['buckets', 'default_bucket_id', 'done_bucket_id'], unread('the buckets of a project')),
  task_buckets: unread('the buckets of tasks'),
  positions: unread('the positions of tasks'),
  views: unread('the views of a project'),
  identifier: unread('the short name of a project'),
  hex_color: unread('the colour of a project'),
  ...all(['background_information', 'background_blur_hash', 'background_file_id'], unread('the picture of a project')),
  is_favorite: unread('the favourite mark of a project'),
  position: unread('the position of a project among others'),
  subscription: unread('the subscription to a project'),
  owner: unread('the owner of a project'),
  created: unread('the creation time of a project'),
  updated: unread('the change time of a project'),
  ...all(['namespace_id', 'max_permission'], IMPLIED),
};
export const NAMESPACE_FIELDS: SourceFields = {
  ...all(['id', 'title', 'description', 'lists', 'projects'], READ),
  is_archived: unread('the archived mark of a namespace'),
  hex_color: unread('the colour of a namespace'),
  subscription: unread('the subscription to a namespace'),
  owner: unread('the owner of a namespace'),
  created: unread('the creation time of a namespace'),
  updated: unread('the change time of a namespace'),
};
export const VIKUNJA_FIELDS = {
  'a namespace': NAMESPACE_FIELDS,
  'a list or project': PROJECT_FIELDS,
  'a task': TASK_FIELDS,
  'a label': LABEL_FIELDS,
  'an assignee': USER_FIELDS,
} as const satisfies Record<string, SourceFields>;
