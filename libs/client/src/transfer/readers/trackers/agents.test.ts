// Tests of the readers and writers of agents' task files: Task Master and Beads.
import { describe, expect, test } from 'vitest';
import { checkAddedWords, checkMutations } from '../../../test/support/mutated-files.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { shownGraph } from '../../../test/support/shown-graph.ts';
import { formatOf } from '../../format-detection.ts';
import { readFile, writeFile } from '../../formats.ts';
import type { TransferGraph } from '../../graph/transfer-graph.ts';

const options = { now: '2026-01-02T03:04:05.678Z', ids: new Map<string, string>() };

const TASK_MASTER = JSON.stringify(
  {
    master: {
      tasks: [
        {
          id: 1,
          title: 'Set up the repository',
          description: 'Create it.',
          details: 'With a licence.',
          testStrategy: 'Clone it.',
          status: 'done',
          priority: 'high',
          dependencies: [],
          subtasks: [],
        },
        {
          id: '2',
          title: 'Sign-in',
          status: 'in-progress',
          priority: 'medium',
          dependencies: [1],
          complexity: 7,
          subtasks: [
            { id: 1, title: 'Form', status: 'done', dependencies: [] },
            { id: 2, title: 'Session', status: 'pending', dependencies: [1, '1'] },
            { id: '2.3', title: 'Sign-out', status: 'review', dependencies: ['2.2', 3] },
          ],
        },
        { id: 3, title: 'Launch', status: 'deferred', priority: 'urgent', dependencies: ['2.1', 9] },
      ],
      metadata: { created: '2026-01-01T00:00:00.000Z' },
    },
    later: { tasks: [{ id: 1, title: 'Mail', status: 'pending', dependencies: [] }] },
  },
  null,
  1,
);

describe('Task Master', () => {
  test('[IO2] dependencies and subtasks block a task, and further tags become tasks', () => {
    expect(formatOf(TASK_MASTER, 'tasks.json')).toBe('task-master');
    expect(shownGraph(readFile(TASK_MASTER, 'task-master'), 'status', 'priority')).toEqual({
      nodes: [
        ['Set up the repository', 3, 3],
        ['Form', 3, 0],
        ['Session', 0, 0],
        ['Launch', 0, 4],
        ['Sign-out', 1, 0],
        ['Sign-in', 1, 2],
        ['Mail', 0, 0],
        ['later', 0, 0],
      ],
      links: [
        'Form → Session',
        'Form → Launch',
        'Session → Sign-out',
        'Launch → Sign-out',
        'Set up the repository → Sign-in',
        'Form → Sign-in',
        'Session → Sign-in',
        'Sign-out → Sign-in',
        'Mail → later',
      ],
      leftOut: [
        '1 the metadata of a list',
        '1 the complexity of a task',
        '2 a word for a status, which becomes',
        '1 a word for a priority, which becomes',
        '1 a dependency on a task that is not in the file',
        '1 a second link between two tasks',
      ],
    });
    const [first] = readFile(TASK_MASTER, 'task-master').nodes;
    expect(first?.description).toBe('Create it.\n\n## Details\n\nWith a licence.\n\n## Test strategy\n\nClone it.');
  });

  test('[IO2] a file without tags is read, and texts may be lists', () => {
    const task = { id: 1, title: 'a', description: '', testStrategy: ['one', 'two'], dependencies: '' };
    const text = JSON.stringify({ tasks: [task, { ...task, id: 2, dependencies: '1' }], metadata: {}, version: 2 });
    expect(formatOf(text, 'tasks.json')).toBe('task-master');
    expect(shownGraph(readFile(text, 'task-master'), 'description')).toEqual({
      nodes: [
        ['a', '## Test strategy\n\n- one\n- two'],
        ['a', '## Test strategy\n\n- one\n- two'],
      ],
      links: ['a → a'],
      leftOut: ['1 the field "version"'],
    });
  });

  test('[IO2] a second task with the same id is imported and reported', () => {
    const tasks = [
      { id: 1, title: 'a' },
      { id: 1, title: 'b' },
      { id: 2, title: 'c', dependencies: [1] },
    ];
    expect(shownGraph(readFile(JSON.stringify({ master: { tasks } }), 'task-master'))).toEqual({
      nodes: [['a'], ['b'], ['c']],
      links: ['a → c'],
      leftOut: ['1 the id of a second task with the same id'],
    });
  });

  test.each([
    ['a task without an id', '{"tasks":[{"title":"a"}]}', 'line 1: a task has no "id"'],
    ['a task that is a text', '{"tasks":[\n"a"]}', 'line 1: a task must be an object'],
    ['no list', '{"master":{}}', 'line 1: it has no list of tasks'],
    ['a title that is an object', '{"tasks":[{"id":1,"title":{}}]}', 'line 1: "title" must be a text'],
    [
      'a cycle',
      '{"tasks":[{"id":1,"title":"a","dependencies":[2]},{"id":2,"title":"b","dependencies":[1]}]}',
      'line 1: tasks wait for each other in a cycle: "a" (line 1) waits for "b" (line 1) waits for "a" (line 1)',
    ],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'task-master')).toBe(message);
  });

  test('[IO2] subtasks that are nested too deeply are refused', () => {
    const nested = `${'{"id":1,"title":"a","subtasks":['.repeat(100)}${']}'.repeat(100)}`;
    expect(refusalOf(`{"tasks":[${nested}]}`, 'task-master')).toBe('line 1: it is nested deeper than 64 levels');
  });
});

