// Tests of the readers of drawings: Mermaid's flowcharts and Gantt charts, and DOT.
import { describe, expect, test } from 'vitest';
import { checkAddedWords, checkMutations } from '../../../test/support/mutated-files.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { shownGraph } from '../../../test/support/shown-graph.ts';
import { formatOf } from '../../format-detection.ts';
import { readFile, writeFile } from '../../formats.ts';
import { EMPTY_FIELDS, type TransferGraph } from '../../graph/transfer-graph.ts';

const FLOWCHART = `%% a plan
flowchart LR
  A["Write #quot;texts#quot;"] --> B(Build pages):::inProgress
  B & C{{Choose a host}} -->|then| D((Go live))
  D -. later .-> E
  subgraph G1 [Aftercare]
    E[Watch] === F@{ shape: rect, label: "Fix faults" }
    direction TB
    subgraph inner
      H --- I
    end
  end
  J -- needs --> A; K <--> A
  L ~~~ A
  style A fill:#f9f
  class C,L completed
  D ==> G1
`;

describe('Mermaid', () => {
  test('[IO2] arrows of a flowchart block, and subgraphs become tasks', () => {
    expect(formatOf(FLOWCHART, 'plan.mmd')).toBe('mermaid');
    expect(shownGraph(readFile(FLOWCHART, 'mermaid'), 'status')).toEqual({
      nodes: [
        ['J', 0],
        ['Write "texts"', 0],
        ['Build pages', 1],
        ['Choose a host', 3],
        ['Go live', 0],
        ['Watch', 0],
        ['Fix faults', 0],
        ['H', 0],
        ['I', 0],
        ['inner', 0],
        ['Aftercare', 0],
        ['K', 0],
        ['L', 3],
      ],
      links: [
        'J → Write "texts"',
        'Write "texts" → Build pages',
        'Build pages → Go live',
        'Choose a host → Go live',
        'Go live ⇢ Watch',
        'Watch ⇢ Fix faults',
        'H ⇢ I',
        'H → inner',
        'I → inner',
        'Go live → Aftercare',
        'Watch → Aftercare',
        'Fix faults → Aftercare',
        'inner → Aftercare',
        'K ⇢ Write "texts"',
      ],
      leftOut: [
        '3 the text of an arrow',
        '2 the layout, style or link of a drawing',
        '1 that an arrow has two heads',
        '1 an invisible arrow',
        '1 a comment or setting of a drawing',
      ],
    });
  });

  const GANTT = `gantt
    title A plan
    dateFormat DD.MM.YYYY
    section Texts
    Write : done, crit, t1, 01.12.2026, 3d
    Check : active, 12h
    section Site
    Build : s1, after t1 x9, 24.12.2026
    Go live : milestone, 25.12.2026
    Later : 01.02.2027, soon
`;

  test('[IO2] tasks of a Gantt chart begin after others, and block their sections', () => {
    expect(formatOf(GANTT, 'plan.mmd')).toBe('mermaid');
    expect(shownGraph(readFile(GANTT, 'mermaid'), 'status', 'volume', 'dueDate')).toEqual({
      nodes: [
        ['Write', 3, 1_440, null],
        ['Check', 1, 720, null],
        ['Build', 0, 0, '2026-12-24T23:59:59.000Z'],
        ['Go live', 0, 0, '2026-12-25T23:59:59.000Z'],
        ['Later', 0, 0, null],
        ['Texts', 0, 0, null],
        ['Site', 0, 0, null],
      ],
      links: [
        'Write → Check',
        'Write → Build',
        'Build → Go live',
        'Write → Texts',
        'Check → Texts',
        'Build → Site',
        'Go live → Site',
        'Later → Site',
      ],
      leftOut: [
        '1 a setting of the chart',
        '1 the mark crit of a task',
        '2 the start of a task',
        '2 the unit of durations, which become minutes of work',
        '1 the mark milestone of a task',
        '1 the end of a task',
        '1 a start after a task that is not in the chart',
      ],
    });
  });

  test.each([
    ['another diagram', 'sequenceDiagram\nA->>B: x', 'line 1: it is neither a flowchart nor a Gantt chart of Mermaid'],
    ['a broken statement', 'graph TD\nA --> ', 'line 2: "" is neither a node nor an arrow'],
    ['an open subgraph', 'graph TD\nsubgraph x\nA', 'a subgraph has no end'],
    ['an end too many', 'graph TD\nA\nend', 'line 3: an end has no subgraph'],
    [
      'a cycle',
      'graph TD\nA --> B\nB --> A',
      'line 2: tasks wait for each other in a cycle: "A" (line 2) waits for "B" (line 2) waits for "A" (line 2)',
    ],
    [
      'subgraphs that are nested too deeply',
      `graph TD\n${'subgraph\n'.repeat(70)}`,
      'line 66: a subgraph is within more than 64 others',
    ],
    ['too many links', `graph TD\nA${' & A'.repeat(500)} --> B${' & B'.repeat(500)}`, 'it has more than 200000 links'],
    ['a chart without tasks', 'gantt\ntitle x', 'it has no tasks'],
    ['a line of a chart that is no task', 'gantt\nx', 'line 2: "x" is neither a task nor a setting'],
  ])('[IO2] %s is refused', (_what, text, message) => {
    expect(refusalOf(text, 'mermaid')).toBe(message);
  });

  hostile(
    'mermaid',
    'flowcharts',
    FLOWCHART,
    /%%.*|\|then\||-\. later|-- needs|style .*|direction.*|fill.*|K <--> A|L ~~~ A|shape: rect/g,
    ['-->', '[', ']', '"', '&', ';', '(((', 'subgraph ', 'end\n', '|', '@{', ':::'],
  );
  hostile(
    'mermaid',
    'Gantt charts',
    GANTT,
    /title.*|crit|dateFormat.*|0\d\.\d\d\.202\d|milestone|x9|soon|1?2?3?[dh]\n/g,
    [':', ',', 'after ', 'section ', '3d', 'done,'],
  );
});

