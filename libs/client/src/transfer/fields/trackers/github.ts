// The fields of GitHub issues in `gh issue list --json` and in the REST interface, where names have
// underscores. Rule: IO9.
import {
  all,
  IMPLIED,
  nested,
  READ,
  readInPart,
  type SourceField,
  type SourceFields,
  unread,
} from '../source-field.ts';

/** Whether an issue has reactions. GitHub lists each kind with its number, which may be 0. */
function hasReactions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { total_count: total, totalCount, users } = value as Readonly<Record<string, unknown>>;
  return (
    [total, totalCount].some((count) => typeof count === 'number' && count > 0) ||
    [users, ...(Array.isArray(value) ? value : [])].some(hasReactions)
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

const LABEL_FIELDS: SourceFields = {
  name: READ,
  color: unread('the colour of a label'),
  description: unread('the description of a label'),
  ...all(['id', 'node_id', 'url', 'default'], IMPLIED),
};
const USER_FIELDS: SourceFields = {
  login: READ,
  name: unread('the full name of a person'),
  email: unread('the e-mail address of a person'),
  ...all(['id', 'node_id', 'databaseId', 'gravatar_id', 'type', 'user_view_type', 'site_admin', 'is_bot'], IMPLIED),
  ...all(ADDRESSES, IMPLIED),
};
const MILESTONE_FIELDS: SourceFields = {
  ...all(['title', 'description', 'dueOn', 'due_on'], READ),
  state: unread('the closed state of a milestone', isClosed),
  closed_at: unread('the closed state of a milestone'),
  creator: unread('the creator of a milestone'),
  created_at: unread('the creation time of a milestone'),
  updated_at: unread('the change time of a milestone'),
  ...all(['id', 'node_id', 'number', 'open_issues', 'closed_issues', ...ADDRESSES], IMPLIED),
};

const COMMENTS: SourceField = unread('comments');
const CLOSING_TIME: SourceField = unread('the closing time of an issue');
const REACTIONS: SourceField = unread('reactions', hasReactions);

export const ISSUE_FIELDS: SourceFields = {
  ...all(['number', 'title', 'body', 'state', 'stateReason', 'state_reason', 'pull_request'], READ),
  labels: nested(LABEL_FIELDS, 'name'),
  ...all(['assignees', 'assignee'], nested(USER_FIELDS, 'login')),
  milestone: nested(MILESTONE_FIELDS, 'title'),
  ...all(['parent', 'parent_issue_url', 'subIssues', 'blockedBy', 'blocking'], READ),
  ...all(['subIssuesSummary', 'sub_issues_summary', 'issue_dependencies_summary'], READ),
  // The reader uses only the repository, to find relations to other repositories.
  ...all(['url', 'html_url'], readInPart('the address of an issue')),
  ...all(['author', 'user', 'author_association'], unread('the author of an issue')),
  ...all(['createdAt', 'created_at'], unread('the creation time of an issue')),
  ...all(['updatedAt', 'updated_at'], unread('the change time of an issue')),
  ...all(['closedAt', 'closed_at'], CLOSING_TIME),
  closed_by: unread('the user who closed an issue'),
  closedByPullRequestsReferences: unread('the pull requests that close an issue'),
  ...all(['comments', 'pinned_comment'], COMMENTS),
  ...all(['reactionGroups', 'reactions'], REACTIONS),
  ...all(['projectItems', 'projectCards'], unread('the place in projects')),
  ...all(['issueType', 'type'], unread('the type of an issue')),
  issue_field_values: unread('the custom fields of an issue'),
  repository: unread('the repository of an issue'),
  isPinned: unread('the pinned mark of an issue'),
  ...all(['locked', 'active_lock_reason'], unread('the lock of an issue')),
  draft: unread('the draft mark of an issue'),
  performed_via_github_app: unread('the program that made an issue'),
  ...all(['id', 'node_id', 'closed', 'score', 'body_text', 'body_html', 'text_matches'], IMPLIED),
  ...all(['repository_url', 'labels_url', 'comments_url', 'events_url', 'timeline_url'], IMPLIED),
};
/** The fields of a page of a search. */
export const SEARCH_FIELDS: SourceFields = all(['items', 'total_count', 'incomplete_results'], READ);

export const GITHUB_FIELDS = {
  'an issue': ISSUE_FIELDS,
  'a label': LABEL_FIELDS,
  'an assignee': USER_FIELDS,
  'a milestone': MILESTONE_FIELDS,
  'an answer to a search': SEARCH_FIELDS,
} as const satisfies Record<string, SourceFields>;
