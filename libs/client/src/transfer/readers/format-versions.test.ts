// Files of all releases and commands that write a format: tasks are read, and losses reported.
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../test/support/refused-files.ts';
import { formatOf } from '../format-detection.ts';
import { type ImportFormat, readFile } from '../formats.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';

function shown(text: string, format: ImportFormat) {
  const { nodes, links, leftOut } = readFile(text, format);
  const titleOf = (key: string) => nodes.find((node) => node.key === key)?.title;
  return {
    titles: nodes.map(({ title }) => title),
    links: links.map(({ source, target }) => `${titleOf(source)} → ${titleOf(target)}`),
    reported: leftOut.flatMap(({ what, places }) => places.map((place) => `${what}: ${place}`)),
  };
}
const reported = ({ leftOut }: TransferGraph) => leftOut.map(({ what, count }) => `${count} ${what}`);

describe('[IO2] Vikunja', () => {
  /** An account with a namespace, two lists in it and four tasks. */
  const before021 = (lists: 'lists' | 'projects') =>
    JSON.stringify([
      {
        id: 4,
        title: 'Work',
        description: '<p>All</p>',
        hex_color: '',
        is_archived: false,
        [lists]: [
          {
            id: 1,
            title: 'Web',
            tasks: [
              { id: 1, title: 'Text' },
              { id: 2, title: 'Host' },
            ],
            buckets: [],
          },
          {
            id: 4,
            title: 'Shop',
            tasks: [
              { id: 3, title: 'Till' },
              { id: 4, title: 'Shelf' },
            ],
            buckets: null,
          },
        ],
      },
      { id: 5, title: 'Home', is_archived: true, [lists]: null },
    ]);

  test.each(['lists', 'projects'] as const)('before 0.21, namespaces have %s with tasks', (lists) => {
    expect(shown(before021(lists), 'vikunja')).toEqual({
      titles: ['Text', 'Host', 'Web', 'Till', 'Shelf', 'Shop', 'Work', 'Home'],
      links: ['Text → Web', 'Host → Web', 'Till → Shop', 'Shelf → Shop', 'Web → Work', 'Shop → Work'],
      reported: ['the archived mark of a namespace: "Home"'],
    });
    expect(formatOf(before021(lists), 'data.json')).toBe('vikunja');
  });

  test('child projects block their parents', () => {
    const text =
      '[{"id":1,"title":"a","tasks":null,"child_projects":[{"id":2,"title":"b","tasks":[{"id":1,"title":"c"}]}]}]';
    expect(shown(text, 'vikunja')).toEqual({ titles: ['c', 'b', 'a'], links: ['c → b', 'b → a'], reported: [] });
  });

  test('a deleted task is reported and not read', () => {
    const text = '[{"id":1,"title":"a","tasks":[{"id":1,"title":"c","deleted_at":"2026-01-01T00:00:00Z"}]}]';
    expect(shown(text, 'vikunja')).toEqual({
      titles: ['a'],
      links: [],
      reported: ['a task that was deleted: "c" (line 1)'],
    });
  });
});