const line = (issue: object) => JSON.stringify(issue);
const BEADS = [
  line({
    id: 'app-1',
    title: 'Accounts',
    description: 'All of it.',
    design: 'One table.',
    status: 'open',
    priority: 1,
    issue_type: 'epic',
    created_at: '2026-01-01T00:00:00.123456789-08:00',
  }),
  line({
    id: 'app-1.1',
    title: 'Sign-in',
    status: 'in_progress',
    priority: 0,
    issue_type: 'task',
    assignee: 'ann',
    labels: ['web'],
    estimated_minutes: 480,
    due_at: '2026-12-24T10:00:00.5-02:00',
    dependencies: [
      { issue_id: 'app-1.1', depends_on_id: 'app-1', type: 'parent-child' },
      { issue_id: 'app-1.1', depends_on_id: 'app-2', type: 'blocks' },
      { issue_id: 'app-1.1', depends_on_id: 'app-3', type: 'discovered-from' },
      { issue_id: 'app-1.1', depends_on_id: 'app-9', type: 'blocks' },
      { issue_id: 'app-1.1', depends_on_id: 'app-4', type: 'blocks' },
    ],
    comments: [{ id: 1, issue_id: 'app-1.1', author: 'bob', text: 'Soon.' }],
  }),
  line({ id: 'app-2', title: 'Database', status: 'closed', priority: 2, issue_type: 'task', close_reason: 'Done' }),
  line({ id: 'app-3', title: 'Typo', status: 'deferred', priority: 4, issue_type: 'bug' }),
  line({ id: 'app-4', title: 'Gone', status: 'tombstone', priority: 4, issue_type: 'bug' }),
  line({ _type: 'memory', key: 'k', value: 'v' }),
].join('\n');

