// Tests of the readers of task lists in plain text, and of the writer of Markdown.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkAddedWords, checkMutations } from '../../../test/support/mutated-files.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { shownGraph } from '../../../test/support/shown-graph.ts';
import { formatOf } from '../../format-detection.ts';
import { readFile, writeFile } from '../../formats.ts';
import { EMPTY_FIELDS, type TransferGraph, type TransferNode } from '../../graph/transfer-graph.ts';

const MARKDOWN = `---
title: Plan
---
Before all headings.

# Launch

Why we do it.

## Phase 1: texts ##

- [x] T001 Write the texts #web @ann @bob
  - [ ] Ask *Carol* 📅 2026-12-24 ⏫
    two lines

    and a third
  - plain note
1. [/] T002 [P] Build \`pages\` (depends on T001) 🆔 b1
2. Prepare
   - [ ] Choose a host ⛔ b1 #2 #infra/eu [volume:: 30]

## Notes

Nothing to do here.

\`\`\`
- [ ] not a task
\`\`\`

## Later
- [-] Old idea 🔁 every week ✅ 2026-01-01
* [ ]* Optional \\#1 ⛔ zz
`;

describe('Markdown', () => {
  test('[IO2] tasks block what they are below, and name others by ids', () => {
    expect(formatOf(MARKDOWN, 'plan.md')).toBe('markdown');
    const graph = readFile(MARKDOWN, 'markdown');
    expect(shownGraph(graph, 'status', 'tags', 'priority', 'dueDate', 'volume', 'assignee')).toEqual({
      nodes: [
        ['Ask *Carol*', 0, [], 3, '2026-12-24T23:59:59.000Z', 0, []],
        ['T001 Write the texts', 3, ['web'], 0, null, 0, ['ann', 'bob']],
        ['T002 [P] Build `pages` (depends on T001)', 1, [], 0, null, 0, []],
        ['Choose a host #2', 0, ['infra/eu'], 0, null, 30, []],
        ['Prepare', 0, [], 0, null, 0, []],
        ['Phase 1: texts', 0, [], 0, null, 0, []],
        ['Old idea', 3, [], 0, null, 0, []],
        ['Optional #1', 0, [], 0, null, 0, []],
        ['Later', 0, [], 0, null, 0, []],
        ['Launch', 0, [], 0, null, 0, []],
      ],
      links: [
        'Ask *Carol* → T001 Write the texts',
        'T001 Write the texts → T002 [P] Build `pages` (depends on T001)',
        'T002 [P] Build `pages` (depends on T001) → Choose a host #2',
        'Choose a host #2 → Prepare',
        'T001 Write the texts → Phase 1: texts',
        'T002 [P] Build `pages` (depends on T001) → Phase 1: texts',
        'Prepare → Phase 1: texts',
        'Old idea → Later',
        'Optional #1 → Later',
        'Phase 1: texts → Launch',
        'Later → Launch',
      ],
      leftOut: [
        '1 a line of the head in YAML',
        '1 that a task is optional',
        '1 text outside of tasks',
        '1 the recurrence of a task',
        '1 the completion time of a task',
        '1 a word for a status, which becomes',
        '1 a dependency on an id that no task or several tasks have',
        '1 the status Completed of a task with an open blocker',
      ],
    });
    const descriptionOf = (title: string) => graph.nodes.find((node) => node.title.startsWith(title))?.description;
    expect(descriptionOf('Ask')).toBe('two lines\n\nand a third');
    expect(descriptionOf('T001')).toBe('- plain note');
    expect(descriptionOf('Launch')).toBe(
      'Why we do it.\n\n## Notes\n\nNothing to do here.\n\n```\n- [ ] not a task\n```',
    );
  });

  test('[IO2] items in comments are text, and tabs are columns', () => {
    const text = '- [ ] a\n\t- [x] b\n\t\t- [x] c\n<!--\n- [ ] template\n-->\n- [ ] d\n';
    expect(shownGraph(readFile(text, 'markdown'))).toEqual({
      nodes: [['c'], ['b'], ['a'], ['d']],
      links: ['c → b', 'b → a'],
      leftOut: [],
    });
  });

  test.each([
    ['no task', '# Notes\n- one\n- [link](x)\n', 'it has no task with a box, such as - [ ] Task'],
    [
      'items that are nested too deeply',
      Array.from({ length: 70 }, (_, depth) => `${' '.repeat(depth)}- [ ] a`).join('\n'),
      'line 65: an item is below more than 64 others',
    ],
    ['too long a line', `- [ ] a\n- [ ] ${'x '.repeat(600_000)}`, 'line 2: it has more than 1000000 characters'],
    ['too many lines', '\n'.repeat(1_000_001), 'it has more than 1000000 lines'],
    [
      'a cycle',
      '- [ ] a 🆔 a ⛔ b\n- [ ] b 🆔 b ⛔ a',
      'line 1: tasks wait for each other in a cycle: "a" (line 1) waits for "b" (line 2) waits for "a" (line 1)',
    ],
  ])('[IO2] %s is refused', (_what, text, message) => {
    expect(refusalOf(text, 'markdown')).toBe(message);
  });
});

