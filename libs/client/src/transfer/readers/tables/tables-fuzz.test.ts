// Changed tables of other programs: reading ends, refuses only with a BrokenFile, and loses no cell
// in silence. A cell is lost if the table without it gives the same tasks, links and report.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TABLES } from '../../../test/support/program-tables.ts';
import { readFile } from '../../formats.ts';
import { BrokenFile, type TransferGraph } from '../../graph/transfer-graph.ts';
import { parseTable, writeTable } from '../../text/csv-table.ts';

interface Cells {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function cellsOf(text: string): Cells {
  const { heads, rows } = parseTable(text, (cells) => (cells.length > 5 ? 2 : 0));
  return { heads, rows: rows.map(({ cells }) => heads.map((_, place) => cells[place] ?? '')) };
}

/** The outcome of a table, or null if it is refused. */
function outcomeOf({ heads, rows }: Cells): TransferGraph | null {
  try {
    return readFile(writeTable(heads, rows), 'csv');
  } catch (error) {
    if (error instanceof BrokenFile) return null;
    throw error;
  }
}

/** Cells that say nothing: blank words, and the values of a new task. */
const NOTHING =
  /^\s*(?:|-|–|—|无|なし|--|n\/?a|null|\(?none\)?|nan|undefined|\[\]|0(?:[.,]0+)?%?|0 ?[a-z]*|false|no|n|☐|⬜)\s*$/i;
const AVAILABLE = /^\s*(?:available|to ?do|open(?:ed)?|new|not started|waiting|unstarted|pending|ready|normal)\s*$/i;
/** Fields that only name the task, or that name links which other cells may name too. */
const NAMES = new Set(['id', 'other-id', 'outline', 'level', 'parent', 'children', 'waits-for', 'blocks', 'related']);

function isRedundant(field: string | null, cell: string): boolean {
  if (NOTHING.test(cell) || (field !== null && NAMES.has(field))) return true;
  if (field === 'assignee' && /^unassigned$/i.test(cell.trim())) return true;
  // A list without words.
  if ((field === 'assignee' || field === 'tags') && /^[\s;,\\\0[\]]*$/.test(cell)) return true;
  // The normal priority of Microsoft Project.
  if (field === 'priority' && cell.trim() === '500') return true;
  return field === 'status' && AVAILABLE.test(cell);
}

/** The cells without which the outcome is the same. */
function lostCells(table: Cells): string[] {
  const whole = outcomeOf(table);
  if (whole === null) return [];
  const all = JSON.stringify(whole);
  return table.rows.flatMap((row, index) =>
    row.flatMap((cell, place) => {
      if (isRedundant(whole.columns?.[place]?.field ?? null, cell) || row.indexOf(cell) !== place) return [];
      const rows = table.rows.map((each, at) => (at === index ? each.with(place, '') : each));
      // A row that becomes blank takes its whole task with it.
      return JSON.stringify(outcomeOf({ ...table, rows })) === all ? [`${table.heads[place]}: ${cell}`] : [];
    }),
  );
}

test.each(TABLES)('[IO10] no cell of a table of $program is lost in silence', ({ text }) => {
  expect(lostCells(cellsOf(text))).toEqual([]);
});

const VALUES = [
  'soon',
  '31.12.2026',
  '1/2/2027',
  '13/13/2026',
  'Q4 2026',
  'Mon 1/5/26 8:00 AM',
  '46380',
  '2026-02-30',
  '→',
  '5 days?',

  'High',
  'Urgent!!',
  'Backlog',
  '✅ Done',
  'constructor',
  '__proto__',
  '99%',
  '1e999',
  '-5',
  '0x10',
  '1,5',
  '1.234,5',

  '1FS+2d',
  '2SS',
  '#1',
  'a, b; c',
  '[1, 2]',
  ';;;',
  ',,,',
  '\\',
  '\\;',
  '"',
  "'=1+1",
  '=1+1',
  'x\ny',
  '((((',
  '1.2.3.',

  'Ann, Bob',
  'Doe, Jane',
  'ann@example.com',
  'Ann[50%]',
  '￾',
  '﻿',
  '٣',
  '１２',
  'é',
  'e\u0301',
  ' x ',
  '~3d',
  '1:30',
  '\u{e0020}',
];
const tables = TABLES.map(({ text }) => cellsOf(text));
const changes = fc.array(
  fc.record({
    row: fc.nat(),
    place: fc.nat(),
    value: fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary', maxLength: 12 })),
  }),
  { minLength: 1, maxLength: 4 },
);

test('[IO10] no cell of a changed table is lost in silence', () => {
  const property = fc.property(fc.constantFrom(...tables), changes, (table, all) => {
    const rows = table.rows.map((row) => [...row]);
    for (const { row, place, value } of all) {
      const changed = rows[row % rows.length];
      if (changed !== undefined) changed[place % changed.length] = value;
    }
    expect(lostCells({ heads: table.heads, rows })).toEqual([]);
  });
  fc.assert(property, { numRuns: runs(60) });
});

test('[IO10] a table with any change of its text is read or refused', () => {
  const property = fc.property(
    fc.constantFrom(...TABLES.map(({ text }) => text)),
    fc.array(
      fc.record({
        at: fc.nat(),
        cut: fc.nat(5),
        text: fc.oneof(
          fc.constantFrom('"', ',', ';', '\n', '\r', '\t', '\0', '""', 'sep=;\n'),
          fc.string({ unit: 'binary', maxLength: 5 }),
        ),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    (text, edits) => {
      let changed = text;
      for (const { at, cut, text: put } of edits) {
        const offset = at % (changed.length + 1);
        changed = changed.slice(0, offset) + put + changed.slice(offset + cut);
      }
      try {
        const { nodes, leftOut } = readFile(changed, 'csv');
        expect(nodes.every(({ title }) => title.isWellFormed())).toBe(true);
        expect(leftOut.every(({ count }) => count > 0)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenFile);
      }
    },
  );
  fc.assert(property, { numRuns: runs(300) });
});
