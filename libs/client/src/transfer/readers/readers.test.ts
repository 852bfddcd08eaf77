// Tests of all readers: the graph of a file, reported losses, and refusals with their lines.
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../test/support/refused-files.ts';
import { formatOf } from '../format-detection.ts';
import { readFile } from '../formats.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';

/** Nodes by their titles with some of their fields, and links as pairs of titles. */
function shown(graph: TransferGraph, ...fields: (keyof TransferGraph['nodes'][number])[]) {
  const titleOf = (key: string) => graph.nodes.find((node) => node.key === key)?.title;
  return {
    nodes: graph.nodes.map((node) => [node.title, ...fields.map((field) => node[field])]),
    links: graph.links.map(
      ({ source, target, type }) => `${titleOf(source)} ${type === 0 ? '→' : '⇢'} ${titleOf(target)}`,
    ),
    leftOut: graph.leftOut.map(({ what, count }) => `${count} ${what}`),
  };
}

const PSPLIB = `
PROJECT INFORMATION:
pronr.  #jobs rel.date duedate tardcost  MPM-Time
************
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          2           2   3
   2        1          1           4
   3        1          1           4
   4        1          0
************
REQUESTS/DURATIONS:
jobnr. mode duration  R 1
------------------------
  1      1     0       0
  2      1     8       4
  3      1     4      10
  4      1     0       0
************
RESOURCEAVAILABILITIES:
`;

describe('PSPLIB', () => {
  test('[IO2] jobs have durations and block their successors; resources are reported', () => {
    expect(shown(readFile(PSPLIB, 'psplib'), 'volume')).toEqual({
      nodes: [
        ['Job 1', 0],
        ['Job 2', 8],
        ['Job 3', 4],
        ['Job 4', 0],
      ],
      links: ['Job 1 → Job 2', 'Job 1 → Job 3', 'Job 2 → Job 4', 'Job 3 → Job 4'],
      leftOut: [
        "2 a job's demands on resources",
        "1 the project's release date, due date and cost of delay",
        '1 the amounts of resources',
      ],
    });
  });

  test.each([
    ['a wrong number of successors', PSPLIB.replace('2   3', '2'), 'line 7: job 1 names 1 successors, not 2'],
    ['an unknown successor', PSPLIB.replace('2   3', '2   9'), 'line 7: job 1 has the successor 9, which is not a job'],
    ['several modes', PSPLIB.replace('3        1 ', '3        2 '), 'line 18: job 3 has 1 modes, not 2'],
    ['no durations', PSPLIB.replace('REQUESTS', 'X'), 'the section REQUESTS/DURATIONS is missing'],
    ['a word instead of a number', PSPLIB.replace('1     8', '1     x'), 'line 16: "x" is not a number'],
    [
      'a cycle',
      PSPLIB.replace('4        1          0', '4        1          1   2'),
      'line 8: tasks wait for each other in a cycle: "Job 2" (line 8) waits for "Job 4" (line 10) waits for "Job 2" (line 8)',
    ],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'psplib')).toBe(message);
  });
});

