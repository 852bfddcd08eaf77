// The view that a replica gives: its copy of the graph with pending changes laid over it, as it is at this moment, and who is told when it changes.
import type { Entity, GraphState } from '../merge-diff.ts';
import type { Unlisten } from '../session.ts';
import type { ReplicaEvents, ReplicaState } from './changes.ts';
import type { Emitter } from './emitter.ts';
import type { Kind } from './entities.ts';

/** A moment of the graph. A new one comes with each change; `nodes` and `links` always read what is shown now. */
export interface Snapshot extends GraphState {
  readonly state: ReplicaState;
  readonly revision: number;
}

export interface View {
  snapshot(): Snapshot;
  /** Calls the listener whenever what the selector gives is another than before. */
  subscribe<T>(selector: (snapshot: Snapshot) => T, listener: (value: T) => void): Unlisten;
  /** Takes in that an entity may look otherwise now. */
  touch(kind: Kind, id: string): void;
  setState(state: ReplicaState): void;
  state(): ReplicaState;
}

interface Parts {
  /** The entity as it is now, pending changes included. */
  readonly current: (kind: Kind, id: string) => Entity | undefined;
  readonly emitter: Emitter<ReplicaEvents>;
}

export function createView({ current, emitter }: Parts): View {
  const shown = { nodes: new Map<string, Entity>(), links: new Map<string, Entity>() };
  const touched = { nodes: new Set<string>(), links: new Set<string>() };
  const subscriptions = new Set<() => void>();
  let events: (() => void)[] = [];
  let isScheduled = false;
  let state: ReplicaState = 'offline';
  let revision = 0;
  let snapshot: Snapshot | null = null;

  /** Brings what is shown up to date, at once: whoever reads it sees nothing that was taken away before. */
  function settle(): void {
    for (const kind of ['nodes', 'links'] as const) {
      for (const id of touched[kind]) settleOne(kind, id);
      touched[kind].clear();
    }
  }

  function settleOne(kind: Kind, id: string): void {
    const [before, after] = [shown[kind].get(id), current(kind, id)];
    if (before === after) return;
    if (after === undefined) shown[kind].delete(id);
    else shown[kind].set(id, after);
    changed();
    events.push(() => tell(emitter, kind, id, { before, after }));
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
      settle();
      const due = events;
      events = [];
      for (const emit of due) emit();
      for (const check of [...subscriptions]) check();
    });
  }

  const readonly = (kind: Kind): ReadonlyMap<string, Entity> => readingMap(shown[kind], settle);
  function take(): Snapshot {
    settle();
    snapshot ??= { nodes: readonly('nodes'), links: readonly('links'), state, revision };
    return snapshot;
  }

  return {
    snapshot: take,
    subscribe(selector, listener) {
      let last = selector(take());
      const check = () => {
        const value = selector(take());
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

interface Step {
  readonly before: Entity | undefined;
  readonly after: Entity | undefined;
}

function tell({ emit }: Emitter<ReplicaEvents>, kind: Kind, id: string, { before, after }: Step): void {
  if (kind === 'nodes') {
    if (after !== undefined && before !== undefined) emit('node:changed', { node: after, before });
    else if (after !== undefined) emit('node:added', { node: after });
    else if (before !== undefined) emit('node:removed', { id, before });
  } else if (after !== undefined && before !== undefined) emit('link:changed', { link: after, before });
  else if (after !== undefined) emit('link:added', { link: after });
  else if (before !== undefined) emit('link:removed', { id, before });
}

/** A map for readers that is brought up to date before each look. */
function readingMap<K, V>(map: ReadonlyMap<K, V>, before: () => void): ReadonlyMap<K, V> {
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
