// Tests that every declared field is read or reported, that undeclared fields are reported, and
// that docs/formats.md lists all declared fields.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../test/support/refused-files.ts';
import { type ImportFormat, readFile } from '../formats.ts';
import { COLUMN_NAMES } from '../readers/tables/columns.ts';
import { writeTable } from '../text/csv-table.ts';
import { hasContent, type SourceFields } from './source-field.ts';
import { BEADS_FIELDS } from './trackers/beads.ts';
import { GITHUB_FIELDS } from './trackers/github.ts';
import { TASK_MASTER_FIELDS } from './trackers/task-master.ts';
import { TASKWARRIOR_FIELDS } from './trackers/taskwarrior.ts';
import { TODOIST_FIELDS } from './trackers/todoist.ts';
import { VIKUNJA_FIELDS } from './trackers/vikunja.ts';

type Properties = Readonly<Record<string, unknown>>;

/**
 * A kind of object: the least properties that are read, a file around it, and values that make its
 * fields count.
 */
interface Kind {
  readonly fields: SourceFields;
  readonly least: Properties;
  readonly fileOf: (object: Properties) => string;
  readonly values?: Properties;
  /** The word before the name of an unknown field. */
  readonly word?: string;
}

const json = (wrap: (object: Properties) => unknown) => (object: Properties) => JSON.stringify(wrap(object));

const project = (tasks: readonly Properties[]) => ({ id: 1, title: 'p', tasks });
const inLabel = (label: Properties) => [project([{ id: 1, title: 't', labels: [label] }])];
const inAssignee = (user: Properties) => [project([{ id: 1, title: 't', assignees: [user] }])];
const VIKUNJA: Readonly<Record<keyof typeof VIKUNJA_FIELDS, Omit<Kind, 'fields'>>> = {
  'a namespace': {
    least: { id: 1, lists: null },
    fileOf: json((namespace) => [namespace]),
    values: { lists: [project([])], projects: [project([])] },
  },
  'a list or project': {
    least: { id: 2 },
    fileOf: json((list) => [list, { id: 9 }]),
    values: {
      parent_project_id: 9,
      tasks: [{ id: 1, title: 'x' }],
      child_projects: [{ id: 3, title: 'x' }],
    },
  },
  'a task': {
    least: { id: 1 },
    fileOf: json((task) => [project([task, { id: 2, title: 'other' }])]),
    values: {
      done: true,
      due_date: '2026-12-24T12:00:00Z',
      priority: 3,
      deleted_at: '2026-12-24T12:00:00Z',
      related_tasks: { blocked: [{ id: 2 }] },
      labels: [{ title: 'x' }],
      assignees: [{ username: 'x' }],
    },
  },
  'a label': { least: { title: 'x' }, fileOf: json(inLabel) },
  'an assignee': { least: { username: 'x' }, fileOf: json(inAssignee) },
};

const issue = (more: Properties) => ({ number: 1, title: 'a', ...more });
const one = { nodes: [{ number: 2 }], totalCount: 1 };
const GITHUB: Readonly<Record<keyof typeof GITHUB_FIELDS, Omit<Kind, 'fields'>>> = {
  'an issue': {
    least: { number: 1 },
    fileOf: json((object) => [object, { number: 2, title: 'other' }]),
    values: {
      state: 'closed',
      stateReason: 'NOT_PLANNED',
      state_reason: 'not_planned',
      pull_request: { url: 'x' },
      labels: ['x'],
      assignees: [{ login: 'x' }],
      assignee: { login: 'x' },
      milestone: { title: 'x' },
      parent: { number: 2 },
      parent_issue_url: 'https://api.github.com/repos/a/b/issues/2',
      subIssues: one,
      blockedBy: one,
      blocking: one,
      subIssuesSummary: { total: 1 },
      sub_issues_summary: { total: 1 },
      issue_dependencies_summary: { total_blocked_by: 1 },
      reactions: { url: 'x', total_count: 1 },
      reactionGroups: [{ content: 'EYES', users: { totalCount: 1 } }],
    },
  },
  'a label': { least: { name: 'x' }, fileOf: json((label) => [issue({ labels: [label] })]) },
  'an assignee': { least: { login: 'x' }, fileOf: json((user) => [issue({ assignees: [user] })]) },
  'a milestone': {
    least: { title: 'm' },
    fileOf: json((milestone) => [issue({ milestone })]),
    values: { state: 'closed', dueOn: '2026-12-24T00:00:00Z', due_on: '2026-12-24T00:00:00Z' },
  },
  'an answer to a search': {
    least: { items: [] },
    fileOf: json((answer) => answer),
    values: { items: [issue({})], total_count: 3, incomplete_results: true },
  },
};

