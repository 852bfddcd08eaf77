// The values of the cells of a row: texts, words, numbers, dates and durations. Rules: IO2, IO10.

import { dueDateInFile } from '../../../values/days.ts';
import { COMPLETION_TIME } from '../../fields/source-field.ts';
import { excerpt, STATUS_NAMES, type TransferNode } from '../../graph/transfer-graph.ts';
import { comparableWord, splitWords, splitWordsOrCommas } from '../../text/csv-table.ts';
import { type DurationUnit, workMinutes } from '../../values/duration-units.ts';
import { durationOf } from '../../values/durations.ts';
import { PRIORITY_WORD, UNKNOWN_PRIORITY } from '../../values/priority-values.ts';
import { projectPriority } from '../../values/project-values.ts';
import { STATUS_OF_LIST, STATUS_WORD, UNKNOWN_STATUS } from '../../values/status-values.ts';
import {
  isBlank,
  NO,
  numberOf,
  percentOf,
  priorityOfWord,
  statusOfShare,
  statusOfWord,
  YES,
} from '../../values/words.ts';
import { type DateOrder, dateOf } from './dates.ts';
import type { TableProgram } from './table-programs.ts';
import type { TableReport } from './table-report.ts';

type Status = TransferNode['status'];

/** Reads the cells of one table. */
export interface CellContext {
  readonly report: TableReport;
  readonly program: TableProgram | null;
}

/** The words of a cell of tags, or null in a program that writes brackets around lists. */
function innerList(cell: string, { program }: CellContext): string {
  const hasBrackets = program?.hasBrackets === true && cell.startsWith('[') && cell.endsWith(']');
  return hasBrackets ? cell.slice(1, -1) : cell;
}

export function tagsIn(cells: readonly string[], line: number, context: CellContext): string[] {
  return cells.flatMap((cell) =>
    splitWordsOrCommas(innerList(cell, context), line).map((word) =>
      withoutDetail(word, 'the colour of a label', context),
    ),
  );
}

/**
 * A comma separates addresses. Between names it is ambiguous, because it may separate a last from a
 * first name.
 */
export function peopleIn(cells: readonly string[], line: number, isList: boolean, context: CellContext): string[] {
  return cells.flatMap((each) => {
    const cell = innerList(each, context);
    if (cell === '' || (context.program !== null && comparableWord(cell) === 'unassigned')) return [];
    const parts = splitWordsOrCommas(cell, line);
    if (isList)
      return parts.map((name) =>
        withoutDetail(withoutShare(name, line, context), 'the user name of a person', context),
      );
    if (cell !== each || parts.every((name) => /^[^\s@]+@[^\s@]+$/.test(name))) return parts;
    const people = splitWords(cell, line);
    if (parts.length > people.length) context.report.reportLoss('that a comma may separate two people', line);
    return people;
  });
}

/** Trello writes the colour of a label, and the user name of a person, in parentheses. */
function withoutDetail(word: string, what: string, { program, report }: CellContext): string {
  const at = word.lastIndexOf('(');
  if (program?.hasDetails !== true || !word.endsWith(')') || at < 0) return word;
  // A label without a name has its colour.
  if (at === 0) return word.slice(1, -1);
  report.losses.noteOnce(what, excerpt(word.slice(0, at).trim()));
  return word.slice(0, at).trim();
}

/** Microsoft Project writes the share of a person as `Ann[50%]`. */
function withoutShare(name: string, line: number, { report }: CellContext): string {
  const at = name.indexOf('[');
  if (at <= 0 || !name.endsWith('%]')) return name;
  report.reportLoss('the share of a person in a task', line, name);
  return name.slice(0, at).trim();
}

/** Null for a blank cell, and for a word that is not known. */
export function statusIn(cell: string, line: number, { report, program }: CellContext): Status | null {
  if (cell === '') return null;
  const found = statusOfWord(cell, program?.status);
  if (found === null) {
    report.reportUnreadable(UNKNOWN_STATUS, line, cell);
    return null;
  }
  if (!found.isExact) report.reportWord(STATUS_WORD, cell, STATUS_NAMES[found.value]);
  return found.value;
}

/** The status that the name of a list or section means; Available if it means none. */
export function statusOfGroup(cell: string, { report, program }: CellContext): Status {
  const found = cell === '' ? null : statusOfWord(cell, program?.status);
  if (found !== null && found.value !== 0) report.reportWord(STATUS_OF_LIST, cell, STATUS_NAMES[found.value]);
  return found?.value ?? 0;
}

