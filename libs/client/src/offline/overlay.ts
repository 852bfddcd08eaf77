// The pending changes over the copy of the graph, in the order of their commands.
import type { Entity } from '../merge-diff.ts';
import type { Patch } from './optimistic-patches.ts';

type Kind = Patch['kind'];

export interface Overlay {
  /** Puts a command's changes on top, in place of its earlier ones. */
  set(key: string, patches: readonly Patch[]): void;
  /** Removes a command's changes. */
  remove(key: string): void;
  /** Removes the changes of these commands on an entity and on links on it. */
  removeEntity(id: string, keys: Iterable<string>): void;
  apply(kind: Kind, id: string, entity: Entity | undefined): Entity | undefined;
}

export function createOverlay(touched: (kind: Kind, id: string) => void): Overlay {
  const commands = new Map<string, readonly Patch[]>();
  const byId = new Map<string, Set<string>>();
  const remove = (key: string) => {
    const patches = commands.get(key) ?? [];
    commands.delete(key);
    for (const { kind, id } of patches) {
      const keys = byId.get(id);
      keys?.delete(key);
      if (keys?.size === 0) byId.delete(id);
      touched(kind, id);
    }
  };
  const set = (key: string, patches: readonly Patch[]) => {
    const known = commands.get(key);
    if (known !== undefined) remove(key);
    if (patches.length === 0) return;
    commands.set(key, patches);
    for (const { kind, id } of patches) {
      byId.set(id, (byId.get(id) ?? new Set()).add(key));
      touched(kind, id);
    }
  };
  return {
    set,
    remove,
    removeEntity(id, keys) {
      for (const key of keys) {
        const patches = commands.get(key);
        const isOf = ({ id: own, ends }: Patch) => own === id || ends?.includes(id) === true;
        if (patches?.some(isOf))
          set(
            key,
            patches.filter((patch) => !isOf(patch)),
          );
      }
    },
    apply(kind, id, entity) {
      let applied = entity;
      for (const key of byId.get(id) ?? []) {
        for (const patch of commands.get(key) ?? [])
          if (patch.kind === kind && patch.id === id) applied = patch.apply(applied);
      }
      return applied;
    },
  };
}
