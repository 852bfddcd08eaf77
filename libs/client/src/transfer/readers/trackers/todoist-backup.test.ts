// Backups of Todoist: their projects, and changed ones, which lose no cell in silence.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shownGraph } from '../../../test/support/shown-graph.ts';
import { readBackup } from '../../formats.ts';
import { BrokenFile, type TransferGraph } from '../../graph/transfer-graph.ts';
import { writeTable } from '../../text/csv-table.ts';
import type { BackupFile } from './todoist-backup.ts';

const HEADS = [
  'TYPE',
  'CONTENT',
  'DESCRIPTION',
  'IS_COLLAPSED',
  'PRIORITY',
  'INDENT',
  'AUTHOR',
  'RESPONSIBLE',
  'DATE',
  'DATE_LANG',
  'TIMEZONE',
  'DURATION',
  'DURATION_UNIT',
  'DEADLINE',
  'DEADLINE_LANG',
];
const rowOf = (cells: Readonly<Record<string, string>>) => HEADS.map((head) => cells[head] ?? '');

interface Project {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
}

const PROJECTS: readonly Project[] = [
  {
    name: 'Home [2203306141].csv',
    rows: [
      rowOf({ TYPE: 'meta', CONTENT: 'view_style=board' }),
      rowOf({
        TYPE: 'task',
        CONTENT: 'Paint @house',
        PRIORITY: '1',
        INDENT: '1',
        RESPONSIBLE: 'Ann (12)',
        DATE: '2026-12-01',
      }),
      rowOf({ TYPE: 'task', CONTENT: 'Buy colours', INDENT: '2', DURATION: '30', DURATION_UNIT: 'minute' }),
      rowOf({ TYPE: 'note', CONTENT: 'White [[file {"file_name":"a.png"}]]', AUTHOR: 'Ann (12)' }),
    ],
  },
  {
    name: 'backup/Work [6Jf8VQXxpwv56VQ7].csv',
    rows: [
      rowOf({ TYPE: 'section', CONTENT: 'Report', IS_COLLAPSED: 'true' }),
      rowOf({
        TYPE: 'task',
        CONTENT: 'Write',
        DESCRIPTION: 'All',
        INDENT: '1',
        DATE: 'every day',
        DEADLINE: '2026-12-24',
      }),
      rowOf({ TYPE: 'task', CONTENT: 'Send', AUTHOR: 'Bob (3)', INDENT: '1', PRIORITY: '3' }),
    ],
  },
];

const fileOf = ({ name, rows }: Project): BackupFile => ({ name, text: writeTable(HEADS, rows) });

