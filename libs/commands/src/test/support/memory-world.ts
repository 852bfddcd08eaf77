// A world that holds everything and computes its indexes by scanning: what the database is to a worker, in memory. Commands go through the
// pipeline that production runs, and find all loaded and everybody locked.

import { conveys } from '@taskgraph/domain/access/access';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { BatchHead, LaterBatch, StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { grantKey } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, LockedUser, NodeState } from '@taskgraph/domain/state/state';
import {
  countKey,
  emptyWorld,
  type Inbound,
  type LaterBatches,
  pairKey,
  type Rows,
  type World,
} from '@taskgraph/domain/state/world';
import { laterBatch } from '@taskgraph/domain/views/history';
import type { ActingUser } from '@taskgraph/wire/actor';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { Command } from '../../pipeline/command.ts';
import type { GroupContext } from '../../pipeline/decide-command.ts';
import { decideGroup, type GroupDecision } from '../../pipeline/decide-group.ts';
import { WORK_ALONE } from '../../pipeline/work-bounds.ts';

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
  /** Puts changes in. */
  apply(changes: readonly Change[]): void;
  /** Decides commands as one group and puts in what they come to. `view` may stand before parts of the world. */
  commit(commands: readonly Command[], group: Moment, view?: Partial<World>): GroupDecision;
}

/** `bounds` are those of a command by itself if not given. */
type Moment = Pick<GroupContext, 'now' | 'newId' | 'newToken'> & Partial<Pick<GroupContext, 'bounds'>>;

/** An empty graph of these users. */
export function createMemoryWorld(people: readonly ActingUser[]): MemoryWorld {
  const users = new Map(
    people.map((one): [string, LockedUser] => [one.id, { ...one, rev: 0, lastTs: '', seq: 0, epoch: 1 }]),
  );
  const idOf = (email: string) => people.find((one) => one.email === email)?.id ?? null;
  const nodes = new Map<string, NodeState>();
  const links = new Map<string, LinkState>();
  const grants = new Map<string, GrantState>();
  const members = new Map<string, Rows>();
  const feeds = new Map<string, FeedState>();
  const batches = new Map<string, StoredBatch>();
  const deleted = new Map<string, readonly string[]>();
  const conveying = () => [...links.values()].filter(conveys);
  const active = () => [...links.values()].filter(({ inTrash }) => !inTrash);
  const primary = () => active().filter(({ type }) => type === 0);
  /** Batches are kept in the order of their commits; one that the group makes is newer than all of them. */
  const laterThan = (entity: string, id: string): LaterBatch[] => {
    const kept = [...batches.values()];
    const newer = batches.has(id) ? kept.slice(kept.findIndex((batch) => batch.id === id) + 1) : [];
    const touching = newer.filter(({ changes }) => changes.some((change) => change.id === entity));
    return touching.reverse().map((batch) => laterBatch(batch, entity));
  };
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
    principals: new ComputedMap<string | null>(idOf),
    readers: new ComputedMap<string | null>(idOf),
    batches: new ComputedMap<StoredBatch | null>((id) => batches.get(id) ?? null),
    deleted: new ComputedMap<readonly string[]>((id) => deleted.get(id) ?? []),
    later: new ComputedMap<LaterBatches>((entity) => ({
      since: new ComputedMap((id) => laterThan(entity, id)),
      made: [],
    })),
    batchHeads: new ComputedMap<BatchHead | null>((id) => batches.get(id) ?? null),
    grantCounts: new ComputedMap<number>(
      (key) =>
        [...grants.values()].filter(({ nodeId, email }) => countKey(nodes.get(nodeId)?.ownerId ?? '', email) === key)
          .length,
    ),
  };
  const put = ({ writes: { batches: made, changes, heads, times } }: GroupDecision) => {
    for (const batch of made) {
      const seqs = Object.fromEntries(batch.slices.map(({ feed, seq }) => [feed, seq]));
      batches.set(batch.id, { ...batch, feeds: seqs, undone: false, last: null });
    }
    memory.apply(changes);
    for (const [feed, seq] of heads) {
      const [user, shared] = [users.get(subjectOfFeed(feed)), feeds.get(feed)];
      if (user !== undefined) users.set(user.id, { ...user, seq });
      if (shared) feeds.set(feed, { ...shared, seq });
    }
    for (const [id, lastTs] of times.newest) users.set(id, { ...(users.get(id) as LockedUser), lastTs });
  };
  const memory: MemoryWorld = {
    world,
    nodes,
    links,
    grants,
    members,
    feeds,
    batches,
    commit(commands, moment, view = {}) {
      const stored = new Map([...batches.values()].map((batch) => [batch.key, batch]));
      const decision = decideGroup(commands, {
        bounds: WORK_ALONE,
        ...moment,
        world: { ...world, ...view },
        users,
        stored,
      });
      const missing = [...decision.undecided.notLoaded.values(), ...decision.undecided.notLocked];
      if (missing.length > 0) throw new Error(`not in memory: ${JSON.stringify(missing)}`);
      put(decision);
      return decision;
    },
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
  return memory;
}
