// The fields of issues of GitHub: those of `gh issue list --json` and of its REST interface, whose names have underscores. Rule: IO9.
import { all, type Field, type Fields, IMPLIED, lost, nested, partly, READ } from './field.ts';

/** Reactions are listed with a number each, also where that is 0. */
function isCounted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { total_count: total, totalCount, users } = value as Readonly<Record<string, unknown>>;
  return (
    [total, totalCount].some((count) => typeof count === 'number' && count > 0) ||
    [users, ...(Array.isArray(value) ? value : [])].some(isCounted)
  );
}

const isClosed = (value: unknown) => String(value).toLowerCase() === 'closed';
const ADDRESSES = [
  'url',
  'html_url',
  'labels_url',
  'avatar_url',
  'followers_url',
  'following_url',
  'gists_url',
  'starred_url',
  'subscriptions_url',
  'organizations_url',
  'repos_url',
  'events_url',
  'received_events_url',
];

const LABEL_FIELDS: Fields = {
  name: READ,
  color: lost('the colour of a label'),
  description: lost('the description of a label'),
  ...all(['id', 'node_id', 'url', 'default'], IMPLIED),
};
const USER_FIELDS: Fields = {
  login: READ,
  name: lost('the full name of a person'),
  email: lost('the e-mail address of a person'),
  ...all(['id', 'node_id', 'databaseId', 'gravatar_id', 'type', 'user_view_type', 'site_admin', 'is_bot'], IMPLIED),
  ...all(ADDRESSES, IMPLIED),
};
const MILESTONE_FIELDS: Fields = {
  ...all(['title', 'description', 'dueOn', 'due_on'], READ),
  state: lost('the closed state of a milestone', isClosed),
  closed_at: lost('the closed state of a milestone'),
  creator: lost('the creator of a milestone'),
  created_at: lost('the creation time of a milestone'),
  updated_at: lost('the change time of a milestone'),
  ...all(['id', 'node_id', 'number', 'open_issues', 'closed_issues', ...ADDRESSES], IMPLIED),
};

const comments: Field = lost('comments');
const closing: Field = lost('the closing time of an issue');
const reactions: Field = lost('reactions', isCounted);

export const ISSUE_FIELDS: Fields = {
  ...all(['number', 'title', 'body', 'state', 'stateReason', 'state_reason', 'pull_request'], READ),
  labels: nested(LABEL_FIELDS, 'name'),
  ...all(['assignees', 'assignee'], nested(USER_FIELDS, 'login')),
  milestone: nested(MILESTONE_FIELDS, 'title'),
  ...all(['parent', 'parent_issue_url', 'subIssues', 'blockedBy', 'blocking'], READ),
  ...all(['subIssuesSummary', 'sub_issues_summary', 'issue_dependencies_summary'], READ),
  // They tell the repository, which tells whether a relation stays within it.
  ...all(['url', 'html_url'], partly('the address of an issue')),
  ...all(['author', 'user', 'author_association'], lost('the author of an issue')),
  ...all(['createdAt', 'created_at'], lost('the creation time of an issue')),
  ...all(['updatedAt', 'updated_at'], lost('the change time of an issue')),
  ...all(['closedAt', 'closed_at'], closing),
  closed_by: lost('the user who closed an issue'),
  closedByPullRequestsReferences: lost('the pull requests that close an issue'),
  ...all(['comments', 'pinned_comment'], comments),
  ...all(['reactionGroups', 'reactions'], reactions),
  ...all(['projectItems', 'projectCards'], lost('the place in projects')),
  ...all(['issueType', 'type'], lost('the type of an issue')),
  issue_field_values: lost('the custom fields of an issue'),
  repository: lost('the repository of an issue'),
  isPinned: lost('the pinned mark of an issue'),
  ...all(['locked', 'active_lock_reason'], lost('the lock of an issue')),
  draft: lost('the draft mark of an issue'),
  performed_via_github_app: lost('the program that made an issue'),
  ...all(['id', 'node_id', 'closed', 'score', 'body_text', 'body_html', 'text_matches'], IMPLIED),
  ...all(['repository_url', 'labels_url', 'comments_url', 'events_url', 'timeline_url'], IMPLIED),
};
/** An answer to a search. */
export const SEARCH_FIELDS: Fields = all(['items', 'total_count', 'incomplete_results'], READ);

export const GITHUB_FIELDS = {
  'an issue': ISSUE_FIELDS,
  'a label': LABEL_FIELDS,
  'an assignee': USER_FIELDS,
  'a milestone': MILESTONE_FIELDS,
  'an answer to a search': SEARCH_FIELDS,
} as const satisfies Record<string, Fields>;