describe('[IO2] GitHub', () => {
  const issue = (number: number, more: object = {}) => ({ number, title: `Issue ${number}`, state: 'open', ...more });
  const three = [issue(1), issue(2), issue(3)];

  test('relations that a REST page only counts are reported', () => {
    const page = [
      issue(1, { sub_issues_summary: { total: 2, completed: 0, percent_completed: 0 } }),
      issue(2, { parent_issue_url: 'https://api.github.com/repos/a/b/issues/1', html_url: null }),
      issue(3, { issue_dependencies_summary: { blocked_by: 1, total_blocked_by: 2, blocking: 0, total_blocking: 3 } }),
      issue(4, {
        sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
        issue_dependencies_summary: { blocked_by: 0, total_blocked_by: 0, blocking: 0, total_blocking: 0 },
      }),
    ];
    expect(shown(JSON.stringify(page), 'github').reported).toEqual([
      'sub-issues, of which the file has only the number: #1 (1 of 2)',
      'issues that block an issue, of which the file has only the number: #3 (2 of 2)',
      'issues that an issue blocks, of which the file has only the number: #3 (3 of 3)',
    ]);
  });

  test('relations that gh cuts from a list are reported', () => {
    const listed = [
      issue(1, { subIssues: { nodes: [{ number: 2 }], totalCount: 120 }, subIssuesSummary: { total: 120 } }),
      issue(2, { blockedBy: { nodes: [{ number: 3 }], totalCount: 1 } }),
      issue(3, { blocking: { nodes: [{ number: 2 }], totalCount: 1 } }),
    ];
    expect(shown(JSON.stringify(listed), 'github')).toMatchObject({
      links: ['Issue 3 → Issue 2', 'Issue 2 → Issue 1'],
      reported: ['sub-issues, of which the file has only the number: #1 (119 of 120)'],
    });
  });

  const lines = (all: readonly object[], space?: number) =>
    all.map((each) => JSON.stringify(each, null, space)).join('\n');
  test.each([
    ['several pages one after the other', lines([[issue(1), issue(2)], [issue(3)]])],
    ['several pages without a line break', lines([[issue(1), issue(2)], [issue(3)]]).replaceAll('\n', '')],
    ['pages in a list', JSON.stringify([[issue(1), issue(2)], [issue(3)]])],
    ['an issue in each line', lines(three)],
    ['issues one after the other', lines(three, 2)],
    ['a search', JSON.stringify({ total_count: 3, incomplete_results: false, items: three })],
    [
      'several pages of a search',
      lines([three.slice(0, 2), three.slice(2)].map((items) => ({ total_count: 3, items }))),
    ],
  ])('%s', (_what, text) => {
    expect(shown(text, 'github')).toEqual({ titles: ['Issue 1', 'Issue 2', 'Issue 3'], links: [], reported: [] });
    expect(formatOf(text, 'issues.json')).toBe('github');
  });

  test('issues of a search that are on no page are reported', () => {
    const text = JSON.stringify({ total_count: 5, incomplete_results: true, items: three });
    expect(shown(text, 'github').reported).toEqual([
      'that a search was cut short by its time limit: line 1',
      'issues of a search whose pages the file lacks: 2 of 5',
    ]);
  });

  test('values that are not issues are refused with their lines', () => {
    expect(refusalOf('[{"number":1}]\n[2]', 'github')).toBe('line 2: an issue must be an object');
    expect(refusalOf('{"message":"Not Found","documentation_url":"x"}', 'github')).toBe(
      'line 1: it is an error answer of GitHub: "Not Found"',
    );
  });

  test('a long body hides no field from the detection of the format', () => {
    expect(formatOf(JSON.stringify([{ body: 'x'.repeat(65_536), ...issue(1) }]), 'a.json')).toBe('github');
  });
});

describe('[IO2] Taskwarrior', () => {
  const task = (uuid: string) => ({ uuid, description: uuid, status: 'pending' });
  test.each([
    [
      'several exports one after the other',
      '[{"uuid":"a","description":"a","status":"pending"}]\n[{"uuid":"b","description":"b","status":"pending"}]',
    ],
    ['tasks over several lines', [task('a'), task('b')].map((each) => JSON.stringify(each, null, 2)).join('\n')],
  ])('%s', (_what, text) => {
    expect(shown(text, 'taskwarrior')).toEqual({ titles: ['a', 'b'], links: [], reported: [] });
    expect(formatOf(text, 'a.json')).toBe('taskwarrior');
  });
});

describe('[IO2] tables', () => {
  test('commas separate labels', () => {
    const { nodes } = readFile('title,labels\na,"bug, ui"\nb,"x, y; z"\nc,"p\\, q"', 'csv');
    expect(nodes.map(({ tags }) => tags)).toEqual([['bug', 'ui'], ['x, y', 'z'], ['p, q']]);
  });

  test('a comma in a name separates no people, and is reported', () => {
    const read = readFile('title,assignee\na,"ann@example.org, bob@example.org"\nb,"Doe, Jane"', 'csv');
    expect(read.nodes.map(({ assignee }) => assignee)).toEqual([['ann@example.org', 'bob@example.org'], ['Doe, Jane']]);
    expect(reported(read)).toEqual(['1 that a comma may separate two people']);
  });

  test('commas separate blockers, unless a title contains the comma', () => {
    const text = 'id,title,waits for\n1,"Milk, eggs",\n2,Bread,\n3,Cook,"1, 2"\n4,Eat,"Milk, eggs"';
    expect(shown(text, 'csv').links).toEqual(['Milk, eggs → Cook', 'Bread → Cook', 'Milk, eggs → Eat']);
  });

  test('words that mean neither yes nor no are reported', () => {
    expect(reported(readFile('title,pinned\na,maybe\nb,no\nc,yes', 'csv'))).toEqual([
      '1 a pinned that is neither yes nor no',
    ]);
  });
});

describe('[IO2] Todoist', () => {
  test('columns of sections and notes are reported, and collapsed tasks are read', () => {
    const text = [
      'TYPE,CONTENT,DESCRIPTION,IS_COLLAPSED,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE',
      'section,Plan,,true,,,,,,,',
      'task,Write,,true,1,1,,,,,Europe/Berlin',
      'note,Ask,,,,,Ann (1),,2026-07-10T14:03:22Z,,',
      'section,Rest,,,3,,,,,,',
    ].join('\n');
    expect(readFile(text, 'todoist').nodes.map(({ title, collapsed }) => [title, collapsed])).toEqual([
      ['Write', true],
      ['Plan', true],
      ['Rest', false],
    ]);
    expect(reported(readFile(text, 'todoist'))).toEqual([
      '1 the author of a note',
      '1 the time of a note',
      '1 of a section, the column "PRIORITY"',
    ]);
  });
});
