// The filter of the views as a text, such as `status:open tag:web assignee:me late: words`. The text
// is in the address and in the search field. Words without a known condition are search words.
import { findNodes, type NodeSearch, TaskgraphError } from '@taskgraph/client';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS } from './task.ts';

export interface Filter {
  /** A task has one of them. Each list is empty if there is no such condition. */
  readonly statuses: readonly number[];
  readonly tags: readonly string[];
  readonly assignees: readonly string[];
  /** Whether the due date must have passed. */
  readonly isLate: boolean;
  readonly words: string;
}

export const NO_FILTER: Filter = { statuses: [], tags: [], assignees: [], isLate: false, words: '' };

/** The words for statuses; the first one of a status is printed. */
const STATUSES: ReadonlyMap<string, readonly number[]> = new Map([
  ['open', [AVAILABLE, IN_PROGRESS, BLOCKED]],
  ['available', [AVAILABLE]],
  ['progress', [IN_PROGRESS]],
  ['blocked', [BLOCKED]],
  ['completed', [COMPLETED]],
  ['started', [IN_PROGRESS]],
  ['done', [COMPLETED]],
]);

/** Words with a quoted part; two quotes in it stand for one. */
const TOKENS = /(?:[^\s"]|"(?:[^"]|"")*"?)+/g;
const CONDITION = /^(status|tag|assignee|late):(.*)$/is;
const NEEDS_QUOTES = /[\s"]/;

const NO_TASKS = { nodes: new Map(), links: new Map() };

export function parseFilter(text: string): Filter {
  const statuses = new Set<number>();
  const [tags, assignees] = [new Set<string>(), new Set<string>()];
  const words: string[] = [];
  let isLate = false;
  for (const token of text.match(TOKENS) ?? []) {
    const [, name = '', quoted = ''] = CONDITION.exec(token) ?? [];
    const value = unquote(quoted);
    const named = STATUSES.get(value.toLowerCase());
    // A condition without a value is one that the reader is still writing.
    if (name === '') words.push(token);
    else if (name.toLowerCase() === 'late') isLate = true;
    else if (value === '') continue;
    else if (name.toLowerCase() === 'tag') tags.add(value);
    else if (name.toLowerCase() === 'assignee') assignees.add(value);
    else if (named === undefined) words.push(token);
    else for (const status of named) statuses.add(status);
  }
  return {
    statuses: [...statuses].sort((one, other) => one - other),
    tags: [...tags],
    assignees: [...assignees],
    isLate,
    words: words.join(' '),
  };
}

export function printFilter({ statuses, tags, assignees, isLate, words }: Filter): string {
  return [
    ...statusWords(statuses).map((word) => `status:${word}`),
    ...tags.map((tag) => `tag:${quote(tag)}`),
    ...assignees.map((assignee) => `assignee:${quote(assignee)}`),
    ...(isLate ? ['late:'] : []),
    words,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The search of a filter; null without any condition. */
export function searchOf({ statuses, tags, assignees, isLate, words }: Filter): NodeSearch | null {
  const where: NonNullable<NodeSearch['where']> = {};
  if (statuses.length > 0) where.status = [...statuses] as never;
  if (tags.length > 0) where.tag = [...tags];
  if (assignees.length > 0) where.assignee = [...assignees];
  if (isLate) where.overdue = true;
  if (words !== '') return { text: words, where };
  return Object.keys(where).length === 0 ? null : { where };
}

/** Whether a filter has more than a search may have (FIND2, FIND4): the replica would refuse it. */
export function isTooLong(filter: Filter): boolean {
  try {
    findNodes(NO_TASKS, searchOf(filter) ?? {}, { username: null });
    return false;
  } catch (error) {
    if (error instanceof TaskgraphError) return true;
    throw error;
  }
}

function statusWords(statuses: readonly number[]): string[] {
  const open = STATUSES.get('open') ?? [];
  const isOpen = open.every((status) => statuses.includes(status));
  const others = isOpen ? statuses.filter((status) => !open.includes(status)) : statuses;
  const single = [...STATUSES].filter(([, named]) => named.length === 1);
  const words = others.map((status) => single.find(([, [named]]) => named === status)?.[0] ?? '');
  return isOpen ? ['open', ...words] : words;
}

function quote(value: string): string {
  return NEEDS_QUOTES.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Without its quotes. A missing one at the end is still to be written. */
function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const end = text.length > 1 && text.endsWith('"') ? -1 : undefined;
  return text.slice(1, end).replaceAll('""', '"').trim();
}
