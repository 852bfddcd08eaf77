// The columns of tables of tasks: which field a head means, in our own tables and in those of other
// programs. Rules: IO2, IO7, IO10.

import { WRITABLE_FIELDS } from '../../../node-fields.ts';
import { excerpt } from '../../graph/transfer-graph.ts';
import { comparableWord } from '../../text/csv-table.ts';
import type { DurationUnit } from '../../values/duration-units.ts';

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
export type PlainColumn = Exclude<keyof typeof WRITABLE_FIELDS, (typeof FIELDS_WITH_OWN_COLUMNS)[number]>;

/** All other fields: their columns have the names of the fields. */
export const PLAIN_COLUMNS = Object.keys(WRITABLE_FIELDS).filter(
  (name) => !FIELDS_WITH_OWN_COLUMNS.some((other) => other === name),
) as PlainColumn[];

/** Characters of a head that are compared. */
const MAXIMUM_HEAD_LENGTH = 200;

interface ColumnRule {
  /**
   * Names, which are compared as `columnName` does. The first name counts that a column with values has; if none
   * has, the first name that the table has.
   */
  readonly names: readonly string[];
  /**
   * How many columns are read: the first of that name, all of that name, or all columns of all
   * names.
   */
  readonly reads: 'first' | 'same-name' | 'all';
  /** The field in documents and in `--map`. */
  readonly label: string;
}

const one = (label: string, names: readonly string[]): ColumnRule => ({ label, names, reads: 'first' });
const same = (label: string, names: readonly string[]): ColumnRule => ({ label, names, reads: 'same-name' });
const all = (label: string, names: readonly string[]): ColumnRule => ({ label, names, reads: 'all' });