describe('CSV', () => {
  test('[IO7] columns, statuses and titles are compared as words', () => {
    const table =
      'ＴＩＴＬＥ,STATÜS,Wáits For\nCaf\u00e9,DONE,\nPrint,,CAFE\nprint,,Print\nResume,,Re\u0301sume\u0301\nRésumé,,\n';
    expect(shown(readFile(table, 'csv'), 'status')).toMatchObject({
      links: ['Caf\u00e9 → Print', 'Print → print', 'Résumé → Resume'],
    });
    expect(readFile('title,waits for\nPrint,\nprint,\na,PRINT', 'csv').leftOut).toEqual([
      { what: 'several tasks of the file have this name', count: 1, places: ['line 4: "PRINT"'] },
    ]);
    expect(readFile('title,resume,résumé\na,1,2', 'csv').leftOut.map(({ what }) => what)).toEqual([
      'the column "resume"',
      'the column "résumé"',
    ]);
  });

  const TABLE =
    'id;Title;Due date;tags;Waits for;colour;status\n1;Print;2026-12-24;a; ;red;done\n2;"Go\nlive";;"x\\;y; z";Print;;in progress\n\n3;Rest;;;2;;\n';

  test('[IO2] columns are found by their names, and rows by ids or titles', () => {
    expect(shown(readFile(TABLE, 'csv'), 'dueDate', 'tags', 'status', 'line')).toEqual({
      nodes: [
        ['Print', '2026-12-24T23:59:59.000Z', ['a'], 3, 2],
        ['Go live', null, ['x;y', 'z'], 1, 3],
        ['Rest', null, [], 0, 6],
      ],
      links: ['Print → Go live', 'Go live → Rest'],
      leftOut: ['1 the column "colour"'],
    });
  });

  test.each([
    ['an unclosed quote', 'title\nx\n"y\nz', 'line 3: a quote is not closed, or something follows it'],
    ['a missing title column', 'a,b\n1,2', 'line 1: there is no column title: the columns are "a", "b"'],
    ['too many rows', `title\n${'\n'.repeat(300_000)}`, 'it has more than 200000 rows'],
    [
      'a cycle',
      'title,waits for\na,b\nb,a',
      'line 2: tasks wait for each other in a cycle: "a" (line 2) waits for "b" (line 3) waits for "a" (line 2)',
    ],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'csv')).toBe(message);
  });
});

describe('Todoist', () => {
  const HEAD =
    'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT,DEADLINE,DEADLINE_LANG';
  const FILE = [
    HEAD,
    'meta,view_style=list,,,,,,,,,,,,',
    'section,Launch,,,,,,,,,,,,',
    'task,Go live @web @now,All of it,1,1,Ann (1),Bob (22),every monday,en,,90,minute,2026-12-24,en',
    'task,Write texts,,4,2,,,2026-12-01,en,Europe/Berlin,,None,,',
    'note,Ask first,,,,,,,,,,,,',
    ',,,,,,,,,,,,,',
    'task,Rest,,3,1,,,,,,1,day,,',
  ].join('\r\n');

  test('[IO2] sub-tasks block their tasks, and tasks their sections; dates in words are reported', () => {
    expect(
      shown(readFile(FILE, 'todoist'), 'priority', 'dueDate', 'volume', 'tags', 'assignee', 'description'),
    ).toEqual({
      nodes: [
        ['Write texts', 0, '2026-12-01T23:59:59.000Z', 0, [], [], 'Ask first'],
        ['Go live', 3, '2026-12-24T23:59:59.000Z', 90, ['web', 'now'], ['Bob'], 'All of it'],
        ['Rest', 1, null, 480, [], [], ''],
        ['Launch', 0, null, 0, [], [], ''],
      ],
      links: ['Write texts → Go live', 'Go live → Launch', 'Rest → Launch'],
      leftOut: [
        '1 settings of the view',
        '1 the creator of a task',
        '1 a date in words',
        '1 the unit of durations, which become minutes of work',
      ],
    });
  });

  test.each([
    ['an unknown type', `${HEAD}\ntask,a\nthing,b`, 'line 3: "thing" is not a type: use task, section or note'],
    ['an invalid indent', `${HEAD}\ntask,a,,1,x`, 'line 2: "x" is not an indent'],
    ['a priority out of range', `${HEAD}\ntask,a,,7,1`, 'line 2: a priority is not 1, 2, 3 or 4'],
    ['a missing column', 'TYPE,TITLE\ntask,a', 'line 1: there is no column CONTENT'],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'todoist')).toBe(message);
  });
});

