// The list of `ls`: the nodes that meet its conditions, in the order that the user chooses. Days
// are in the user's time zone, and words match as everywhere on the command line. Rules: FIND10,
// IO6, IO7.
import { compareText, dayOf, dueMs, foldText } from '@taskgraph/client';
import type { Graph, Task } from './graph.ts';
import { Status, sortNodes } from './queries.ts';

export const SORT_FIELDS = ['due', 'priority', 'edited', 'created', 'completed', 'title'] as const;
export type SortField = (typeof SORT_FIELDS)[number];

/** The conditions, all of which a node must meet. */
export interface NodeFilter {
  readonly status?: number | undefined;
  readonly tag?: string | undefined;
  /** `me` also means the user. */
  readonly assignee?: string | undefined;
  /** The latest due date; null for nodes without one. */
  readonly due?: string | null | undefined;
  /** Whether an open node is past its due date. */
  readonly overdue?: boolean | undefined;
}

export interface NodeOrder {
  /** Default: by due date, then by priority, then by title. */
  readonly sort?: SortField | undefined;
  readonly isDescending?: boolean | undefined;
}

/** `nowMs` is the present in milliseconds. */
export function listIn(
  graph: Graph,
  filter: NodeFilter,
  { sort, isDescending = false }: NodeOrder,
  nowMs: number,
): Task[] {
  const { status, tag, assignee, due, overdue } = filter;
  const isTagged = (node: Task, wanted: string) => node.tags.some((each) => foldText(each) === wanted);
  const conditions: readonly ((node: Task) => boolean)[] = [
    ...(status === undefined ? [] : [(node: Task) => node.status === status]),
    ...(tag === undefined ? [] : [(node: Task) => isTagged(node, foldText(tag))]),
    ...(assignee === undefined ? [] : [isAssignedTo(assignee, graph.username)]),
    ...(due === undefined ? [] : [isDueBy(due)]),
    ...(overdue === true ? [(node: Task) => isOverdue(node, nowMs)] : []),
  ];
  const nodes = sortNodes([...graph.nodes.values()].filter((node) => conditions.every((holds) => holds(node))));
  return sort === undefined ? nodes : sortBy(nodes, sort, isDescending);
}

/** Whether the words mean the user. */
export function isMe(assignee: string): boolean {
  return foldText(assignee) === 'me';
}

function isAssignedTo(assignee: string, username: string | null) {
  const names = new Set([foldText(assignee), ...(isMe(assignee) && username !== null ? [foldText(username)] : [])]);
  return (node: Task) => (node.assignee ?? []).some((each) => names.has(foldText(each)));
}

/** A day lasts until its last millisecond. */
function isDueBy(latest: string | null) {
  if (latest === null) return ({ dueDate }: Task) => dueDate === null;
  const latestMs = dueMs(latest) + (dayOf(latest) === null ? 0 : 999);
  return ({ dueDate }: Task) => dueDate !== null && dueMs(dueDate) <= latestMs;
}

function isOverdue({ status, dueDate }: Task, nowMs: number): boolean {
  return status !== Status.COMPLETED && dueDate !== null && dueMs(dueDate) < nowMs;
}

const VALUES: { readonly [Field in SortField]: (node: Task) => number | string | null } = {
  due: ({ dueDate }) => (dueDate === null ? null : dueMs(dueDate)),
  priority: ({ priority }) => priority,
  edited: ({ lastEditedTime }) => lastEditedTime,
  created: ({ createdTime }) => createdTime,
  completed: ({ completedTime }) => completedTime,
  title: ({ title }) => title,
};

/**
 * Nodes without the value come last in both directions. Nodes with the same value stay in their
 * order.
 */
function sortBy(nodes: readonly Task[], sort: SortField, isDescending: boolean): Task[] {
  const direction = isDescending ? -1 : 1;
  const compare = (one: number | string, other: number | string) =>
    sort === 'title' ? compareText(String(one), String(other)) : one < other ? -1 : Number(one > other);
  return nodes
    .map((node) => ({ node, value: VALUES[sort](node) }))
    .sort((one, other) =>
      one.value === null || other.value === null
        ? Number(one.value === null) - Number(other.value === null)
        : direction * compare(one.value, other.value),
    )
    .map(({ node }) => node);
}
