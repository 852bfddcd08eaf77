// Issues of GitHub in JSON: of `gh issue list --json ...` and of its REST interface. Rules: IO2, IO9.

import { dueDateInFile } from '../../values/days.ts';
import { tellFields } from '../fields/field.ts';
import { ISSUE_FIELDS, SEARCH_FIELDS } from '../fields/github.ts';
import { fitted, type Loose } from '../fitting.ts';
import { blocks, groupStatus } from '../groups.ts';
import { type Cursor, readJsonValues } from '../json-source.ts';
import { createLedger, type Ledger, push, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../model.ts';
import { createRelationCounts } from './github-counts.ts';

interface Issue {
  readonly cursor: Cursor;
  readonly draft: Loose;
}

/**
 * Reads issues: a list, several lists one after the other or in a list, answers to a search, or one issue after the other. Blockers and sub-issues
 * of an issue block it; an issue blocks its milestone. Throws a BrokenFile.
 */
export function readGithub(text: string): TransferGraph {
  const ledger = createLedger();
  const issues: Issue[] = [];
  const byNumber = new Map<number, Issue>();
  for (const cursor of issuesIn(text, ledger)) {
    const number = cursor.at('number').value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) return cursor.refuse('an issue has no "number"');
    if (cursor.at('pull_request').isThere()) ledger.note('a pull request', `#${number}`);
    else {
      if (byNumber.has(number)) cursor.refuse(`two issues have the number ${number}`);
      const issue = { cursor, draft: issueOf(cursor, number, ledger) };
      byNumber.set(number, issue);
      issues.push(issue);
    }
  }
  const links: TransferLink[] = [];
  const milestones = new Map<string, { readonly milestone: Cursor; readonly issues: Loose[] }>();
  const counts = createRelationCounts();
  for (const { cursor, draft } of issues) {
    for (const { link, kind } of relationsOf(cursor, draft.key)) {
      counts.add(link, kind);
      if ([link.source, link.target].every((key) => byNumber.has(Number(key.slice(1))))) links.push(link);
      else ledger.note('a relation to an issue that is not in the file', `${link.source} → ${link.target}`);
    }
    const milestone = cursor.at('milestone');
    if (!milestone.isThere()) continue;
    const key = `milestone ${milestone.object('"milestone"').at('title').text('a milestone')}`;
    const there = milestones.get(key) ?? { milestone, issues: [] };
    there.issues.push(draft);
    milestones.set(key, there);
    links.push(blocks(draft.key, key));
  }
  for (const { cursor, draft } of issues) counts.tellMissing(cursor, draft.key, ledger);
  const groups = [...milestones].map(([key, { milestone, issues: own }]) => milestoneOf(key, milestone, own));
  const drafts = [...issues.map(({ draft }) => draft), ...groups];
  return { nodes: drafts.map((draft) => fitted(draft, ledger)), links: withoutDoubles(links), leftOut: ledger.list() };
}

/** Throws a BrokenFile where something in the file is no issue. */
function issuesIn(text: string, ledger: Ledger): Cursor[] {
  const issues: Cursor[] = [];
  let [found, held] = [0, 0];
  // Those at the end are taken first.
  const open = readJsonValues(text).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (issues.length > TRANSFER_BOUNDS.nodes) next.refuse(`it has more than ${TRANSFER_BOUNDS.nodes} issues`);
    if (Array.isArray(next.value)) {
      for (const cursor of next.list('the file').reverse()) open.push(cursor);
      continue;
    }
    const cursor = next.object('an issue');
    if (!cursor.at('items').isThere()) {
      issues.push(refusingAnswers(cursor));
      continue;
    }
    tellFields(cursor.value, SEARCH_FIELDS, `line ${cursor.line}`, ledger);
    if (cursor.at('incomplete_results').value === true)
      ledger.note('that a search was cut short by its time', `line ${cursor.line}`);
    const items = cursor.at('items').list('"items"');
    const { value: total } = cursor.at('total_count');
    // Each page says how many issues all of them have.
    if (typeof total === 'number') [found, held] = [Math.max(found, total), held + items.length];
    for (const item of items.reverse()) open.push(item);
  }
  if (found > held) ledger.note('issues that a search found and its pages do not hold', `${found - held} of ${found}`);
  return issues;
}

/** Answers of other kinds look like one issue. */
function refusingAnswers(cursor: Cursor): Cursor {
  const { value: message } = cursor.at('message');
  if (typeof message === 'string' && cursor.at('documentation_url').isThere())
    cursor.refuse(`it is an answer of GitHub that refuses: ${JSON.stringify(message.slice(0, 200))}`);
  if (cursor.at('data').isThere())
    cursor.refuse('it is an answer of GraphQL, which is not read: use gh issue list --json or the REST interface');
  return cursor;
}

