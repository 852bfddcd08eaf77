// Small graphs for tests of single commands: nodes, links and grants of three users. Commands run
// through the pipeline in memory.

import { updateFeeds } from '@taskgraph/domain/access/feed-access';
import { updateMemberships } from '@taskgraph/domain/access/membership';
import { permissionsOf } from '@taskgraph/domain/access/permissions';
import { applyChange } from '@taskgraph/domain/decision/apply-change';
import type { Change } from '@taskgraph/domain/state/change';
import type { FeedState, GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { Work } from '@taskgraph/domain/state/work';
import { countKey, layerOver, pairKey, type Rows, type World } from '@taskgraph/domain/state/world';
import type { VisibilityChange } from '@taskgraph/domain/views/visibility-changes';
import { conformingReply, expectConforming } from '@taskgraph/testkit/contract/conformance';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import type { AccessChange, Ids, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { type Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import type { Diff } from '@taskgraph/wire/entities';
import { isRefusal } from '@taskgraph/wire/errors';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import { definitionOf, systemDefinitionOf } from '../../commands.ts';
import { parseCommand } from '../../pipeline/command.ts';
import type { GroupDecision } from '../../pipeline/decide-group.ts';
import { WORK_ALONE } from '../../pipeline/work-bounds.ts';
import { createMemoryWorld, withCandidates } from './memory-world.ts';
import { plainLink, plainNode } from './plain-entities.ts';

const START_MS = Date.UTC(2026, 0, 1);

function user(name: string, slot: number): ActingUser {
  return { id: composeId(slot, 0, slot, new Uint8Array(6)), username: name, email: `${name}@example.com` };
}

/** The default owner. */
export const ann = user('ann', 7);
export const bob = user('bob', 8);
export const cy = user('cy', 9);

/** The slice of one feed. */
interface FeedSlice {
  readonly changes: readonly { readonly op: number; readonly id: string }[];
  readonly joined: Ids;
  readonly left: Ids;
  readonly access: readonly AccessChange[];
}

/** The result of a command. `error` is the code of a refusal, or null. */
export interface Result {
  readonly error: string | null;
  readonly batchId: string;
  readonly details?: Record<string, unknown> | undefined;
  /** The caller's diff; empty after a refusal. */
  readonly diff: Diff;
  /** The nodes and links that each operation of a composite created or restored. */
  readonly results: readonly { readonly id?: string; readonly link?: string }[];
  /** For a dry run: the e-mails that would gain or lose visibility. */
  readonly sight: VisibilityChange | undefined;
  /** The command's own changes, without memberships and feeds. */
  readonly changes: readonly Change[];
  /** The slice of each feed. */
  readonly slices: ReadonlyMap<string, FeedSlice>;
  /** The diff of each feed, as sent. */
  readonly diffs: ReadonlyMap<string, SliceMessage['diff']>;
  /** The users and published nodes whose feeds gateways read again, from the control message. */
  readonly reread: { readonly readers: readonly string[]; readonly publications: readonly string[] };
}

export interface Scenario {
  readonly nodes: ReadonlyMap<string, NodeState>;
  readonly links: ReadonlyMap<string, LinkState>;
  /** Adds a node and returns its id. */
  node(fields?: Partial<NodeState>): string;
  /** Adds a link, public and primary by default, and blocks its target if necessary. */
  link(source: string, target: string, fields?: Partial<LinkState>): string;
  /** Gives a user a level on one node. */
  grant(node: string, to: ActingUser, level: Level, fields?: Partial<GrantState>): void;
  /** Pretends that a node has this many active links. */
  claimLinks(node: string, count: number): void;
  /** Pretends that a user has this many active links on a node. */
  claimLinksOf(node: string, of: ActingUser, count: number): void;
  /** Pretends that a user has this many grants on the nodes of an owner. */
  claimGrants(owner: ActingUser, to: ActingUser, count: number): void;
  /** A user's level on a node, or null. */
  level(node: string, of: ActingUser): Level | null;
  readonly members: ReadonlyMap<string, Rows>;
  readonly grants: ReadonlyMap<string, GrantState>;
  readonly feeds: ReadonlyMap<string, FeedState>;
  /** The time of its clock, which advances with each command. */
  nowMs(): number;
  /** Parses, decides and applies a command; `by` is Ann by default. */
  run(event: string, raw: object, by?: ActingUser): Result;
}

export function createScenario(): Scenario {
  const memory = createMemoryWorld([ann, bob, cy]);
  const { degrees, linksBy, grantCounts } = layerOver(memory.world);
  const claims = { degrees, linksBy, grantCounts };
  const world: World = { ...memory.world, ...claims };
  let clock = 0;
  const now = () => new Date(START_MS + ++clock * 1_000).toISOString();
  const newId = (slot: number) => composeId(slot, START_MS + ++clock, 0, new Uint8Array(6));
  const newToken = () => `token-${++clock}`;

  /** Applies a change with its effects on memberships and feeds. */
  function plant(change: Change): void {
    const after = layerOver(world);
    applyChange(after, change);
    const moves = updateMemberships(after, [change], new Work(WORK_ALONE.command));
    if (isRefusal(moves)) throw new Error(moves.message);
    memory.apply([change, ...moves, ...updateFeeds(after, [change])]);
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
      const made = { ...plainNode(newId(slotOf(fields.ownerId ?? ann.id)), now(), ann.id), ...fields };
      memory.nodes.set(made.id, made);
      return made.id;
    },
    link(source, target, fields = {}) {
      const made = { ...plainLink(newId(slotOf(target)), { source, target }, now(), ann.id), ...fields };
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
      plant({ kind: 'link', op: Op.LINK_ADD, id: made.id, before: null, after: { ...made, wasBlocker }, fields: [] });
      return made.id;
    },
    grant(node, to, level, fields = {}) {
      const fresh = { nodeId: node, email: to.email, level, due: null, branch: false, version: 1, showing: true };
      const grant: GrantState = { ...fresh, copyOf: null, ...fields };
      plant({ kind: 'grant', op: Op.GRANT_UPSERT, id: node, before: null, after: grant, fields: [] });
    },
    nowMs: () => START_MS + clock * 1_000,
    claimLinks: (node, count) => void degrees.set(node, count),
    claimLinksOf: (node, of, count) => void linksBy.set(pairKey(node, of.id), count),
    claimGrants: (owner, to, count) => void grantCounts.set(countKey(owner.id, to.email), count),
    run(event, raw, by = ann) {
      const message = { id: newId(slotOf(by.id)), event, payload: { ...raw }, actor: by, key: null };
      const definition = systemDefinitionOf(event) ?? definitionOf(event);
      const command = withCandidates(
        parseCommand(message, definition, (text) => text),
        memory.nodes.keys(),
      );
      if (isRefusal(command)) return resultOf(conformingReply(event, refusalReply(command)));
      const decision = memory.commit([command], { now: now(), newId, newToken }, claims);
      expectConforming(decision.messages.slices);
      return resultOf(conformingReply(event, decision.replies.get(command) as ReplyMessage), decision);
    },
  };
}

const NOTHING: Outcome = { writes: { changes: [], batches: [] }, messages: { slices: [] } };
interface Outcome {
  readonly writes: Pick<GroupDecision['writes'], 'changes' | 'batches'>;
  readonly messages: Pick<GroupDecision['messages'], 'slices'> & Partial<GroupDecision['messages']>;
}

function resultOf(reply: ReplyMessage, { writes, messages }: Outcome = NOTHING): Result {
  const { changes, batches } = writes;
  const { slices, control } = messages;
  const diff = {
    nodes: [],
    links: [],
    access: [],
    ...(reply.ok ? (reply.body.diff as object) : {}),
  } as unknown as Diff;
  return {
    ...(reply.ok ? { error: null } : { error: reply.error, details: reply.details }),
    batchId: batches[0]?.id ?? '',
    diff,
    sight: reply.ok ? (reply.body.sight as VisibilityChange | undefined) : undefined,
    results: (reply.ok ? (reply.body.results as Result['results'] | undefined) : undefined) ?? [],
    changes: changes.filter(({ kind }) => kind !== 'member' && kind !== 'feed'),
    slices: new Map(slices.map((slice) => [slice.feed, feedSlice(slice)])),
    diffs: new Map(slices.map(({ feed, diff }) => [feed, diff])),
    reread: { readers: [...(control?.readers ?? [])], publications: [...(control?.publications ?? [])] },
  };
}

function feedSlice({ diff, access = [] }: SliceMessage): FeedSlice {
  const {
    nodes,
    links,
    access: grants,
    joined = NO_IDS,
    left = NO_IDS,
  } = diff as unknown as Diff & Partial<Pick<FeedSlice, 'joined' | 'left'>>;
  const changes = [...links, ...nodes, ...grants].map(({ op, before, after }) => ({
    op,
    id: ((after as { id?: string }).id ?? (before as { id?: string }).id) as string,
  }));
  return { changes, joined, left, access };
}

const NO_IDS: Ids = { nodes: [], links: [] };
