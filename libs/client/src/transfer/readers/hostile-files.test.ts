// Hostile files and files of other systems: reading is bounded, and every loss is reported.
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../../test/support/refused-files.ts';
import { type ImportFormat, readFile } from '../formats.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';

const reported = ({ leftOut }: TransferGraph) => leftOut.map(({ what, count }) => `${count} ${what}`);
const own = (nodes: string, links = '') => `{"taskgraph":1,"nodes":[${nodes}],"links":[${links}]}`;
const inTaskwarrior = (fields: string, uuid = 'u') =>
  `[{"uuid":"${uuid}","description":"d","status":"pending",${fields}}]`;
const inVikunja = (fields: string) =>
  `[{"id":1,"title":"p","tasks":[{"id":1,"title":"a",${fields}},{"id":2,"title":"b"}]}]`;
const inPsplib = (precedences: string, durations: string) =>
  `PRECEDENCE RELATIONS:\njobnr. #modes\n${precedences}\n****\nREQUESTS/DURATIONS:\n----\n${durations}\n****\n`;
const named = (count: number) => Array.from({ length: count }, (_, index) => `"a${index}":1`).join(',');

describe('[IO2] files that would use too much memory or time are refused', () => {
  test.each<[what: string, format: ImportFormat, text: () => string, message: string]>([
    ['too many values', 'taskgraph', () => own(`${'1,'.repeat(5_000_000)}1`), 'more than 5000000 values'],
    [
      'a long name around many objects',
      'vikunja',
      () => `[{"id":1,"${'x'.repeat(100_000)}":[${'{},'.repeat(300_000)}{}]},{}]`,
      'line 1: a project has no "id"',
    ],
    [
      'too many values, one after the other',
      'github',
      () => '1 '.repeat(200_001),
      'more than 200000 values follow each other',
    ],
    [
      'too many lists, one after the other',
      'taskwarrior',
      () => '[]'.repeat(200_001),
      'more than 200000 values follow',
    ],
    [
      'a list with too many items',
      'github',
      () => `[${'1,'.repeat(200_000)}1]`,
      'the file has more than 200000 entries',
    ],
    [
      'too many labels',
      'github',
      () => `[{"number":1,"title":"a","labels":[${'"x",'.repeat(200_000)}"x"]}]`,
      'a list has more than 200000 entries',
    ],
    ['an object with too many names', 'taskwarrior', () => inTaskwarrior(named(10_001)), 'more than 10000 names'],
    [
      'too many dependencies on one task',
      'taskwarrior',
      () => inTaskwarrior(`"depends":"${'u,'.repeat(300_000)}u"`),
      'it has more than 200000 links',
    ],
    [
      'projects nested too deeply',
      'taskwarrior',
      () => inTaskwarrior(`"project":"${'p.'.repeat(64)}p"`),
      'a project is below more than 64 others',
    ],
    [
      'a project with too long a name',
      'taskwarrior',
      () => inTaskwarrior(`"project":"${'p'.repeat(10_001)}"`),
      'the name of a project has more than 10000 characters',
    ],
    ['too many columns', 'csv', () => `title${','.repeat(20_000_000)}`, 'it has more than 1000 columns'],
    [
      'columns that no row fills',
      'csv',
      () => `title,${Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')}\n${'x\n'.repeat(100_000)}`,
      'line 1: it has more than 1000 columns',
    ],
    ['more cells than any table has', 'csv', () => `title\n${`${','.repeat(900)}\n`.repeat(6_000)}`, '5000000 cells'],
    [
      'a quote whose end is looked for again and again',
      'csv',
      () => `title\n"${'" x'.repeat(300_000)}${' '.repeat(3_000_000)},\n`,
      'line 2: a quote is not closed, or something follows it',
    ],
    [
      'a cell with too many words',
      'csv',
      () => `title,waits for\na,\nb,${'a;'.repeat(200_001)}`,
      'line 3: a cell has more than 200000 words',
    ],
    [
      'too many links',
      'csv',
      () => `title,waits for\na,\n${`,${'a;'.repeat(150_000)}\n`.repeat(2)}`,
      'it has more than 200000 links',
    ],
    ['too many lines', 'psplib', () => `${'\n'.repeat(200_000)}${inPsplib('1 1 0', '1 1 5')}`, '200000 lines'],
    [
      'too long a line',
      'psplib',
      () => inPsplib(`1 1 500000 ${'1 '.repeat(500_000)}`, '1 1 5'),
      'line 3: it has more than 800000 characters',
    ],
  ])('%s', (_what, format, text, message) => {
    expect(refusalOf(text(), format)).toContain(message);
  });

  test('long words, cells and notes are only cut', () => {
    expect(reported(readFile(`title,tags\na,${'x'.repeat(20_000_000)}`, 'csv'))).toEqual([
      '1 a tag that is too long, or one too many',
    ]);
    const notes = `TYPE,CONTENT\ntask,a\n${`note,${'x'.repeat(100)}\n`.repeat(150_000)}`;
    expect(reported(readFile(notes, 'todoist'))).toEqual(['1 the end of a description of more than 20000 characters']);
  });

  test('a task that is too large for one call is refused before anything is created', () => {
    const texts = (count: number, length: number) =>
      Array(count)
        .fill(JSON.stringify('\u0001'.repeat(length)))
        .join(',');
    const large = `"description":${texts(1, 20_000)},"tags":[${texts(64, 100)}],"assignee":[${texts(64, 255)}]`;
    expect(refusalOf(own(`{"key":"a"},\n{"key":"b","title":"Big",${large}}`), 'taskgraph')).toBe(
      'line 2: "Big" (line 2) is too large for one call',
    );
  });

  test('the number of kinds of losses is bounded, and every place is reported', () => {
    const tasks = Array.from(
      { length: 3 },
      (_, at) => `{"uuid":"${at}","description":"d","status":"pending",${named(600).replaceAll('"a', `"${at}-`)}}`,
    );
    const { leftOut } = readFile(`[${tasks.join(',')}]`, 'taskwarrior');
    expect(leftOut).toHaveLength(1_001);
    expect(leftOut.at(-1)).toMatchObject({ what: 'losses of further kinds', count: 800 });
    expect(leftOut.at(-1)?.places[0]).toBe('the attribute "1-400": "d" (line 1)');
  });
});