/** The status that a column such as `Completed` or `% Complete` gives. `scale` is the number of the whole. */
export function statusOfCompletion(cell: string, line: number, scale: number, { report }: CellContext): Status {
  if (isBlank(cell)) return 0;
  const word = comparableWord(cell);
  const number = percentOf(cell);
  if (number !== null) {
    const share = cell.endsWith('%') ? number : number / scale;
    if (share > 0 && share < 1) report.reportLoss('the progress of a task', line, cell);
    return statusOfShare(share);
  }
  if (YES.has(word)) return 3;
  if (NO.has(word)) return 0;
  if (dateOf(cell, 'month-first') !== null) {
    report.reportLoss(COMPLETION_TIME, line, cell);
    return 3;
  }
  const found = statusOfWord(cell, undefined);
  if (found === null) report.reportUnreadable('the word does not say whether the task is completed', line, cell);
  else if (!found.isExact) report.reportWord(STATUS_WORD, cell, STATUS_NAMES[found.value]);
  return found?.value ?? 0;
}

export function priorityIn(cell: string, line: number, { report, program }: CellContext): number {
  if (isBlank(cell)) return 0;
  const found = program?.priorityScale === 'project' ? projectPriority(cell) : priorityOfWord(cell, program?.priority);
  if (found === null) {
    report.reportUnreadable(UNKNOWN_PRIORITY, line, cell);
    return 0;
  }
  if (!found.isExact) report.reportWord(PRIORITY_WORD, cell, String(found.value));
  return found.value;
}

export interface VolumeColumn {
  readonly head: string;
  /** The unit of numbers without one. */
  readonly unit: DurationUnit | null;
  /** The smallest unit in the column, which is that of numbers between durations; null if it has none. */
  readonly writtenUnit: DurationUnit | null;
}

export function volumeIn(cell: string, line: number, column: VolumeColumn, { report }: CellContext): number {
  if (isBlank(cell)) return 0;
  const duration = durationOf(cell, column.unit);
  if (duration === null) {
    report.reportUnreadable('the text is neither a number nor a duration, so the volume becomes 0', line, cell);
    return 0;
  }
  if (duration.isEstimate) report.reportLoss('the mark of a duration that is an estimate', line, cell);
  if (duration.isElapsed) report.reportLoss('that a duration counts the hours of the clock', line, cell);
  const { writtenUnit } = column;
  if (writtenUnit === null) return duration.number;
  if (duration.minutes === null)
    report.reportLoss(`a duration without a unit, which is read in the unit ${writtenUnit}`, line, cell);
  return duration.minutes ?? workMinutes(duration.number, writtenUnit);
}

export interface DateColumn {
  readonly head: string;
  readonly order: DateOrder;
  /** Whether neither the table nor the caller decided the order. */
  readonly isGuess: boolean;
}

export function dueDateIn(
  cell: string,
  line: number,
  { head, order, isGuess }: DateColumn,
  context: CellContext,
): string | null {
  if (isBlank(cell)) return null;
  const { report } = context;
  const date = dateOf(cell, order);
  if (date === null) {
    report.reportUnreadable('the text is not an existing day or time, so the task has no due date', line, cell);
    return null;
  }
  const [day, time] = date.dueDate.split('T');
  if (context.program?.finishTime === time && date.notes.includes('a time without a time zone, which is read as UTC'))
    return dueDateInFile(day ?? '');
  for (const note of date.notes) {
    if (note === 'a time without a time zone, which is read as UTC')
      report.losses.noteOnce(note, `the column ${excerpt(head)}`);
    else report.reportLoss(note, line, cell);
  }
  if (date.isAmbiguous && isGuess)
    report.reportLoss(
      `a date whose day and month may be swapped, which is read as ${date.dueDate.slice(0, 10)}`,
      line,
      cell,
    );
  return date.dueDate;
}

export function flagIn(column: string, cell: string, line: number, { report }: CellContext): boolean {
  const word = comparableWord(cell);
  if (!YES.has(word) && !NO.has(word)) report.reportLoss(`a ${column} that is neither yes nor no`, line);
  return YES.has(word);
}

export function numberIn(column: string, cell: string, line: number, { report }: CellContext): number {
  if (isBlank(cell)) return 0;
  const number = numberOf(cell);
  if (number === null) report.reportUnreadable(`the text is no number, so ${column} becomes 0`, line, cell);
  return number ?? 0;
}
