// Tests of all writers: the written text, hostile texts, and reported losses.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXPORT_FORMATS, type ExportFormat, type ImportFormat, readFile, writeFile } from '../formats.ts';
import { EMPTY_FIELDS, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { readTable } from '../text/csv-table.ts';

const ids = new Map([
  ['1', '01985f0e-0000-7000-8000-000000000001'],
  ['2', '01985f0e-0000-7000-8000-000000000002'],
  ['3', '01985f0e-0000-7000-8000-000000000003'],
]);
const options = { now: '2026-01-02T03:04:05.678Z', ids };
const node = (key: string, fields: Partial<TransferNode>): TransferNode => ({
  ...EMPTY_FIELDS,
  key,
  line: null,
  ...fields,
});
const link = (source: string, target: string, type: 0 | 1 = 0) => ({ source, target, type, private: false });

const GRAPH: TransferGraph = {
  nodes: [
    node('1', { title: 'Texts', status: 3, tags: ['x', 'y'], assignee: ['ann'], volume: 2 }),
    node('2', {
      title: 'Go live',
      status: 1,
      dueDate: '2026-12-24T12:00:00.000Z',
      priority: 2,
      description: 'All\nof it',
    }),
    node('3', { title: 'Beside' }),
  ],
  links: [link('1', '2'), link('3', '2', 1)],
  leftOut: [],
};

const written = (format: ExportFormat, graph = GRAPH) => writeFile(graph, format, options);
const losses = (format: ExportFormat) => written(format).leftOut.map(({ what, count }) => `${count} ${what}`);

/** Writes the graph and reads it again. Returns the named fields and the links. */
function again(format: ImportFormat & ExportFormat, ...fields: (keyof TransferNode)[]) {
  const { nodes, links } = readFile(written(format).text, format);
  const titleOf = (key: string) => nodes.find((each) => each.key === key)?.title;
  return {
    nodes: nodes.map((each) => [each.title, ...fields.map((field) => each[field])]),
    links: links.map(({ source, target, type }) => `${titleOf(source)} ${type} ${titleOf(target)}`),
  };
}

describe('a file that is written and read again', () => {
  const all = ['Texts 0 Go live', 'Beside 1 Go live'];

  test('[IO2 IO3] a table has all fields and links', () => {
    expect(again('csv', 'status', 'tags', 'assignee', 'volume', 'priority', 'dueDate', 'description')).toEqual({
      nodes: [
        ['Texts', 3, ['x', 'y'], ['ann'], 2, 0, null, ''],
        ['Go live', 1, [], [], 0, 2, '2026-12-24T12:00:00.000Z', 'All\nof it'],
        ['Beside', 0, [], [], 0, 0, null, ''],
      ],
      links: all,
    });
    expect(losses('csv')).toEqual([]);
  });

  test('[IO2] a plan of PSPLIB has durations and blocking links', () => {
    expect(again('psplib', 'volume').links).toEqual([
      'Job 1 0 Job 2',
      'Job 2 0 Job 3',
      'Job 1 0 Job 4',
      'Job 3 0 Job 5',
      'Job 4 0 Job 5',
    ]);
    expect(losses('psplib')).toEqual([
      '1 a link that does not block',
      '3 everything of a task except its volume and blockers',
    ]);
  });

  test('[IO2] a template of Todoist has blockers below their targets', () => {
    expect(again('todoist', 'tags', 'assignee', 'volume', 'priority', 'dueDate').nodes).toEqual([
      ['Texts', ['x', 'y'], ['ann'], 2, 0, null],
      ['Go live', [], [], 0, 2, '2026-12-24T12:00:00.000Z'],
      ['Beside', [], [], 0, 0, null],
    ]);
    expect(again('todoist').links).toEqual(['Texts 0 Go live']);
    expect(losses('todoist')).toEqual([
      '1 a link that does not block',
      '2 a status',
      '1 the unit of a volume, which is written as minutes',
    ]);
  });

  test('[IO2] tasks of Taskwarrior have the ids of their nodes', () => {
    expect(again('taskwarrior', 'status', 'tags', 'priority', 'dueDate', 'description')).toEqual({
      nodes: [
        ['Texts', 3, ['x', 'y'], 0, null, ''],
        ['Go live', 1, [], 2, '2026-12-24T12:00:00.000Z', 'All of it'],
        ['Beside', 0, [], 0, null, ''],
      ],
      links: ['Texts 0 Go live'],
    });
    expect(readFile(written('taskwarrior').text, 'taskwarrior').nodes.map(({ key }) => key)).toEqual([...ids.values()]);
    expect(losses('taskwarrior')).toEqual([
      '1 a link that does not block',
      '1 the assignees',
      '1 the line breaks of a description',
    ]);
  });

  test('[IO2] an export of Vikunja has all relations', () => {
    const { nodes, links } = again('vikunja', 'status', 'tags', 'priority', 'dueDate', 'description');
    expect(nodes.slice(0, 3)).toEqual([
      ['Texts', 3, ['x', 'y'], 0, null, ''],
      ['Go live', 0, [], 2, '2026-12-24T12:00:00.000Z', 'All\nof it'],
      ['Beside', 0, [], 0, null, ''],
    ]);
    expect(links).toEqual(expect.arrayContaining(['Texts 0 Go live', 'Go live 1 Beside']));
    expect(losses('vikunja')).toEqual(['1 the volume', '1 being in progress']);
  });

  test('[IO2] issues of GitHub have their blockers', () => {
    expect(again('github', 'status', 'tags', 'assignee', 'description')).toEqual({
      nodes: [
        ['Texts', 3, ['x', 'y'], ['ann'], ''],
        ['Go live', 0, [], [], 'All\nof it'],
        ['Beside', 0, [], [], ''],
      ],
      links: ['Texts 0 Go live'],
    });
  });
});

describe('[IO2 BLK11] the time of completion', () => {
  const completedTime = '2025-12-31T22:00:01.234Z';
  const textOf = (format: ExportFormat, fields: Partial<TransferNode>) =>
    written(format, { nodes: [node('1', { title: 'a', ...fields })], links: [], leftOut: [] }).text;

  test.each([
    ['csv', ',2025-12-31T22:00:01.234Z'],
    ['vikunja', '"done_at": "2025-12-31T22:00:01.234Z"'],
    ['taskwarrior', '"end":"20251231T220001Z"'],
    ['github', '"closedAt": "2025-12-31T22:00:01.234Z"'],
    ['icalendar', 'COMPLETED:20251231T220001Z'],
  ] as const)('%s has it', (format, text) => {
    expect(textOf(format, { status: 3, completedTime })).toContain(text);
    expect(textOf(format, { status: 1, completedTime })).not.toContain(text);
  });

  test.each([
    ['vikunja', '"done_at": "0001-01-01T00:00:00Z"'],
    ['taskwarrior', '"end":"20260102T030405Z"'],
    ['github', '"closedAt": null'],
    ['icalendar', 'COMPLETED:20260102T030405Z'],
  ] as const)('%s, if it is not known, has none or the time of the export', (format, text) => {
    for (const fields of [{}, { completedTime: null }])
      expect(textOf(format, { status: 3, ...fields })).toContain(text);
  });

  test.each([
    ['csv', 'the column "completed"'],
    ['vikunja', 'the completion time of a task'],
    ['taskwarrior', 'the completion time of a task'],
    ['github', 'the closing time of an issue'],
  ] as const)('an import of %s reports that it is not imported', (format, what) => {
    const { leftOut } = readFile(textOf(format, { status: 3, completedTime }), format);
    expect(leftOut.map((loss) => loss.what)).toContain(what);
  });

  test('[IO3] our own JSON has no times', () => {
    expect(textOf('taskgraph', { status: 3, completedTime })).toBe(textOf('taskgraph', { status: 3 }));
  });
});

describe('iCalendar', () => {
  test('[IO2] tasks have a state, a time, a priority, categories and relations', () => {
    expect(written('icalendar').text.split('\r\n').slice(13, 26)).toEqual([
      'BEGIN:VTODO',
      `UID:${ids.get('2')}`,
      'DTSTAMP:20260102T030405Z',
      'SUMMARY:Go live',
      'DESCRIPTION:All\\nof it',
      'DUE:20261224T120000Z',
      'STATUS:IN-PROCESS',
      'PRIORITY:5',
      `RELATED-TO;RELTYPE=DEPENDS-ON:${ids.get('1')}`,
      'END:VTODO',
      'BEGIN:VTODO',
      `UID:${ids.get('3')}`,
      'DTSTAMP:20260102T030405Z',
    ]);
  });

  test('[IO2] lines have at most 75 octets for any title, and give the title when they are joined', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (title) => {
      const { text } = written('icalendar', { ...GRAPH, nodes: [node('1', { title })], links: [] });
      const lines = text.split('\r\n');
      for (const line of lines) {
        expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75);
        expect(line).not.toMatch(/(?!\t)\p{Cc}|[\u2028\u2029]/u);
      }
      const whole = text.replaceAll('\r\n ', '').split('\r\n');
      expect(whole.filter((line) => line.startsWith('BEGIN:'))).toHaveLength(2);
      const summary = whole.find((line) => line.startsWith('SUMMARY:'))?.slice('SUMMARY:'.length) ?? '';
      const read = summary.replaceAll(/\\([\s\S])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
      expect(read).toBe(title.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, ''));
    });
    fc.assert(property, { numRuns: runs(100) });
  });
});

