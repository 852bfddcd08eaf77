// The searches of a replica: the hits of node:find, computed on the copy, and their watchers. Rule:
// FIND9.
import { type FindableLinks, type FindContext, readsLinks } from '@taskgraph/domain/find/conditions';
import { createFinder, type Place, type SearchableNode } from '@taskgraph/domain/find/search';
import { type FoldedTexts, foldTexts } from '@taskgraph/domain/find/text-match';
import { TaskgraphError } from '../error.ts';
import type { Entity, GraphState } from '../merge-diff.ts';
import type { Unsubscribe } from '../session.ts';
import { branchNodes } from './branch-nodes.ts';
import type { Emitter } from './emitter.ts';
import type { ReplicaEvents } from './replica-events.ts';
import { checkSearch, type NodeSearch, type ValidSearch } from './search-check.ts';
import type { Snapshot } from './view.ts';

/** The user who searches, and the time of the search. */
export interface SearchContext {
  /** Null if it is unknown: then no assignee is `me`. */
  readonly username: string | null;
  /** ISO 8601 in UTC with milliseconds. Default: the present. */
  readonly now?: string;
}

export interface SearchMethods {
  /**
   * Returns all hits of a search in the present content, in the order of `node:find`. Makes no
   * call. Throws a TaskgraphError with the code of `node:find`.
   */
  find(search?: NodeSearch): Entity[];
  /**
   * Calls the listener with all hits whenever the list or a field of a hit changes, and with null
   * while the root is missing. The new list lacks nodes that are no longer hits. `overdue` is
   * judged only when something changes: the passing of time calls no listener. Throws like `find`,
   * except for a missing root. Returns a function that ends the watching.
   */
  watchFind(search: NodeSearch, listener: (hits: readonly Entity[] | null) => void): Unsubscribe;
}

/** The part of a replica that searches need. */
interface SearchableReplica {
  readonly snapshot: () => Snapshot;
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unsubscribe;
  on: Emitter<ReplicaEvents>['on'];
  readonly username: () => string | null;
}

/** The search methods of a replica. */
export function searchMethodsOf(replica: SearchableReplica): SearchMethods {
  return {
    find: (search = {}) => findNodes(replica.snapshot(), search, { username: replica.username() }),
    watchFind: (search, listener) => watchHits(replica, search, listener),
  };
}

/**
 * All hits of a search in a graph, in the order of `node:find`. Throws a TaskgraphError with the
 * code of `node:find`.
 */
export function findNodes(graph: GraphState, search: NodeSearch, context: SearchContext): Entity[] {
  return hitsIn(graph, checkSearch(search), context);
}

/** A name that no user and no assignee has: texts have no NUL. */
const UNKNOWN_NAME = '\0';
const VIEWER = 3;
const PRIMARY = 0;

function hitsIn(graph: GraphState, { root, ...search }: ValidSearch, context: SearchContext): Entity[] {
  const { username, now = new Date().toISOString() } = context;
  const finder = createFinder(search);
  const links = readsLinks(search.where ?? {}) ? findableLinks(graph) : null;
  const findContext = { now, username: username ?? UNKNOWN_NAME, links };
  const hits: { readonly node: Entity; readonly place: Place }[] = [];
  for (const node of root === undefined ? graph.nodes.values() : branchNodes(graph, root)) {
    const place = finder.placeOf(searchable(node, findContext), findContext);
    if (place !== null) hits.push({ node, place });
  }
  return hits.sort((one, other) => finder.compare(one.place, other.place)).map(({ node }) => node);
}

/** Entities are immutable, so their texts are folded once. */
const TEXTS = new WeakMap<Entity, FoldedTexts>();

function textsOf(entity: Entity): FoldedTexts {
  const known = TEXTS.get(entity);
  if (known !== undefined) return known;
  const { title, tags, description } = entity as unknown as FoldedTexts;
  const texts = foldTexts({ title, tags, description });
  TEXTS.set(entity, texts);
  return texts;
}

/** The fields that a reader may not see, or that only the service sets. */
type Missable = 'assignee' | 'ownerUsername' | 'access' | 'createdTime' | 'lastEditedTime' | 'completedTime';
type ShownNode = Omit<SearchableNode, Missable> & Partial<Pick<SearchableNode, Missable>>;

/**
 * A node that the service has not created yet belongs to the reader, and has the present times.
 * Readers without an account see no names.
 */
function searchable(entity: Entity, { now, username }: FindContext): SearchableNode {
  const node = entity as unknown as ShownNode;
  const { id, title, status, tags, assignee = [], priority, volume, dueDate } = node;
  const { createdTime = now, lastEditedTime = now, completedTime = null } = node;
  const { ownerUsername = username, access = VIEWER, publicToken } = node;
  return {
    id,
    title,
    status,
    tags,
    assignee,
    priority,
    volume,
    dueDate,
    createdTime,
    lastEditedTime,
    completedTime,
    ownerUsername,
    access,
    publicToken,
    // Folded only on demand: few searches read the texts of all nodes.
    get texts() {
      return textsOf(entity);
    },
  };
}

/** The links whose ends are both in the graph. */
function findableLinks({ nodes, links }: GraphState): FindableLinks {
  const [linked, blocked, blocking] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const pairs = new Set<string>();
  for (const link of links.values()) {
    const [source, target] = [String(link.source), String(link.target)];
    if (!nodes.has(source) || !nodes.has(target)) continue;
    linked.add(source).add(target);
    if (link.type !== PRIMARY) continue;
    blocked.add(target);
    blocking.add(source);
    pairs.add(`${source} ${target}`);
  }
  return {
    isLeaf: (id) => !blocked.has(id),
    isTop: (id) => !blocking.has(id),
    isUnlinked: (id) => !linked.has(id),
    isBlocker: (source, target) => pairs.has(`${source} ${target}`),
  };
}

/** Searches once for all changes of one turn, and only if one of them can change the hits. */
function watchHits(
  { subscribe, on, username }: SearchableReplica,
  search: NodeSearch,
  listener: (hits: readonly Entity[] | null) => void,
): Unsubscribe {
  const valid = checkSearch(search);
  const isOnLinks = valid.root !== undefined || readsLinks(valid.where ?? {});
  let isStale = true;
  let last: readonly Entity[] | null = null;
  const stale = () => {
    isStale = true;
  };
  // A change of the state may make the user's name known.
  const kinds = ['state', 'node:added', 'node:changed', 'node:removed'] as const;
  const ends = kinds.map((kind) => on(kind, stale));
  if (isOnLinks) for (const kind of ['link:added', 'link:changed', 'link:removed'] as const) ends.push(on(kind, stale));
  const select = (snapshot: Snapshot) => {
    if (!isStale) return last;
    isStale = false;
    const hits = hitsOrNull(snapshot, valid, { username: username() });
    if (!isSame(last, hits)) last = hits;
    return last;
  };
  ends.push(subscribe(select, listener));
  return () => {
    for (const end of ends) end();
  };
}

function hitsOrNull(snapshot: Snapshot, search: ValidSearch, context: SearchContext): Entity[] | null {
  try {
    return hitsIn(snapshot, search, context);
  } catch (error) {
    if (error instanceof TaskgraphError) return null;
    throw error;
  }
}

function isSame(one: readonly Entity[] | null, other: readonly Entity[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((entity, index) => entity === other[index]);
}