function refusalOf(files: readonly BackupFile[]): string {
  try {
    readBackup(files);
    return 'it was accepted';
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
}

describe('[IO2] a backup of Todoist', () => {
  test('each project is a task that its sections and tasks block, and losses name the file', () => {
    const empty = { name: 'Empty [urgent].csv', text: '\uFEFF\n' };
    const read = readBackup([...PROJECTS.map(fileOf), empty]);
    const { nodes, links, leftOut } = shownGraph(read, 'tags', 'description');
    expect(nodes).toEqual([
      ['Buy colours', [], 'White [[file {"file_name":"a.png"}]]'],
      ['Paint', ['house'], ''],
      ['Home', [], ''],
      ['Write', [], 'All'],
      ['Send', [], ''],
      ['Report', [], ''],
      ['Work', [], ''],
      ['Empty [urgent]', [], ''],
    ]);
    expect(links).toEqual(['Buy colours → Paint', 'Paint → Home', 'Write → Report', 'Send → Report', 'Report → Work']);
    expect(leftOut).toEqual([
      '1 settings of the view',
      '1 the author of a note',
      '1 a date in words',
      '1 the creator of a task',
    ]);
    expect(read.leftOut.flatMap(({ places }) => places)).toContain(
      'backup/Work [6Jf8VQXxpwv56VQ7].csv: line 3: every day',
    );
  });

  test('a file that is no project, or is broken, is refused with its name and line', () => {
    const [home] = PROJECTS.map(fileOf) as [BackupFile];
    expect(refusalOf([home, { name: 'Notion.csv', text: 'Name,Status\na,b' }])).toBe(
      'in the file Notion.csv, line 1: there is no column TYPE',
    );
    expect(refusalOf([home, { name: 'Bad.csv', text: 'TYPE,CONTENT,INDENT\ntask,a,x' }])).toBe(
      'in the file Bad.csv, line 2: "x" is not an indent',
    );
  });

  test('the maximum of tasks holds for all projects together', () => {
    const rows = ['TYPE,CONTENT', ...Array.from({ length: 25_000 }, (_, index) => `task,${index}`)].join('\n');
    const files = ['One.csv', 'Two.csv'].map((name) => ({ name, text: rows }));
    expect(refusalOf(files)).toBe('it has more than 50000 tasks');
  });
});

/** The outcome of a backup, or null if it is refused. */
function outcomeOf(projects: readonly Project[]): TransferGraph | null {
  try {
    return readBackup(projects.map(fileOf));
  } catch (error) {
    if (error instanceof BrokenFile) return null;
    throw error;
  }
}

/** Columns that name the zone and language of a date, and the values of a new task. */
const CONTEXT = new Set(['DATE_LANG', 'DEADLINE_LANG', 'TIMEZONE']);
const INITIAL: Readonly<Record<string, RegExp>> = {
  IS_COLLAPSED: /^\s*(?:false|)\s*$/i,
  PRIORITY: /^\s*0*4(?:\.0*)?\s*$/,
  INDENT: /^\s*[\d.x]+\s*$/i,
  DURATION: /^\s*(?:none|0)\s*$/i,
  // A unit without a duration.
  DURATION_UNIT: /^\s*(?:none|minute|day)\s*$/i,
  CONTENT: /^\s*$/,
};

/** The cells without which the outcome is the same, and not refused. */
function lostCells(projects: readonly Project[]): string[] {
  const whole = outcomeOf(projects);
  if (whole === null) return [];
  const all = JSON.stringify(whole);
  return projects.flatMap((project, at) =>
    project.rows.flatMap((row, index) =>
      row.flatMap((cell, place) => {
        const head = HEADS[place] ?? '';
        // A note or setting without content says nothing.
        if (/^(?:note|meta)$/i.test(cell.trim()) && row.every((each, other) => other === place || each.trim() === ''))
          return [];
        if (cell.trim() === '' || CONTEXT.has(head) || INITIAL[head]?.test(cell)) return [];
        const rows = project.rows.map((each, other) => (other === index ? each.with(place, '') : each));
        const without = outcomeOf(projects.with(at, { ...project, rows }));
        return without !== null && JSON.stringify(without) === all ? [`${head}: ${cell}`] : [];
      }),
    ),
  );
}

test('[IO2] no cell of a backup is lost in silence', () => {
  expect(lostCells(PROJECTS)).toEqual([]);
});

const VALUES = [
  'task',
  'section',
  'note',
  'meta',
  'TASK',
  'true',
  'yes',
  '1',
  '2',
  '3',
  '4',
  '4.0',
  '9',
  '1.5',
  'None',
  'minute',
  'day',
  'week',
  '2026-12-24',
  '2026-02-30',
  '2026-12-24T10:00',
  'tomorrow',
  '@home',
  '@',
  '(12)',
  'Ann',
  'Ann (x)',
  '"',
  ',',
  "'=1+1",
  '=1+1',
  'x\ny',
  '\\',
  '\0',
  '__proto__',
  'é',
  '\u{e0020}',
];
const changes = fc.array(
  fc.record({
    project: fc.nat(PROJECTS.length - 1),
    row: fc.nat(),
    place: fc.nat(HEADS.length - 1),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary', maxLength: 12 })),
  }),
  { minLength: 1, maxLength: 4 },
);

test('[IO2] no cell of a changed backup is lost in silence', () => {
  const property = fc.property(changes, (all) => {
    const projects = PROJECTS.map(({ name, rows }) => ({ name, rows: rows.map((row) => [...row]) }));
    for (const { project, row, place, value } of all) {
      const rows = projects[project]?.rows ?? [];
      const changed = rows[row % rows.length];
      if (changed !== undefined) changed[place] = value;
    }
    expect(lostCells(projects)).toEqual([]);
  });
  fc.assert(property, { numRuns: runs(200) });
});