describe('[IO2] a greater priority is never less urgent', () => {
  const priorities = [0, 1, 2, 3, 4, 5, 6, 9, 10, 1_000_000];
  const nodes = priorities.map((priority, index) => node(String(index + 1), { title: `t${index}`, priority }));
  const writtenPriorities = (format: ExportFormat) => writeFile({ nodes, links: [], leftOut: [] }, format, options);
  const lossesOf = (format: ExportFormat) =>
    writtenPriorities(format).leftOut.flatMap(({ what, count }) =>
      what.includes('priority') ? `${count} ${what}` : [],
    );

  test.each<[format: ImportFormat & ExportFormat, highest: number]>([
    ['taskgraph', 1_000_000],
    ['csv', 1_000_000],
    ['vikunja', 5],
    ['todoist', 3],
    ['taskwarrior', 3],
  ])('%s has priorities up to %d unchanged, and writes higher ones as the highest', (format, highest) => {
    const read = readFile(writtenPriorities(format).text, format).nodes.map(({ title, priority }) => [title, priority]);
    // The project of Vikunja becomes a task.
    expect(new Map(read as [string, number][])).toEqual(
      new Map([
        ...(format === 'vikunja' ? [['Taskgraph', 0] as const] : []),
        ...priorities.map((priority, index) => [`t${index}`, Math.min(priority, highest)] as const),
      ]),
    );
    const count = priorities.filter((priority) => priority > highest).length;
    expect(lossesOf(format)).toEqual(count === 0 ? [] : [`${count} a priority above ${highest}`]);
  });

  test('a calendar has 9 for the lowest priority, 1 to 4 for high ones, and none for 0', () => {
    const found = writtenPriorities('icalendar')
      .text.split('BEGIN:VTODO')
      .slice(1)
      .map((task) => /\r\nPRIORITY:(\d+)\r\n/.exec(task)?.[1]);
    expect(found).toEqual([undefined, '9', '5', '3', '2', '1', '1', '1', '1', '1']);
    expect(lossesOf('icalendar')).toEqual(['4 a priority above 5']);
  });

  test('issues have no priority, and the export reports it', () => {
    expect(lossesOf('github')).toEqual(['9 the priority']);
  });
});