const TASKWARRIOR: Readonly<Record<keyof typeof TASKWARRIOR_FIELDS, Omit<Kind, 'fields'>>> = {
  'a task': {
    least: { uuid: 'a', status: 'pending' },
    fileOf: json((task) => [task, { uuid: 'b', status: 'pending' }]),
    values: {
      status: 'completed',
      due: '20261224T120000Z',
      tags: ['x'],
      priority: 'H',
      depends: ['b'],
      annotations: [{ description: 'x' }],
    },
    word: 'the attribute',
  },
  'an annotation': {
    least: { description: 'x' },
    fileOf: json((annotation) => [{ uuid: 'a', status: 'pending', annotations: [annotation] }]),
  },
};

const COLUMNS = [...new Set(Object.values(TODOIST_FIELDS).flatMap((fields) => Object.keys(fields)))];
const rows = (...all: readonly Properties[]) => {
  const heads = [...new Set([...COLUMNS, ...all.flatMap((row) => Object.keys(row))])];
  return writeTable(
    heads,
    all.map((row) => heads.map((head) => String(row[head] ?? ''))),
  );
};
const before = { TYPE: 'task', CONTENT: 'before' };
const TODOIST: Readonly<Record<keyof typeof TODOIST_FIELDS, Omit<Kind, 'fields'>>> = {
  task: {
    least: { TYPE: 'task', DURATION: '1' },
    fileOf: (row) => rows(before, row),
    values: {
      TYPE: 'section',
      IS_COLLAPSED: 'true',
      PRIORITY: '1',
      INDENT: '2',
      DATE: '2026-12-24',
      DEADLINE: '2026-12-24',
      DURATION: '2',
      DURATION_UNIT: 'day',
    },
    word: 'the column',
  },
  section: {
    least: { TYPE: 'section' },
    fileOf: (row) => rows(before, row),
    values: { TYPE: 'task', IS_COLLAPSED: 'true' },
    word: 'of a section, the column',
  },
  note: {
    least: { TYPE: 'note' },
    fileOf: (row) => rows(before, row),
    values: { TYPE: 'task' },
    word: 'of a note, the column',
  },
  meta: {
    least: { TYPE: 'meta' },
    fileOf: (row) => rows(before, row),
    values: { TYPE: 'task' },
    word: 'of a meta, the column',
  },
};

const taskMasterTask = (more: Properties) => ({ id: 1, title: 'a', ...more });
const TASK_MASTER: Readonly<Record<keyof typeof TASK_MASTER_FIELDS, Omit<Kind, 'fields'>>> = {
  'a list of tasks': {
    least: { tasks: [] },
    fileOf: json((list) => ({ master: list, other: { tasks: [] } })),
    values: { tasks: [taskMasterTask({})] },
  },
  'a task or subtask': {
    least: { id: 1 },
    fileOf: json((task) => ({ master: { tasks: [task, taskMasterTask({ id: 2 })] } })),
    values: {
      id: 3,
      status: 'done',
      priority: 'high',
      dependencies: [2],
      subtasks: [taskMasterTask({})],
      effort: 3,
    },
  },
};
const beadsIssue = (more: Properties) => ({ id: 'a-1', title: 'a', ...more });
const BEADS: Readonly<Record<keyof typeof BEADS_FIELDS, Omit<Kind, 'fields'>>> = {
  'an issue': {
    least: { id: 'a-1', status: 'open' },
    fileOf: (issue) => `${JSON.stringify(issue)}\n${JSON.stringify(beadsIssue({ id: 'a-2' }))}\n`,
    values: {
      status: 'closed',
      priority: 0,
      estimated_minutes: 30,
      due_at: '2026-12-24T12:00:00Z',
      dependencies: [{ depends_on_id: 'a-2', type: 'blocks' }],
      comments: [{ text: 'x' }],
      _type: 'issue',
    },
  },
  'a dependency': {
    least: { depends_on_id: 'a-2' },
    fileOf: json((dependency) => [beadsIssue({ dependencies: [dependency] }), beadsIssue({ id: 'a-2' })]),
    values: { type: 'related' },
  },
  'a comment': { least: { text: 'x' }, fileOf: json((comment) => [beadsIssue({ comments: [comment] })]) },
};

