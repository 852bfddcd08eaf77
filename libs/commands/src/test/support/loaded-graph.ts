// A completely loaded graph with current indexes, like a worker's world after its loads, at any
// size. Each access is counted.
import { updateFeeds } from '@taskgraph/domain/access/feed-access';
import { updateMemberships } from '@taskgraph/domain/access/membership';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { Change } from '@taskgraph/domain/state/change';
import type { LinkState, LockedUser, NodeState } from '@taskgraph/domain/state/state';
import { Work } from '@taskgraph/domain/state/work';
import { emptyWorld, layerOver, mergeLayer, type World } from '@taskgraph/domain/state/world';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import { definitionOf } from '../../commands.ts';
import { type Command, parseCommand } from '../../pipeline/command.ts';
import { decideGroup, type GroupDecision } from '../../pipeline/decide-group.ts';
import { type GroupBounds, WORK_ALONE } from '../../pipeline/work-bounds.ts';
import { plainLink, plainNode } from './plain-entities.ts';
import { ann, bob } from './scenario.ts';

const START_MS = Date.UTC(2026, 0, 1);
const UNBOUNDED = { changes: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };

/** A map in which every key is loaded; keys that were not set are known to be absent. */
class CountingMap<V> extends Map<string, V> {
  readonly #absent: (key: string) => V | undefined;
  readonly #count: () => void;
  constructor(absent: (key: string) => V | undefined, count: () => void) {
    super();
    this.#absent = absent;
    this.#count = count;
  }
  override get(key: string): V | undefined {
    this.#count();
    return super.get(key) ?? this.#absent(key);
  }
  override has(key: string): boolean {
    this.#count();
    return super.has(key) || this.#absent(key) !== undefined;
  }
}

export interface LoadedGraph {
  readonly world: World;
  node(fields?: Partial<NodeState>): string;
  link(source: string, target: string, fields?: Partial<LinkState>): string;
  /** Shares a branch with Bob. */
  share(root: string): void;
  command(event: string, payload: object, by?: ActingUser): Command;
  /** Decides commands as one group and stores the results. */
  decide(commands: readonly Command[], bounds?: GroupBounds): GroupDecision;
  /** Runs one command, which must be answered. */
  run(event: string, payload: object, by?: ActingUser): ReplyMessage;
  /** The number of look-ups since the last call. */
  looks(): number;
}

export function createLoadedGraph(): LoadedGraph {
  let looks = 0;
  let clock = 0;
  const now = () => new Date(START_MS + clock * 1_000).toISOString();
  const newId = (slot: number) => composeId(slot, START_MS + ++clock, 0, new Uint8Array(6));
  const newToken = () => `token-${++clock}`;
  const idOf = (email: string) => [ann, bob].find((user) => user.email === email)?.id ?? null;
  const absent: Partial<Record<keyof World, (key: string) => unknown>> = {
    grants: () => null,
    feeds: () => null,
    batches: () => null,
    nodes: () => null,
    links: () => null,
    principals: idOf,
    readers: idOf,
    copies: () => new Set(),
    grantCounts: () => 0,
    deleted: () => [],
    later: () => ({ since: new Map(), made: [] }),
  };
  const counted = Object.keys(emptyWorld()).map((name) => [
    name,
    new CountingMap<unknown>(absent[name as keyof World] ?? (() => undefined), () => looks++),
  ]);
  const world = Object.fromEntries(counted) as World;
  const head = { rev: 1, lastTs: '', seq: 0, epoch: 1 };
  const users = new Map<string, LockedUser>([ann, bob].map((user) => [user.id, { ...user, ...head }]));

  const plant = (change: Change) => {
    const layer = layerOver(world);
    applyChange(layer, change);
    const moves = updateMemberships(layer, [change], new Work(UNBOUNDED));
    if (isRefusal(moves)) throw new Error(moves.message);
    updateFeeds(layer, [change]);
    mergeLayer(world, layer);
  };

  const graph: LoadedGraph = {
    world,
    node(fields = {}) {
      const node = { ...plainNode(newId(slotOf(ann.id)), now(), ann.id), ...fields };
      plant({ kind: 'node', op: Op.NODE_ADD, id: node.id, before: null, after: node, fields: [] });
      return node.id;
    },
    link(source, target, fields = {}) {
      const link = { ...plainLink(newId(slotOf(target)), { source, target }, now(), ann.id), ...fields };
      const [from, into] = [world.nodes.get(source), world.nodes.get(target)];
      if (!from || !into) throw new Error('a link needs two nodes');
      const opens = link.type === LinkType.PRIMARY && !link.inTrash && from.status !== Status.COMPLETED;
      const blocks = opens && !into.independent;
      if (opens) {
        const status = blocks ? { status: Status.BLOCKED, statusBefore: Status.AVAILABLE } : {};
        world.nodes.set(target, { ...into, openBlockers: into.openBlockers + 1, ...status });
      }
      plant({
        kind: 'link',
        op: Op.LINK_ADD,
        id: link.id,
        before: null,
        fields: [],
        after: { ...link, wasBlocker: blocks },
      });
      return link.id;
    },
    share(root) {
      const grant = { nodeId: root, email: bob.email, level: Level.VIEWER, due: null, branch: true, version: 1 };
      const after = { ...grant, showing: true, copyOf: null };
      plant({ kind: 'grant', op: Op.GRANT_UPSERT, id: root, before: null, after, fields: [] });
    },
    command(event, payload, by = ann) {
      const message = { id: newId(slotOf(by.id)), event, payload: { ...payload }, actor: by, key: null };
      const command = parseCommand(message, definitionOf(event), (text) => text);
      if (isRefusal(command)) throw new Error(command.message);
      return command;
    },
    decide(commands, bounds = WORK_ALONE) {
      clock++;
      const group = { world, users, stored: new Map(), now: now(), newId, newToken, bounds };
      const decision = decideGroup(commands, group);
      const missing = [...decision.undecided.notLoaded.values(), ...decision.undecided.notLocked];
      if (missing.length > 0) throw new Error(`not loaded: ${JSON.stringify(missing)}`);
      mergeLayer(world, decision.after);
      return decision;
    },
    run(event, payload, by) {
      const command = graph.command(event, payload, by);
      return graph.decide([command]).replies.get(command) as ReplyMessage;
    },
    looks() {
      const since = looks;
      looks = 0;
      return since;
    },
  };
  return graph;
}