/** In this order: a column that an earlier field takes is not that of a later one. */
const NAMED_COLUMNS = {
  key: one('id', [
    'id',
    'key',
    'number',
    'issue key',
    'task id',
    'card id',
    'iid',
    'issue id',
    'ticket id',
    'ticket',
    'item id',
    'ref',
    'no',
    'nr',
    '#',
    's.no',
    'sno',
  ]),
  /** Other ids by which rows may name the task. */
  alias: all('other-id', [
    'issue id',
    'unique id',
    'uuid',
    'task custom id',
    'custom id',
    'card short link',
    'card url',
  ]),
  title: one('title', [
    'title',
    'name',
    'task',
    'subject',
    'summary',
    'task name',
    'card name',
    'task title',
    'issue title',
    'issue',
    'item',
    'item name',
    'activity',
    'activity name',
    'work item',
    'story',
    'user story',
    'todo',
    'action',
    'action item',
    'deliverable',
    'milestone',
    'step',
    'what',
    'task description',
    'description',

    'titre',
    'titel',
    'titulo',
    'tarea',
    'tarefa',
    'aufgabe',
    'vorgangsname',
    'tache',
    '标题',
    '任务',
    '任务名称',
    'タスク名',
    'タスク',
    '件名',
    'название',
    'задача',
    'feature',
  ]),
  description: one('description', [
    'description',
    'notes',
    'body',
    'text',
    'card description',
    'task content',
    'task description',
    'content',
    'details',
    'note',
    'descripcion',
    'descricao',
    'beschreibung',
    '描述',
    '説明',
    '備考',
  ]),
  status: one('status', [
    'status',
    'state',
    'current state',
    'task status',
    'issue status',
    'estado',
    'statut',
    'etat',
    'zustand',
    '状态',
    '状態',
    'ステータス',
    'статус',
  ]),
  /** Its words give the status of tables without statuses. Its names are reported. */
  group: one('group', ['list name', 'section/column', 'section', 'list', 'column', 'bucket']),
  completed: one('completed', [
    'due complete',
    'done',
    'is done',
    'is completed',
    'complete',
    'completed',
    'completed at',
    'completion date',
    'closed at',
    'date completed',
    '%complete',
    'percent complete',
    '%done',
    'progress',
    '%completed',
  ]),
  due: one('due', [
    'due',
    'due date',
    'deadline',
    'due on',
    'due by',
    'due at',
    'target date',
    'target end',
    'finish',
    'finish date',
    'planned finish',
    'planned end',
    'end',
    'end date',
    'plan end date',
    'scheduled finish',
    'eta',
    'date',

    'fecha limite',
    'vencimiento',
    'prazo',
    'fallig',
    'falligam',
    'echeance',
    'fin',
    '截止日期',
    '期限',
    '終了',
    '終了日',
  ]),
  tags: same('tags', ['tags', 'labels', 'tag', 'label']),
  priority: one('priority', [
    'priority',
    'prio',
    'importance',
    'urgency',
    'custom field (priority)',
    'prioridad',
    'prioridade',
    'prioritat',
    'priorite',
    '优先级',
    '優先度',
    'приоритет',
  ]),
  volume: one('volume', [
    'volume',
    'duration',
    'estimate',
    'story points',
    'custom field (story points)',
    'story point estimate',
    'custom field (story point estimate)',
    'weight',
    'points',
    'effort',
    'original estimate',
    'time estimate',
    'time estimated',
    'estimated time',
    'estimated hours',
    'est hours',
    'estimate hours',
    'effort hours',
    'hours',
    'duration hours',
    'duration days',
    'estimated days',
    'est days',
    'effort days',
    'days',
    'work',
    'size',
    'duracion',
    'duracao',
    'dauer',
    'duree',
    '工期',
    '期間',
  ]),
  assignee: same('assignee', [
    'assignee',
    'assignees',
    'owner',
    'assigned to',
    'owned by',
    'members',
    'assign',
    'responsible',
    'person',
    'assignee email',
    'assignee username',
    'resource names',
    'resources',
    'resource',
    'owners',
    'who',
    'assigned',
    'responsable',
    'responsavel',
    'verantwortlich',
    'zustandig',
    '负责人',
    '担当',
    '担当者',
    'исполнитель',
  ]),
  parent: all('parent', [
    'under',
    'parent',
    'parent id',
    'parent key',
    'parent task',
    'parent task id',
    'parent issue',
    'parent item',
    'parent iid',
    'parent summary',
    'parent title',
    'parent name',
    'parent task subject',
    'epic link',
    'custom field (epic link)',
  ]),
  children: all('children', ['sub tasks', 'sub task', 'subitem', 'sub items', 'children', 'sub issues']),
  waitsFor: all('waits-for', [
    'waits for',
    'blocked by',
    'depends on',
    'predecessors',
    'predecessor',
    'dependencies',
    'dependency',
    'depends',

    'is blocked by',
    'blocked by (dependencies)',
    'inward issue link (blocks)',
    'unique id predecessors',
    'wbs predecessors',
    'prerequisites',
    'prerequisite',
    'requires',
    'deps',
    'pred',
    'preds',
    'blocker',
    'blockers',
    'waiting on',

    'predecessor ids',
    'predecessor task ids',
    'dependency ids',
    'depends on ids',
    'blocked by ids',
    'task dependencies',
    'vorganger',
    'predecesoras',
    'predecessoras',
    'dependencias',
    '依赖',
    '依存',
  ]),
  blocks: all('blocks', [
    'blocks',
    'blocking',
    'blocking (dependencies)',
    'outward issue link (blocks)',
    'successors',
    'successor',
    'unique id successors',
  ]),
  related: all('related', [
    'related',
    'related to',
    'relates to',
    'related issues',
    'related tasks',
    'inward issue link (relates)',
    'outward issue link (relates)',
    'linked issues',
    'issue links',
  ]),
  outline: one('outline', ['wbs', 'outline number', 'outline', 'wbs code', 'wbs number', 'wbs id']),
  level: one('level', ['outline level', 'level', 'indent', 'indent level', 'hierarchy level']),
} as const satisfies Record<string, ColumnRule>;

export type Column = keyof typeof NAMED_COLUMNS | PlainColumn;
const RULES: ReadonlyMap<Column, ColumnRule> = new Map<Column, ColumnRule>([
  ...(Object.entries(NAMED_COLUMNS) as [Column, ColumnRule][]).map(([column, rule]): [Column, ColumnRule] => [
    column,
    { ...rule, names: rule.names.map(columnName) },
  ]),
  ...PLAIN_COLUMNS.map((name): [Column, ColumnRule] => [name, one(name, [name.toLowerCase()])]),
]);

/** Each field with its name in `--map` and the names of its columns, for documents. */
export const COLUMN_NAMES: readonly (readonly [label: string, names: readonly string[]])[] = [
  ...Object.values(NAMED_COLUMNS).map(({ label, names }): [string, readonly string[]] => [label, names]),
  ...PLAIN_COLUMNS.map((name): [string, readonly string[]] => [name, [name]]),
];

/** Columns of people in which commas separate names. */
export const LISTS_OF_PEOPLE: ReadonlySet<string> = new Set(['resourcenames', 'resources', 'members', 'owners']);

/** The units of numbers in columns whose programs write no units. */
export const UNITS_BY_NAME: ReadonlyMap<string, DurationUnit> = new Map(
  Object.entries({
    estimatedtime: 'hour',
    estimatedhours: 'hour',
    esthours: 'hour',
    estimatehours: 'hour',
    efforthours: 'hour',
    hours: 'hour',
    durationhours: 'hour',
    durationdays: 'day',
    estimateddays: 'day',
    estdays: 'day',
    effortdays: 'day',
    days: 'day',
  } as const satisfies Record<string, DurationUnit>),
);

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
    finishTime: '17:00:00.000Z',
    // The finish follows from the plan. A deadline is a date of the author.
    unread: ['finish'],
  },
];

