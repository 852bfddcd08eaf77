// The conditions of a search, and whether a node meets them. Pure, so that workers and replicas
// find the same nodes. Rules: FIND2, FIND6.
import { Level, Status } from '@taskgraph/wire/codes';
import { foldText } from './fold-text.ts';
import type { FoldedTexts } from './text-match.ts';

/** The part of a node that conditions read, as its reader sees it. */
export interface FindableNode {
  readonly id: string;
  readonly texts: FoldedTexts;
  readonly status: Status;
  readonly tags: readonly string[];
  readonly assignee: readonly string[];
  readonly priority: number;
  readonly volume: number;
  /** Times are ISO 8601 in UTC with milliseconds, which sort as texts. */
  readonly dueDate: string | null;
  readonly createdTime: string;
  readonly lastEditedTime: string;
  readonly completedTime: string | null;
  readonly ownerUsername: string;
  /** The reader's level. */
  readonly access: Level;
  /** Undefined or null if the reader does not see one. */
  readonly publicToken?: string | null | undefined;
}

/** The links of nodes, as the reader sees them. Only active links count. */
export interface FindableLinks {
  /** Whether no primary link leads to the node. */
  isLeaf(id: string): boolean;
  /** Whether no primary link leads from the node. */
  isTop(id: string): boolean;
  /** Whether no link touches the node. */
  isUnlinked(id: string): boolean;
  /** Whether a primary link leads from the first node to the second. */
  isBlocker(source: string, target: string): boolean;
}

export interface FindContext {
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: string;
  readonly username: string;
  /** Null while the links are unknown: every node then meets conditions on links. */
  readonly links: FindableLinks | null;
}

/** Both bounds are inclusive. */
export interface NumberRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Both bounds are inclusive. */
export interface TimeRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Any of the values, or all of them. */
export type ValueCondition = readonly string[] | { readonly all: readonly string[] };

/** Conditions, all of which a node must meet. Every node meets a missing condition. */
export interface Conditions {
  /** Ends of ids, without hyphens. */
  readonly id?: readonly string[] | undefined;
  /** Whole titles, compared as words (IO7). */
  readonly title?: readonly string[] | undefined;
  readonly status?: readonly number[] | undefined;
  readonly tag?: ValueCondition | undefined;
  readonly assignee?: ValueCondition | undefined;
  /** A username, or `me`. */
  readonly owner?: string | undefined;
  readonly priority?: NumberRange | undefined;
  readonly volume?: NumberRange | undefined;
  readonly due?: TimeRange | 'none' | undefined;
  /** Whether the due date of an open node has passed. */
  readonly overdue?: boolean | undefined;
  readonly created?: TimeRange | undefined;
  readonly edited?: TimeRange | undefined;
  readonly completed?: TimeRange | undefined;
  /** Whether the node is neither Blocked nor Completed (PLAN3). */
  readonly ready?: boolean | undefined;
  readonly blocked?: boolean | undefined;
  /** The id of a node that it blocks. */
  readonly blocks?: string | undefined;
  /** The id of a node that it waits for. */
  readonly waitsFor?: string | undefined;
  readonly leaf?: boolean | undefined;
  readonly top?: boolean | undefined;
  readonly unlinked?: boolean | undefined;
  readonly level?: readonly number[] | undefined;
  readonly published?: boolean | undefined;
}

/** Conditions, and alternatives, at least one of which a node must meet. */
export interface Where extends Conditions {
  readonly any?: readonly Conditions[] | undefined;
}

type Test<Name extends keyof Conditions> = (
  value: NonNullable<Conditions[Name]>,
  node: FindableNode,
  context: FindContext,
) => boolean;

