// The fields of issues of Beads in issues.jsonl, from release 0.9 on. Rule: IO9.
import { all, IMPLIED, nested, READ, type SourceFields, unread } from '../source-field.ts';

const DEPENDENCY_FIELDS: SourceFields = {
  ...all(['depends_on_id', 'type'], READ),
  ...all(['created_at', 'created_by'], unread('the creator or creation time of a dependency')),
  metadata: unread('the metadata of a dependency'),
  thread_id: unread('the thread of a dependency'),
  ...all(['id', 'issue_id'], IMPLIED),
};
const COMMENT_FIELDS: SourceFields = {
  text: READ,
  ...all(['author', 'created_at'], unread('the author or time of a comment')),
  ...all(['id', 'issue_id'], IMPLIED),
};
export const ISSUE_FIELDS: SourceFields = {
  ...all(['id', 'title', 'description', 'design', 'acceptance_criteria', 'notes'], READ),
  ...all(['status', 'priority', 'issue_type', 'assignee', 'labels', 'estimated_minutes', 'due_at'], READ),
  dependencies: nested(DEPENDENCY_FIELDS, 'depends_on_id'),
  comments: nested(COMMENT_FIELDS, 'text'),
  _type: IMPLIED,
  spec_id: unread('the specification of an issue'),
  owner: unread('the owner of an issue'),
  created_at: unread('the creation time of an issue'),
  created_by: unread('the creator of an issue'),
  updated_at: unread('the change time of an issue'),
  started_at: unread('the start time of an issue'),
  closed_at: unread('the closing time of an issue'),
  ...all(['close_reason', 'closed_by_session'], unread('the reason why an issue was closed')),
  ...all(['lease_expires_at', 'heartbeat_at'], unread('the lease of an issue')),
  defer_until: unread('the time until which an issue is deferred'),
  ...all(['external_ref', 'source_system'], unread('the reference of an issue to another system')),
  metadata: unread('the metadata of an issue'),
  ...all(['deleted_at', 'deleted_by', 'delete_reason', 'original_type'], unread('the deletion of an issue')),
  ...all(
    ['compaction_level', 'compacted_at', 'compacted_at_commit', 'original_size'],
    unread('the compaction of an issue'),
  ),
  ...all(['sender', 'ephemeral', 'no_history', 'wisp_type'], unread('the properties of a message')),
  ...all(['pinned', 'is_template'], unread('the mark of an issue as pinned or as a template')),
  ...all(['bonded_from', 'mol_type', 'source_formula', 'source_location'], unread('the formula of an issue')),
  ...all(['await_type', 'await_id', 'timeout', 'waiters'], unread('the gate of an issue')),
  work_type: unread('the type of work of an issue'),
  ...all(['event_kind', 'actor', 'target', 'payload'], unread('the event of an issue')),
  ...all(['source_repo', 'content_hash', 'dependency_count', 'dependent_count', 'comment_count'], IMPLIED),
};

export const BEADS_FIELDS = {
  'an issue': ISSUE_FIELDS,
  'a dependency': DEPENDENCY_FIELDS,
  'a comment': COMMENT_FIELDS,
} as const satisfies Record<string, SourceFields>;
