// The answer of node:why, by brute force: what a node waits for, and how readers see it. Rules:
// WHY1, WHY2, WHY3.
import { Status } from '@taskgraph/wire/codes';
import { grantsInForce, isPublic, levelOf, membershipOf, propagates, seesLink, seesNode } from './rules/access.ts';
import type { ReadRefusal } from './rules/reader-view.ts';
import { blockersOf } from './rules/status.ts';
import type { ModelNode, ModelState, ModelUser } from './state.ts';

const ADMIN = 1;
const VIEWER = 3;

export interface ShownWhy {
  readonly blockedBy: readonly { readonly id: string; readonly link: string; readonly status: number }[];
  readonly workable: readonly string[];
  readonly hidden: boolean;
  readonly access: readonly ShownWay[];
}

export interface ShownWay {
  readonly level: number;
  readonly by: 'owner' | 'grant' | 'branch' | 'tree' | 'publication';
  readonly root: string;
  readonly due: string | null;
  readonly email: string | null;
  /** Any of these is a valid answer. */
  readonly paths: readonly (readonly (string | null)[])[];
}

export interface WhyQuery {
  readonly id: string;
  readonly all: boolean;
}

/**
 * Rules: GEN7, TRS2 (a node in the trash is a 404 to readers with a level on it), WHY2 (`all` is
 * for admins).
 */
export function whyOf(state: ModelState, user: ModelUser, query: WhyQuery, now: string): ShownWhy | ReadRefusal {
  const node = state.nodes.find((one) => one.id === query.id);
  if (node === undefined) return { error: 'not_found' };
  const level = levelOf(state, user, node, now);
  if (level === null) return { error: 'forbidden' };
  if (node.inTrash) return { error: 'not_found' };
  if (query.all && level > ADMIN) return { error: 'forbidden' };
  return { ...chainOf(state, user, node, now), access: waysOf(state, user, node, { all: query.all, now }) };
}

/** Rule: WHY1. */
function chainOf(state: ModelState, user: ModelUser, node: ModelNode, now: string): Omit<ShownWhy, 'access'> {
  const statusOf = (id: string) => state.nodes.find((one) => one.id === id)!.status;
  const blockers = blockersOf(state, node.id).filter((link) => seesLink(state, user, link, now));
  const reached = new Set([node.id]);
  const workable: string[] = [];
  let hidden = false;
  for (let near = [node.id]; near.length > 0; ) {
    const further = new Set<string>();
    for (const id of near) {
      for (const link of blockersOf(state, id)) {
        if (!seesLink(state, user, link, now)) hidden = true;
        else if (!reached.has(link.source)) further.add(link.source);
      }
    }
    near = [...further].sort();
    for (const id of near) reached.add(id);
    workable.push(...near.filter((id) => statusOf(id) !== Status.BLOCKED));
  }
  const blockedBy = blockers.map(({ id, source }) => ({ id: source, link: id, status: statusOf(source) }));
  return { blockedBy: blockedBy.sort((a, b) => (a.link < b.link ? -1 : 1)), workable, hidden };
}

/** Rules: WHY2, ACL1, ACL9 (the right to list a grant), PUB3. */
function waysOf(
  state: ModelState,
  user: ModelUser,
  node: ModelNode,
  { all, now }: { readonly all: boolean; readonly now: string },
): ShownWay[] {
  const { roots, owners } = membershipOf(state, node.id);
  const owner = state.users.find(({ id }) => id === node.ownerId)!;
  const isAdminOn = (id: string) => {
    const level = levelOf(state, user, state.nodes.find((one) => one.id === id)!, now);
    return level !== null && level <= ADMIN;
  };
  const paths = (root: string) => pathsTo(state, user, node.id, root, now);
  const ways: ShownWay[] = [];
  if (owner.id === user.id || all) {
    ways.push({ level: 0, by: 'owner', root: node.id, due: null, email: owner.email, paths: [[node.id]] });
  }
  if (owner.id !== user.id && owners.has(user.id)) {
    const own = state.nodes.filter((one) => one.ownerId === user.id);
    const found = own.flatMap(({ id }) => shortest(state, user, node.id, id, now).map((path) => ({ id, path })));
    const nearest = Math.min(...found.map(({ path }) => path.length));
    const [first] = found.filter(({ path }) => path.length === nearest).sort((a, b) => (a.id < b.id ? -1 : 1));
    ways.push({ level: VIEWER, by: 'tree', root: first!.id, due: null, email: user.email, paths: paths(first!.id) });
  }
  for (const { nodeId, branch, email, level, due } of grantsInForce(state, now)) {
    const reaches = nodeId === node.id || (branch && roots.has(nodeId));
    if (!reaches || !(email === user.email || (all && isAdminOn(nodeId)))) continue;
    ways.push({ level, by: nodeId === node.id ? 'grant' : 'branch', root: nodeId, due, email, paths: paths(nodeId) });
  }
  for (const root of state.nodes) {
    const reaches = root.id === node.id || (root.publicBranch && roots.has(root.id));
    if (!reaches || !isPublic(root, now) || !isAdminOn(root.id)) continue;
    const due = root.publicDue;
    ways.push({ level: VIEWER, by: 'publication', root: root.id, due, email: null, paths: paths(root.id) });
  }
  return ways;
}

/** The shortest visible paths. If there is none, one null stands for all nodes in between. */
function pathsTo(
  state: ModelState,
  user: ModelUser,
  from: string,
  to: string,
  now: string,
): (readonly (string | null)[])[] {
  const paths = shortest(state, user, from, to, now);
  return paths.length > 0 ? paths : [[from, null, to]];
}

/** All shortest paths over propagating links between visible nodes. */
function shortest(state: ModelState, user: ModelUser, from: string, to: string, now: string): string[][] {
  const seen = new Set(state.nodes.filter((node) => seesNode(state, user, node, now)).map(({ id }) => id));
  const conveying = state.links.filter(
    (link) => propagates(state, link) && seen.has(link.source) && seen.has(link.target),
  );
  const passed = new Set<string>();
  for (let paths = [[from]]; paths.length > 0; ) {
    const there = paths.filter((path) => path.at(-1) === to);
    if (there.length > 0) return there;
    for (const path of paths) passed.add(path.at(-1)!);
    paths = paths.flatMap((path) =>
      conveying
        .filter((link) => link.source === path.at(-1) && !passed.has(link.target))
        .map((link) => [...path, link.target]),
    );
  }
  return [];
}