const DOT = `/* a plan */
strict digraph "plan" {
  rankdir=LR;
  node [shape=box];
  a [label="Write\\ntexts" + " now", color=red];
  b [label=<<b>Build</b> pages>, fillcolor="#fff2cc"]
  a -> b -> {c; d} [label=then]
  subgraph cluster_after {
    label = "Aftercare";
    e; f:port
    subgraph { g }
  }
  d -> e [style=dashed]
  e -> f [dir=back] // back
  "h i" -> g [dir=both];
}
`;

describe('DOT', () => {
  test('[IO2] edges block, and clusters become tasks', () => {
    expect(formatOf(DOT, 'plan.gv')).toBe('dot');
    expect(shownGraph(readFile(DOT, 'dot'), 'status')).toEqual({
      nodes: [
        ['Write texts now', 0],
        ['Build pages', 1],
        ['c', 0],
        ['d', 0],
        ['f', 0],
        ['e', 0],
        ['g', 0],
        ['Aftercare', 0],
        ['h i', 0],
      ],
      links: [
        'Write texts now → Build pages',
        'Build pages → c',
        'Build pages → d',
        'd ⇢ e',
        'f → e',
        'f → Aftercare',
        'e → Aftercare',
        'g → Aftercare',
        'h i ⇢ g',
      ],
      leftOut: [
        '2 a comment of a drawing',
        '1 the name of a drawing',
        '1 the attribute "rankdir" of a drawing',
        '1 the attribute "shape" of all nodes',
        '1 the attribute "color" of a node',
        '1 the attribute "label" of an edge',
        '1 the port of a node',
        '1 the attribute "dir" of an edge',
      ],
    });
  });

  test('[IO2] edges without a direction relate their ends', () => {
    expect(shownGraph(readFile('graph { a -- b -- c }', 'dot')).links).toEqual(['a ⇢ b', 'b ⇢ c']);
  });

  test.each([
    ['an open quote', 'digraph { "a', 'line 1: a quote or bracket is not closed'],
    ['an open brace', 'digraph {\na', 'line 2: the end of the file is there instead of }'],
    ['another edge', 'digraph { a -- b }', 'line 1: "--" is there instead of ->'],
    ['another text', 'graph x', 'line 1: the end of the file is there instead of {'],
    ['a second drawing', 'digraph { a } digraph { b }', 'line 1: "digraph" is there instead of the end of the file'],
    ['an unknown sign', 'digraph { a ! }', 'line 1: "! }" is no part of a drawing'],
    [
      'subgraphs that are nested too deeply',
      `digraph ${'{'.repeat(70)}`,
      'line 1: "{" is there instead of a subgraph within at most 64 others',
    ],
    [
      'too many links',
      `digraph { {${Array.from({ length: 500 }, (_, at) => `a${at}`).join(' ')}} -> {${Array.from({ length: 500 }, (_, at) => `b${at}`).join(' ')}} }`,
      'it has more than 200000 links',
    ],
  ])('[IO2] %s is refused', (_what, text, message) => {
    expect(refusalOf(text, 'dot')).toBe(message);
  });

  hostile(
    'dot',
    'DOT',
    DOT,
    /\/\*.*|"plan"|rankdir=LR|shape=box|color=red|label=then|port|\/\/.*|dir=both|cluster_after|<b>|<\/b>/g,
    ['->', '{', '}', '[', ']', '"', '<', '/*', 'subgraph ', '\\', '=', '+'],
  );
});

/** Tests of a sample with mutations. */
function hostile(format: 'mermaid' | 'dot', kind: string, sample: string, reported: RegExp, signs: readonly string[]) {
  test(`[IO2] a word that is added to a file of ${kind} is made, reported or refused`, () => {
    checkAddedWords(sample, format, reported);
  });

  test(`[IO2] reading mutated files of ${kind} ends without another error`, () => {
    checkMutations(sample, format, signs);
  });

  test(`[IO2] long repetitions of a sign of ${kind} take no longer than their length`, () => {
    const start = sample.indexOf('\n', sample.length / 2);
    for (const sign of signs) {
      const text = sign.repeat(Math.floor(900_000 / sign.length));
      refusalOf(`${sample.slice(0, start)}\n${text}${sample.slice(start)}`, format);
    }
  });
}

describe.each(['mermaid', 'dot'] as const)('[IO2] %s that is written and read again', (format) => {
  test('has all titles, statuses and links, and nothing to report', () => {
    const titles = ['Write "texts" [1]', '1. <b>Go & live</b>', '- a\\b;', 'end', ''];
    const graph: TransferGraph = {
      nodes: titles.map((title, index) => ({
        ...EMPTY_FIELDS,
        key: `k ${index}`,
        line: null,
        title,
        status: (index % 2) as 0 | 1,
      })),
      links: [
        { source: 'k 0', target: 'k 1', type: 0, private: false },
        { source: 'k 2', target: 'k 1', type: 1, private: false },
      ],
      leftOut: [],
    };
    const { text } = writeFile(graph, format, { now: '2026-01-02T03:04:05.678Z', ids: new Map() });
    expect(formatOf(text, 'export.txt')).toBe(format);
    expect(shownGraph(readFile(text, format), 'status')).toEqual(shownGraph(graph, 'status'));
  });
});