function issueOf(cursor: Cursor, number: number, ledger: Ledger): Loose {
  const place = `#${number}`;
  const state = cursor.at('state').text('"state"').toLowerCase();
  if (state !== 'open' && state !== 'closed' && state !== '')
    cursor.refuse(`${JSON.stringify(state.slice(0, 40))} is no state`);
  tellReason(
    String(cursor.at('stateReason').value ?? cursor.at('state_reason').value ?? '').toLowerCase(),
    place,
    ledger,
  );
  tellFields(cursor.value, ISSUE_FIELDS, place, ledger);
  const names = (field: string, of: string) =>
    listIn(cursor.at(field)).map((each) =>
      typeof each.value === 'string' ? each.value : each.object(field).at(of).text(field),
    );
  const assignees = names('assignees', 'login');
  // Old servers of GitHub Enterprise list one assignee alone.
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

/** That an issue is completed is its status. */
function tellReason(reason: string, place: string, ledger: Ledger): void {
  if (reason === '' || reason === 'completed') return;
  ledger.note(
    reason === 'reopened' ? 'that an issue was reopened' : `that an issue was closed as ${reason.slice(0, 40)}`,
    place,
  );
}

/** `gh` gives relations as `{nodes, totalCount}`. */
function listIn(cursor: Cursor): Cursor[] {
  if (!cursor.isThere()) return [];
  return Array.isArray(cursor.value) ? cursor.list('a list') : listIn(cursor.object('a list').at('nodes'));
}

type RelationKind = 'sub-issue' | 'blocker';

interface Relation {
  readonly kind: RelationKind;
  /** The source blocks the target. */
  readonly link: TransferLink;
}

/** Relations within one repository; those of others have other addresses, and so a number that is none here. */
function relationsOf(cursor: Cursor, key: string): Relation[] {
  const home = repositoryOf(cursor);
  const keyOf = (other: Cursor) => {
    const away = repositoryOf(other);
    const number = other.object('an issue').at('number').value;
    return away !== '' && home !== '' && away !== home ? `#${away}/${String(number)}` : `#${String(number)}`;
  };
  const address = partsOf(cursor.at('parent_issue_url').text('"parent_issue_url"'));
  const above =
    address === null
      ? []
      : [home === '' || address.home === home ? `#${address.number}` : `#${address.home}/${address.number}`];
  const parents = cursor.at('parent').isThere() ? [keyOf(cursor.at('parent')), ...above] : above;
  const relation = (kind: RelationKind, source: string, target: string) => ({ kind, link: blocks(source, target) });
  return [
    ...parents.map((parent) => relation('sub-issue', key, parent)),
    ...listIn(cursor.at('subIssues')).map((each) => relation('sub-issue', keyOf(each), key)),
    ...listIn(cursor.at('blockedBy')).map((each) => relation('blocker', keyOf(each), key)),
    ...listIn(cursor.at('blocking')).map((each) => relation('blocker', key, keyOf(each))),
  ];
}

function repositoryOf(cursor: Cursor): string {
  const addresses = [cursor.at('url').value, cursor.at('html_url').value].map((each) => partsOf(String(each ?? '')));
  return addresses.find((each) => each !== null)?.home ?? '';
}

/** The repository and the number in the address of an issue, of a page or of the interface; null where it is none. */
function partsOf(address: string): { readonly home: string; readonly number: string } | null {
  const [owner, repository, issues, number = ''] = address.split('/').slice(-4);
  return issues === 'issues' && /^\d+$/.test(number) ? { home: `${owner}/${repository}`, number } : null;
}

function milestoneOf(key: string, milestone: Cursor, issues: readonly Loose[]): Loose {
  const due = milestone.at('dueOn').value ?? milestone.at('due_on').value;
  // GitHub keeps a day, and writes it as the midnight of California that begins it.
  const dueDate = typeof due === 'string' ? dueDateInFile(dueDateInFile(due)?.slice(0, 10) ?? '') : null;
  if (typeof due === 'string' && dueDate === null) milestone.refuse('the end of a milestone is no time');
  const [title, description] = [
    milestone.at('title').text('"title"'),
    milestone.at('description').text('"description"'),
  ];
  return { key, line: milestone.line, title, description, dueDate, status: groupStatus(issues) };
}

/** Each relation stands at both of its ends, which is no loss. */
function withoutDoubles(links: readonly TransferLink[]): TransferLink[] {
  const bySource = new Map<string, TransferLink[]>();
  for (const link of links) push(bySource, `${link.source}\n${link.target}`, link);
  return [...bySource.values()].flatMap(([first]) => first ?? []);
}
