// Tests of the readers of plans: the graph and the losses of a whole sample, and refusals with
// their lines.
import { describe, expect, test } from 'vitest';
import { planSample } from '../../../test/support/plan-samples.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { type ImportFormat, readFile } from '../../formats.ts';
import type { TransferNode } from '../../graph/transfer-graph.ts';

function shown(format: ImportFormat, text: string, ...fields: (keyof TransferNode)[]) {
  const { nodes, links, leftOut } = readFile(text, format);
  const titleOf = (key: string) => nodes.find((node) => node.key === key)?.title;
  return {
    nodes: nodes.map((node) => [node.title, ...fields.map((field) => node[field])]),
    links: links.map(({ source, target, type }) => `${titleOf(source)} ${type === 0 ? '→' : '⇢'} ${titleOf(target)}`),
    leftOut: leftOut.map(({ what, count }) => `${count} ${what}`),
  };
}
const sample = (format: ImportFormat, ...fields: (keyof TransferNode)[]) =>
  shown(format, planSample(format), ...fields);

test('[IO2] GanttProject: tasks block the task around them and their successors', () => {
  expect(
    sample('ganttproject', 'status', 'volume', 'priority', 'assignee', 'description', 'collapsed', 'line'),
  ).toEqual({
    nodes: [
      ['Dig & turn', 3, 1_440, 3, ['Ann Gray'], 'Two spades deep', false, 9],
      ['Compost', 1, 960, 0, [], 'https://example.org/compost', false, 15],
      ['Soil', 1, 0, 0, [], '', true, 8],
      ['Plant', 0, 0, 0, [], '', false, 20],
      ['Water', 0, 1_920, 0, [], '', false, 23],
      ['Garden', 0, 0, 0, [], 'Behind the house', false, 2],
    ],
    links: [
      'Dig & turn → Compost',
      'Dig & turn → Soil',
      'Compost → Soil',
      'Compost → Plant',
      'Plant ⇢ Water',
      'Soil → Garden',
      'Plant → Garden',
      'Water → Garden',
    ],
    leftOut: [
      '1 the organisation of a project',
      '1 the e-mail address of a person',
      '1 the role of a person',
      '1 the coordinator of a task',
      '1 the load of a person in a task',
      '5 the scheduled start of a task',
      '1 a colour',
      '1 the unit of durations, which become minutes of work',
      '1 a value of a custom column',
      '2 the progress of a task',
      '1 a word for a priority, which becomes',
      '1 the lag of a dependency',
      '1 that a dependency is soft',
      '1 a dependency of the type start to start, which becomes a link that does not block',
      '1 a person without a task',
    ],
  });
});

test('[IO2] Microsoft Project: tasks block the task above them and their successors', () => {
  expect(sample('msproject', 'status', 'volume', 'priority', 'dueDate', 'assignee', 'description')).toEqual({
    nodes: [
      ['Dig & turn', 3, 1440, 2, null, ['Ann Gray'], ''],
      ['Compost', 1, 990, 0, null, [], 'From the heap'],
      ['Soil', 0, 0, 0, null, [], ''],
      ['Plant', 0, 480, 0, '2026-03-20T23:59:59.000Z', [], ''],
      ['Water', 0, 480, 0, '2026-03-21T12:30:00.000Z', [], ''],
      ['Garden', 0, 0, 0, null, [], ''],
    ],
    links: [
      'Dig & turn → Compost',
      'Dig & turn → Soil',
      'Compost → Soil',
      'Soil → Plant',
      'Plant ⇢ Water',
      'Soil → Garden',
      'Plant → Garden',
      'Water → Garden',
    ],
    leftOut: [
      '1 the description of a project',
      '1 the start and finish of a project',
      '1 a blank row',
      '1 the scheduled start of a task',
      '1 the e-mail address of a person',
      '1 the load of a person in a task',
      '1 the unit of durations, which become minutes of work',
      '1 the progress of a task',
      '1 the lag of a dependency',
      '1 a word for a priority, which becomes',
      '1 the time zone of a deadline, which is read as UTC',
      '1 a dependency of the type start to start, which becomes a link that does not block',
    ],
  });
});

