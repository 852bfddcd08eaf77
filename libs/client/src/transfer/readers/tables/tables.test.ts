// Tables of other programs: the columns and cells that they write, and what is reported.
import { describe, expect, test } from 'vitest';
import { TABLES } from '../../../test/support/program-tables.ts';
import { refusalOf } from '../../../test/support/refused-files.ts';
import { readFile } from '../../formats.ts';
import type { ReadOptions, TransferGraph } from '../../graph/transfer-graph.ts';

const read = (text: string, options: ReadOptions = {}) => readFile(text, 'csv', options);
/** Links as pairs of titles, in the order of the alphabet. */
function linksOf({ nodes, links }: TransferGraph): string[] {
  const titleOf = (key: string) => nodes.find((node) => node.key === key)?.title;
  return links
    .map(({ source, target, type }) => `${titleOf(source)} ${type === 0 ? '→' : '⇢'} ${titleOf(target)}`)
    .sort();
}
const reported = ({ leftOut }: TransferGraph) =>
  leftOut.flatMap(({ what, places }) => places.map((place) => `${what}: ${place}`));
const dues = (text: string, options?: ReadOptions) => read(text, options).nodes.map(({ dueDate }) => dueDate);
const day = (text: string) => `${text}T23:59:59.000Z`;

describe('[IO10] tables of programs', () => {
  test.each(TABLES)('$program', ({ text, tasks, links, losses }) => {
    const graph = read(text);
    const shown = graph.nodes.map(({ title, status, priority, volume, dueDate, tags, assignee }) => [
      title,
      status,
      priority,
      volume,
      dueDate,
      tags.join('+'),
      assignee.join('+'),
    ]);
    expect(shown.sort()).toEqual([...tasks].sort());
    expect(linksOf(graph)).toEqual([...links].sort());
    const notes = reported(graph).filter((note) => !note.startsWith('the column "'));
    expect(notes.sort()).toEqual([...losses].sort());
  });
});

test('[IO10] the name of an epic in Jira names its task, and is reported', () => {
  const graph = read(
    'Issue Type,Summary,Epic Name,Epic Link\nEpic,Sign-in and accounts,Accounts,\nStory,Register,,Accounts\nStory,Leave,,Gone\n',
  );
  expect(linksOf(graph)).toEqual(['Register → Sign-in and accounts']);
  expect(reported(graph)).toEqual([
    'the column "Issue Type": line 2',
    'the column "Issue Type": line 3',
    'the column "Issue Type": line 4',
    'the column "Epic Name": line 2',
    'no task of the file has this name: line 4: "Gone"',
  ]);
});

test('[IO10] tables of GitLab 18.4 and later name the parent by its id, and not also by its number', () => {
  const heads = 'ID,IID,Title,State,Parent ID,Parent IID,Parent Title,Time Estimate,Time Spent';
  const rows = ['7,1,Other,Open,,,,0,0', '901,7,Shop,Open,,,,0,0', '902,8,Cart,Closed,901,7,Shop,7200,0'];
  const graph = read([heads, ...rows].join('\n'));
  expect(linksOf(graph)).toEqual(['Cart → Shop']);
  expect(graph.nodes.map(({ title, volume }) => [title, volume])).toEqual([
    ['Other', 0],
    ['Cart', 120],
    ['Shop', 0],
  ]);
  expect(graph.leftOut.map(({ what }) => what)).toEqual([
    'the column "IID"',
    'the column "Time Spent"',
    'the column "Parent IID"',
    expect.stringContaining('the unit of durations'),
  ]);
});