const TODO_TXT = `(A) 2026-01-02 Call the printer @phone +Launch due:2026-12-24 id:1
x 2026-01-05 2026-01-01 Write the texts +Launch pri:B
(Z) Go live +Launch +Site dep:1,9 t:2026-12-01

Read http://example.org:80/a @home about +Site plans p:1
xylophone lesson note:later
`;

describe('todo.txt', () => {
  test('[IO2] tasks block their projects, and name others by ids', () => {
    expect(formatOf(TODO_TXT, 'my/todo.txt')).toBe('todo.txt');
    expect(shownGraph(readFile(TODO_TXT, 'todo.txt'), 'status', 'priority', 'tags', 'dueDate')).toEqual({
      nodes: [
        ['Read http://example.org:80/a @home about +Site plans', 0, 0, ['home'], null],
        ['Call the printer', 0, 3, ['phone'], '2026-12-24T23:59:59.000Z'],
        ['Write the texts', 3, 2, [], null],
        ['Go live', 0, 0, [], null],
        ['xylophone lesson note:later', 0, 0, [], null],
        ['Launch', 0, 0, [], null],
        ['Site', 0, 0, [], null],
      ],
      links: [
        'Read http://example.org:80/a @home about +Site plans → Call the printer',
        'Call the printer → Go live',
        'Call the printer → Launch',
        'Write the texts → Launch',
        'Go live → Launch',
        'Read http://example.org:80/a @home about +Site plans → Site',
        'Go live → Site',
      ],
      leftOut: [
        '2 the creation time of a task',
        '1 the completion time of a task',
        '1 the start of a task',
        '1 a word for a priority, which becomes',
        '1 a dependency on an id that no task or several tasks have',
      ],
    });
  });

  test('[IO2] too many tasks are refused', () => {
    expect(refusalOf('a\n'.repeat(50_001), 'todo.txt')).toBe('line 50001: it has more than 50000 tasks');
  });
});

const ORG = `#+TITLE: Plan
#+SEQ_TODO: OPEN(o) REVIEW | DONE(d) DROPPED
* Launch :site:
Why we do it.
** DONE [#A] Write the texts :web:@ann:
CLOSED: [2026-01-05 Mon 10:00]
:PROPERTIES:
:ID: texts-1
:Effort: 1:30
:Owner: Ann
:END:
- [ ] a box
** REVIEW Build pages
DEADLINE: <2026-12-24 Thu 18:00 +1w> SCHEDULED: <2026-12-01 Tue>
:PROPERTIES:
:BLOCKER: ids(texts-1 gone)
:END:
:LOGBOOK:
CLOCK: [2026-01-05 Mon 10:00]--[2026-01-05 Mon 11:00] =>  1:00
:END:
#+begin_src sh
DEADLINE: text
#+end_src
** Notes
Some words.
*** More
** TODO Steps
:PROPERTIES:
:ORDERED: t
:END:
*** TODO First
DEADLINE: <2026-11-01 Sun>
*** WAITING [#D] Second
* Diary
Other words.
`;