test('[IO2 IO6] iCalendar: children block their parent, and due times keep their zone', () => {
  expect(sample('icalendar', 'status', 'priority', 'dueDate', 'tags', 'description')).toEqual({
    nodes: [
      ['Dig', 3, 0, '2026-07-21T23:59:59.000Z', [], ''],
      [
        'Soil, and more',
        1,
        5,
        '2026-07-20T16:00:00.000Z',
        ['garden', '"heavy, work"', 'spring'],
        'First line\nsecond line',
      ],
      ['Plant', 0, 0, '2026-07-22T12:00:00.000Z', [], ''],
    ],
    links: ['Dig → Soil, and more', 'Plant ⇢ Dig', 'Soil, and more → Plant'],
    leftOut: [
      '1 the name of a calendar',
      '1 the property "X-APPLE-SORT-ORDER"',
      '1 a reminder',
      '1 the completion time of a task',
      '1 the recurrence of a task',
      '1 an event',
      '1 the progress of a task',
      '1 a relation of the type "NEXT", which becomes a link that does not block',
      '1 the time zone of a due date, which is read as UTC',
    ],
  });
});

test('[IO2] Trello: items block their card, cards the board, and lists become tags', () => {
  expect(sample('trello', 'status', 'dueDate', 'tags', 'assignee', 'description')).toEqual({
    nodes: [
      ['Boots', 3, null, [], ['Ann Gray'], ''],
      ['Spade', 0, null, [], [], ''],
      ['Dig', 0, null, ['To do', 'heavy'], [], 'Two spades deep'],
      ['Compost', 3, '2026-03-20T12:00:00.000Z', ['To do', 'heavy'], ['Ann Gray'], ''],
      ['Garden', 0, null, [], [], 'Behind the house'],
    ],
    links: ['Boots → Dig', 'Spade → Dig', 'Dig → Garden', 'Compost → Garden'],
    leftOut: [
      '1 a list that is archived',
      '1 the colour of a label',
      '1 the user name of a person',
      '2 a card that is archived',
      '1 the address of a card',
      '1 attachments',
      '1 the name of a check list',
      '1 comments',
      '1 the history of a board',
    ],
  });
});

test('[IO2] GitHub Actions: jobs block the jobs that need them, and the workflow', () => {
  expect(sample('github-actions', 'line')).toEqual({
    nodes: [
      ['Build it', 5],
      ['test', 10],
      ['publish', 15],
      ['Release', 1],
    ],
    links: [
      'Build it → test',
      'Build it → publish',
      'test → publish',
      'Build it → Release',
      'test → Release',
      'publish → Release',
    ],
    leftOut: [
      '1 the events that start a workflow',
      '1 the settings of a workflow',
      '2 the machine and environment of a job',
      '2 the steps of a job',
      '1 the matrix of a job',
      '1 the condition of a job',
      '1 the workflow that a job calls',
      '1 a dependency on a job that is not in the file',
    ],
  });
});

test('[IO2] Turborepo: tasks block the tasks that depend on them in the same package', () => {
  expect(sample('turbo', 'description', 'line')).toEqual({
    nodes: [
      ['generate', 'Makes types', 7],
      ['build', '', 6],
      ['test', '', 8],
      ['api#build', '', 10],
      ['web#test', '', 9],
    ],
    links: ['generate → build', 'build → test', 'build → web#test', 'api#build → web#test'],
    leftOut: [
      '1 the inputs of all tasks',
      '1 the outputs of a task',
      '1 a dependency on a task of other packages',
      '1 that a task is not cached',
      '1 a dependency on a variable of the environment',
      '1 the run mode of a task',
      '1 a dependency on a task that is not in the file',
    ],
  });
});

test('[IO2] a Turborepo task of a package depends on the task of the same package first', () => {
  const text = '{"pipeline":{"build":{},"web#build":{},"web#test":{"dependsOn":["build"]}}}';
  expect(shown('turbo', text).links).toEqual(['web#build → web#test']);
});

test('[IO2] Patterson: jobs may take several lines', () => {
  expect(sample('patterson', 'volume', 'line')).toEqual({
    nodes: [
      ['Job 1', 0, 4],
      ['Job 2', 4, 5],
      ['Job 3', 6, 6],
      ['Job 4', 2, 8],
      ['Job 5', 0, 9],
    ],
    links: ['Job 1 → Job 2', 'Job 1 → Job 3', 'Job 2 → Job 4', 'Job 3 → Job 4', 'Job 3 → Job 5', 'Job 4 → Job 5'],
    leftOut: ['2 the amounts of resources', "3 a job's demands on resources"],
  });
});