describe('[IO10] dates', () => {
  test.each([
    '2026-12-24',
    '2026/12/24',
    '2026.12.24',
    '20261224',
    '24.12.2026',
    '24. 12. 2026',
    '24.12.26',
    '24/12/2026',
    '12/24/2026',
    '12/24/26',
    '24-12-2026',
    '24 Dec 2026',
    '24-Dec-26',
    '24/Dec/26 12:00 AM',
    'Dec 24, 2026',
    'December 24, 2026',
    'December 24th, 2026',
    '24. Dezember 2026',
    '24 décembre 2026',
    '24 de diciembre de 2026',
    'Thu 12/24/26',
    'Thursday, December 24, 2026',
    'Thu, 24 Dec 2026',
    '2026-12-24 00:00:00',
    '2026年12月24日',
    '46380',
  ])('%s is a day', (text) => {
    expect(dues(`title,due\na,"${text}"`)).toEqual([day('2026-12-24')]);
  });

  test.each([
    ['2026-12-24T18:00:00+01:00', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24T18:00:00.000+0000', '2026-12-24T18:00:00.000Z'],
    ['24/Dec/26 6:05 PM', '2026-12-24T18:05:00.000Z'],
    ['Thu 12/24/26 12:30 AM', '2026-12-24T00:30:00.000Z'],
    ['Thu Dec 24 2026 15:08:46 GMT+0100 (CET)', '2026-12-24T14:08:46.000Z'],
    ['24.12.2026 18:00', '2026-12-24T18:00:00.000Z'],
    ['12/24/2026, 4:00:00 PM', '2026-12-24T16:00:00.000Z'],
    ['1798070400000', '2026-12-24T00:00:00.000Z'],
    ['1798070400', '2026-12-24T00:00:00.000Z'],
  ])('%s is the instant %s', (text, instant) => {
    expect(dues(`title,due\na,"${text}"`)).toEqual([instant]);
  });

  test.each(['soon', 'Q4', 'Dec 24', '31/31/2026', '2026-02-30', '30.02.2026', '24:00', '13/13/13', 'Sol 4 2026', '1'])(
    '%s is reported with its place',
    (text) => {
      const graph = read(`title,due\na,"${text}"\nb,2026-12-24`);
      expect(graph.nodes.map(({ dueDate }) => dueDate)).toEqual([null, day('2026-12-24')]);
      expect(reported(graph)).toEqual([
        `the text is not an existing day or time, so the task has no due date: line 2: ${JSON.stringify(text)}`,
      ]);
    },
  );

  test('one date decides the order of day and month of the whole table', () => {
    expect(dues('title,due\na,1/2/2027\nb,24/12/2026')).toEqual([day('2027-02-01'), day('2026-12-24')]);
    expect(dues('title,due\na,1/2/2027\nb,12/24/2026')).toEqual([day('2027-01-02'), day('2026-12-24')]);
    expect(dues('title,start date,due\na,24/12/2026,1/2/2027')).toEqual([day('2027-02-01')]);
    expect(dues('title,Due (DD/MM/YYYY)\na,1/2/2027')).toEqual([day('2027-02-01')]);
    expect(reported(read('title,due\na,24/12/2026'))).toEqual([
      'the order of day and month in dates, which all dates of the column decide: "due": day-first',
    ]);
  });

  test('if no date decides it, each date is reported, and the caller may decide', () => {
    expect(reported(read('title,due\na,1/2/2027\nb,3/3/2027'))).toEqual([
      'a date whose day and month may be swapped, which is read as 2027-01-02: line 2: "1/2/2027"',
    ]);
    expect(reported(read('title,due\na,1/13/2027\nb,13/1/2027\nc,1/2/2027'))).toHaveLength(1);
    const chosen = read('title,due\na,1/2/2027', { dates: 'day-first' });
    expect([chosen.nodes[0]?.dueDate, reported(chosen)]).toEqual([day('2027-02-01'), []]);
  });
});

describe('[IO10] durations', () => {
  const volumes = (cells: readonly string[], head = 'duration') =>
    read(`title,"${head}"\n${cells.map((cell, index) => `t${index},"${cell}"`).join('\n')}`).nodes.map(
      ({ volume }) => volume,
    );
  test.each<[cells: string[], volumes: number[]]>([
    [
      ['5 days', '10d', '1 day'],
      [2_400, 4_800, 480],
    ],
    [
      ['2 wks', '3 weeks'],
      [4_800, 7_200],
    ],
    [
      ['1w', '3d'],
      [2_400, 1_440],
    ],
    [
      ['1w 2d', '4h'],
      [3_360, 240],
    ],
    [
      ['2h 30m', '45 min'],
      [150, 45],
    ],
    [
      ['1.5 h', '1,5 h'],
      [90, 90],
    ],
    [
      ['1 emonth', '1 eday'],
      [43_200, 1_440],
    ],
    [
      ['0:30', '1:15'],
      [30, 75],
    ],
    [
      ['3', '5'],
      [3, 5],
    ],
    [['1.234,5 d'], [0]],
    [
      ['3 Tage', '2 jours', '1 día'],
      [1_440, 960, 480],
    ],
  ])('%j become %j', (cells, expected) => {
    expect(volumes(cells)).toEqual(expected);
  });

  test('a head names the unit, and the unit of the table is reported', () => {
    expect(volumes(['1.5', '2'], 'Estimate (hours)')).toEqual([90, 120]);
    const gitlab = 'title,state,time spent,time estimate\na,open,,7200\nb,open,,1800';
    expect(read(gitlab).nodes.map(({ volume }) => volume)).toEqual([120, 30]);
    expect(volumes(['8', '2'], 'Original Estimate')).toEqual([8, 2]);
    expect(reported(read('title,duration\na,5 days\nb,3\nc,much\nd,~2d'))).toEqual([
      'the unit of durations, which become minutes of work: "duration": 1 day is 480 minutes',
      'a duration without a unit, which is read in the unit day: line 3: "3"',
      'the text is neither a number nor a duration, so the volume becomes 0: line 4: "much"',
      'the mark of a duration that is an estimate: line 5: "~2d"',
    ]);
  });
});

describe('[IO10] words', () => {
  test.each<[word: string, status: number]>([
    ['✅ Done', 3],
    ['1. To do', 0],
    ['DOING', 1],
    ['In Bearbeitung', 1],
    ['75%', 1],
    ['100 %', 3],
    ['Won’t do', 0],
    ["Won't do", 3],
    ['[x]', 3],
    ['On hold', 0],
    ['Código', 0],
    ['Terminé', 3],
  ])('%s is the status %i', (word, status) => {
    expect(read(`title,status\na,"${word}"`).nodes[0]?.status).toBe(status);
  });

  test.each<[word: string, priority: number]>([
    ['High', 3],
    ['2 - Medium', 2],
    ['p1 - High', 3],
    ['P0', 4],
    ['Critical', 4],
    ['Low (3)', 1],
    ['7', 7],
    ['none', 0],
    ['!!', 2],
  ])('%s is the priority %i', (word, priority) => {
    expect(read(`title,priority\na,"${word}"`).nodes[0]?.priority).toBe(priority);
  });

  test('each word that says more than its value is reported once, and unknown words with their places', () => {
    const graph = read(
      'title,status,priority\na,Backlog,High\nb,Backlog,High\nc,Purple,Warm\nconstructor,constructor,toString',
    );
    expect(reported(graph)).toEqual([
      'a word for a status, which becomes: "Backlog" → Available (2 rows)',
      'a word for a priority, which becomes: "High" → 3 (2 rows)',
      'the word is not a status, so the task becomes Available: line 4: "Purple"',
      'the word is not a status, so the task becomes Available: line 5: "constructor"',
      'the word is not a priority, so it becomes 0: line 4: "Warm"',
      'the word is not a priority, so it becomes 0: line 5: "toString"',
    ]);
  });

  test('without a status, a completion, a share or a list gives it', () => {
    const statuses = (text: string) => read(text).nodes.map(({ status }) => status);
    expect(statuses('title,done\na,yes\nb,\nc,no')).toEqual([3, 0, 0]);
    expect(statuses('title,% complete\na,100\nb,50\nc,0')).toEqual([3, 1, 0]);
    expect(statuses('title,% complete\na,1\nb,0.5\nc,0')).toEqual([3, 1, 0]);
    expect(statuses('title,completed at\na,2026-01-01\nb,')).toEqual([3, 0]);
    expect(statuses('title,list name\na,Done\nb,Doing\nc,Garden')).toEqual([3, 1, 0]);
  });
});

describe('[IO10] references', () => {
  const chain = (cell: string, more = '') =>
    linksOf(read(`id,title,predecessors\n1,A,\n2,"B, C",\n3,D,\n10,E,"${cell}"\n${more}`));
  test.each<[cell: string, links: string[]]>([
    ['1;3', ['A → E', 'D → E']],
    ['1, 2,3', ['A → E', 'B, C → E', 'D → E']],
    ['1 3', ['A → E', 'D → E']],
    ['1 & 3', ['A → E', 'D → E']],
    ['A, B, C, D', ['A → E', 'B, C → E', 'D → E']],
    ['#1', ['A → E']],
    ['[1, 3]', ['A → E', 'D → E']],
    ['1FS+2 days, 3SS', ['A → E', 'D ⇢ E']],
    ['1FF-50%;3SF', ['A ⇢ E', 'D ⇢ E']],
    ['3EA+2 Tage', ['D → E']],
    ['3+2d', ['D → E']],
    ['B, C (https://example.org/b)', ['B, C → E']],
    ['None', []],
    ['n/a', []],
    ['1.0', ['A → E']],
  ])('%s', (cell, links) => {
    expect(chain(cell)).toEqual(links);
  });

  test('types, lags and unknown names are reported with their places', () => {
    expect(reported(read('id,title,predecessors\n1,A,\n2,B,1SS+2d\n3,C,"9, 2FS-1d"'))).toEqual([
      'a dependency of the type start to start, which becomes a link that does not block: line 3: "1SS+2d"',
      'the lag of a dependency: line 3: "1SS+2d"',
      'the lag of a dependency: line 4: "2FS-1d"',
      'no task of the file has this name: line 4: "9"',
    ]);
  });

  test('without ids, numbers are those of rows, blank rows included', () => {
    const graph = read('task name,predecessors\nA,\n\nB,1\nC,3FS');
    expect(linksOf(graph)).toEqual(['A → B', 'B → C']);
    expect(reported(graph)).toEqual(['tasks that are named by the numbers of their rows: the field waitsFor']);
  });

  test('a dependency on a parent is reported, because the parent waits for its subtasks', () => {
    const graph = read('id,title,parent,blocked by\n1,A,,\n2,B,1,1\n3,C,2,1');
    expect(linksOf(graph)).toEqual(['B → A', 'C → B']);
    expect(reported(graph)).toEqual([
      'a dependency on a task that waits for this one as its parent: line 3: "1"',
      'a dependency on a task that waits for this one as its parent: line 4: "1"',
    ]);
  });
});

describe('[IO10] outlines', () => {
  const expected = ['Dig → Garden', 'Plant → Garden', 'Roses → Plant'];
  test.each([
    ['outline numbers', 'WBS,title\n1,Garden\n1.1,Dig\n1.2,Plant\n1.2.1,Roses'],
    ['outline numbers with a dot at the end', 'WBS,title\n1.,Garden\n1.1.,Dig\n1.2.,Plant\n1.2.1.,Roses'],
    [
      'outline numbers of which some are missing',
      'outline number,title\n1.0,Garden\n1.1,Dig\n1.2,Plant\n1.2.4.1,Roses',
    ],
    ['ids that are outline numbers', 'id,title\n1,Garden\n1.1,Dig\n1.2,Plant\n1.2.1,Roses'],
    ['levels', 'outline level,title\n1,Garden\n2,Dig\n2,Plant\n3,Roses'],
    ['parents by title', 'title,parent task\nGarden,\nDig,Garden\nPlant,garden\nRoses,Plant'],
    ['parents by key', 'key,title,parent key\nG-1,Garden,\nG-2,Dig,G-1\nG-3,Plant,G-1\nG-4,Roses,G-3'],
    [
      'parents by another id',
      'issue key,issue id,summary,parent id\nG-1,11,Garden,\nG-2,12,Dig,11\nG-3,13,Plant,11\nG-4,14,Roses,13',
    ],
    ['subtasks', 'title,sub-tasks\nGarden,"Dig, Plant"\nDig,\nPlant,Roses\nRoses,'],
  ])('%s', (_what, text) => {
    expect(linksOf(read(text))).toEqual(expected);
  });
});

describe('[IO10] heads', () => {
  test('lines above the heads, a declared separator and repeated heads', () => {
    const graph = read(
      'Plan of the garden\nprinted,2026-01-01\n\nTask|Tag|Tag|Colour|Colour|\nDig|a|b|red|blue|odd\n'.replaceAll(
        '|',
        ',',
      ),
    );
    expect(graph.nodes[0]).toMatchObject({ title: 'Dig', tags: ['a', 'b'], line: 5 });
    expect(reported(graph)).toEqual([
      'a line above the heads: line 1: "Plan of the garden"',
      'a line above the heads: line 2: "printed 2026-01-01"',
      'the column "Colour": line 5',
      'the column "Colour": line 5',
      'the column 6, which has no name: line 5',
    ]);
    expect(read('sep=|\r\ntitle|due, perhaps\r\nDig|2026-12-24\r\n', {}).nodes[0]).toMatchObject({
      title: 'Dig',
      line: 3,
    });
    expect(read('title\tdue\nDig, and plant\t2026-12-24').nodes[0]).toMatchObject({ title: 'Dig, and plant' });
  });

  test('the caller maps columns, and learns the map', () => {
    const options = { columns: { 'Who does it': 'assignee', Status: 'none', 'Was: wann': 'title' } };
    const graph = read('Was: wann,Who does it,Status\nDig,Ann,Done', options);
    expect(graph.columns).toEqual([
      { head: 'Was: wann', field: 'title' },
      { head: 'Who does it', field: 'assignee' },
      { head: 'Status', field: null },
    ]);
    expect(graph.nodes[0]).toMatchObject({ title: 'Dig', assignee: ['Ann'], status: 0 });
    expect(reported(graph)).toEqual(['the column "Status": line 2']);
    const refused = (columns: Readonly<Record<string, string>>) => () => read('title,x\na,b', { columns });
    expect(refused({ y: 'tags' })).toThrow('line 1: there is no column "y": the columns are "title", "x"');
    expect(refused({ x: 'colour' })).toThrow('"colour" is not a field: it is one of id, other-id, title');
    expect(refused({ x: 'tags', X: 'due' })).toThrow('a column is mapped twice');
  });

  test('a cell beyond the last column and a repeated id are reported', () => {
    const graph = read('id,title\n1,a,,\n1,b,c,d');
    expect(graph.nodes.map(({ title }) => title)).toEqual(['a', 'b']);
    expect(reported(graph)).toEqual([
      'a cell beyond the last column: line 3: "c, d"',
      'another task has the same id: line 3: "1"',
    ]);
  });
});

test.each([
  ['a status', 'title,status\na,Purple', 'line 2: "Purple": the word is not a status'],
  ['a priority', 'title,priority\na,Warm', 'line 2: "Warm": the word is not a priority'],
  ['a date', 'title,due\na,soon', 'line 2: "soon": the text is not an existing day'],
  ['a duration', 'title,duration\na,much', 'line 2: "much": the text is neither'],
  ['a name', 'title,waits for\na,b', 'line 2: "b": no task of the file has this name'],
  ['a name of several tasks', 'title,waits for\na,\na,\nb,a', 'line 4: "a": several tasks'],
  ['an id', 'id,title\n1,a\n1,b', 'line 3: "1": another task has the same id'],
  ['a cell', 'title\na\nb,c', 'line 3: "c": a cell beyond'],
])('[IO10] %s that cannot be read refuses the table if the caller is strict', (_what, text, message) => {
  expect(() => read(text, { strict: true })).toThrow(message);
  expect(refusalOf(text, 'csv')).toBe('it was accepted');
});
