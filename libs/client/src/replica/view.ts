// The view of a replica: its copy of the graph with the pending changes over it, and the
// subscribers that receive changes. Reading always refreshes first, so a removed entity is never
// shown.
import type { Entity, GraphState } from '../merge-diff.ts';
import type { Unsubscribe } from '../session.ts';
import type { Emitter } from './emitter.ts';
import type { Kind } from './entities.ts';
import type { ReplicaEvents, ReplicaState } from './replica-events.ts';

/**
 * A revision of the graph. Each change creates another one, but `nodes` and `links` always show the
 * current graph.
 */
export interface Snapshot extends GraphState {
  readonly state: ReplicaState;
  readonly revision: number;
}

export interface View {
  snapshot(): Snapshot;
  /** Calls the listener whenever the selector returns another value (`Object.is`). */
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unsubscribe;
  /** Marks an entity that may have changed. */
  touch(kind: Kind, id: string): void;
  setState(state: ReplicaState): void;
  state(): ReplicaState;
}

interface ViewDependencies {
  /** The entity with the pending changes. */
  readonly current: (kind: Kind, id: string) => Entity | undefined;
  readonly emitter: Emitter<ReplicaEvents>;
}

export function createView({ current, emitter }: ViewDependencies): View {
  const shown = { nodes: new Map<string, Entity>(), links: new Map<string, Entity>() };
  const touched = { nodes: new Set<string>(), links: new Set<string>() };
  const subscriptions = new Set<() => void>();
  let events: (() => void)[] = [];
  let isScheduled = false;
  let state: ReplicaState = 'offline';
  let revision = 0;
  let snapshot: Snapshot | null = null;

  function refresh(): void {
    // Each access to a map comes here.
    if (touched.nodes.size === 0 && touched.links.size === 0) return;
    for (const kind of ['nodes', 'links'] as const) {
      for (const id of touched[kind]) refreshOne(kind, id);
      touched[kind].clear();
    }
  }

  function refreshOne(kind: Kind, id: string): void {
    const [before, after] = [shown[kind].get(id), current(kind, id)];
    if (before === after) return;
    if (after === undefined) shown[kind].delete(id);
    else shown[kind].set(id, after);
    changed();
    events.push(() => emitChange(emitter, kind, id, before, after));
  }

  function changed(): void {
    revision++;
    snapshot = null;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      refresh();
      const due = events;
      events = [];
      for (const emit of due) emit();
      for (const check of [...subscriptions]) check();
    });
  }

  const readonly = (kind: Kind): ReadonlyMap<string, Entity> => refreshedMap(shown[kind], refresh);
  function takeSnapshot(): Snapshot {
    refresh();
    snapshot ??= { nodes: readonly('nodes'), links: readonly('links'), state, revision };
    return snapshot;
  }

  return {
    snapshot: takeSnapshot,
    subscribe(selector, listener) {
      let last = selector(takeSnapshot());
      const check = () => {
        const value = selector(takeSnapshot());
        if (Object.is(value, last)) return;
        last = value;
        listener(value);
      };
      subscriptions.add(check);
      return () => void subscriptions.delete(check);
    },
    touch(kind, id) {
      touched[kind].add(id);
      schedule();
    },
    setState(next) {
      if (next === state) return;
      const before = state;
      state = next;
      changed();
      events.push(() => emitter.emit('state', { state: next, before }));
      schedule();
    },
    state: () => state,
  };
}

function emitChange(
  { emit }: Emitter<ReplicaEvents>,
  kind: Kind,
  id: string,
  before: Entity | undefined,
  after: Entity | undefined,
): void {
  const name = kind === 'nodes' ? 'node' : 'link';
  // The computed property hides the field's name from the compiler.
  if (before === undefined) emit(`${name}:added`, { [name]: after } as never);
  else if (after === undefined) emit(`${name}:removed`, { id, before });
  else emit(`${name}:changed`, { [name]: after, before } as never);
}

/** A read-only map that is refreshed before each access. */
function refreshedMap<K, V>(map: ReadonlyMap<K, V>, before: () => void): ReadonlyMap<K, V> {
  const now = () => {
    before();
    return map;
  };
  return {
    get size() {
      return now().size;
    },
    get: (key) => now().get(key),
    has: (key) => now().has(key),
    keys: () => now().keys(),
    values: () => now().values(),
    entries: () => now().entries(),
    forEach(act) {
      for (const [key, value] of now()) act(value, key, map);
    },
    [Symbol.iterator]: () => now().entries(),
  };
}