describe('[IO2] every loss is reported', () => {
  test('an object with the same name twice is refused', () => {
    expect(refusalOf('{"taskgraph":1,"nodes":[{"key":"a"}],\n"nodes":[],"links":[]}', 'taskgraph')).toBe(
      'line 2: an object has the name "nodes" twice',
    );
    expect(refusalOf(own('{"key":"a","title":"x","\\u0074itle":"y"}'), 'taskgraph')).toContain('"title" twice');
  });

  test('line ends of old Macs are read', () => {
    expect(readFile('title,due\ra,\rb,2026-12-24\r', 'csv').nodes.map(({ title }) => title)).toEqual(['a', 'b']);
  });

  test('rows that are not jobs, and durations without a job, are refused', () => {
    expect(refusalOf(inPsplib('1 1 0\n-2 1 0', '1 1 5'), 'psplib')).toBe('line 4: "-2" is not a number');
    expect(refusalOf(inPsplib('O1 1 0\n2 1 0', '2 1 5'), 'psplib')).toBe('line 3: "O1" is not a number');
    expect(refusalOf(inPsplib('1 1 0', '1 1 5\n9 1 4'), 'psplib')).toBe('job 9 has a duration, but no precedences');
    expect(refusalOf(inPsplib('1 1 0', '1 1 -5'), 'psplib')).toBe('line 7: "-5" is not a number');
  });

  test('unknown columns are reported, and descriptions of sections are read', () => {
    const read = readFile('TYPE,CONTENT,DESCRIPTION,COLOUR\nsection,Launch,All of it,\ntask,a,,red', 'todoist');
    expect(read.nodes.map(({ title, description }) => [title, description])).toEqual([
      ['a', ''],
      ['Launch', 'All of it'],
    ]);
    expect(reported(read)).toEqual(['1 the column "COLOUR"']);
  });

  test('addresses in HTML, and fields that only Vikunja has, are reported', () => {
    const description = '"description":"<p>See <a href=\\"https://example.org/x\\">this</a></p>"';
    const read = readFile(inVikunja(`${description},"done_at":"2026-01-01T00:00:00Z","is_favorite":true`), 'vikunja');
    expect(reported(read)).toEqual([
      '1 the completion time of a task',
      '1 the favourite mark of a task',
      '1 the address of a link or picture in a description',
    ]);
    expect(reported(readFile(inVikunja('"done_at":"0001-01-01T00:00:00Z","is_favorite":false'), 'vikunja'))).toEqual(
      [],
    );
  });

  test('characters in tags and names that cannot be stored are reported', () => {
    const read = readFile('title,tags,assignee\na,x\0y,\nb,,z\0', 'csv');
    expect(read.nodes.map(({ tags, assignee }) => [tags, assignee])).toEqual([
      [['xy'], []],
      [[], ['z']],
    ]);
    expect(reported(read)).toEqual(['2 characters that cannot be stored']);
  });
});

