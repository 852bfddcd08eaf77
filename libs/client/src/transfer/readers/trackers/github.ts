// Reads GitHub issues in JSON, from `gh issue list --json ...` and from the REST interface. Rules:
// IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { reportFields } from '../../fields/source-field.ts';
import { ISSUE_FIELDS, SEARCH_FIELDS } from '../../fields/trackers/github.ts';
import { blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  excerpt,
  push,
  TRANSFER_BOUNDS,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { type JsonCursor, readJsonValues } from '../../text/json-cursor.ts';
import { createRelationCounts } from './github-relation-counts.ts';
import { listIn, relationsOf } from './github-relations.ts';

interface Issue {
  readonly cursor: JsonCursor;
  readonly draft: NodeDraft;
}

/**
 * Reads issues: a list, several lists one after the other or in a list, pages of a search, or one
 * issue after the other. Blockers and sub-issues of an issue block it; an issue blocks its
 * milestone. Throws a BrokenFile.
 */
export function readGithub(text: string): TransferGraph {
  const losses = createLossReport();
  const issues = readIssues(text, losses);
  const links = linksOf(issues, losses);
  const milestones = new Map<string, { readonly cursor: JsonCursor; readonly issues: NodeDraft[] }>();
  for (const { cursor, draft } of issues) {
    const milestone = cursor.at('milestone');
    if (!milestone.isThere()) continue;
    const key = `milestone ${milestone.object('"milestone"').at('title').text('a milestone')}`;
    const group = milestones.get(key) ?? { cursor: milestone, issues: [] };
    group.issues.push(draft);
    milestones.set(key, group);
    links.push(blockingLink(draft.key, key));
  }
  const groups = [...milestones].map(([key, { cursor, issues: own }]) => milestoneOf(key, cursor, own));
  const drafts = [...issues.map(({ draft }) => draft), ...groups];
  return {
    nodes: drafts.map((draft) => fitNode(draft, losses)),
    links: uniqueRelations(links),
    leftOut: losses.list(),
    hints: new Map(issues.map(({ cursor, draft }) => [draft.key, { unstated: unstatedIn(cursor) }])),
  };
}

/** The names of the values of an issue. `gh issue list --json` writes the chosen ones. */
const STATED_BY: readonly (readonly [keyof TransferFields, readonly string[]])[] = [
  ['title', ['title']],
  ['description', ['body']],
  ['status', ['state']],
  ['tags', ['labels']],
  ['assignee', ['assignees', 'assignee']],
];

function unstatedIn(issue: JsonCursor): (keyof TransferFields)[] {
  const value = issue.value as Readonly<Record<string, unknown>>;
  return STATED_BY.flatMap(([field, names]) => (names.some((name) => name in value) ? [] : [field]));
}

function readIssues(text: string, losses: LossReport): Issue[] {
  const issues = new Map<number, Issue>();
  for (const cursor of issuesIn(text, losses)) {
    const number = cursor.at('number').value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) return cursor.refuse('an issue has no "number"');
    if (cursor.at('pull_request').isThere()) losses.note('a pull request', `#${number}`);
    else {
      if (issues.has(number)) cursor.refuse(`two issues have the number ${number}`);
      issues.set(number, { cursor, draft: issueOf(cursor, number, losses) });
    }
  }
  return [...issues.values()];
}

/** Throws a BrokenFile if a value is not an issue. */
function issuesIn(text: string, losses: LossReport): JsonCursor[] {
  const issues: JsonCursor[] = [];
  let [found, present] = [0, 0];
  // A stack: the last value is next.
  const open = readJsonValues(text).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (issues.length > TRANSFER_BOUNDS.nodes) next.refuse(`it has more than ${TRANSFER_BOUNDS.nodes} issues`);
    if (Array.isArray(next.value)) {
      for (const cursor of next.list('the file').reverse()) open.push(cursor);
      continue;
    }
    const cursor = next.object('an issue');
    if (!cursor.at('items').isThere()) {
      issues.push(rejectErrorAnswers(cursor));
      continue;
    }
    reportFields(cursor.value, SEARCH_FIELDS, `line ${cursor.line}`, losses);
    if (cursor.at('incomplete_results').value === true)
      losses.note('that a search was cut short by its time limit', `line ${cursor.line}`);
    const items = cursor.at('items').list('"items"');
    const { value: total } = cursor.at('total_count');
    // Each page gives the number of issues on all pages.
    if (typeof total === 'number') [found, present] = [Math.max(found, total), present + items.length];
    for (const item of items.reverse()) open.push(item);
  }
  if (found > present) losses.note('issues of a search whose pages the file lacks', `${found - present} of ${found}`);
  return issues;
}