describe('Beads', () => {
  test('[IO2] issues have the links, types and texts of the file', () => {
    expect(formatOf(BEADS, 'issues.jsonl')).toBe('beads');
    expect(
      shownGraph(readFile(BEADS, 'beads'), 'status', 'priority', 'tags', 'volume', 'dueDate', 'description'),
    ).toEqual({
      nodes: [
        ['Database', 3, 2, [], 0, null, ''],
        ['Sign-in', 1, 4, ['web'], 480, '2026-12-24T12:00:00.500Z', '## Comments\n\nSoon.'],
        ['Accounts', 0, 3, ['epic'], 0, null, 'All of it.\n\n## Design\n\nOne table.'],
        ['Typo', 0, 0, ['bug'], 0, null, ''],
      ],
      links: ['Database → Sign-in', 'Sign-in → Accounts', 'Sign-in ⇢ Typo'],
      leftOut: [
        '1 the creation time of an issue',
        '1 the author or time of a comment',
        '1 the reason why an issue was closed',
        '1 a word for a status, which becomes',
        '1 an issue that was deleted',
        '1 an entry of the type "memory"',
        '1 that a dependency is of the type "discovered-from"',
        '1 a dependency on an issue that is not in the file',
        '1 a dependency on an issue that was deleted',
      ],
    });
  });

  test('[IO2] a list of issues is read like the lines', () => {
    const issues = BEADS.split('\n').map((each) => JSON.parse(each) as object);
    const inList = readFile(JSON.stringify(issues), 'beads');
    expect(shownGraph(inList, 'status')).toEqual(shownGraph(readFile(BEADS, 'beads'), 'status'));
  });

  test.each([
    ['an issue without an id', '{"title":"a"}', 'line 1: an issue has no "id"'],
    ['a repeated id', '{"id":"a"}\n{"id":"a"}', 'line 2: two issues have the id "a"'],
    ['a wrong time', '{"id":"a","due_at":"soon"}', 'line 1: "soon" is not a time'],
    ['a wrong number', '{"id":"a","priority":"high"}', 'line 1: "priority" must be a number'],
    ['a dependency without an end', '{"id":"a","dependencies":[{}]}', 'line 1: a dependency has no "depends_on_id"'],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'beads')).toBe(message);
  });
});

describe.each([
  // Fields without a value, and 0 in unknown fields, say nothing (IO9).
  [
    'task-master',
    TASK_MASTER,
    /"(dependencies|subtasks)": \[\]|"metadata": [^}]*|"complexity.*|"priority": "urgent.*/g,
  ],
  [
    'beads',
    BEADS,
    /"(issue_id|created_at|author|close_reason)":"[^"]*"|"id":1|"priority":0|"_type":"memory".*|.*tombstone.*/g,
  ],
] as const)('[IO2] mutated files of %s', (format, sample, reported) => {
  test('an added word is made, reported or refused', () => {
    checkAddedWords(sample, format, reported);
  });

  test('reading ends without another error', () => {
    checkMutations(sample, format, ['{}', '[]', '[{', ':', ',', 'null', '"id":1,', '1e999', '-1']);
  });
});

describe('[IO2] a file that is written and read again', () => {
  const graph = readFile(BEADS, 'beads');
  const withoutReport = ({ nodes, links }: TransferGraph) => ({
    nodes: nodes.length,
    links: links.map(({ type }) => type),
  });

  test('Beads has all fields, links and types', () => {
    const { text, leftOut } = writeFile({ ...graph, leftOut: [] }, 'beads', options);
    const fields = ['status', 'priority', 'tags', 'volume', 'dueDate', 'description', 'assignee'] as const;
    const again = shownGraph(readFile(text, 'beads'), ...fields);
    expect({ ...again, leftOut: [] }).toEqual({ ...shownGraph(graph, ...fields), leftOut: [] });
    expect(leftOut.map(({ what }) => what)).toEqual(['the unit of a volume, which is written as minutes']);
    expect(formatOf(text, 'issues.jsonl')).toBe('beads');
  });

  test('Task Master has all blocking links', () => {
    const { text, leftOut } = writeFile({ ...graph, leftOut: [] }, 'task-master', options);
    const again = readFile(text, 'task-master');
    const fields = ['status', 'priority', 'tags', 'volume', 'description', 'assignee'] as const;
    expect(shownGraph(again, ...fields).nodes).toEqual(shownGraph(graph, ...fields).nodes);
    expect(withoutReport(again)).toEqual({ nodes: 4, links: [0, 0] });
    expect(leftOut.map(({ what, count }) => `${count} ${what}`)).toEqual([
      '1 a link that does not block',
      '1 the due date',
    ]);
    expect(formatOf(text, 'tasks.json')).toBe('task-master');
  });
});
