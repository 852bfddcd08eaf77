// The tasks that the filter and the scopes leave, for all views: the branch of a task, and the
// neighbourhood of a task. A change of a task costs as much as the task; a change of a link in a scope
// costs as much as the scopes.
import { type Entity, findNodes, type NodeSearch, type Replica, TaskgraphError } from '@taskgraph/client';
import type { GraphIndex } from './graph-index.ts';
import { type Neighbourhood, neighbourhoodOf } from './neighbourhood.ts';
import { linkOf } from './task.ts';

export interface ShownTasks {
  has(id: string): boolean;
  count(): number;
  /** Grows whenever a task enters or leaves. */
  version(): number;
  /** Calls the listener with the id of each task that enters or leaves. Returns a function that ends this. */
  subscribe(listener: (id: string) => void): () => void;
  ids(): Iterable<string>;
  /** Whether a task is in the scopes, whether or not it meets the filter. */
  inScope(id: string): boolean;
  stop(): void;
}

export interface ShownOptions {
  /** Null if there is no filter. */
  readonly search: NodeSearch | null;
  /** The task to whose branch the views are limited; null for all tasks. */
  readonly root: string | null;
  /** The task to whose neighbourhood the views are limited. */
  readonly neighbourhood?: Neighbourhood | null;
}

type FilteredReplica = Pick<Replica, 'snapshot' | 'on' | 'find' | 'username'>;
type LinkIndex = Pick<GraphIndex, 'outgoing' | 'incoming'>;

const NO_LINKS = new Map<string, Entity>();

export function createShownTasks(
  replica: FilteredReplica,
  index: LinkIndex,
  { search, root, neighbourhood = null }: ShownOptions,
): ShownTasks {
  const listeners = new Set<(id: string) => void>();
  const shown = new Set<string>();
  let branch = branchOf();
  let neighbours = neighboursNow();
  let { username } = replica;
  let version = 0;
  let areScopesStale = false;

  function branchOf(): ReadonlySet<string> | null {
    if (root === null) return null;
    try {
      return new Set(replica.find({ root }).map(({ id }) => id));
    } catch (error) {
      // The task is not visible, or the address has a text that is no id.
      if (error instanceof TaskgraphError) return new Set();
      throw error;
    }
  }
  function neighboursNow(): ReadonlySet<string> | null {
    return neighbourhood === null ? null : neighbourhoodOf({ nodes: replica.snapshot().nodes, index }, neighbourhood);
  }
  function inScope(id: string): boolean {
    return branch?.has(id) !== false && neighbours?.has(id) !== false;
  }
  function isMatch(node: Entity): boolean {
    if (!inScope(node.id)) return false;
    if (search === null) return true;
    return findNodes({ nodes: new Map([[node.id, node]]), links: NO_LINKS }, search, { username }).length > 0;
  }
  function set(id: string, isShown: boolean): void {
    if (isShown === shown.has(id)) return;
    if (isShown) shown.add(id);
    else shown.delete(id);
    version++;
    for (const listener of [...listeners]) listener(id);
  }
  function fill(): void {
    ({ username } = replica);
    const { nodes } = replica.snapshot();
    const hits = new Set<string>();
    const found = search === null ? nodes.values() : findNodes(replica.snapshot(), search, { username });
    for (const { id } of found) if (inScope(id)) hits.add(id);
    for (const id of [...shown]) if (!hits.has(id)) set(id, false);
    for (const id of hits) set(id, true);
  }
  /** The changes of one turn share one search of the scopes. */
  function updateScopes(): void {
    if (areScopesStale) return;
    areScopesStale = true;
    queueMicrotask(() => {
      areScopesStale = false;
      branch = branchOf();
      neighbours = neighboursNow();
      fill();
    });
  }
  const touches = ({ source, target }: { readonly source: string; readonly target: string }) =>
    branch?.has(target) === true || neighbours?.has(source) === true || neighbours?.has(target) === true;
  const follow = ({ node }: { readonly node: Entity }) => set(node.id, isMatch(node));
  const followLink = (link: Entity) => {
    if (touches(linkOf(link))) updateScopes();
  };
  const ends = [
    replica.on('node:added', ({ node }) => {
      const isCentre = node.id === root || node.id === neighbourhood?.id;
      if (isCentre || [...index.outgoing(node.id), ...index.incoming(node.id)].some(touches)) updateScopes();
      follow({ node });
    }),
    replica.on('node:changed', follow),
    replica.on('node:removed', ({ id }) => {
      if (branch?.has(id) === true || neighbours?.has(id) === true) updateScopes();
      set(id, false);
    }),
    replica.on('link:added', ({ link }) => followLink(link)),
    replica.on('link:changed', ({ link }) => followLink(link)),
    replica.on('link:removed', ({ before }) => followLink(before)),
    // The service tells the name of the reader, who may be an assignee.
    replica.on('state', () => {
      if (replica.username !== username) fill();
    }),
  ];
  fill();
  return {
    has: (id) => shown.has(id),
    count: () => shown.size,
    version: () => version,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ids: () => shown,
    inScope,
    stop() {
      for (const end of ends) end();
    },
  };
}

/** All tasks: the views have no filter and no scope. */
export function allTasks(replica: Pick<Replica, 'snapshot'>): ShownTasks {
  return {
    has: () => true,
    count: () => replica.snapshot().nodes.size,
    version: () => 0,
    subscribe: () => () => undefined,
    ids: () => replica.snapshot().nodes.keys(),
    inScope: () => true,
    stop: () => undefined,
  };
}