export function programOf(heads: readonly string[]): TableProgram | null {
  const names = new Set(heads.map(columnName));
  return PROGRAMS.find((program) => program.heads.every((head) => names.has(head))) ?? null;
}

/** A head in the form of the names above. */
export function columnName(head: string): string {
  const word = comparableWord(head.slice(0, MAXIMUM_HEAD_LENGTH)).replaceAll('.', '');
  let end = word.length;
  while (':*?'.includes(word[end - 1] ?? '.')) end--;
  return word.slice(0, end);
}

/** A head without the words in brackets at its end, such as the unit in `Duration (days)`. */
export function headParts(head: string): { readonly name: string; readonly hint: string } {
  const name = columnName(head);
  const at = name.indexOf('(');
  return at > 0 && name.endsWith(')') ? { name: name.slice(0, at), hint: name.slice(at + 1, -1) } : { name, hint: '' };
}

const ALL_NAMES: ReadonlySet<string> = new Set([...RULES.values()].flatMap(({ names }) => [...names]));

/** The number of heads that are known; 0 if none of them is a title. */
export function knownHeads(cells: readonly string[], mapped: ColumnMapping): number {
  const isKnown = (cell: string) =>
    mapped.has(columnName(cell)) || ALL_NAMES.has(columnName(cell)) || ALL_NAMES.has(headParts(cell).name);
  const titles = RULES.get('title')?.names ?? [];
  const isTitle = (cell: string) => {
    const field = mapped.get(columnName(cell));
    if (field !== undefined) return field === 'title';
    return titles.includes(columnName(cell)) || titles.includes(headParts(cell).name);
  };
  if (!cells.some((cell) => cell !== '' && isTitle(cell))) return 0;
  return cells.filter((cell) => cell !== '' && isKnown(cell)).length;
}

/** The field that the caller chose for a head, by `columnName`; null for a column that is not read. */
export type ColumnMapping = ReadonlyMap<string, Column | null>;

/** Throws an Error that names the fields. */
export function columnLabelled(label: string): Column | null {
  const word = comparableWord(label);
  if (word === 'none') return null;
  for (const [column, rule] of RULES) {
    if (comparableWord(rule.label) === word || comparableWord(column) === word) return column;
  }
  const labels = [...RULES.values()].map((rule) => rule.label);
  throw new Error(`${excerpt(label)} is not a field: it is one of ${labels.join(', ')}, none`);
}

export function labelOf(column: Column): string {
  return RULES.get(column)?.label ?? column;
}

/** The columns of each field, by their places in a row, in their order. */
export function columnsOf(
  heads: readonly string[],
  mapped: ColumnMapping,
  isFilled: (place: number) => boolean,
): ReadonlyMap<Column, readonly number[]> {
  const columns = matchedColumns(heads, mapped, isFilled);
  // A status says more than a completion.
  if (columns.has('status')) columns.delete('completed');
  return columns;
}

function matchedColumns(
  heads: readonly string[],
  mapped: ColumnMapping,
  isFilled: (place: number) => boolean,
): Map<Column, number[]> {
  const taken = new Set<number>();
  const columns = new Map<Column, number[]>();
  for (const [place, head] of heads.entries()) {
    const field = mapped.get(columnName(head));
    if (field === undefined) continue;
    taken.add(place);
    if (field !== null) columns.set(field, [...(columns.get(field) ?? []), place]);
  }
  const byName = new Map<string, number[]>();
  for (const nameOf of [columnName, (head: string) => headParts(head).name]) {
    const found = new Map<string, number[]>();
    for (const [place, head] of heads.entries()) {
      if (!taken.has(place)) found.set(nameOf(head), [...(found.get(nameOf(head)) ?? []), place]);
    }
    for (const [name, places] of found) if (!byName.has(name)) byName.set(name, places);
  }
  for (const [column, { names, reads }] of RULES) {
    if (columns.has(column)) continue;
    const free = names.flatMap((name) => {
      const places = (byName.get(name) ?? []).filter((place) => !taken.has(place));
      return places.length === 0 ? [] : [places];
    });
    const chosen = free.find((places) => places.some(isFilled)) ?? free[0];
    if (chosen === undefined) continue;
    const places = reads === 'all' ? free.flat() : reads === 'same-name' ? chosen : chosen.slice(0, 1);
    for (const place of places) taken.add(place);
    columns.set(column, [...new Set(places)]);
  }
  return columns;
}