describe('Taskwarrior', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((letter) => `0000000${letter}-0000-4000-8000-000000000000`);
  const TASKS = [
    {
      uuid: a,
      description: 'Write',
      status: 'completed',
      project: 'Web.Texts',
      tags: ['x'],
      entry: '20260101T000000Z',
    },
    {
      uuid: b,
      description: 'Go live',
      status: 'pending',
      start: '20260102T000000Z',
      due: '20261224T120000Z',
      depends: [a, c, d],
      priority: 'H',
      annotations: [{ entry: '20260101T000000Z', description: 'soon' }],
      effort: 3,
    },
    { uuid: c, description: 'Gone', status: 'deleted' },
  ];
  const expected = {
    nodes: [
      ['Write', 3, 0, null, ['x'], ''],
      ['Go live', 1, 3, '2026-12-24T12:00:00.000Z', [], 'soon'],
      ['Texts', 3, 0, null, [], ''],
      ['Web', 3, 0, null, [], ''],
    ],
    links: ['Write → Go live', 'Write → Texts', 'Texts → Web'],
    leftOut: [
      '1 the creation time of a task',
      '1 the start of a task',
      '1 the time of a note',
      '1 the attribute "effort"',
      '1 a task that was deleted',
      '1 a dependency on a task that is left out',
      '1 a dependency on a task that is not in the file',
    ],
  };

  test.each([
    ['a list', JSON.stringify(TASKS)],
    ['a list with a task in each line', `[\n${TASKS.map((task) => JSON.stringify(task)).join(',\n')}\n]\n`],
    ['lines without commas', TASKS.map((task) => JSON.stringify(task)).join('\n')],
    [
      'dependencies in one text',
      JSON.stringify(TASKS).replace(
        /"depends":\[(.*?)\]/,
        (_, all: string) => `"depends":"${all.replaceAll('"', '')}"`,
      ),
    ],
  ])('[IO2] %s: dependencies block, and tasks block their projects', (_what, text) => {
    expect(shown(readFile(text, 'taskwarrior'), 'status', 'priority', 'dueDate', 'tags', 'description')).toEqual(
      expected,
    );
  });

  test.each([
    ['no uuid', '[{"description":"a"}]', 'line 1: a task has no "uuid"'],
    [
      'an unknown status',
      `{"uuid":"${a}","status":"pending"}\n{"uuid":"${b}","status":"odd"}`,
      'line 2: "odd" is not a status',
    ],
    ['an invalid time', `[\n{"uuid":"${a}","status":"pending","due":"tomorrow"}]`, 'line 2: "tomorrow" is not a time'],
    [
      'one uuid twice',
      `[{"uuid":"${a}","status":"pending"},\n{"uuid":"${a}","status":"pending"}]`,
      `line 2: two tasks have the uuid ${a}`,
    ],
    [
      'tags that are not a list',
      `{"uuid":"${a}","status":"pending"}\n{"uuid":"${b}","status":"pending","tags":3}`,
      'line 2: "tags" must be a list',
    ],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'taskwarrior')).toBe(message);
  });
});