describe('drawings', () => {
  const HOSTILE = '"]; click n1 "javascript:alert(1)"\n<script>x</script> --> [*] \\" #quot; %% `x` \u202e';

  test('[IO2] a hostile title stays a title in Mermaid', () => {
    const { text } = written('mermaid', { nodes: [node('1', { title: HOSTILE })], links: [], leftOut: [] });
    const [line = ''] = text.split('\n').filter((each) => each.includes('n1'));
    expect(line).toMatch(/^ {2}n1\["[\p{L}\p{N} .,:/#;-]*"\]:::available$/u);
    expect(text.split('\n')).toHaveLength(7);
  });

  test.each([
    ['1. Print', '1#46; Print'],
    ['- Print', '#45; Print'],
    ['1) Print', '1#41; Print'],
    ['v1.2 - x', 'v1.2 - x'],
  ])('[IO2] %j is not a list in Mermaid', (title, label) => {
    const { text } = written('mermaid', { nodes: [node('1', { title })], links: [], leftOut: [] });
    expect(text).toContain(`n1["${label}"]`);
  });

  test('[IO2] a hostile title stays a title in DOT', () => {
    const { text } = written('dot', { nodes: [node('1', { title: HOSTILE })], links: [], leftOut: [] });
    const [, label = ''] = /^ {2}n1 \[label="((?:[^"\\]|\\.)*)", fillcolor="#d7f0db"\];$/m.exec(text) ?? [];
    expect(label.replaceAll(/\\(.)/g, '$1').replaceAll('&amp;', '&')).toBe(
      HOSTILE.replaceAll(/[\n\u202e]/g, ' ').trim(),
    );
    expect(text.split('\n')).toHaveLength(6);
  });

  test('links that do not block are dashed', () => {
    expect(written('mermaid').text).toMatch(/n1 --> n2\n {2}n3 -\.-> n2\n$/);
    expect(written('dot').text).toMatch(/n1 -> n2;\n {2}n3 -> n2 \[style=dashed\];\n}\n$/);
  });
});

