// Tests that every declared field of a plan is read or reported, that undeclared fields are
// reported, and that docs/formats.md lists all declared fields.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { type ImportFormat, readFile } from '../../formats.ts';
import type { SourceFields } from '../source-field.ts';
import { TRELLO_FIELDS } from '../trackers/trello.ts';
import { GANTTPROJECT_FIELDS } from './ganttproject.ts';
import { GITHUB_ACTIONS_FIELDS } from './github-actions.ts';
import { ICALENDAR_FIELDS } from './icalendar.ts';
import { MSPROJECT_FIELDS } from './msproject.ts';
import { TURBO_FIELDS } from './turbo.ts';

type Properties = Readonly<Record<string, unknown>>;

/** A kind of object: the least properties that are read, a file around it, and values that count. */
interface Kind {
  readonly least: Properties;
  readonly fileOf: (object: Properties) => string;
  readonly values?: Properties;
  /** Pairs of an undeclared name and its text in the report. */
  readonly word?: string;
}

/** An element with its properties as attributes, or as children if their values are elements. */
const withAttributes =
  (name: string, within = '') =>
  (object: Properties) => {
    const isElement = (value: unknown) => String(value).startsWith('<');
    const entries = Object.entries(object);
    const attributes = entries.filter(([, value]) => !isElement(value)).map(([key, value]) => ` ${key}="${value}"`);
    const children = entries.filter(([, value]) => isElement(value)).map(([, value]) => String(value));
    return `<${name}${attributes.join('')}>${children.join('')}${within}</${name}>`;
  };
const withChildren = (name: string) => (object: Properties) =>
  `<${name}>${Object.entries(object)
    .map(([key, value]) => (String(value).startsWith('<') ? value : `<${key}>${value}</${key}>`))
    .join('')}</${name}>`;

const ganttProject = (tasks: string, more = '') =>
  `<project name="p"><tasks>${tasks}</tasks><resources><resource id="7" name="Ann"/></resources>${more}</project>`;
const GANTTPROJECT: Readonly<Record<keyof typeof GANTTPROJECT_FIELDS, Kind>> = {
  'the project': {
    least: { tasks: '<tasks><task id="1"/></tasks>' },
    fileOf: (object) => withAttributes('project')(object).replace('<description/>', ''),
    values: {
      tasks: '<tasks><task id="1"/><task id="2"/></tasks>',
      resources: '<resources><resource id="1" name="x"/></resources>',
      allocations: '<allocations><allocation task-id="1" resource-id="9"/></allocations>',
      description: '<description>x</description>',
    },
  },
  'the tasks': {
    least: {},
    fileOf: (object) => `<project name="p">${withAttributes('tasks', '<task id="1"/>')(object)}</project>`,
    values: {
      task: '<task id="2"/>',
      taskproperties: '<taskproperties><taskproperty defaultvalue="x"/></taskproperties>',
    },
  },
  'a task': {
    least: { id: '1', duration: '4' },
    fileOf: (object) => ganttProject(`${withAttributes('task')(object)}<task id="2"/>`),
    values: {
      id: '3',
      complete: '100',
      priority: '2',
      duration: '5',
      meeting: 'true',
      expand: 'false',
      project: 'true',
      notes: '<notes>x</notes>',
      task: '<task id="5"/>',
      depend: '<depend id="2"/>',
    },
  },
  'a dependency': {
    least: { id: '2' },
    fileOf: (object) =>
      ganttProject(`<task id="1">${withAttributes('depend')(object)}</task><task id="2"/><task id="3"/>`),
    values: { id: '3', type: '1', hardness: 'Rubber' },
    word: 'of a dependency, the field',
  },
  'a person': {
    least: { id: '1', name: 'x' },
    fileOf: (object) =>
      `<project name=""><tasks><task id="1"/></tasks><resources>${withAttributes('resource')(object)}</resources><allocations><allocation task-id="1" resource-id="1"/></allocations></project>`,
    values: { id: '2', name: 'y' },
  },
  'a person in a task': {
    least: { 'task-id': '1', 'resource-id': '7' },
    fileOf: (object) =>
      ganttProject('<task id="1"/>', `<allocations>${withAttributes('allocation')(object)}</allocations>`),
    values: { 'task-id': '2', 'resource-id': '8', load: '50', responsible: 'true' },
  },
};

const msProject = (tasks: string, people = '<Resource><UID>7</UID><Name>Ann</Name></Resource>', assignments = '') =>
  `<Project><Tasks>${tasks}</Tasks><Resources>${people}</Resources><Assignments>${assignments}</Assignments></Project>`;