describe('Vikunja', () => {
  const task = (id: number, more: object) => ({
    id,
    title: `Task ${id}`,
    due_date: '0001-01-01T00:00:00Z',
    labels: null,
    ...more,
  });
  const FILE = JSON.stringify(
    [
      {
        id: 1,
        title: 'Web',
        description: '',
        parent_project_id: 0,
        tasks: [
          task(1, {
            done: true,
            description: '<p>All &amp; <b>more</b></p>',
            labels: [{ title: 'x' }],
            related_tasks: { blocking: [{ id: 2 }] },
          }),
          task(2, {
            priority: 5,
            due_date: '2026-12-24T12:00:00+01:00',
            repeat_after: 3600,
            assignees: [{ username: 'ann' }],
            related_tasks: { blocked: [{ id: 1 }], related: [{ id: 3 }], odd: [{ id: 1 }], subtask: [{ id: 9 }] },
          }),
        ],
        buckets: [{ id: 1 }],
      },
      {
        id: 2,
        title: 'Texts',
        parent_project_id: 1,
        tasks: [task(3, { related_tasks: { related: [{ id: 2 }] } })],
        buckets: null,
        is_archived: true,
      },
    ],
    null,
    1,
  );

  test('[IO2] relations become links, HTML becomes text, and projects become tasks', () => {
    expect(shown(readFile(FILE, 'vikunja'), 'status', 'priority', 'dueDate', 'description')).toEqual({
      nodes: [
        ['Task 1', 3, 0, null, 'All & more'],
        ['Task 2', 0, 5, '2026-12-24T11:00:00.000Z', ''],
        ['Task 3', 0, 0, null, ''],
        ['Texts', 0, 0, null, ''],
        ['Web', 0, 0, null, ''],
      ],
      links: ['Task 1 → Task 2', 'Task 2 ⇢ Task 3', 'Task 3 → Texts', 'Task 1 → Web', 'Task 2 → Web', 'Texts → Web'],
      leftOut: [
        '1 the recurrence of a task',
        '1 the buckets of a project',
        '1 the archived mark of a project',
        '1 a relation of the kind "odd"',
        '1 a relation to a task that is not in the file',
      ],
    });
  });

  test.each([
    ['an object instead of a list', '{}', 'line 1: the file must be a list'],
    ['a task without an id', '[{"id":1,"title":"a",\n"tasks":[{"title":"b"}]}]', 'line 2: a task has no "id"'],
    ['an invalid title', '[{"id":1,"title":"a",\n"tasks":[{"id":1,"title":["b"]}]}]', 'line 2: "title" must be a text'],
    ['an invalid time', '[{"id":1,"tasks":[\n\n{"id":1,"due_date":7}]}]', 'line 3: "due_date" is not a time'],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'vikunja')).toBe(message);
  });
});

describe('GitHub', () => {
  const at = (number: number) => `https://github.com/a/b/issues/${number}`;
  const milestone = { number: 1, title: 'v1', description: '', dueOn: '2026-12-24T00:00:00Z' };
  const BY_GH = [
    {
      number: 3,
      title: 'Go live',
      body: 'All',
      state: 'OPEN',
      url: at(3),
      labels: [{ name: 'web' }],
      assignees: [{ login: 'ann' }],
      milestone,
      subIssues: { nodes: [{ number: 1, url: at(1) }], totalCount: 1 },
      blockedBy: {
        nodes: [
          { number: 2, url: at(2) },
          { number: 1, url: 'https://github.com/a/c/issues/1' },
        ],
      },
    },
    {
      number: 2,
      title: 'Texts',
      body: '',
      state: 'CLOSED',
      stateReason: 'NOT_PLANNED',
      url: at(2),
      blocking: { nodes: [{ number: 3, url: at(3) }] },
    },
    { number: 1, title: 'Host', body: null, state: 'OPEN', url: at(1), parent: { number: 3, url: at(3) } },
  ];
  const BY_REST = [
    {
      number: 3,
      title: 'Go live',
      body: 'All',
      state: 'open',
      html_url: at(3),
      labels: ['web'],
      assignees: [{ login: 'ann' }],
      milestone: { title: 'v1', due_on: '2026-12-24T00:00:00Z' },
    },
    {
      number: 1,
      title: 'Host',
      state: 'open',
      html_url: at(1),
      parent_issue_url: 'https://api.github.com/repos/a/b/issues/3',
    },
    { number: 4, title: 'A change', state: 'open', pull_request: { url: 'x' } },
  ];

  test('[IO2] gh: sub-issues and blockers block issues, and issues block their milestone', () => {
    expect(shown(readFile(JSON.stringify(BY_GH), 'github'), 'status', 'tags', 'assignee', 'dueDate')).toEqual({
      nodes: [
        ['Texts', 3, [], [], null],
        ['Host', 0, [], [], null],
        ['Go live', 0, ['web'], ['ann'], null],
        ['v1', 0, [], [], '2026-12-24T23:59:59.000Z'],
      ],
      links: ['Texts → Go live', 'Host → Go live', 'Go live → v1'],
      leftOut: [
        '3 the address of an issue',
        '1 that an issue was closed as not_planned',
        '1 a relation to an issue that is not in the file',
      ],
    });
  });

  test('[IO2] REST: pull requests are reported and not read', () => {
    expect(shown(readFile(JSON.stringify(BY_REST), 'github'), 'tags')).toMatchObject({
      links: ['Host → Go live', 'Go live → v1'],
      leftOut: ['2 the address of an issue', '1 a pull request'],
    });
  });

  test.each([
    ['no number', '[{"title":"a"}]', 'line 1: an issue has no "number"'],
    ['an unknown state', '[\n{"number":1,"state":"odd"}]', 'line 2: "odd" is not a state'],
    ['an incomplete text', '[{"number":1,"state":"open"}', 'line 1: it ends too early'],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'github')).toBe(message);
  });
});

