// The programs whose tables give the same words or numbers another meaning. Rule: IO10.
import type { DurationUnit } from '../../values/duration-units.ts';
import { PROJECT_FINISH_TIME } from '../../values/project-values.ts';
import { columnName } from './columns.ts';

/** A program that writes the same words or numbers with another meaning. */
export interface TableProgram {
  readonly name: string;
  /** The heads that only its tables have together. */
  readonly heads: readonly string[];
  readonly status?: Readonly<Record<string, 0 | 1 | 2 | 3>>;
  readonly priority?: Readonly<Record<string, number>>;
  /** The units of numbers in columns, by their names. */
  readonly units?: Readonly<Record<string, DurationUnit>>;
  /** Whether lists in cells have brackets around them. */
  readonly hasBrackets?: boolean;
  /** Whether parentheses after labels and people have colours and user names. */
  readonly hasDetails?: boolean;
  /** Whether a list is also a tag of its tasks. */
  readonly hasListTags?: boolean;
  readonly priorityScale?: 'project';
  /** The time of a deadline that is a day, as in a due date. */
  readonly finishTime?: string;
  /** Columns that are not read although they have the name of a field. */
  readonly unread?: readonly string[];
}

const PROGRAMS: readonly TableProgram[] = [
  { name: 'Jira', heads: ['summary', 'issuekey'], units: { originalestimate: 'second' } },
  {
    name: 'GitLab since 18.4',
    heads: ['iid', 'title', 'state', 'timeestimate', 'timespent', 'parentid', 'parentiid'],
    units: { timeestimate: 'second' },
    // It names the same parent as the column before it, by a number that could be the id of another issue.
    unread: ['parentiid'],
  },
  { name: 'GitLab', heads: ['title', 'state', 'timeestimate', 'timespent'], units: { timeestimate: 'second' } },
  { name: 'TickTick', heads: ['listname', 'title', 'kind', 'taskid', 'parentid'], status: { 0: 0, 1: 3, 2: 3 } },
  {
    name: 'ClickUp',
    heads: ['taskid', 'taskname', 'parentid', 'priority'],
    priority: { 1: 4, 2: 3, 3: 2, 4: 1 },
    units: { timeestimated: 'millisecond' },
    hasBrackets: true,
  },
  {
    name: 'Pivotal Tracker',
    heads: ['title', 'currentstate', 'requestedby'],
    status: { finished: 1, delivered: 1, rejected: 1 },
  },
  { name: 'Trello', heads: ['cardid', 'cardname', 'listname'], hasDetails: true, hasListTags: true },
  {
    name: 'Microsoft Project',
    heads: ['duration', 'start', 'finish', 'predecessors', 'resourcenames'],
    priorityScale: 'project',
    finishTime: `${PROJECT_FINISH_TIME}.000Z`,
    // The finish follows from the plan. A deadline is a date of the author.
    unread: ['finish'],
  },
];

export function programOf(heads: readonly string[]): TableProgram | null {
  const names = new Set(heads.map(columnName));
  return PROGRAMS.find((program) => program.heads.every((head) => names.has(head))) ?? null;
}
