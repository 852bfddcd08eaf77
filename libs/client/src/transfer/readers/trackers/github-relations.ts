// The relations of a GitHub issue within its repository: parents, sub-issues and blockers. Rule:
// IO2.
import { blockingLink } from '../../graph/links.ts';
import type { TransferLink } from '../../graph/transfer-graph.ts';
import type { JsonCursor } from '../../text/json-cursor.ts';

type RelationKind = 'sub-issue' | 'blocker';

export interface IssueRelation {
  readonly kind: RelationKind;
  /** The source blocks the target. */
  readonly link: TransferLink;
}

/** An issue of another repository gets a key that no issue of the file has. */
export function relationsOf(issue: JsonCursor, key: string): IssueRelation[] {
  const home = repositoryOf(issue);
  const keyIn = (repository: string, number: string) =>
    repository !== '' && home !== '' && repository !== home ? `#${repository}/${number}` : `#${number}`;
  const keyOf = (other: JsonCursor) => keyIn(repositoryOf(other), String(other.object('an issue').at('number').value));
  const address = parseIssueAddress(issue.at('parent_issue_url').text('"parent_issue_url"'));
  const parents = [
    ...(issue.at('parent').isThere() ? [keyOf(issue.at('parent'))] : []),
    ...(address === null ? [] : [keyIn(address.repository, address.number)]),
  ];
  const relation = (kind: RelationKind, source: string, target: string) => ({
    kind,
    link: blockingLink(source, target),
  });
  return [
    ...parents.map((parent) => relation('sub-issue', key, parent)),
    ...listIn(issue.at('subIssues')).map((each) => relation('sub-issue', keyOf(each), key)),
    ...listIn(issue.at('blockedBy')).map((each) => relation('blocker', keyOf(each), key)),
    ...listIn(issue.at('blocking')).map((each) => relation('blocker', key, keyOf(each))),
  ];
}

/** The items of a list, or of gh's `{nodes, totalCount}`. */
export function listIn(cursor: JsonCursor): JsonCursor[] {
  if (!cursor.isThere()) return [];
  return Array.isArray(cursor.value) ? cursor.list('a list') : listIn(cursor.object('a list').at('nodes'));
}

function repositoryOf(issue: JsonCursor): string {
  for (const field of ['url', 'html_url']) {
    const address = parseIssueAddress(String(issue.at(field).value ?? ''));
    if (address !== null) return address.repository;
  }
  return '';
}

interface IssueAddress {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: string;
}

/** Parses the address of an issue on the web or in the API; null if it is none. */
function parseIssueAddress(address: string): IssueAddress | null {
  const [owner, name, issues, number = ''] = address.split('/').slice(-4);
  return issues === 'issues' && /^\d+$/.test(number) ? { repository: `${owner}/${name}`, number } : null;
}