/** Objects of other kinds would otherwise be refused as issues without a number. */
function rejectErrorAnswers(cursor: JsonCursor): JsonCursor {
  const { value: message } = cursor.at('message');
  if (typeof message === 'string' && cursor.at('documentation_url').isThere())
    cursor.refuse(`it is an error answer of GitHub: ${excerpt(message)}`);
  if (cursor.at('data').isThere())
    cursor.refuse('it is a GraphQL answer, which is not supported: use gh issue list --json or the REST interface');
  return cursor;
}

function issueOf(cursor: JsonCursor, number: number, losses: LossReport): NodeDraft {
  const place = `#${number}`;
  const state = cursor.at('state').text('"state"').toLowerCase();
  if (state !== 'open' && state !== 'closed' && state !== '') cursor.refuse(`${excerpt(state)} is not a state`);
  reportReason(cursor.at('stateReason').value ?? cursor.at('state_reason').value, place, losses);
  reportFields(cursor.value, ISSUE_FIELDS, place, losses);
  const names = (field: string, of: string) =>
    listIn(cursor.at(field)).map((each) =>
      typeof each.value === 'string' ? each.value : each.object(field).at(of).text(field),
    );
  const assignees = names('assignees', 'login');
  // Old servers of GitHub Enterprise have only one assignee.
  const assignee = cursor.at('assignee').isThere() ? [cursor.at('assignee').object('"assignee"').at('login')] : [];
  return {
    key: place,
    line: cursor.line,
    title: cursor.at('title').text('"title"'),
    description: cursor.at('body').text('"body"'),
    status: state === 'closed' ? 3 : 0,
    tags: names('labels', 'name'),
    assignee: assignees.length > 0 ? assignees : assignee.map((login) => login.text('"assignee"')),
  };
}

/** Reports why an issue was closed. `completed` adds nothing to its status. */
function reportReason(value: unknown, place: string, losses: LossReport): void {
  const reason = String(value ?? '').toLowerCase();
  if (reason === '' || reason === 'completed') return;
  losses.note(
    reason === 'reopened' ? 'that an issue was reopened' : `that an issue was closed as ${reason.slice(0, 40)}`,
    place,
  );
}

/** The links between issues of the file. Reports the other relations. */
function linksOf(issues: readonly Issue[], losses: LossReport): TransferLink[] {
  const keys = new Set(issues.map(({ draft }) => draft.key));
  const links: TransferLink[] = [];
  const counts = createRelationCounts();
  for (const { cursor, draft } of issues) {
    for (const { link, kind } of relationsOf(cursor, draft.key)) {
      counts.add(link, kind);
      if (keys.has(link.source) && keys.has(link.target)) links.push(link);
      else losses.note('a relation to an issue that is not in the file', `${link.source} → ${link.target}`);
    }
  }
  for (const { cursor, draft } of issues) counts.reportMissing(cursor, draft.key, losses);
  return links;
}

function milestoneOf(key: string, milestone: JsonCursor, issues: readonly NodeDraft[]): NodeDraft {
  const due = milestone.at('dueOn').value ?? milestone.at('due_on').value;
  // GitHub stores a day, and writes it as the midnight in California at which it begins.
  const dueDate = typeof due === 'string' ? dueDateInFile(dueDateInFile(due)?.slice(0, 10) ?? '') : null;
  if (typeof due === 'string' && dueDate === null) milestone.refuse('the due date of a milestone is not a time');
  const [title, description] = [
    milestone.at('title').text('"title"'),
    milestone.at('description').text('"description"'),
  ];
  return { key, line: milestone.line, title, description, dueDate, status: groupStatus(issues) };
}

/** Both issues of a relation may name it, which is not a loss. */
function uniqueRelations(links: readonly TransferLink[]): TransferLink[] {
  const byEnds = new Map<string, TransferLink[]>();
  for (const link of links) push(byEnds, `${link.source}\n${link.target}`, link);
  return [...byEnds.values()].flatMap(([first]) => first ?? []);
}