const MSPROJECT: Readonly<Record<keyof typeof MSPROJECT_FIELDS, Kind>> = {
  'the project': {
    least: { Tasks: '<Tasks><Task><UID>1</UID><Deadline>2026-03-02T08:00:00</Deadline></Task></Tasks>' },
    fileOf: withChildren('Project'),
    values: {
      Tasks: '<Tasks><Task><UID>2</UID></Task></Tasks>',
      Resources: '<Resources><Resource><UID>1</UID><Name>x</Name></Resource></Resources>',
      Assignments:
        '<Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>9</ResourceUID></Assignment></Assignments>',
      DefaultFinishTime: '08:00:00',
    },
  },
  'a task': {
    least: { UID: '1' },
    fileOf: (object) =>
      msProject(
        `<Task><UID>0</UID><OutlineLevel>1</OutlineLevel></Task>${withChildren('Task')(object)}<Task><UID>2</UID><OutlineLevel>1</OutlineLevel></Task>`,
      ),
    values: {
      UID: '3',
      OutlineLevel: '2',
      OutlineNumber: '1.1',
      Priority: '600',
      Duration: 'PT1H0M0S',
      Deadline: '2026-03-02T17:00:00',
      PercentComplete: '100',
      IsNull: '1',
      Active: '0',
      PredecessorLink: '<PredecessorLink><PredecessorUID>2</PredecessorUID></PredecessorLink>',
    },
  },
  'a dependency': {
    least: { PredecessorUID: '2' },
    fileOf: (object) =>
      msProject(
        `<Task><UID>1</UID>${withChildren('PredecessorLink')(object)}</Task><Task><UID>2</UID></Task><Task><UID>3</UID></Task>`,
      ),
    values: { PredecessorUID: '3', Type: '3' },
    word: 'of a dependency, the field',
  },
  'a person': {
    least: { UID: '1', Name: 'x' },
    fileOf: (object) =>
      msProject(
        '<Task><UID>1</UID></Task>',
        withChildren('Resource')(object),
        '<Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID></Assignment>',
      ),
    values: { UID: '2', Name: 'y', Type: '0', IsNull: '1' },
  },
  'an assignment': {
    least: { TaskUID: '1', ResourceUID: '7' },
    fileOf: (object) => msProject('<Task><UID>1</UID></Task>', undefined, withChildren('Assignment')(object)),
    values: { TaskUID: '2', ResourceUID: '8' },
  },
};

const calendar = (...lines: readonly string[]) => `BEGIN:VCALENDAR\n${lines.join('\n')}\nEND:VCALENDAR\n`;
const properties = (object: Properties) => Object.entries(object).map(([name, value]) => `${name}:${value}`);
const OTHER = ['BEGIN:VTODO', 'UID:b', 'END:VTODO'];
const ICALENDAR: Readonly<Record<keyof typeof ICALENDAR_FIELDS, Kind>> = {
  'a calendar': {
    least: {},
    fileOf: (object) => calendar(...OTHER, ...properties(object)),
    word: 'of the calendar, the property',
  },
  'a task': {
    least: { UID: 'a' },
    fileOf: (object) => calendar(...OTHER, 'BEGIN:VTODO', ...properties(object), 'END:VTODO'),
    values: {
      DUE: '20260302',
      STATUS: 'COMPLETED',
      PRIORITY: '1',
      'RELATED-TO': 'b',
      'PERCENT-COMPLETE': '100',
      'RECURRENCE-ID': '20260302',
    },
    word: 'the property',
  },
};

const board = (more: Properties) => ({ id: 'b', name: 'x', lists: [{ id: 'l', name: 'To do' }], cards: [], ...more });
const card = (more: Properties) => ({ id: 'c', name: 'x', idList: 'l', ...more });
const TRELLO: Readonly<Record<keyof typeof TRELLO_FIELDS, Kind>> = {
  'a board': {
    least: { cards: [card({})], lists: [{ id: 'l', name: 'To do' }] },
    fileOf: (object) => JSON.stringify(object),
    values: {
      cards: [card({ id: 'd' })],
      lists: [{ id: 'l', name: 'Done' }],
      checklists: [{ id: 'k', idCard: 'c', checkItems: [{ id: 'i', name: 'x' }] }],
      closed: true,
      actions: [{ type: 'commentCard' }],
      members: [{ id: 'm', fullName: 'x', email: 'x' }],
      labels: [{ id: 't', name: 'x', color: 'x' }],
    },
  },
  'a list': {
    least: { id: 'l', name: 'To do' },
    fileOf: (list) =>
      JSON.stringify(board({ lists: [list], cards: [card({ id: 'c' }), card({ id: 'd', idList: 'x' })] })),
    values: { closed: true, pos: 1 },
  },
  'a card': {
    least: { id: 'c', idList: 'l' },
    fileOf: (object) =>
      JSON.stringify(
        board({
          lists: [
            { id: 'l', name: 'To do' },
            { id: 'x', name: 'Done' },
          ],
          cards: [object, card({ id: 'd', pos: 0 })],
          labels: [{ id: 't', name: 'late' }],
          members: [{ id: 'm', fullName: 'Ann' }],
        }),
      ),
    values: {
      due: '2026-03-02T12:00:00Z',
      dueComplete: true,
      closed: true,
      idMembers: ['m'],
      idLabels: ['t'],
      labels: [{ name: 'x' }],
      pos: 5,
      dueReminder: 10,
      cover: { color: 'green' },
    },
  },
  'a label': {
    least: { id: 't', name: 'x' },
    fileOf: (label) => JSON.stringify(board({ labels: [label], cards: [card({ idLabels: ['t'] })] })),
  },
  'a member': {
    least: { id: 'm', fullName: 'y' },
    fileOf: (member) => JSON.stringify(board({ members: [member], cards: [card({ idMembers: ['m'] })] })),
  },
  'a check list': {
    least: { id: 'k', idCard: 'c' },
    fileOf: (checklist) => JSON.stringify(board({ cards: [card({}), card({ id: 'x' })], checklists: [checklist] })),
    values: { checkItems: [{ id: 'i', name: 'x' }] },
  },
  'an item of a check list': {
    least: { id: 'i' },
    fileOf: (item) =>
      JSON.stringify(
        board({
          cards: [card({})],
          members: [{ id: 'm', fullName: 'Ann' }],
          checklists: [{ id: 'k', idCard: 'c', checkItems: [item, { id: 'j', name: 'y', pos: 0 }] }],
        }),
      ),
    values: { state: 'complete', due: '2026-03-02T12:00:00Z', idMember: 'm', pos: 5, dueReminder: 10 },
  },
};

