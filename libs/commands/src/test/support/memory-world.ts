// A completely loaded world whose indexes are computed by scans. It takes the place of a worker's
// database. Commands run through the production pipeline and find everything loaded and all users
// locked.

import { propagates } from '@taskgraph/domain/access/reader-access';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { BatchHead, LaterBatch, StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { grantKey } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, LockedUser, NodeState } from '@taskgraph/domain/state/state';
import {
  countKey,
  emptyWorld,
  type InboundLinks,
  type LaterBatches,
  pairKey,
  type Rows,
  type World,
} from '@taskgraph/domain/state/world';
import { laterBatch } from '@taskgraph/domain/views/history';
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { Command } from '../../pipeline/command.ts';
import type { GroupContext } from '../../pipeline/decide-command.ts';
import { decideGroup, type GroupDecision } from '../../pipeline/decide-group.ts';
import { WORK_ALONE } from '../../pipeline/work-bounds.ts';

/** A map whose every key is loaded, with computed values. */
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

/** The stored rows. */
interface MemoryTables {
  readonly nodes: Map<string, NodeState>;
  readonly links: Map<string, LinkState>;
  readonly grants: Map<string, GrantState>;
  /** Membership rows by node. */
  readonly members: Map<string, Rows>;
  readonly feeds: Map<string, FeedState>;
  /** In commit order. */
  readonly batches: Map<string, StoredBatch>;
  readonly deleted: Map<string, readonly string[]>;
}

export interface MemoryWorld extends Omit<MemoryTables, 'deleted'> {
  readonly world: World;
  /** Applies changes. */
  apply(changes: readonly Change[]): void;
  /** Decides commands as one group and stores the results. `view` replaces parts of the world. */
  commit(commands: readonly Command[], group: Moment, view?: Partial<World>): GroupDecision;
}

/** The default of `bounds` is `WORK_ALONE`. */
type Moment = Pick<GroupContext, 'now' | 'newId' | 'newToken'> & Partial<Pick<GroupContext, 'bounds'>>;

/** An empty graph of these users. */
export function createMemoryWorld(people: readonly ActingUser[]): MemoryWorld {
  const users = new Map(
    people.map((one): [string, LockedUser] => [one.id, { ...one, rev: 0, lastTs: '', seq: 0, epoch: 1 }]),
  );
  const tables: MemoryTables = {
    nodes: new Map(),
    links: new Map(),
    grants: new Map(),
    members: new Map(),
    feeds: new Map(),
    batches: new Map(),
    deleted: new Map(),
  };
  const world = worldOf(tables, (email) => people.find((one) => one.email === email)?.id ?? null);
  return {
    ...tables,
    world,
    apply: (changes) => applyChanges(tables, changes),
    commit(commands, moment, view = {}) {
      const stored = new Map([...tables.batches.values()].map((batch) => [batch.key, batch]));
      const decision = decideGroup(commands, {
        bounds: WORK_ALONE,
        ...moment,
        world: { ...world, ...view },
        users,
        stored,
      });
      const missing = [...decision.undecided.notLoaded.values(), ...decision.undecided.notLocked];
      if (missing.length > 0) throw new Error(`not in memory: ${JSON.stringify(missing)}`);
      storeDecision(tables, users, decision);
      return decision;
    },
  };
}

/** The command with its queue: in memory, all nodes in the order of their creation. */
export function withCandidates<C extends Command>(command: C | Refusal, ids: Iterable<string>): C | Refusal {
  if (isRefusal(command) || command.message.event !== 'node:claim') return command;
  return { ...command, candidates: { ids: [...ids] } };
}

function worldOf(tables: MemoryTables, idOf: (email: string) => string | null): World {
  const { nodes, links, members, feeds, deleted } = tables;
  return {
    ...emptyWorld(),
    ...linkIndexes(tables),
    ...propagationIndexes(tables),
    ...grantIndexes(tables),
    ...batchIndexes(tables),
    nodes: new ComputedMap<NodeState | null>((id) => nodes.get(id) ?? null),
    links: new ComputedMap<LinkState | null>((id) => links.get(id) ?? null),
    members: new ComputedMap<Rows>((id) => members.get(id) ?? new Map()),
    feeds: new ComputedMap<FeedState | null>((id) => feeds.get(id) ?? null),
    principals: new ComputedMap<string | null>(idOf),
    readers: new ComputedMap<string | null>(idOf),
    deleted: new ComputedMap<readonly string[]>((id) => deleted.get(id) ?? []),
  };
}

function idsOf(links: readonly LinkState[]): ReadonlySet<string> {
  return new Set(links.map(({ id }) => id));
}

function isOn(node: string): (link: LinkState) => boolean {
  return ({ source, target }) => source === node || target === node;
}

