// A world that holds everything and computes its indexes by scanning, for tests of the pure domain and commands.

import type { Change } from '@taskgraph/domain/change';
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import { applyChange, emptyWorld, type Inbound, pairKey, type World } from '@taskgraph/domain/world';

/** A map whose every key is loaded: its value is computed on demand. */
class ComputedMap<V> extends Map<string, V> {
  readonly #compute: (key: string) => V;
  constructor(compute: (key: string) => V) {
    super();
    this.#compute = compute;
  }
  override get(key: string): V {
    return this.#compute(key);
  }
  override has(): boolean {
    return true;
  }
}

export interface MemoryWorld {
  readonly world: World;
  readonly nodes: Map<string, NodeState>;
  readonly links: Map<string, LinkState>;
  apply(changes: readonly Change[]): void;
}

/** An empty graph. Commands are decided on `world`, and their changes are put in by `apply`. */
export function createMemoryWorld(): MemoryWorld {
  const nodes = new Map<string, NodeState>();
  const links = new Map<string, LinkState>();
  const active = () => [...links.values()].filter(({ inTrash }) => !inTrash);
  const primary = () => active().filter(({ type }) => type === 0);
  const world: World = {
    ...emptyWorld(),
    nodes: new ComputedMap<NodeState | null>((id) => nodes.get(id) ?? null),
    links: new ComputedMap<LinkState | null>((id) => links.get(id) ?? null),
    degrees: new ComputedMap<number>(
      (id) => active().filter(({ source, target }) => source === id || target === id).length,
    ),
    linksOn: new ComputedMap<ReadonlySet<string>>(
      (id) =>
        new Set(
          [...links.values()].filter(({ source, target }) => source === id || target === id).map((link) => link.id),
        ),
    ),
    between: new ComputedMap<ReadonlySet<string>>(
      (pair) =>
        new Set([...links.values()].filter((link) => pairKey(link.source, link.target) === pair).map(({ id }) => id)),
    ),
    primaryFrom: new ComputedMap<ReadonlyMap<string, string>>(
      (id) =>
        new Map(
          primary()
            .filter(({ source }) => source === id)
            .map((link) => [link.id, link.target]),
        ),
    ),
    primaryInto: new ComputedMap<Inbound>((id) => ({
      links: new Set(
        primary()
          .filter(({ target }) => target === id)
          .map((link) => link.id),
      ),
      exhaustive: true,
    })),
  };
  return {
    world,
    nodes,
    links,
    apply(changes) {
      const plain: World = { ...emptyWorld(), nodes: nodes as World['nodes'], links: links as World['links'] };
      for (const change of changes) {
        applyChange(plain, change);
        // A world notes that something does not exist; here it is not there any more.
        if (change.kind === 'node' && change.after === null) nodes.delete(change.id);
        if (change.kind === 'link' && change.after === null) links.delete(change.id);
      }
    },
  };
}