describe('[IO2] texts never act as markup', () => {
  const marks = [
    '<',
    '>',
    '&',
    '"',
    "'",
    '`',
    '\\',
    '\n',
    '\r',
    '\u2028',
    '\u202e',
    '\u001b',
    '[',
    ']',
    '{',
    ';',
    '%',
    '#',
    'n1',
    'end',
  ];
  const texts = fc.array(fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 5 })), {
    maxLength: 30,
  });
  const steering = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
  const check = (format: ExportFormat, judge: (text: string, given: string) => void) => {
    const property = fc.property(texts, (parts) => {
      const given = `t${parts.join('')}`;
      const fields = { title: given, description: given, tags: [given], assignee: [given] };
      judge(written(format, { nodes: [node('1', fields)], links: [], leftOut: [] }).text, given);
    });
    fc.assert(property, { numRuns: runs(100) });
  };

  test.each(['taskgraph', 'github', 'taskwarrior', 'vikunja'] as const)(
    '%s is JSON without control characters',
    (format) => {
      check(format, (text, given) => {
        expect(text).not.toMatch(steering);
        expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(given).slice(1, -1));
      });
    },
  );

  test('a description in HTML has no tags except its paragraph and line breaks', () => {
    check('vikunja', (text) => {
      const [{ tasks }] = JSON.parse(text) as [{ tasks: [{ description: string }] }];
      expect(tasks[0].description.replaceAll(/^<p>|<br>|<\/p>$/g, '')).not.toMatch(/[<>]/);
    });
  });

  test('Mermaid has one line for the node, and no markup within its quotes', () => {
    check('mermaid', (text) => {
      expect(text.split('\n')).toHaveLength(7);
      expect(text).toMatch(/\n {2}n1\["[\p{L}\p{N} .,:/#;-]*"\]:::available\n$/u);
    });
  });

  test('DOT has one line for the node, and no text ends its quotes', () => {
    check('dot', (text) => {
      expect(text.split('\n')).toHaveLength(6);
      expect(text).not.toMatch(steering);
      expect(text).toMatch(/\n {2}n1 \[label="(?:[^"\\]|\\["\\])*", fillcolor="#d7f0db"\];\n}\n$/);
    });
  });
});

describe('[IO2] every loss is reported', () => {
  const lossesOf = (format: ExportFormat, nodes: readonly TransferNode[], links: TransferGraph['links'] = []) =>
    written(format, { nodes, links, leftOut: [] }).leftOut.map(
      ({ what, count, places }) => `${count} ${what}: ${places[0]}`,
    );

  test.each(EXPORT_FORMATS.filter((format) => format !== 'taskgraph'))('%s reports private links', (format) => {
    const links = [{ ...link('1', '2'), private: true }];
    const nodes = [node('1', { title: 'a' }), node('2', { title: 'b' })];
    expect(lossesOf(format, nodes, links)).toContain('1 that a link is private: "b"');
  });

  test('a calendar reports control characters', () => {
    expect(lossesOf('icalendar', [node('1', { title: 'a\u0007b', description: 'x\r\ny\tz' })])).toEqual([
      '1 control characters: "a\u0007b"',
    ]);
    expect(lossesOf('icalendar', [node('1', { title: 'a', description: 'x\r\ny\tz' })])).toEqual([]);
  });

  test('a template of Todoist reports words that would be labels', () => {
    expect(lossesOf('todoist', [node('1', { title: 'Ask @bob' }), node('2', { title: 'a', tags: ['x@y'] })])).toEqual([
      '1 an @ in a title, which begins a label there: "Ask @bob"',
      '1 an @ in a tag: "a"',
    ]);
  });
});