function linkIndexes({ links }: MemoryTables) {
  const all = () => [...links.values()];
  const active = () => all().filter(({ inTrash }) => !inTrash);
  const primary = () => active().filter(({ type }) => type === 0);
  return {
    degrees: new ComputedMap<number>((id) => active().filter(isOn(id)).length),
    linksOn: new ComputedMap<ReadonlySet<string>>((id) => idsOf(all().filter(isOn(id)))),
    activeOn: new ComputedMap<ReadonlySet<string>>((id) => idsOf(active().filter(isOn(id)))),
    returningOn: new ComputedMap<ReadonlySet<string>>((id) =>
      idsOf(
        all()
          .filter(isOn(id))
          .filter(({ inTrash }) => inTrash),
      ),
    ),
    between: new ComputedMap<ReadonlySet<string>>((pair) =>
      idsOf(all().filter(({ source, target }) => pairKey(source, target) === pair)),
    ),
    primaryFrom: new ComputedMap<ReadonlyMap<string, string>>((id) =>
      targetsOf(primary().filter(({ source }) => source === id)),
    ),
    primaryInto: new ComputedMap<InboundLinks>((id) => ({
      links: idsOf(primary().filter(({ target }) => target === id)),
      exhaustive: true,
    })),
    linksBy: new ComputedMap<number>(
      (pair) =>
        active().filter((link) => [link.source, link.target].some((end) => pairKey(end, link.ownerId) === pair)).length,
    ),
  };
}

function targetsOf(links: readonly LinkState[]): ReadonlyMap<string, string> {
  return new Map(links.map(({ id, target }) => [id, target]));
}

function propagationIndexes({ links }: MemoryTables) {
  const propagating = () => [...links.values()].filter(propagates);
  return {
    propagatingInto: new ComputedMap<ReadonlyMap<string, string>>((id) => {
      const into = propagating().filter(({ target }) => target === id);
      return new Map(into.map((link) => [link.id, link.source]));
    }),
    propagatingFrom: new ComputedMap<ReadonlyMap<string, string>>((id) =>
      targetsOf(propagating().filter(({ source }) => source === id)),
    ),
    neighbours: new ComputedMap<ReadonlyMap<string, string>>((id) => {
      const around = [...links.values()].filter((link) => !link.inTrash && !link.private).filter(isOn(id));
      return new Map(around.map((link) => [link.id, link.source === id ? link.target : link.source]));
    }),
  };
}

function grantIndexes({ nodes, grants }: MemoryTables) {
  const keysOf = (isWanted: (grant: GrantState) => boolean) =>
    new Set([...grants].filter(([, grant]) => isWanted(grant)).map(([key]) => key));
  const ownerOf = (nodeId: string) => nodes.get(nodeId)?.ownerId ?? '';
  return {
    grants: new ComputedMap<GrantState | null>((key) => grants.get(key) ?? null),
    grantsOn: new ComputedMap<ReadonlySet<string>>((id) => keysOf(({ nodeId }) => nodeId === id)),
    copies: new ComputedMap<ReadonlySet<string>>((key) =>
      keysOf(({ copyOf, email }) => copyOf !== null && grantKey(copyOf, email) === key),
    ),
    grantCounts: new ComputedMap<number>(
      (key) => keysOf(({ nodeId, email }) => countKey(ownerOf(nodeId), email) === key).size,
    ),
  };
}

function batchIndexes({ batches }: MemoryTables) {
  return {
    batches: new ComputedMap<StoredBatch | null>((id) => batches.get(id) ?? null),
    batchHeads: new ComputedMap<BatchHead | null>((id) => batches.get(id) ?? null),
    later: new ComputedMap<LaterBatches>((entity) => ({
      since: new ComputedMap((id) => laterThan(batches, entity, id)),
      made: [],
    })),
  };
}

/**
 * The batches after another that touched an entity, newest first. No stored one follows a batch of
 * the current group.
 */
function laterThan(batches: ReadonlyMap<string, StoredBatch>, entity: string, id: string): LaterBatch[] {
  const all = [...batches.values()];
  const newer = batches.has(id) ? all.slice(all.findIndex((batch) => batch.id === id) + 1) : [];
  const touching = newer.filter(({ changes }) => changes.some((change) => change.id === entity));
  return touching.reverse().map((batch) => laterBatch(batch, entity));
}

function storeDecision(
  tables: MemoryTables,
  users: Map<string, LockedUser>,
  { writes: { batches, changes, heads, times } }: GroupDecision,
): void {
  for (const batch of batches) {
    const seqs = Object.fromEntries(batch.slices.map(({ feed, seq }) => [feed, seq]));
    tables.batches.set(batch.id, { ...batch, feeds: seqs, undone: false, last: null });
  }
  applyChanges(tables, changes);
  for (const [feed, seq] of heads) {
    const [user, shared] = [users.get(subjectOfFeed(feed)), tables.feeds.get(feed)];
    if (user !== undefined) users.set(user.id, { ...user, seq });
    if (shared) tables.feeds.set(feed, { ...shared, seq });
  }
  for (const [id, lastTs] of times.newest) users.set(id, { ...(users.get(id) as LockedUser), lastTs });
}

function applyChanges(tables: MemoryTables, changes: readonly Change[]): void {
  const world = { ...emptyWorld(), ...tables } as unknown as World;
  for (const change of changes) {
    applyChange(world, change);
    // In a world a missing entity is null; here it has no entry.
    if (change.kind === 'node' && change.after === null) tables.nodes.delete(change.id);
    if (change.kind === 'link' && change.after === null) tables.links.delete(change.id);
    if (change.kind === 'grant' && change.after === null) {
      tables.grants.delete(grantKey(change.id, change.before?.email ?? ''));
    }
  }
}