function kindsOf(format: ImportFormat, fields: Readonly<Record<string, SourceFields>>, kinds: Properties) {
  return Object.entries(fields).map(([kind, own]) => ({
    format,
    kind,
    fields: own,
    ...(kinds[kind] as Omit<Kind, 'fields'>),
  }));
}
const ALL = [
  ...kindsOf('vikunja', VIKUNJA_FIELDS, VIKUNJA),
  ...kindsOf('github', GITHUB_FIELDS, GITHUB),
  ...kindsOf('taskwarrior', TASKWARRIOR_FIELDS, TASKWARRIOR),
  ...kindsOf('todoist', TODOIST_FIELDS, TODOIST),
  ...kindsOf('task-master', TASK_MASTER_FIELDS, TASK_MASTER),
  ...kindsOf('beads', BEADS_FIELDS, BEADS),
];

/** The graph and the losses of a file without their places, or its refusal. */
function outcomeOf(text: string, format: ImportFormat) {
  const refusal = refusalOf(text, format);
  if (refusal !== 'it was accepted') return { refusal, reported: [] };
  const { nodes, links, leftOut } = readFile(text, format);
  return { nodes, links, reported: leftOut.map(({ what }) => what) };
}

describe.each(ALL)('[IO9] $format: $kind', ({ format, fields, least, fileOf, values = {}, word = 'the field' }) => {
  const of = (object: Properties) => outcomeOf(fileOf(object), format);
  const without = of(least);

  test.each(Object.entries(fields))('%s is read or reported as declared', (name, { isRead, loss }) => {
    const given = of({ ...least, [name]: values[name] ?? 'x' });
    const taken = Object.fromEntries(Object.entries(least).filter(([other]) => other !== name));
    if (loss !== '') expect(given.reported).toContain(loss);
    else if (isRead) expect([given, of(taken)]).not.toEqual([without, without]);
    else expect(given).toEqual(without);
  });

  test('an undeclared field is reported unless it is empty', () => {
    const unknown = `${word} "NEW_FIELD"`;
    for (const value of ['x', 1, true, ['x'], { deep: [{ x: 1 }] }]) {
      if (format === 'todoist' && typeof value === 'object') continue;
      expect(of({ ...least, NEW_FIELD: value }).reported).toContain(unknown);
    }
    for (const value of ['', null, 0, false, [], {}, { deep: [{ x: '' }] }]) {
      if (format !== 'todoist') expect(of({ ...least, NEW_FIELD: value })).toEqual(without);
    }
  });
});

test('[IO9] inherited property names are not declared fields', () => {
  const reported = outcomeOf('[{"number":1,"title":"a","constructor":"x","__proto__":"y"}]', 'github').reported;
  expect(reported).toEqual(['the field "constructor"', 'the field "__proto__"']);
});

test('[IO9] a repeated loss is reported once for each name', () => {
  const labels = [{ name: 'bug', color: 'f00' }];
  const { leftOut } = readFile(JSON.stringify([issue({ labels }), { number: 2, labels }]), 'github');
  expect(leftOut).toEqual([{ what: 'the colour of a label', count: 1, places: ['"bug"'] }]);
});

test('a value has content unless everything in it is empty', () => {
  const empty = ['', ' ', null, undefined, 0, false, '0001-01-01T00:00:00Z', [], {}, [[''], { a: [0] }]];
  expect(empty.filter(hasContent)).toEqual([]);
  expect(['x', 1, -1, true, [[{ a: 'x' }]]].every(hasContent)).toBe(true);
});

const page = readFileSync(new URL('../../../../../docs/formats.md', import.meta.url), 'utf8');
test.each(ALL)('docs/formats.md has the fields of $format: $kind', ({ format, fields }) => {
  const [, section = ''] = page.split(`\n## \`${format}\``);
  const text = section.split('\n## ')[0] ?? '';
  expect(Object.keys(fields).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  const reported = [...new Set(Object.values(fields).map((field) => field.loss))];
  expect(reported.filter((what) => !text.includes(what))).toEqual([]);
});

test('docs/formats.md has a blank line and a head above each table', () => {
  const lines = page.split('\n');
  const isRow = (line = '') => line.startsWith('|');
  const starts = lines.flatMap((line, at) => (isRow(line) && !isRow(lines[at - 1]) ? [at] : []));
  expect(starts.filter((at) => lines[at - 1] !== '' || !/^\|(?:---\|)+$/.test(lines[at + 1] ?? ''))).toEqual([]);
  expect(starts.length).toBeGreaterThan(10);
});

test('docs/formats.md has the columns of tables', () => {
  const [, section = ''] = page.split('\n## `csv`');
  const text = section.split('\n## ')[0] ?? '';
  for (const [label, names] of COLUMN_NAMES) {
    const row = text.split('\n').find((line) => line.startsWith(`| `) && line.includes(` | \`${label}\` |`)) ?? '';
    expect([label, names.filter((name) => !row.includes(`\`${name}\``))]).toEqual([label, []]);
  }
});
