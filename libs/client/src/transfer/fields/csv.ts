// The columns of tables of tasks: their names, and the words of their cells. Rules: IO2, IO7.
import { WRITABLE_FIELDS } from '../../node-fields.ts';

/** The fields with column names or cell formats of their own. */
const FIELDS_WITH_OWN_COLUMNS = [
  'title',
  'description',
  'status',
  'dueDate',
  'tags',
  'priority',
  'volume',
  'assignee',
] as const satisfies readonly (keyof typeof WRITABLE_FIELDS)[];
type PlainColumn = Exclude<keyof typeof WRITABLE_FIELDS, (typeof FIELDS_WITH_OWN_COLUMNS)[number]>;

/** All other fields: their columns have the names of the fields. */
export const PLAIN_COLUMNS = Object.keys(WRITABLE_FIELDS).filter(
  (name) => !FIELDS_WITH_OWN_COLUMNS.some((other) => other === name),
) as PlainColumn[];

/** Names as `comparableWord` gives them. The first name that the table has counts. */
const NAMED_COLUMNS = {
  key: ['id', 'key', 'number'],
  title: ['title', 'name', 'task', 'subject', 'summary'],
  description: ['description', 'notes', 'body', 'text'],
  status: ['status', 'state'],
  due: ['due', 'duedate', 'deadline'],
  tags: ['tags', 'labels'],
  priority: ['priority'],
  volume: ['volume', 'duration', 'estimate'],
  assignee: ['assignee', 'assignees', 'owner'],
  parent: ['under', 'parent'],
  waitsFor: ['waitsfor', 'blockedby', 'dependson', 'predecessors'],
  related: ['related'],
} as const;

export type Column = keyof typeof NAMED_COLUMNS | PlainColumn;
export const COLUMNS: readonly (readonly [Column, readonly string[]])[] = [
  ...(Object.entries(NAMED_COLUMNS) as [Column, readonly string[]][]),
  ...PLAIN_COLUMNS.map((name) => [name, [name.toLowerCase()]] as const),
];

/** Words for statuses, as `comparableWord` gives them. Every other word is refused. */
export const STATUS_WORDS: ReadonlyMap<string, 0 | 1 | 2 | 3> = statusWords({
  0: ['', 'available', 'todo', 'open', 'new', 'notstarted', 'waiting', 'no', 'false', '0'],
  1: ['inprogress', 'started', 'doing', 'active', '1'],
  2: ['blocked', '2'],
  3: ['completed', 'complete', 'done', 'closed', 'yes', 'true', 'x', '3'],
});

function statusWords(words: Readonly<Record<0 | 1 | 2 | 3, readonly string[]>>): ReadonlyMap<string, 0 | 1 | 2 | 3> {
  const entries = Object.entries(words).flatMap(([status, each]) =>
    each.map((word) => [word, Number(status) as 0 | 1 | 2 | 3] as const),
  );
  return new Map(entries);
}

export const YES: ReadonlySet<string> = new Set(['true', 'yes', '1', 'x']);
export const NO: ReadonlySet<string> = new Set(['', 'false', 'no', '0']);
