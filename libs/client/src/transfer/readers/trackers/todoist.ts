// Reads a Todoist template in CSV: tasks with indents, sections, and notes on the task above.
// Rules: IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { reportFields } from '../../fields/source-field.ts';
import { TODOIST_FIELDS } from '../../fields/trackers/todoist.ts';
import { blockingLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createOutlineStack } from '../../graph/outline-stack.ts';
import { BrokenFile, excerpt, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { readTable, type TableRow } from '../../text/csv-table.ts';
import { type DurationUnit, reportUnit, workMinutes } from '../../values/duration-units.ts';

const MAXIMUM_DEPTH = 64;
const UNITS: ReadonlySet<string> = new Set(['minute', 'day'] as const satisfies readonly DurationUnit[]);
/**
 * Todoist's priorities go from 1, the most urgent, to 4, which means none. In the service, higher
 * is more urgent.
 */
const NO_PRIORITY = 4;

/** A draft with the notes that follow its description. */
type NotedDraft = NodeDraft & { readonly title: string; readonly notes: string[] };

/** Reads a template. A sub-task blocks its task, and a task its section. Throws a BrokenFile. */
export function readTodoist(text: string): TransferGraph {
  const { heads, rows } = readTable(text);
  for (const needed of ['TYPE', 'CONTENT']) {
    if (!heads.some((head) => head.trim().toUpperCase() === needed))
      throw new BrokenFile(1, `there is no column ${needed}`);
  }
  const losses = createLossReport();
  const drafts: NotedDraft[] = [];
  const links: TransferLink[] = [];
  let section: string | null = null;
  /** The possible parents of the next task. */
  const outline = createOutlineStack<string>('a task');
  for (const row of rows) {
    const type = row.cell('TYPE').trim().toLowerCase();
    reportColumns(row, type, losses);
    if (type === 'task') {
      const indent = indentOf(row);
      const draft = taskOf(row, losses);
      const parent = outline.parentAt(indent) ?? section;
      if (parent !== null) links.push(blockingLink(draft.key, parent));
      outline.open(indent, draft.key, row.line);
      drafts.push(draft);
    } else if (type === 'section') {
      section = `line ${row.line}`;
      outline.clear();
      const [title, description] = [row.cell('CONTENT'), row.cell('DESCRIPTION')];
      drafts.push({ key: section, line: row.line, title, description, notes: [], collapsed: isCollapsed(row, losses) });
    } else if (type === 'note') addNote(drafts.at(-1), row, losses);
    else if (type !== 'meta')
      throw new BrokenFile(row.line, `${excerpt(type)} is not a type: use task, section or note`);
  }
  return { nodes: drafts.map((draft) => fitNode(joinNotes(draft), losses)), links, leftOut: losses.list() };
}

/** The declarations have the names of columns in capitals. */
function reportColumns(row: TableRow, type: string, losses: LossReport): void {
  const fields = TODOIST_FIELDS[type as keyof typeof TODOIST_FIELDS] ?? {};
  const cells = row.filled().map((head) => [head.trim().toUpperCase(), row.cell(head)]);
  const word = type === 'task' ? 'the column' : `of a ${type}, the column`;
  reportFields(Object.fromEntries(cells), fields, `line ${row.line}`, losses, word);
}

function isCollapsed(row: TableRow, losses: LossReport): boolean {
  const word = row.cell('IS_COLLAPSED').trim();
  if (!/^(?:true|false|)$/i.test(word))
    losses.note('a collapsed mark that is neither true nor false', `line ${row.line}: ${word.slice(0, 60)}`);
  return word.toLowerCase() === 'true';
}

function indentOf(row: TableRow): number {
  const text = row.cell('INDENT').trim();
  const indent = text === '' ? 1 : Number(text);
  if (Number.isInteger(indent) && indent >= 0 && indent <= MAXIMUM_DEPTH) return indent;
  throw new BrokenFile(row.line, `${excerpt(text)} is not an indent`);
}

function taskOf(row: TableRow, losses: LossReport): NotedDraft {
  const { line } = row;
  const key = `line ${line}`;
  const priority = row.cell('PRIORITY').trim() === '' ? NO_PRIORITY : Number(row.cell('PRIORITY'));
  if (!(priority >= 1 && priority <= NO_PRIORITY)) throw new BrokenFile(line, 'a priority is not 1, 2, 3 or 4');
  const { title, tags } = splitLabels(row.cell('CONTENT'));
  const responsible = withoutNumber(row.cell('RESPONSIBLE').trim());
  return {
    key,
    line,
    title,
    tags,
    notes: [],
    description: row.cell('DESCRIPTION'),
    priority: NO_PRIORITY - priority,
    dueDate: dueOf(row, losses),
    collapsed: isCollapsed(row, losses),
    volume: volumeOf(row, losses),
    assignee: responsible === '' ? [] : [responsible],
  };
}

/** Todoist writes people as `Ann (123)`. */
function withoutNumber(name: string): string {
  const at = name.lastIndexOf('(');
  return at > 0 && /^\(\d+\)$/.test(name.slice(at)) ? name.slice(0, at).trim() : name;
}

/** The title and its labels, which are words such as `@label`. */
function splitLabels(content: string): { title: string; tags: string[] } {
  const words = content.split(/(\s+)/);
  const isLabel = (word: string) => /^@[^\s@]+$/.test(word);
  const title = words
    .filter((word) => !isLabel(word))
    .join('')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  return { title, tags: words.filter(isLabel).map((word) => word.slice(1)) };
}

/**
 * The deadline, or else the date, which is the day of work. Both may be words such as "every
 * monday", which only Todoist understands.
 */
function dueOf(row: TableRow, losses: LossReport): string | null {
  const place = `line ${row.line}`;
  const [date, deadline] = [row.cell('DATE').trim(), row.cell('DEADLINE').trim()];
  const [dateTime, deadlineTime] = [dueDateInFile(date), dueDateInFile(deadline)];
  if (deadline !== '' && deadlineTime === null)
    losses.note('a deadline in words', `${place}: ${deadline.slice(0, 60)}`);
  if (date !== '' && dateTime === null) losses.note('a date in words', `${place}: ${date.slice(0, 60)}`);
  else if (date !== '' && deadlineTime !== null) losses.note('a date in addition to a deadline', `${place}: ${date}`);
  // A time without an offset is in a time zone that only TIMEZONE names.
  else if (/\d:\d\d(:\d\d)?$/.test(date)) losses.note('the time zone of a date, which is read as UTC', place);
  return deadlineTime ?? dateTime;
}

/** The duration in minutes of work. */
function volumeOf(row: TableRow, losses: LossReport): number {
  const [text, unit] = [row.cell('DURATION').trim(), row.cell('DURATION_UNIT').trim().toLowerCase()];
  if (text === '' || text.toLowerCase() === 'none') {
    if (!UNITS.has(unit) && unit !== '' && unit !== 'none')
      losses.note('a unit without a duration', `line ${row.line}: ${unit.slice(0, 60)}`);
    return 0;
  }
  const volume = UNITS.has(unit) ? workMinutes(Number(text), unit as DurationUnit) : Number.NaN;
  if (Number.isFinite(volume)) {
    reportUnit(unit as DurationUnit, losses);
    return volume;
  }
  const what = UNITS.has(unit) ? 'a duration that is not a number' : 'a duration without a unit';
  losses.note(what, `line ${row.line}: ${`${text} ${unit}`.trim().slice(0, 60)}`);
  return 0;
}

function addNote(draft: NotedDraft | undefined, row: TableRow, losses: LossReport): void {
  if (draft === undefined) {
    losses.note('a note without a task', `line ${row.line}: ${excerpt(row.cell('CONTENT'))}`);
    return;
  }
  draft.notes.push(row.cell('CONTENT'));
}

/**
 * Adds the notes to the description, all at once: one by one, each would copy the notes before it.
 */
function joinNotes({ notes, description = '', ...draft }: NotedDraft): NodeDraft {
  return { ...draft, description: [description, ...notes].filter((text) => text !== '').join('\n\n') };
}
