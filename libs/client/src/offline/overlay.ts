// Pending changes over the copy of the graph, in the order of their commands.
import type { Entity } from '../merge-diff.ts';
import type { Patch } from './optimistic.ts';

type Kind = Patch['kind'];

export interface Overlay {
  /** Lays a command's changes over all before, in place of those that it had. */
  lay(key: string, patches: readonly Patch[]): void;
  /** Takes a command's changes back. */
  lift(key: string): void;
  /** Takes back what these commands show of an entity and of links on it: it was taken away since. */
  liftFrom(id: string, keys: Iterable<string>): void;
  apply(kind: Kind, id: string, entity: Entity | undefined): Entity | undefined;
}

export function createOverlay(touched: (kind: Kind, id: string) => void): Overlay {
  const commands = new Map<string, readonly Patch[]>();
  const byId = new Map<string, Set<string>>();
  const lift = (key: string) => {
    const patches = commands.get(key) ?? [];
    commands.delete(key);
    for (const { kind, id } of patches) {
      const keys = byId.get(id);
      keys?.delete(key);
      if (keys?.size === 0) byId.delete(id);
      touched(kind, id);
    }
  };
  const lay = (key: string, patches: readonly Patch[]) => {
    const known = commands.get(key);
    if (known !== undefined) lift(key);
    if (patches.length === 0) return;
    commands.set(key, patches);
    for (const { kind, id } of patches) {
      byId.set(id, (byId.get(id) ?? new Set()).add(key));
      touched(kind, id);
    }
  };
  return {
    lay,
    lift,
    liftFrom(id, keys) {
      for (const key of keys) {
        const patches = commands.get(key);
        const isOf = ({ id: own, ends }: Patch) => own === id || ends?.includes(id) === true;
        if (patches?.some(isOf))
          lay(
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
