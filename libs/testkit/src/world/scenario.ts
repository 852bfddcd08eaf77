// Small graphs for tests of single commands: nodes, links and grants of three users, and commands decided on them in memory.
// The commands are handed in, so that this package does not depend on the package whose tests use it.

import { moveFeeds } from '@taskgraph/domain/access/feed-access';
import { moveMemberships } from '@taskgraph/domain/access/membership';
import { permissionsOf } from '@taskgraph/domain/access/permissions';
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import { type Change, isVisible } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { countKey, layerOver, pairKey, type Rows, type World } from '@taskgraph/domain/state/world';
import { type Slice, sliceByFeed } from '@taskgraph/domain/views/feeds';
import { storedChanges } from '@taskgraph/domain/views/history';
import { viewOfCaller } from '@taskgraph/domain/views/projections';
import { viewDiff } from '@taskgraph/domain/views/view';
import { type Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import type { Diff } from '@taskgraph/wire/entities';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import type { ActingUser } from '@taskgraph/wire/messages';
import { createMemoryWorld } from './memory-world.ts';

const START_MS = Date.UTC(2026, 0, 1);

function user(name: string, slot: number): ActingUser {
  return { id: composeId(slot, 0, slot, new Uint8Array(6)), username: name, email: `${name}@example.com` };
}

/** Owns whatever is made without another owner. */
export const ann = user('ann', 7);
export const bob = user('bob', 8);
export const cy = user('cy', 9);

/** What deciding needs of the commands' package. */
interface Commands {
  // biome-ignore lint/suspicious/noExplicitAny: every definition has its own payload type.
  definitionOf(event: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  parsePayload(definition: any, raw: unknown): unknown;
}

/** What came of a command. `error` is the code of a refusal, or null where it was done. */
export interface Outcome {
  readonly error: string | null;
  readonly batchId: string;
  readonly details?: Record<string, unknown>;
  /** As the caller gets it; empty where the command was refused. */
  readonly diff: Diff;
  readonly changes: readonly Change[];
  /** What each feed gets of it. */
  readonly slices: ReadonlyMap<string, Slice>;
}

export interface Scenario {
  readonly nodes: ReadonlyMap<string, NodeState>;
  readonly links: ReadonlyMap<string, LinkState>;
  /** Puts in a node and gives its id. */
  node(fields?: Partial<NodeState>): string;
  /** Puts in a link, public and primary if not said otherwise, and blocks its target where it has to. */
  link(source: string, target: string, fields?: Partial<LinkState>): string;
  /** Gives a user a level on one node. */
  grant(node: string, to: ActingUser, level: Level, fields?: Partial<GrantState>): void;
  /** Claims that a node has so many active links. */
  claimLinks(node: string, count: number): void;
  /** Claims that a user has so many active links on a node. */
  claimLinksOf(node: string, of: ActingUser, count: number): void;
  /** Claims that a user has so many grants on the nodes of an owner. */
  claimGrants(owner: ActingUser, to: ActingUser, count: number): void;
  /** A user's level on a node, or null. */
  level(node: string, of: ActingUser): Level | null;
  readonly members: ReadonlyMap<string, Rows>;
  readonly grants: ReadonlyMap<string, GrantState>;
  readonly feeds: ReadonlyMap<string, FeedState>;
  /** The time by its clock, which goes on with each command. */
  nowMs(): number;
  /** Parses, decides and applies; `by` is ann if not given. */
  run(event: string, raw: object, by?: ActingUser): Outcome;
}

export function createScenario(commands: Commands): Scenario {
  const memory = createMemoryWorld();
  for (const { email, id } of [ann, bob, cy]) memory.users.set(email, id);
  const { degrees, linksBy, grantCounts } = layerOver(memory.world);
  const world: World = { ...memory.world, degrees, linksBy, grantCounts };
  let clock = 0;
  const now = () => new Date(START_MS + ++clock * 1_000).toISOString();
  const newId = (slot: number) => composeId(slot, START_MS + ++clock, 0, new Uint8Array(6));

  /** Applies changes with what follows from them for memberships and feeds. Gives the world as it was before too. */
  function follow(changes: readonly Change[]): { before: World; changes: Change[] } | Refusal {
    const copy = createMemoryWorld();
    for (const name of ['nodes', 'links', 'grants', 'members', 'feeds', 'users', 'batches'] as const) {
      for (const [key, value] of memory[name]) (copy[name] as Map<string, unknown>).set(key, value);
    }
    memory.apply(changes);
    const after = layerOver(memory.world);
    const moves = moveMemberships(after, changes);
    if (isRefusal(moves)) return moves;
    const feeds = moveFeeds(after, changes);
    memory.apply([...moves, ...feeds]);
    return { before: copy.world, changes: [...changes, ...moves, ...feeds] };
  }

  return {
    nodes: memory.nodes,
    links: memory.links,
    members: memory.members,
    grants: memory.grants,
    feeds: memory.feeds,
    level(node, of) {
      const state = memory.nodes.get(node);
      return state === undefined ? null : permissionsOf(world, of, now()).level(state);
    },
    node(fields = {}) {
      const made = { ...plainNode(newId(slotOf(fields.ownerId ?? ann.id)), now()), ...fields };
      memory.nodes.set(made.id, made);
      return made.id;
    },
    link(source, target, fields = {}) {
      const made = { ...plainLink(newId(slotOf(target)), source, target, now()), ...fields };
      const [from, into] = [memory.nodes.get(source), memory.nodes.get(target)];
      if (!from || !into) throw new Error('a link needs two nodes');
      const opens =
        made.type === LinkType.PRIMARY && !made.inTrash && !from.inTrash && from.status !== Status.COMPLETED;
      if (opens) {
        const openBlockers = into.openBlockers + 1;
        const stays = into.independent || into.status === Status.BLOCKED;
        const turned = stays ? {} : { status: Status.BLOCKED, statusBefore: into.status };
        memory.nodes.set(target, { ...into, openBlockers, ...turned });
      }
      const wasBlocker = fields.wasBlocker ?? (opens && !into.independent);
      follow([
        { kind: 'link', op: Op.LINK_ADD, id: made.id, before: null, after: { ...made, wasBlocker }, fields: [] },
      ]);
      return made.id;
    },
    grant(node, to, level, fields = {}) {
      const fresh = { nodeId: node, email: to.email, level, due: null, branch: false, version: 1, showing: true };
      const grant: GrantState = { ...fresh, copyOf: null, ...fields };
      follow([{ kind: 'grant', op: Op.GRANT_UPSERT, id: node, before: null, after: grant, fields: [] }]);
    },
    nowMs: () => START_MS + clock * 1_000,
    claimLinks: (node, count) => void degrees.set(node, count),
    claimLinksOf: (node, of, count) => void linksBy.set(pairKey(node, of.id), count),
    claimGrants: (owner, to, count) => void grantCounts.set(countKey(owner.id, to.email), count),
    run(event, raw, by = ann) {
      const definition = commands.definitionOf(event);
      const header = { id: newId(slotOf(by.id)), actor: by, now: now() };
      const payload = commands.parsePayload(definition, raw);
      if (isRefusal(payload)) return refused(payload, by);
      const userOf = (id: string) => USERS.find((one) => one.id === id) ?? ann;
      const newToken = () => `token-${++clock}`;
      const context = { actor: by, now: header.now, batchId: header.id, newId, newToken, userOf };
      const decision = definition.decide(world, payload, context);
      if (isRefusal(decision)) return refused(decision, by);
      const { changes, skipped, undo } = 'changes' in decision ? decision : { changes: decision, skipped: [] };
      const all = follow(changes);
      if (isRefusal(all)) return refused(all, by);
      memory.batches.set(header.id, batchOf(header, { event, changes, skipped, undo }));
      const scene = { before: all.before, after: world, now: header.now, ownerNames: userOf };
      const view = viewOfCaller(scene, by);
      const slices = sliceByFeed({ before: all.before, after: world, changes: all.changes, now: header.now, userOf });
      const shown = changes.filter(isVisible).filter(view.shows);
      const diff = viewDiff(shown, { ...header, skipped: skipped.filter(view.showsLink) }, view.projection);
      return { error: null, batchId: header.id, changes, diff, slices };
    },
  };
}

function batchOf(
  { id, actor, now }: { id: string; actor: ActingUser; now: string },
  // biome-ignore lint/suspicious/noExplicitAny: what a decision gives, whose type the commands' package has.
  { event, changes, skipped, undo }: any,
): StoredBatch {
  return {
    ...{ key: id, id, event, payloadHash: '', ts: now, skipped, feeds: {}, undone: false, last: null },
    ...{ actorId: actor.id, actorUsername: actor.username, actorEmail: actor.email },
    changes: storedChanges(changes),
    undoOf: undo?.kind === 'undo' ? undo.batchId : null,
    redoOf: undo?.kind === 'redo' ? undo.batchId : null,
    origin: undo?.origin ?? id,
    reverses: undo?.reverses ?? false,
  };
}

const USERS = [ann, bob, cy];
const NOTHING = { ownerNames: () => ann, access: () => undefined, rootsOf: () => [], showsToken: () => false };

function refused({ code, details }: Refusal, by: ActingUser): Outcome {
  const diff = viewDiff([], { id: null, actor: by, now: '' }, NOTHING);
  return {
    error: code,
    batchId: '',
    changes: [],
    slices: new Map(),
    diff,
    ...(details === undefined ? {} : { details }),
  };
}

function plainNode(id: string, time: string): NodeState {
  return {
    id,
    ownerId: ann.id,
    title: '',
    description: '',
    status: Status.AVAILABLE,
    statusBefore: null,
    openBlockers: 0,
    dueDate: null,
    type: 0,
    tags: [],
    priority: 0,
    independent: false,
    volume: 0,
    version: 1,
    assignee: [],
    createdTime: time,
    lastEditedTime: time,
    x: 0,
    y: 0,
    z: 0,
    pinned: false,
    collapsed: false,
    publicToken: null,
    publicDue: null,
    publicBranch: false,
    inTrash: false,
    lastBatchID: null,
  };
}

function plainLink(id: string, source: string, target: string, time: string): LinkState {
  return {
    id,
    source,
    target,
    type: LinkType.PRIMARY,
    version: 1,
    wasBlocker: false,
    private: false,
    ownerId: ann.id,
    conveys: true,
    inTrash: false,
    trashedWithNode: false,
    trashedBy: null,
    lastBatchID: null,
    createdTime: time,
    lastEditedTime: time,
  };
}