describe('[IO2] texts of a file never match unrelated names', () => {
  test('inherited property names are not statuses, attributes or kinds of relations', () => {
    expect(refusalOf('[{"uuid":"u","description":"d","status":"constructor"}]', 'taskwarrior')).toBe(
      'line 1: "constructor" is not a status',
    );
    expect(reported(readFile(inTaskwarrior('"toString":1,"priority":"valueOf"'), 'taskwarrior'))).toEqual([
      '1 the word is not a priority, so it becomes 0',
      '1 the attribute "toString"',
    ]);
    const related = readFile(inVikunja('"related_tasks":{"constructor":[{"id":2}]}'), 'vikunja');
    expect(reported(related)).toEqual(['1 a relation of the kind "constructor"']);
    expect(related.links.map(({ source, target }) => [source, target])).toEqual([
      ['task 1', 'project 1'],
      ['task 2', 'project 1'],
    ]);
  });

  test('a task never has the key of a project, nor a row without an id that of another row', () => {
    expect(refusalOf(inTaskwarrior('"project":"a"', 'project a'), 'taskwarrior')).toBe('line 1: a task has no "uuid"');
    expect(readFile('id,title\nrow 2,a\n,b', 'csv').nodes.map(({ title }) => title)).toEqual(['a', 'b']);
  });

  test('keys are compared exactly, including line breaks', () => {
    const keys = ['a', 'b\nc', 'a\nb', 'c'].map((key) => JSON.stringify({ key }));
    const links = '{"source":"a","target":"b\\nc"},{"source":"a\\nb","target":"c"}';
    const read = readFile(own(keys.join(','), links), 'taskgraph');
    expect([read.links.length, reported(read)]).toEqual([2, []]);
  });
});

describe('[IO1 IO2] files of other systems', () => {
  const PSPLIB = inPsplib('1 1 1 2\n2 1 0', '1 1 5\n2 1 3');
  test.each<[format: ImportFormat, text: string]>([
    ['taskgraph', own('{"key":"a"},\n{"key":"b"}', '{"source":"a","target":"b"}')],
    ['psplib', PSPLIB],
    ['csv', 'title,waits for\na,\nb,a\n'],
    ['todoist', 'TYPE,CONTENT,INDENT\ntask,b,1\ntask,a,2\n'],
    [
      'taskwarrior',
      '{"uuid":"a","description":"a","status":"pending"}\n{"uuid":"b","description":"b","status":"pending","depends":"a"}\n',
    ],
    ['github', '[{"number":1,"title":"a"},\n{"number":2,"title":"b","blockedBy":{"nodes":[{"number":1}]}}]'],
    ['vikunja', '[{"id":1,"title":"b","tasks":[\n{"id":1,"title":"a"}]}]'],
  ])('a byte order mark and Windows line ends change nothing in %s', (format, text) => {
    const plain = readFile(text, format);
    expect([plain.nodes.length, plain.links.length]).toEqual([2, 1]);
    expect(readFile(`\uFEFF${text.replaceAll('\n', '\r\n')}`, format)).toEqual(plain);
  });

  const chain = (of: (index: number) => number | '') =>
    `id,title,waits for\n${Array.from({ length: 50_000 }, (_, index) => `${index},t,${of(index)}`).join('\n')}`;

  test('a chain of 50,000 tasks in reverse order is ordered', () => {
    const { nodes } = readFile(
      chain((index) => (index < 49_999 ? index + 1 : '')),
      'csv',
    );
    expect([nodes.length, nodes[0]?.key, nodes.at(-1)?.key]).toEqual([50_000, '49999', '0']);
  });

  test('a cycle of 50,000 tasks is refused, and the message names the first tasks', () => {
    expect(
      refusalOf(
        chain((index) => (index + 1) % 50_000),
        'csv',
      ),
    ).toContain('waits for 49988 more waits for');
  });
});