const TESTS: { readonly [Name in keyof Required<Conditions>]: Test<Name> } = {
  id: (ends, { id }) => endsWithOne(id.replaceAll('-', ''), ends),
  title: (titles, { texts }) => foldedTitles(titles).has(texts.title.trim()),
  status: (values, { status }) => values.includes(status),
  tag: (values, { tags }) => hasValues(values, tags),
  assignee: (values, { assignee }, { username }) => hasValues(values, assignee, username),
  // Several users may have the same name.
  owner: (value, { ownerUsername, access }) => (value === 'me' ? access === Level.OWNER : ownerUsername === value),
  priority: (range, { priority }) => isInRange(range, priority),
  volume: (range, { volume }) => isInRange(range, volume),
  due: (range, { dueDate }) => (range === 'none' ? dueDate === null : isInTime(range, dueDate)),
  overdue: (value, node, { now }) => isOverdue(node, now) === value,
  created: (range, { createdTime }) => isInTime(range, createdTime),
  edited: (range, { lastEditedTime }) => isInTime(range, lastEditedTime),
  completed: (range, { completedTime }) => isInTime(range, completedTime),
  ready: (value, { status }) => (status === Status.AVAILABLE || status === Status.IN_PROGRESS) === value,
  blocked: (value, { status }) => (status === Status.BLOCKED) === value,
  blocks: (target, { id }, { links }) => links === null || links.isBlocker(id, target),
  waitsFor: (source, { id }, { links }) => links === null || links.isBlocker(source, id),
  leaf: (value, { id }, { links }) => links === null || links.isLeaf(id) === value,
  top: (value, { id }, { links }) => links === null || links.isTop(id) === value,
  unlinked: (value, { id }, { links }) => links === null || links.isUnlinked(id) === value,
  level: (values, { access }) => values.includes(access),
  published: (value, { publicToken }) => (typeof publicToken === 'string') === value,
};

const NAMES = Object.keys(TESTS) as (keyof Conditions)[];

/** Conditions that read the links of a node. */
const ON_LINKS = ['blocks', 'waitsFor', 'leaf', 'top', 'unlinked'] as const;

/** Whether a search reads the links of nodes. */
export function readsLinks(where: Where): boolean {
  return groupsOf(where).some((conditions) => ON_LINKS.some((name) => conditions[name] !== undefined));
}

/** Whether a search reads the folded titles of nodes. */
export function readsTitles(where: Where): boolean {
  return groupsOf(where).some(({ title }) => title !== undefined);
}

/** The ids of the nodes that a search names in conditions on links. */
export function neighborsIn(where: Where): string[] {
  const ids = groupsOf(where).flatMap(({ blocks, waitsFor }) => [blocks, waitsFor]);
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function groupsOf({ any = [], ...all }: Where): readonly Conditions[] {
  return [all, ...any];
}

/** Whether a node meets all conditions, and one of the alternatives if there are any. */
export function meets(where: Where, node: FindableNode, context: FindContext): boolean {
  if (!meetsAll(where, node, context)) return false;
  return where.any === undefined || where.any.some((conditions) => meetsAll(conditions, node, context));
}

function meetsAll(conditions: Conditions, node: FindableNode, context: FindContext): boolean {
  return NAMES.every((name) => {
    const value = conditions[name];
    return value === undefined || (TESTS[name] as Test<typeof name>)(value as never, node, context);
  });
}

const FOLDED_TITLES = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The titles of a condition in folded form, once for all nodes of a search. */
function foldedTitles(titles: readonly string[]): ReadonlySet<string> {
  const known = FOLDED_TITLES.get(titles);
  if (known !== undefined) return known;
  const folded = new Set(titles.map((title) => foldText(title).trim()));
  FOLDED_TITLES.set(titles, folded);
  return folded;
}

function endsWithOne(digits: string, ends: readonly string[]): boolean {
  return ends.some((end) => digits.endsWith(end));
}

/** `me` among the values also means the reader's username. */
function hasValues(condition: ValueCondition, values: readonly string[], me?: string): boolean {
  const has = (value: string) => values.includes(value) || (me !== undefined && value === 'me' && values.includes(me));
  return 'all' in condition ? condition.all.every(has) : (condition as readonly string[]).some(has);
}

function isInRange({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: NumberRange, value: number) {
  return value >= min && value <= max;
}

/** A missing time is in no range. */
function isInTime({ from, to }: TimeRange, time: string | null): boolean {
  return time !== null && (from === undefined || time >= from) && (to === undefined || time <= to);
}

function isOverdue({ status, dueDate }: FindableNode, now: string): boolean {
  return status !== Status.COMPLETED && dueDate !== null && dueDate < now;
}
