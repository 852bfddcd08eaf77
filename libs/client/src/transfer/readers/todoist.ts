// Todoist's template in CSV: tasks with indents, sections, and notes on the task above. Rules: IO2, IO9.

import { dueDateInFile } from '../../values/days.ts';
import { type Row, readTable } from '../csv-source.ts';
import { tellFields } from '../fields/field.ts';
import { TODOIST_FIELDS } from '../fields/todoist.ts';
import { fitted, type Loose } from '../fitting.ts';
import { blocks } from '../groups.ts';
import { BrokenFile, createLedger, type Ledger, type TransferGraph, type TransferLink } from '../model.ts';

const DEEPEST = 64;
const MINUTES = { minute: 1, day: 1_440 } as const;
/** The service's greater priority is more urgent; theirs begin with 1, the most urgent, and 4 is none. */
const NO_PRIORITY = 4;

/** `notes`: what is written below its description. */
type Draft = Loose & { readonly title: string; readonly notes: string[] };

/** Reads a template. A sub-task blocks its task, and a task its section. Throws a BrokenFile. */
export function readTodoist(text: string): TransferGraph {
  const { heads, rows } = readTable(text);
  for (const needed of ['TYPE', 'CONTENT']) {
    if (!heads.some((head) => head.trim().toUpperCase() === needed))
      throw new BrokenFile(1, `there is no column ${needed}`);
  }
  const ledger = createLedger();
  const drafts: Draft[] = [];
  const links: TransferLink[] = [];
  let section: string | null = null;
  /** The tasks that the next one may be below, by their indents. */
  let above: { readonly indent: number; readonly key: string }[] = [];
  for (const row of rows) {
    const type = row.cell('TYPE').trim().toLowerCase();
    tellColumns(row, type, ledger);
    if (type === 'task') {
      const indent = indentOf(row);
      const draft = taskOf(row, ledger);
      above = above.filter((each) => each.indent < indent);
      const parent = above.at(-1)?.key ?? section;
      if (parent !== null) links.push(blocks(draft.key, parent));
      above.push({ indent, key: draft.key });
      drafts.push(draft);
    } else if (type === 'section') {
      section = `line ${row.line}`;
      above = [];
      const [title, description] = [row.cell('CONTENT'), row.cell('DESCRIPTION')];
      drafts.push({ key: section, line: row.line, title, description, notes: [], collapsed: isCollapsed(row) });
    } else if (type === 'note') noteOn(drafts.at(-1), row, ledger);
    else if (type !== 'meta')
      throw new BrokenFile(row.line, `${JSON.stringify(type.slice(0, 40))} is no type: it is task, section or note`);
  }
  return { nodes: drafts.map((draft) => fitted(whole(draft), ledger)), links, leftOut: ledger.list() };
}

/** A column is declared by its name in capitals, as Todoist writes it. */
function tellColumns(row: Row, type: string, ledger: Ledger): void {
  const fields = TODOIST_FIELDS[type as keyof typeof TODOIST_FIELDS] ?? {};
  const cells = row.filled().map((head) => [head.trim().toUpperCase(), row.cell(head)]);
  const word = type === 'task' ? 'the column' : `of a ${type}, the column`;
  tellFields(Object.fromEntries(cells), fields, `line ${row.line}`, ledger, word);
}

function isCollapsed(row: Row): boolean {
  return row.cell('IS_COLLAPSED').trim().toLowerCase() === 'true';
}

function indentOf(row: Row): number {
  const text = row.cell('INDENT').trim();
  const indent = text === '' ? 1 : Number(text);
  if (Number.isInteger(indent) && indent >= 0 && indent <= DEEPEST) return indent;
  throw new BrokenFile(row.line, `${JSON.stringify(text.slice(0, 40))} is no indent`);
}

function taskOf(row: Row, ledger: Ledger): Draft {
  const { line } = row;
  const key = `line ${line}`;
  const priority = row.cell('PRIORITY').trim() === '' ? NO_PRIORITY : Number(row.cell('PRIORITY'));
  if (!(priority >= 1 && priority <= NO_PRIORITY)) throw new BrokenFile(line, 'a priority is not 1, 2, 3 or 4');
  const { title, tags } = withoutLabels(row.cell('CONTENT'));
  const responsible = withoutNumber(row.cell('RESPONSIBLE').trim());
  return {
    key,
    line,
    title,
    tags,
    notes: [],
    description: row.cell('DESCRIPTION'),
    priority: NO_PRIORITY - priority,
    dueDate: dueOf(row, ledger),
    collapsed: isCollapsed(row),
    volume: volumeOf(row, ledger),
    assignee: responsible === '' ? [] : [responsible],
  };
}

/** People are named as `Ann (123)`. */
function withoutNumber(name: string): string {
  const at = name.lastIndexOf('(');
  return at >= 0 && /^\(\d+\)$/.test(name.slice(at)) ? name.slice(0, at).trim() : name;
}

/** Labels stand in the content as `@label`, at its end or within it. */
function withoutLabels(content: string): { title: string; tags: string[] } {
  const words = content.split(/(\s+)/);
  const isLabel = (word: string) => /^@[^\s@]+$/.test(word);
  const title = words
    .filter((word) => !isLabel(word))
    .join('')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  return { title, tags: words.filter(isLabel).map((word) => word.slice(1)) };
}

/** A deadline comes before a date, which says when to work. Both may be in words, such as "every monday", which only Todoist understands. */
function dueOf(row: Row, ledger: Ledger): string | null {
  const place = `line ${row.line}`;
  const [date, deadline] = [row.cell('DATE').trim(), row.cell('DEADLINE').trim()];
  const [dateTime, deadlineTime] = [dueDateInFile(date), dueDateInFile(deadline)];
  if (deadline !== '' && deadlineTime === null)
    ledger.note('a deadline in words', `${place}: ${deadline.slice(0, 60)}`);
  if (date !== '' && dateTime === null) ledger.note('a date in words', `${place}: ${date.slice(0, 60)}`);
  else if (date !== '' && deadlineTime !== null) ledger.note('a date beside a deadline', `${place}: ${date}`);
  // A clock without an offset is meant in a time zone that a name alone says.
  else if (/\d:\d\d(:\d\d)?$/.test(date)) ledger.note('the time zone of a date, which is taken for UTC', place);
  return deadlineTime ?? dateTime;
}

/** In minutes. */
function volumeOf(row: Row, ledger: Ledger): number {
  const [text, unit] = [row.cell('DURATION').trim(), row.cell('DURATION_UNIT').trim().toLowerCase()];
  if (text === '' || text.toLowerCase() === 'none') return 0;
  const volume = Number(text) * (MINUTES[unit as keyof typeof MINUTES] ?? Number.NaN);
  if (Number.isFinite(volume)) return volume;
  ledger.note('a duration without a unit', `line ${row.line}`);
  return 0;
}

function noteOn(draft: Draft | undefined, row: Row, ledger: Ledger): void {
  if (draft === undefined) {
    ledger.note('a note on no task', `line ${row.line}`);
    return;
  }
  draft.notes.push(row.cell('CONTENT'));
}

/** With its notes in its description: joined once, since each further one would copy all before it. */
function whole({ notes, description = '', ...draft }: Draft): Loose {
  return { ...draft, description: [description, ...notes].filter((text) => text !== '').join('\n\n') };
}