describe('[IO2] keys of a file never act as markup', () => {
  const keys = ['"]; evil["x', 'a\r\nSUMMARY:evil'] as const;
  const graph: TransferGraph = {
    nodes: keys.map((key) => node(key, { title: 'a' })),
    links: [link(keys[0], keys[1])],
    leftOut: [],
  };

  test.each(['mermaid', 'dot', 'icalendar'] as const)('%s', (format) => {
    const { text } = writeFile(graph, format, { ...options, ids: new Map() });
    expect(text).not.toMatch(/"\]; evil|^SUMMARY:evil/m);
    expect(text).toMatch(
      { mermaid: /^ {2}n1 --> n2$/m, dot: /^ {2}n1 -> n2;$/m, icalendar: /^UID:a\\nSUMMARY:evil\r$/m }[format],
    );
  });
});

describe('[IO2] no spreadsheet reads a cell as a formula', () => {
  const cells = fc.array(
    fc.oneof(
      fc.constantFrom('=1+1', '\uff1d1', "'=x", "''-", '-3', '-x', '@a', '\tb', '+1 2', "'", 'a;=1', "a,'=1", 'a\t"=1'),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'=+-@;,\t\r\n"\' a1') }),
    ),
    { minLength: 1, maxLength: 5 },
  );
  const tableOf = (texts: readonly string[]) => {
    const nodes = texts.map((text, index) => node(String(index + 1), { title: `t${index}`, description: text }));
    return written('csv', { nodes, links: [], leftOut: [] }).text;
  };

  test('and reading the file gives the same cells', () => {
    const property = fc.property(cells, (texts) => {
      const plain = texts.map((text) => text.replaceAll(/\r\n?/g, '\n'));
      const text = tableOf(plain);
      expect(text).not.toMatch(/(^|,|\n)"?[=@+\uff1d]/);
      expect(readTable(text).rows.map((row) => row.cell('description'))).toEqual(plain);
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  test.each([',', ';', '\t'])('not even if it ignores quotes and splits cells at %j and at line ends', (delimiter) => {
    const property = fc.property(cells, (texts) => {
      const parted = tableOf(texts)
        .split(/[\r\n]+/)
        .flatMap((line) => line.split(delimiter));
      // A spreadsheet may drop quotes and spaces.
      const formulas = parted.filter(
        (part) => /^["\s]*[=+@\uff1d\uff0b\uff20]/.test(part) || /^["\s]*-(?![\d.]+$)/.test(part),
      );
      expect(formulas).toEqual([]);
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  test('cells with other delimiters are in quotes', () => {
    expect(tableOf(['a;=1', 'a\t@b', '=c'])).toMatch(/"a;'=1",[\s\S]*"a\t'@b",[\s\S]*"'=c",/);
  });
});

test('[IO2] words with separators are the same after writing and reading', () => {
  const word = fc
    .string({ unit: fc.constantFrom('a', ',', ';', '\\', ' ', '@') })
    .filter((text) => text.trim() === text && text !== '');
  const property = fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), (words) => {
    const { text } = written('csv', { nodes: [node('1', { tags: words, assignee: words })], links: [], leftOut: [] });
    const { nodes, leftOut } = readFile(text, 'csv');
    expect(nodes.map(({ tags, assignee }) => [tags, assignee])).toEqual([[words, words]]);
    expect(leftOut).toEqual([]);
  });
  fc.assert(property, { numRuns: runs(200) });
});

test('[IO2] a cell that begins with a line break is guarded, because some programs drop the line break', () => {
  const { text } = written('csv', { nodes: [node('1', { title: '\n=1' })], links: [], leftOut: [] });
  expect(text).toContain(`1,"'\n'=1",Available`);
});

test('every format writes an empty graph without losses', () => {
  for (const format of EXPORT_FORMATS)
    expect(written(format, { nodes: [], links: [], leftOut: [] }).leftOut).toEqual([]);
});