const GITHUB_ACTIONS: Readonly<Record<keyof typeof GITHUB_ACTIONS_FIELDS, Kind>> = {
  'a workflow': { least: { jobs: { a: {} } }, fileOf: (object) => JSON.stringify(object), values: { jobs: { b: {} } } },
  'a job': {
    least: {},
    fileOf: (job) => JSON.stringify({ jobs: { a: job, b: {} } }),
    values: { needs: 'b' },
  },
};
const TURBO: Readonly<Record<keyof typeof TURBO_FIELDS, Kind>> = {
  'the configuration': {
    least: { tasks: { a: {} } },
    fileOf: (object) => JSON.stringify(object),
    values: { tasks: { b: {} }, pipeline: { b: {} } },
  },
  'a task': {
    least: {},
    fileOf: (object) => JSON.stringify({ tasks: { a: object, b: {} } }),
    values: { dependsOn: ['b'], cache: false },
  },
};

function kindsOf(
  format: ImportFormat,
  fields: Readonly<Record<string, SourceFields>>,
  kinds: Readonly<Record<string, Kind>>,
) {
  return Object.entries(fields).map(([kind, own]) => ({ format, kind, fields: own, ...(kinds[kind] as Kind) }));
}
const ALL = [
  ...kindsOf('ganttproject', GANTTPROJECT_FIELDS, GANTTPROJECT),
  ...kindsOf('msproject', MSPROJECT_FIELDS, MSPROJECT),
  ...kindsOf('icalendar', ICALENDAR_FIELDS, ICALENDAR),
  ...kindsOf('trello', TRELLO_FIELDS, TRELLO),
  ...kindsOf('github-actions', GITHUB_ACTIONS_FIELDS, GITHUB_ACTIONS),
  ...kindsOf('turbo', TURBO_FIELDS, TURBO),
];

/** The graph and the losses of a file, or its refusal. */
function outcomeOf(text: string, format: ImportFormat) {
  const refusal = refusalOf(text, format);
  if (refusal !== 'it was accepted') return { refusal, reported: [] };
  const { nodes, links, leftOut } = readFile(text, format);
  return { nodes, links, reported: leftOut.map(({ what }) => what) };
}

describe.each(ALL)('[IO9] $format: $kind', ({ format, fields, least, fileOf, values = {}, word = 'the field' }) => {
  const of = (object: Properties) => outcomeOf(fileOf(object), format);
  const without = of(least);

  test.each(Object.entries(fields))('%s is read or reported as declared', (name, { isRead, loss, holds }) => {
    const value = values[name] ?? 'x';
    const given = of({ ...least, [name]: value });
    const taken = Object.fromEntries(Object.entries(least).filter(([other]) => other !== name));
    if (loss !== '' && (name in values || (holds?.(value) ?? true))) expect(given.reported).toContain(loss);
    else if (isRead) expect([given, of(taken)]).not.toEqual([without, without]);
    else expect(given).toEqual(without);
  });

  test('an undeclared field is reported unless it is empty', () => {
    expect(of({ ...least, 'NEW-FIELD': 'x' }).reported).toContain(`${word} "NEW-FIELD"`);
    expect(of({ ...least, 'NEW-FIELD': '' })).toEqual(without);
  });
});

const page = readFileSync(new URL('../../../../../../docs/formats.md', import.meta.url), 'utf8');
test.each(ALL)('docs/formats.md has the fields of $format: $kind', ({ format, fields }) => {
  const [, section = ''] = page.split(`\n## \`${format}\``);
  const text = section.split('\n## ')[0] ?? '';
  expect(Object.keys(fields).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  const reported = [...new Set(Object.values(fields).map((field) => field.loss))];
  expect(reported.filter((what) => !text.includes(what))).toEqual([]);
});