describe('Org', () => {
  test('[IO2] headlines block the ones above them, and ids and order make links', () => {
    expect(formatOf(ORG, 'plan.org')).toBe('org');
    const graph = readFile(ORG, 'org');
    expect(shownGraph(graph, 'status', 'priority', 'tags', 'dueDate', 'volume', 'description')).toEqual({
      nodes: [
        ['Write the texts', 3, 3, ['web', '@ann'], null, 90, '- [ ] a box'],
        ['Build pages', 1, 0, [], '2026-12-24T18:00:00.000Z', 0, '#+begin_src sh\nDEADLINE: text\n#+end_src'],
        ['First', 0, 0, [], '2026-11-01T23:59:59.000Z', 0, ''],
        ['Second', 0, 0, [], null, 0, ''],
        ['Steps', 0, 0, [], null, 0, ''],
        ['Launch', 0, 0, ['site'], null, 0, 'Why we do it.\n** Notes\nSome words.\n*** More'],
      ],
      links: [
        'Write the texts → Build pages',
        'First → Second',
        'First → Steps',
        'Second → Steps',
        'Write the texts → Launch',
        'Build pages → Launch',
        'Steps → Launch',
      ],
      leftOut: [
        '1 a setting of the file',
        '1 the completion time of a task',
        '1 the recurrence, warning or end of a deadline',
        '1 the scheduled date of a task',
        '1 a line of the drawer :LOGBOOK:',
        '1 a word for a priority, which becomes',
        '2 text outside of tasks',
        '2 a word for a status, which becomes',
        '1 the property "OWNER"',
        '1 a dependency on an id that no task or several tasks have',
      ],
    });
  });

  test.each([
    ['no task', '* Notes\nTODO\n', 'it has no headline with a keyword, such as * TODO Task'],
    [
      'headlines that are nested too deeply',
      Array.from({ length: 70 }, (_, depth) => `${'*'.repeat(depth + 1)} DONE a`).join('\n'),
      'line 65: a headline is below more than 64 others',
    ],
  ])('[IO2] %s is refused', (_what, text, message) => {
    expect(refusalOf(text, 'org')).toBe(message);
  });
});

const HOSTILE: readonly (readonly [
  format: 'markdown' | 'todo.txt' | 'org',
  sample: string,
  reported: RegExp,
  signs: readonly string[],
])[] = [
  [
    'markdown',
    MARKDOWN,
    /title: Plan|Before.*|\[-\]|🔁 .*|2026-01-01/g,
    ['- [ ] ', '  ', '\t', '#', '```', '📅', '⛔ ', '<!--', '[due:: '],
  ],
];
describe.each(HOSTILE)('[IO2] mutated files of %s', (format, sample, reported, signs) => {
  test('an added word is made, reported or refused', () => {
    checkAddedWords(sample, format, reported);
  });

  test('reading ends without another error', () => {
    checkMutations(sample, format, signs);
  });

  test('long repetitions of a sign take no longer than their length', () => {
    for (const sign of signs) {
      const start = sample.indexOf('\n', sample.length / 2);
      refusalOf(
        `${sample.slice(0, start)}\n${sign.repeat(Math.floor(900_000 / sign.length))}${sample.slice(start)}`,
        format,
      );
    }
  });
});