test('[IO2] PSPLIB: the first mode of a job counts, and the number of the others is reported', () => {
  expect(sample('psplib', 'volume').nodes).toEqual([
    ['Job 1', 0],
    ['Job 2', 3],
    ['Job 3', 4],
    ['Job 4', 0],
  ]);
  const repeated = planSample('psplib')
    .replaceAll('\n         ', '\n  2      ')
    .replace('  2      2     6 ', '  3      2     6 ');
  expect(readFile(repeated, 'psplib').nodes).toEqual(readFile(planSample('psplib'), 'psplib').nodes);
  const modes = readFile(planSample('psplib'), 'psplib').leftOut.find(({ what }) => what.startsWith('the modes'));
  expect(modes?.places).toEqual(['Job 2 (line 17): 2', 'Job 3 (line 20): 1']);
});

test('[IO2] a property of Synology, whose name has a low line, is reported', () => {
  const text = planSample('icalendar').replace('PRIORITY:1', 'PRIORITY:1\nPERCENT_COMPLETE:100');
  const [before, after] = [planSample('icalendar'), text].map((each) => readFile(each, 'icalendar'));
  expect(after?.nodes.map(({ status }) => status)).toEqual(before?.nodes.map(({ status }) => status));
  expect(after?.leftOut.map(({ what }) => what)).toContain('the property "PERCENT_COMPLETE"');
});

describe('[IO2] broken plans are refused with their line', () => {
  const changed = (format: ImportFormat, from: string, to: string) => {
    const text = planSample(format);
    if (!text.includes(from)) throw new Error(`the sample of ${format} has no ${from}`);
    return refusalOf(text.replace(from, to), format);
  };
  test.each<[format: ImportFormat, from: string, to: string, message: string]>([
    ['ganttproject', '<task id="1"', '<task id="x"', 'line 9: a task has no "id"'],
    ['ganttproject', '<task id="2"', '<task id="1"', 'line 15: two tasks have the id 1'],
    ['ganttproject', '<tasks ', '<jobs ', 'it is not well-formed XML'],
    ['ganttproject', '<depend id="4" type="1"', '<depend id="1"', 'tasks wait for each other in a cycle'],
    ['msproject', '<UID>2</UID>', '', 'line 8: a task has no <UID>'],
    ['msproject', '<UID>2</UID>', '<UID>1</UID>', 'line 8: two tasks have the UID 1'],
    ['msproject', '<OutlineLevel>2<', '<OutlineLevel>x<', 'line 8: "x" is not a level'],
    ['icalendar', 'END:VALARM\n', '', 'line 23: END:VTODO ends no open component'],
    ['icalendar', 'END:VCALENDAR\n', '', 'line 1: a component VCALENDAR does not end'],
    ['icalendar', 'PRIORITY:1', 'PRIORITY', 'line 15: the property PRIORITY has no value'],
    ['trello', '"id": "c1"', '"id": "c2"', 'two cards have the same id'],
    ['trello', '"due": "2026-03-20T12:00:00.000Z"', '"due": "soon"', '"soon" is not a time'],
    [
      'github-actions',
      'needs: build\n',
      'needs: {a: 1}\n',
      'line 10: "needs" must be the id of a job or a list of ids',
    ],
    ['github-actions', 'jobs:', 'jobs: 1\nx:', '"jobs" must be a map'],
    ['github-actions', '  test:', '  build:', 'line 10: it is not valid YAML: duplicated mapping key'],
    ['turbo', '"tasks"', '"jobs"', 'line 1: it has no "tasks"'],
    ['turbo', '"api#build": {}', '"build": {}', 'has the name "build" twice'],
    ['patterson', '5 2', '5', 'its first line must have the number of jobs and the number of resources'],
    ['patterson', '2 1 1 1 5', '2 1 1 1 6', 'line 8: job 4 has the successor 6, which is not a job'],
    ['patterson', '0 0 0 0\n', '0 0 0\n', 'it ends before the number of successors of job 5'],
    ['patterson', '0 0 0 0\n', '0 0 0 0\n7\n', 'line 10: "7" follows the last job'],
    ['psplib', '         3    10       0    6\n', '', 'line 19: job 2 has 2 modes, not 3'],
    ['psplib', '         2     6       2    0\n', '', 'line 21: job 3 has 1 modes, not 2'],
  ])('%s: %j instead of %j', (format, from, to, message) => {
    expect(changed(format, from, to)).toContain(message);
  });
});