describe('our own JSON', () => {
  const of = (nodes: string, links = '') => `{"taskgraph":1,"nodes":[\n${nodes}],"links":[\n${links}]}`;

  test.each([
    ['another version of the form', '{"taskgraph":2,"nodes":[],"links":[]}', 'line 1: "taskgraph" must be 1'],
    ['too long a key', of(`{"key":"${'k'.repeat(201)}"}`), 'line 2: "key" must be a text of 1 to 200 characters'],
    ['an unknown field', of('{"key":"1",\n"x":1,"owner":2}'), 'line 2: there is no field "owner"'],
    [
      'too long a title',
      of(`{"key":"1","title":"${'x'.repeat(501)}"}`),
      'line 2: "title" has more than 500 characters',
    ],
    ['a lone surrogate', of('{"key":"1","tags":["\\ud800"]}'), 'line 2: "tags" has characters that cannot be stored'],
    ['an unknown status', of('{"key":"1","status":4}'), 'line 2: "status" must be 0, 1, 2 or 3'],
    ['a repeated key', of('{"key":"1"},\n{"key":"1"}'), 'line 3: two nodes have the key "1"'],
    [
      'a link to nothing',
      of('{"key":"1"}', '{"source":"1","target":"2"}'),
      'line 3: "target" must be the key of a node of the file',
    ],
    [
      'a time that does not exist',
      of('{"key":"1","dueDate":"2026-02-30T00:00:00Z"}'),
      'line 2: "dueDate" must be a time or null',
    ],
    ['a volume below 0', of('{"key":"1","volume":-1}'), 'line 2: "volume" must be a whole number from 0 to 1000000'],
  ])('[IO2] %s is refused with its line', (_what, text, message) => {
    expect(refusalOf(text, 'taskgraph')).toBe(message);
  });

  test('[IO2] inherited property names are not fields', () => {
    expect(refusalOf(of('{"key":"1","__proto__":{}}'), 'taskgraph')).toBe('line 2: there is no field "__proto__"');
    expect(refusalOf('{"constructor":1}', 'github')).toBe('line 1: an issue has no "number"');
  });
});

test('the format of a file is detected by its name and beginning', () => {
  expect(formatOf(PSPLIB, 'plan.txt')).toBe('psplib');
  expect(formatOf('TYPE,CONTENT\n', 'a.csv')).toBe('todoist');
  expect(formatOf('title\n', 'a.CSV')).toBe('csv');
  expect(formatOf('{"taskgraph": 1}', 'a.json')).toBe('taskgraph');
  expect(formatOf('[{"id":1,"tasks":[]}]', 'data.json')).toBe('vikunja');
  expect(formatOf('what is this', 'a.txt')).toBe(null);
  // The names of labels are not fields of the issue.
  expect(formatOf('[{"number":1,"title":"x","labels":[{"name":"taskgraph"}]}]', 'a.json')).toBe('github');
});
