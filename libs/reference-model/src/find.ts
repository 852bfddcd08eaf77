// The hits of a search, by brute force over all nodes that the reader sees. Rules: FIND1 to FIND5.
import type { PageLink, WireNode } from '@taskgraph/wire/entities';
import { branchOf, graphOf, linksSeenBy } from './reads.ts';
import type { ReadRefusal } from './rules/reader-view.ts';
import type { ModelState, ModelUser } from './state.ts';

type Values = readonly string[] | { readonly all: readonly string[] };
interface Range<T> {
  readonly from?: T;
  readonly to?: T;
  readonly min?: T;
  readonly max?: T;
}

/** The conditions of a search. Times are in UTC with milliseconds. */
export interface ModelConditions {
  readonly id?: readonly string[];
  readonly title?: readonly string[];
  readonly status?: readonly number[];
  readonly tag?: Values;
  readonly assignee?: Values;
  readonly owner?: string;
  readonly priority?: Range<number>;
  readonly volume?: Range<number>;
  readonly due?: Range<string> | 'none';
  readonly overdue?: boolean;
  readonly created?: Range<string>;
  readonly edited?: Range<string>;
  readonly completed?: Range<string>;
  readonly ready?: boolean;
  readonly blocked?: boolean;
  readonly blocks?: string;
  readonly waitsFor?: string;
  readonly leaf?: boolean;
  readonly top?: boolean;
  readonly unlinked?: boolean;
  readonly level?: readonly number[];
  readonly published?: boolean;
}

export interface ModelSearch {
  readonly root?: string;
  readonly text?: string;
  readonly where?: ModelConditions & { readonly any?: readonly ModelConditions[] };
  readonly sort?: 'due' | 'priority' | 'edited' | 'created' | 'completed' | 'title';
  readonly order?: 'asc' | 'desc';
}

const COMPLETED = 3;
const BLOCKED = 2;
const PRIMARY = 0;
const OWNER = 0;

/** All hits in order, or the refusal of the branch. */
export function findIn(
  state: ModelState,
  user: ModelUser,
  { root, text = '', where = {}, sort, order }: ModelSearch,
  now: string,
): WireNode[] | ReadRefusal {
  const base = root === undefined ? graphOf(state, user, now) : branchOf(state, user, root, now);
  if ('error' in base) return base;
  // In a branch, links to all visible nodes count: the reader may have hidden their grants.
  const links = root === undefined ? base.links : linksSeenBy(state, user, now);
  const { any, ...all } = where;
  const hits = base.nodes
    .filter((node) => meets(all, node, links, user, now))
    .filter((node) => any === undefined || any.some((one) => meets(one, node, links, user, now)))
    .map((node) => ({ node, rank: rank(words(text), node) }))
    .filter(({ rank }) => rank < 3);
  return hits
    .sort((a, b) => {
      if (sort === undefined) {
        return (
          a.rank - b.rank || compare(b.node.lastEditedTime, a.node.lastEditedTime) || compare(a.node.id, b.node.id)
        );
      }
      const [one, other] = [sortValue(a.node, sort), sortValue(b.node, sort)];
      if (one === null || other === null)
        return Number(one === null) - Number(other === null) || compare(a.node.id, b.node.id);
      const by = sort === 'title' ? new Intl.Collator('en').compare(String(one), String(other)) : compare(one, other);
      return (order === 'desc' ? -by : by) || compare(a.node.id, b.node.id);
    })
    .map(({ node }) => node);
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}

function sortValue(node: WireNode, sort: NonNullable<ModelSearch['sort']>): string | number | null {
  if (sort === 'due') return node.dueDate;
  if (sort === 'priority') return node.priority;
  if (sort === 'edited') return node.lastEditedTime;
  if (sort === 'created') return node.createdTime;
  return sort === 'completed' ? node.completedTime : node.title;
}

function meets(
  conditions: ModelConditions,
  node: WireNode,
  links: readonly PageLink[],
  user: ModelUser,
  now: string,
): boolean {
  const { tag, assignee, owner, due } = conditions;
  const isOpen = node.status !== COMPLETED;
  const blocksTo = (source: string, target: string) =>
    links.some((link) => link.type === PRIMARY && link.source === source && link.target === target);
  const facts: readonly [condition: unknown, holds: boolean][] = [
    [conditions.id, conditions.id?.some((end) => node.id.split('-').join('').endsWith(end)) === true],
    [conditions.title, conditions.title?.some((title) => plain(title) === plain(node.title)) === true],
    [conditions.status, conditions.status?.includes(node.status) === true],
    [tag, has(tag, node.tags, null)],
    [assignee, has(assignee, node.assignee ?? [], user.username)],
    [owner, owner === 'me' ? node.access === OWNER : node.ownerUsername === owner],
    [conditions.priority, within(conditions.priority, node.priority)],
    [conditions.volume, within(conditions.volume, node.volume)],
    [due, due === 'none' ? node.dueDate === null : within(due, node.dueDate)],
    [conditions.overdue, (isOpen && node.dueDate !== null && node.dueDate < now) === conditions.overdue],
    [conditions.created, within(conditions.created, node.createdTime)],
    [conditions.edited, within(conditions.edited, node.lastEditedTime)],
    [conditions.completed, within(conditions.completed, node.completedTime)],
    [conditions.ready, (isOpen && node.status !== BLOCKED) === conditions.ready],
    [conditions.blocked, (node.status === BLOCKED) === conditions.blocked],
    [conditions.blocks, blocksTo(node.id, conditions.blocks ?? '')],
    [conditions.waitsFor, blocksTo(conditions.waitsFor ?? '', node.id)],
    [conditions.leaf, !links.some(({ type, target }) => type === PRIMARY && target === node.id) === conditions.leaf],
    [conditions.top, !links.some(({ type, source }) => type === PRIMARY && source === node.id) === conditions.top],
    [
      conditions.unlinked,
      !links.some(({ source, target }) => source === node.id || target === node.id) === conditions.unlinked,
    ],
    [conditions.level, conditions.level?.includes(node.access ?? -1) === true],
    [conditions.published, (typeof node.publicToken === 'string') === conditions.published],
  ];
  return facts.every(([condition, holds]) => condition === undefined || holds);
}

function has(condition: Values | undefined, values: readonly string[], me: string | null): boolean {
  if (condition === undefined) return true;
  const named = (value: string) => values.includes(value) || (value === 'me' && me !== null && values.includes(me));
  return 'all' in condition ? condition.all.every(named) : condition.some(named);
}

function within<T extends string | number>(range: Range<T> | 'none' | undefined, value: T | null): boolean {
  if (range === undefined || range === 'none') return true;
  const [low, high] = [range.from ?? range.min, range.to ?? range.max];
  return value !== null && (low === undefined || value >= low) && (high === undefined || value <= high);
}

/** A text without marks, case and outer spaces. */
function plain(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}

/** Words of letters and digits without marks and case. */
function words(text: string): string[] {
  return plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** 0 to 2: the rank of the lowest-ranked word. 3: a word is missing. */
function rank(wanted: readonly string[], { title, tags, description }: WireNode): number {
  const places = [words(title), tags.flatMap(words), words(description)];
  const ranks = wanted.map((word) => {
    const place = places.findIndex((some) => some.some((one) => one.startsWith(word)));
    return place < 0 ? 3 : place;
  });
  return Math.max(0, ...ranks);
}
