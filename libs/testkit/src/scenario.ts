// Small graphs for tests of single commands: nodes, links and grants of three users, and commands decided on them in memory.
// The commands are handed in, so that this package does not depend on the package whose tests use it.
import type { Change } from '@taskgraph/domain/change';
import type { GrantState, LinkState, NodeState } from '@taskgraph/domain/state';
import { viewDiff } from '@taskgraph/domain/view';
import { layerOver, type World } from '@taskgraph/domain/world';
import { type Level, LinkType, Status } from '@taskgraph/wire/codes';
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
  readonly details?: Record<string, unknown>;
  /** As the caller gets it; empty where the command was refused. */
  readonly diff: Diff;
  readonly changes: readonly Change[];
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
  /** Parses, decides and applies; `by` is ann if not given. */
  run(event: string, raw: object, by?: ActingUser): Outcome;
}

export function createScenario(commands: Commands): Scenario {
  const memory = createMemoryWorld();
  const grants: GrantState[] = [];
  const { degrees } = layerOver(memory.world);
  const world: World = { ...memory.world, degrees, grants };
  let clock = 0;
  const now = () => new Date(START_MS + ++clock * 1_000).toISOString();
  const newId = (slot: number) => composeId(slot, START_MS + ++clock, 0, new Uint8Array(6));

  return {
    nodes: memory.nodes,
    links: memory.links,
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
      memory.links.set(made.id, { ...made, wasBlocker: fields.wasBlocker ?? (opens && !into.independent) });
      return made.id;
    },
    grant(node, to, level, fields = {}) {
      grants.push({ nodeId: node, email: to.email, level, due: null, branch: false, ...fields });
    },
    claimLinks: (node, count) => void degrees.set(node, count),
    run(event, raw, by = ann) {
      const definition = commands.definitionOf(event);
      const header = { id: newId(slotOf(by.id)), actor: by, now: now() };
      const payload = commands.parsePayload(definition, raw);
      if (isRefusal(payload)) return refused(payload, by);
      const context = { actor: by, now: header.now, batchId: header.id, newId };
      const decision = definition.decide(world, payload, context);
      if (isRefusal(decision)) return refused(decision, by);
      const { changes, skipped } = 'changes' in decision ? decision : { changes: decision, skipped: [] };
      memory.apply(changes);
      return { error: null, changes, diff: viewDiff(changes, { ...header, skipped }, VIEWPOINT) };
    },
  };
}

const VIEWPOINT = {
  ownerNames: (id: string) => [ann, bob, cy].find((one) => one.id === id) ?? ann,
  access: () => undefined,
};

function refused({ code, details }: Refusal, by: ActingUser): Outcome {
  const diff = viewDiff([], { id: null, actor: by, now: '' }, VIEWPOINT);
  return { error: code, changes: [], diff, ...(details === undefined ? {} : { details }) };
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
    lastBatchID: null,
    createdTime: time,
    lastEditedTime: time,
  };
}
