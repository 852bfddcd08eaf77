// Issues of GitHub in JSON: of `gh issue list --json ...` and of its REST interface. Rule: IO2.
import { fitted, type Loose, timeIn } from '../fitting.ts';
import { blocks, groupStatus } from '../groups.ts';
import { type Cursor, readJson } from '../json-source.ts';
import { createLedger, type Ledger, push, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../model.ts';

/** Fields that have no place here. */
const LOST: Readonly<Record<string, string>> = {
  ...{
    comments: 'comments',
    reactionGroups: 'reactions',
    reactions: 'reactions',
    projectItems: 'the place in projects',
    projectCards: 'the place in projects',
  },
  ...{
    closedAt: 'when an issue was closed',
    closed_at: 'when an issue was closed',
    issueType: 'the type of an issue',
    type: 'the type of an issue',
  },
};

interface Issue {
  readonly cursor: Cursor;
  readonly draft: Loose;
}

/** Reads a list of issues. Blockers and sub-issues of an issue block it; an issue blocks its milestone. Throws a BrokenFile. */
export function readGithub(text: string): TransferGraph {
  const ledger = createLedger();
  const issues: Issue[] = [];
  const byNumber = new Map<number, Issue>();
  for (const each of readJson(text).list('the file', TRANSFER_BOUNDS.nodes)) {
    const cursor = each.object('an issue');
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
  for (const { cursor, draft } of issues) {
    for (const link of relationsOf(cursor, draft.key)) {
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
  const groups = [...milestones].map(([key, { milestone, issues: own }]) => milestoneOf(key, milestone, own));
  const drafts = [...issues.map(({ draft }) => draft), ...groups];
  return { nodes: drafts.map((draft) => fitted(draft, ledger)), links: withoutDoubles(links), leftOut: ledger.list() };
}

function issueOf(cursor: Cursor, number: number, ledger: Ledger): Loose {
  const place = `#${number}`;
  const state = cursor.at('state').text('"state"').toLowerCase();
  if (state !== 'open' && state !== 'closed' && state !== '')
    cursor.refuse(`${JSON.stringify(state.slice(0, 40))} is no state`);
  const reason = (cursor.at('stateReason').value ?? cursor.at('state_reason').value ?? '') as string;
  if (/^(not_planned|duplicate)$/i.test(String(reason)))
    ledger.note(`that an issue was closed as ${String(reason).toLowerCase()}`, place);
  for (const [name, what] of Object.entries(LOST)) {
    const { value } = cursor.at(name);
    if (
      Array.isArray(value)
        ? value.length > 0
        : typeof value === 'string' || (typeof value === 'object' && value !== null && name !== 'reactions')
    ) {
      ledger.note(what, place);
    }
  }
  const names = (field: string, of: string) =>
    listIn(cursor.at(field)).map((each) =>
      typeof each.value === 'string' ? each.value : each.object(field).at(of).text(field),
    );
  const assignees = names('assignees', 'login');
  return {
    ...{
      key: place,
      line: cursor.line,
      title: cursor.at('title').text('"title"'),
      description: cursor.at('body').text('"body"'),
    },
    ...{ status: state === 'closed' ? 3 : 0, tags: names('labels', 'name'), assignee: assignees },
  };
}

/** `gh` gives relations as `{nodes, totalCount}`. */
function listIn(cursor: Cursor): Cursor[] {
  if (!cursor.isThere()) return [];
  return Array.isArray(cursor.value) ? cursor.list('a list') : listIn(cursor.object('a list').at('nodes'));
}

/** Relations within one repository; those of others have other addresses, and so a number that is none here. */
function relationsOf(cursor: Cursor, key: string): TransferLink[] {
  const home = repositoryOf(cursor);
  const keyOf = (other: Cursor) => {
    const away = repositoryOf(other);
    const number = other.object('an issue').at('number').value;
    return away !== '' && home !== '' && away !== home ? `#${away}/${String(number)}` : `#${String(number)}`;
  };
  const parent = cursor.at('parent').isThere() ? [blocks(key, keyOf(cursor.at('parent')))] : [];
  const address = partsOf(cursor.at('parent_issue_url').text('"parent_issue_url"'));
  return [
    ...parent,
    ...(address === null
      ? []
      : [
          blocks(
            key,
            home === '' || address.home === home ? `#${address.number}` : `#${address.home}/${address.number}`,
          ),
        ]),
    ...listIn(cursor.at('subIssues')).map((each) => blocks(keyOf(each), key)),
    ...listIn(cursor.at('blockedBy')).map((each) => blocks(keyOf(each), key)),
    ...listIn(cursor.at('blocking')).map((each) => blocks(key, keyOf(each))),
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
  const dueDate = typeof due === 'string' ? timeIn(timeIn(due)?.slice(0, 10) ?? '') : null;
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
