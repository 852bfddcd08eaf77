// A graph and the part that one reader sees, computed by brute force from the rules, independently
// of the replica. Rules: ACL1 to ACL3, EVT1, EVT2, LNK9.

import { definedFields } from '@taskgraph/wire/defined-fields';

export interface ModelNode {
  readonly id: string;
  mine: boolean;
  title: string;
  status: number;
  version: number;
  inTrash: boolean;
}

export interface ModelLink {
  readonly id: string;
  source: string;
  target: string;
  mine: boolean;
  private: boolean;
  conveys: boolean;
  version: number;
  inTrash: boolean;
}

/** The reader's grant on a node of another owner. */
export interface ModelGrant {
  level: number;
  branch: boolean;
  showing: boolean;
}

/** The whole graph. `others` are the roots that another user also reads. */
export interface ModelState {
  readonly nodes: Map<string, ModelNode>;
  readonly links: Map<string, ModelLink>;
  readonly grants: Map<string, ModelGrant>;
  readonly others: Set<string>;
}

export const OWN_FEED = 'user:me';
const MY_EMAIL = 'me@example.com';

/** The feeds with their members, and the entities that the reader sees, at one moment. */
export interface VisibleGraph {
  /** Feeds with readers, by name: the ids of their nodes. */
  readonly feeds: ReadonlyMap<string, ReadonlySet<string>>;
  /** The feeds that the reader reads, with the level that each gives. */
  readonly read: ReadonlyMap<string, number>;
  /** Active nodes that the reader sees, by id: their level. */
  readonly nodes: ReadonlyMap<string, number>;
  readonly links: ReadonlySet<string>;
}

export function visibleGraph(state: ModelState): VisibleGraph {
  const read = new Map([[OWN_FEED, 3]]);
  for (const [root, { level, branch, showing }] of state.grants) {
    if (showing) read.set(branch ? `root:${root}` : `node:${root}`, level);
  }
  const feeds = new Map<string, ReadonlySet<string>>();
  const own = [...state.nodes.values()].filter(({ mine }) => mine).map(({ id }) => id);
  feeds.set(OWN_FEED, below(state, own));
  const roots = [...state.others, ...[...state.grants].filter(([, { branch }]) => branch).map(([root]) => root)];
  for (const root of roots) feeds.set(`root:${root}`, below(state, [root]));
  for (const [root, { branch }] of state.grants) if (!branch) feeds.set(`node:${root}`, active(state, [root]));
  const nodes = new Map<string, number>();
  for (const [feed, level] of read) {
    for (const id of feeds.get(feed) ?? []) {
      const mine = state.nodes.get(id)?.mine === true;
      nodes.set(id, mine ? 0 : Math.min(level, nodes.get(id) ?? 3));
    }
  }
  const links = [...state.links.values()].filter(
    ({ inTrash, source, target, private: hidden, mine }) =>
      !inTrash && nodes.has(source) && nodes.has(target) && (!hidden || mine),
  );
  return { feeds, read, nodes, links: new Set(links.map(({ id }) => id)) };
}

function active(state: ModelState, ids: Iterable<string>): Set<string> {
  return new Set([...ids].filter((id) => state.nodes.get(id)?.inTrash === false));
}

/** The nodes and their descendants over propagating links. */
function below(state: ModelState, ids: Iterable<string>): Set<string> {
  const found = active(state, ids);
  for (const id of found) {
    for (const link of state.links.values()) {
      const conveys = link.conveys && !link.inTrash && !link.private && link.target === id;
      if (conveys && state.nodes.get(link.source)?.inTrash === false) found.add(link.source);
    }
  }
  return found;
}

/** A node in full; `level` is the reader's, or undefined in pushes. */
export function wholeNode({ nodes }: ModelState, visible: VisibleGraph, id: string, level?: number): Entity {
  const { mine, title, status, version, inTrash } = nodes.get(id) as ModelNode;
  const roots = [...visible.feeds].filter(([feed, members]) => feed !== OWN_FEED && members.has(id));
  const sees = (root: string) => mine || visible.nodes.has(root) || level === undefined;
  return {
    id,
    title,
    status,
    version,
    inTrash,
    createdTime: 't',
    publicDue: null,
    publicBranch: false,
    ownerEmail: mine ? MY_EMAIL : 'other@example.com',
    shareRoots: [...new Set(roots.map(([feed]) => feed.slice(5)))].filter(sees).sort(),
    ...definedFields({ access: level }),
    ...(level !== undefined && level <= 1 ? { publicToken: null } : {}),
  };
}

export function wholeLink({ links }: ModelState, id: string): Entity {
  const { source, target, version, private: hidden, inTrash } = links.get(id) as ModelLink;
  return { id, source, target, type: 0, version, wasBlocker: false, private: hidden, inTrash };
}

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string; readonly version: number };