describe('[IO2] Markdown that is written and read again', () => {
  const node = (key: string, fields: Partial<TransferNode>): TransferNode => ({
    ...EMPTY_FIELDS,
    key,
    line: null,
    ...fields,
  });
  const link = (source: string, target: string) => ({ source, target, type: 0, private: false }) as const;
  const written = (graph: TransferGraph) =>
    writeFile(graph, 'markdown', { now: '2026-01-02T03:04:05.678Z', ids: new Map() });

  test('has all fields and blocking links', () => {
    const graph: TransferGraph = {
      nodes: [
        node('1', { title: 'Texts', status: 3, tags: ['x', 'y'], assignee: ['ann'], volume: 2 }),
        node('2', { title: 'Pages', status: 1, dueDate: '2026-12-24T12:00:00.000Z', priority: 2 }),
        node('3', { title: 'Go live', dueDate: '2026-12-24T23:59:59.000Z', description: '- [ ] all\n\n1. of it' }),
      ],
      links: [link('1', '2'), link('1', '3'), link('2', '3')],
      leftOut: [],
    };
    const { text, leftOut } = written(graph);
    expect(text).toBe(
      `- [ ] Go live 📅 2026-12-24 ⛔ t1
  \\- [ ] all

  1\\. of it
  - [/] Pages 🔼 [due:: 2026-12-24T12:00:00.000Z]
    - [x] Texts [volume:: 2] 🆔 t1 #x #y @ann
`,
    );
    expect(leftOut).toEqual([]);
    const again = readFile(text, 'markdown');
    const fields = ['status', 'tags', 'priority', 'dueDate', 'volume', 'assignee', 'description'] as const;
    expect(shownGraph(again, ...fields)).toEqual(shownGraph(graph, ...fields));
  });

  test.each(['1.', '1\\.', '1\\\\)', '\\1.'])('has the description %s', (description) => {
    const nodes = [node('1', { title: 'Texts', description })];
    const again = readFile(written({ nodes, links: [], leftOut: [] }).text, 'markdown');
    expect(again.nodes.map((each) => each.description)).toEqual([description]);
  });

  test('has the same titles, descriptions and links, whatever their characters', () => {
    const signs = [...'ab1 #@[]()*_`\\-.:>|<&!', '📅', '🆔', '⛔', '🔺', '⏫', '::', 'due', '2026-12-24'];
    const title = fc.string({ unit: fc.constantFrom(...signs), maxLength: 12 });
    const property = fc.property(
      fc.array(fc.tuple(title, title, fc.nat(9)), { minLength: 1, maxLength: 6 }),
      (tasks) => {
        const oneSpace = (text: string) => text.trim().replaceAll(/ +/g, ' ');
        const nodes = tasks.map(([text, description], index) =>
          node(String(index), {
            title: oneSpace(text) || 'x',
            description: description.split(' ').join('\n').replaceAll(/\n+/g, '\n').trim(),
          }),
        );
        const links = tasks.flatMap(([, , target], source) =>
          source > 0 && target < source ? [link(String(source), String(target))] : [],
        );
        const again = readFile(written({ nodes, links, leftOut: [] }).text, 'markdown');
        expect(again.leftOut).toEqual([]);
        const shown = ({ nodes: all, links: between }: TransferGraph) => ({
          nodes: all.map((each) => [each.title, each.description]).sort(),
          links: between
            .map(({ source, target }) => [source, target].map((key) => all.find((each) => each.key === key)?.title))
            .sort(),
        });
        expect(shown(again)).toEqual(shown({ nodes, links, leftOut: [] }));
      },
    );
    fc.assert(property, { numRuns: runs(300) });
  });

  test('has all tasks of a long chain', () => {
    const nodes = Array.from({ length: 100 }, (_, index) => node(String(index), { title: `Task ${index}` }));
    const links = nodes.slice(1).map(({ key }, index) => link(String(index), key));
    const again = readFile(written({ nodes, links, leftOut: [] }).text, 'markdown');
    expect(shownGraph(again)).toEqual(shownGraph({ nodes, links, leftOut: [] }));
  });
});
