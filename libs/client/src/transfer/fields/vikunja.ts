// The fields of Vikunja's exports, from its release 0.18 on. Rule: IO9.
import { all, type Fields, IMPLIED, lost, nested, READ } from './field.ts';

const USER_FIELDS: Fields = {
  username: READ,
  name: lost('the full name of a person'),
  email: lost('the e-mail address of a person'),
  ...all(['id', 'created', 'updated', 'bot_owner_id'], IMPLIED),
};
const LABEL_FIELDS: Fields = {
  title: READ,
  description: lost('the description of a label'),
  hex_color: lost('the colour of a label'),
  created_by: lost('the creator of a label'),
  ...all(['created', 'updated'], lost('the creation or change time of a label')),
  id: IMPLIED,
};
export const TASK_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'done', 'due_date', 'priority', 'related_tasks', 'deleted_at'], READ),
  labels: nested(LABEL_FIELDS, 'title'),
  assignees: nested(USER_FIELDS, 'username'),
  start_date: lost('the start of a task'),
  end_date: lost('the end of a task'),
  done_at: lost('the completion time of a task'),
  ...all(['reminders', 'reminder_dates'], lost('reminders')),
  ...all(['repeat_after', 'repeat_mode'], lost('the recurrence of a task')),
  ...all(['attachments', 'cover_image_attachment_id'], lost('attachments')),
  percent_done: lost('the progress of a task'),
  ...all(['bucket_id', 'buckets'], lost('the bucket of a task')),
  ...all(['position', 'kanban_position'], lost('the position of a task among others')),
  hex_color: lost('a colour'),
  ...all(['comments', 'comment_count'], lost('comments')),
  reactions: lost('reactions'),
  time_entries_count: lost('the tracked time of a task'),
  is_favorite: lost('the favourite mark of a task'),
  is_unread: lost('the unread mark of a task'),
  subscription: lost('the subscription to a task'),
  created_by: lost('the creator of a task'),
  created: lost('the creation time of a task'),
  updated: lost('the change time of a task'),
  ...all(['identifier', 'index'], lost('the number of a task in its project')),
  ...all(['list_id', 'project_id'], IMPLIED),
};
/** A list is a project by its name before 0.21. */
export const PROJECT_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'parent_project_id', 'tasks', 'child_projects'], READ),
  is_archived: lost('the archived mark of a project'),
  ...all(['buckets', 'default_bucket_id', 'done_bucket_id'], lost('the buckets of a project')),
  task_buckets: lost('the buckets of tasks'),
  positions: lost('the positions of tasks'),
  views: lost('the views of a project'),
  identifier: lost('the short name of a project'),
  hex_color: lost('the colour of a project'),
  ...all(['background_information', 'background_blur_hash', 'background_file_id'], lost('the picture of a project')),
  is_favorite: lost('the favourite mark of a project'),
  position: lost('the position of a project among others'),
  subscription: lost('the subscription to a project'),
  owner: lost('the owner of a project'),
  created: lost('the creation time of a project'),
  updated: lost('the change time of a project'),
  ...all(['namespace_id', 'max_permission'], IMPLIED),
};
export const NAMESPACE_FIELDS: Fields = {
  ...all(['id', 'title', 'description', 'lists', 'projects'], READ),
  is_archived: lost('the archived mark of a namespace'),
  hex_color: lost('the colour of a namespace'),
  subscription: lost('the subscription to a namespace'),
  owner: lost('the owner of a namespace'),
  created: lost('the creation time of a namespace'),
  updated: lost('the change time of a namespace'),
};
export const VIKUNJA_FIELDS = {
  'a namespace': NAMESPACE_FIELDS,
  'a list or project': PROJECT_FIELDS,
  'a task': TASK_FIELDS,
  'a label': LABEL_FIELDS,
  'an assignee': USER_FIELDS,
} as const satisfies Record<string, Fields>;
