// A world that holds everything and computes its indexes by scanning, for tests of the pure domain and commands.

import { conveys } from '@taskgraph/domain/access/access';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { grantKey } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { countKey, emptyWorld, type Inbound, pairKey, type Rows, type World } from '@taskgraph/domain/state/world';

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
  readonly grants: Map<string, GrantState>;
  /** Membership rows by node. */
  readonly members: Map<string, Rows>;
  readonly feeds: Map<string, FeedState>;
  readonly batches: Map<string, StoredBatch>;
  /** Users by e-mail. */
  readonly users: Map<string, string>;
  apply(changes: readonly Change[]): void;
}

/** An empty graph. Commands are decided on `world`, and their changes are put in by `apply`. */
export function createMemoryWorld(): MemoryWorld {
  const nodes = new Map<string, NodeState>();
  const links = new Map<string, LinkState>();
  const grants = new Map<string, GrantState>();
  const members = new Map<string, Rows>();
  const feeds = new Map<string, FeedState>();
  const users = new Map<string, string>();
  const batches = new Map<string, StoredBatch>();
  const deleted = new Map<string, readonly string[]>();
  const conveying = () => [...links.values()].filter(conveys);
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
    activeOn: new ComputedMap<ReadonlySet<string>>(
      (id) => new Set(active().flatMap((link) => (link.source === id || link.target === id ? [link.id] : []))),
    ),
    returningOn: new ComputedMap<ReadonlySet<string>>((id) => {
      const on = [...links.values()].filter(({ source, target }) => source === id || target === id);
      return new Set(on.filter(({ inTrash }) => inTrash).map((link) => link.id));
    }),
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
    linksBy: new ComputedMap<number>(
      (pair) =>
        active().filter((link) => [link.source, link.target].some((end) => pairKey(end, link.ownerId) === pair)).length,
    ),
    members: new ComputedMap<Rows>((id) => members.get(id) ?? new Map()),
    conveyedInto: new ComputedMap<ReadonlyMap<string, string>>(
      (id) =>
        new Map(
          conveying()
            .filter(({ target }) => target === id)
            .map((link) => [link.id, link.source]),
        ),
    ),
    conveyedFrom: new ComputedMap<ReadonlyMap<string, string>>(
      (id) =>
        new Map(
          conveying()
            .filter(({ source }) => source === id)
            .map((link) => [link.id, link.target]),
        ),
    ),
    neighbours: new ComputedMap<ReadonlyMap<string, string>>((id) => {
      const around = active().filter((link) => !link.private && (link.source === id || link.target === id));
      return new Map(around.map((link) => [link.id, link.source === id ? link.target : link.source]));
    }),
    feeds: new ComputedMap<FeedState | null>((id) => feeds.get(id) ?? null),
    grants: new ComputedMap<GrantState | null>((key) => grants.get(key) ?? null),
    grantsOn: new ComputedMap<ReadonlySet<string>>(
      (id) => new Set([...grants].filter(([, grant]) => grant.nodeId === id).map(([key]) => key)),
    ),
    copies: new ComputedMap<ReadonlySet<string>>(
      (key) =>
        new Set(
          [...grants]
            .filter(([, { copyOf, email }]) => copyOf !== null && grantKey(copyOf, email) === key)
            .map(([copy]) => copy),
        ),
    ),
    principals: new ComputedMap<string | null>((email) => users.get(email) ?? null),
    readers: new ComputedMap<string | null>((email) => users.get(email) ?? null),
    batches: new ComputedMap<StoredBatch | null>((id) => batches.get(id) ?? null),
    deleted: new ComputedMap<readonly string[]>((id) => deleted.get(id) ?? []),
    later: new ComputedMap<readonly StoredBatch[]>((entity) =>
      [...batches.values()].reverse().filter(({ changes }) => changes.some(({ id }) => id === entity)),
    ),
    grantCounts: new ComputedMap<number>(
      (key) =>
        [...grants.values()].filter(({ nodeId, email }) => countKey(nodes.get(nodeId)?.ownerId ?? '', email) === key)
          .length,
    ),
  };
  return {
    world,
    nodes,
    links,
    grants,
    members,
    feeds,
    users,
    batches,
    apply(changes) {
      const plain = { ...emptyWorld(), nodes, links, grants, members, feeds, batches, deleted } as unknown as World;
      for (const change of changes) {
        applyChange(plain, change);
        // A world notes that something does not exist; here it is not there any more.
        if (change.kind === 'node' && change.after === null) nodes.delete(change.id);
        if (change.kind === 'link' && change.after === null) links.delete(change.id);
        if (change.kind === 'grant' && change.after === null) {
          grants.delete(grantKey(change.id, change.before?.email ?? ''));
        }
      }
    },
  };
}
