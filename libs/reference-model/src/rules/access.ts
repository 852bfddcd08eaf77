// The access of users: levels, share roots and trees, derived from the stored state at each
// question.

import type { ModelGrant, ModelLink, ModelNode, ModelState, ModelUser } from '../state.ts';
import { cached } from '../state-cache.ts';
import { isActive, stateAfterRestore } from './restore.ts';

const VIEWER = 3;
const EDITOR = 2;

/** Whether a moment is in the future; null always is. Rules: ACL5. */
export function lasts(due: string | null, now: string): boolean {
  return due === null || due > now;
}

/** The grants in force. Rules: ACL5. */
export function grantsInForce(state: ModelState, now: string): ModelGrant[] {
  return state.grants.filter((grant) => lasts(grant.due, now));
}

/** Whether a node's public token is valid now. Rules: ACL5, PUB3. */
export function isPublic(node: ModelNode, now: string): boolean {
  return node.publicToken !== null && !node.inTrash && lasts(node.publicDue, now);
}

/**
 * Whether a link propagates its target's branches and trees to its source. `mayPropagate` is the
 * decision from when the link last became active or public. Rules: ACL3.
 */
export function propagates(state: ModelState, link: ModelLink): boolean {
  if (link.inTrash || link.private || !link.mayPropagate) return false;
  return isActive(state, link.source) && isActive(state, link.target);
}

/**
 * Whether a node has a grant or a publication, in force or not: `due` limits readers, never
 * membership. Rules: ACL2.
 */
function isShareRoot(state: ModelState, node: ModelNode): boolean {
  return node.publicToken !== null || state.grants.some((grant) => grant.nodeId === node.id);
}

/**
 * Whether a node has a branch grant or a branch publication, so that the nodes below belong to it
 * too. Rules: ACL2.
 */
export function isBranchRoot(state: ModelState, nodeId: string): boolean {
  if (state.grants.some((grant) => grant.nodeId === nodeId && grant.branch)) return true;
  return state.nodes.some((node) => node.id === nodeId && node.publicToken !== null && node.publicBranch);
}

/**
 * The node and all nodes on paths of propagating links from it, source to target. Rules: LNK4
 * (visited set), ACL2.
 */
function reachedFrom(state: ModelState, nodeId: string): Set<string> {
  const conveying = state.links.filter((link) => propagates(state, link));
  const reached = new Set([nodeId]);
  for (const id of reached) for (const link of conveying) if (link.source === id) reached.add(link.target);
  return reached;
}

/**
 * The node and its descendants over propagating links: its branch, shared or not. Rules: LNK1,
 * ACL2, ACL3.
 */
export function branchBelow(state: ModelState, nodeId: string): Set<string> {
  const conveying = state.links.filter((link) => propagates(state, link));
  const below = new Set(isActive(state, nodeId) ? [nodeId] : []);
  for (const id of below) for (const link of conveying) if (link.target === id) below.add(link.source);
  return below;
}

/**
 * The share roots of an active node, and the users in whose tree it is, its owner among them. A
 * root without a branch counts only for itself. A node in the trash belongs to none. Rules: ACL1,
 * ACL2.
 */
export function membershipOf(state: ModelState, nodeId: string): Membership {
  return cached(state, `membership of ${nodeId}`, () => findMembership(state, nodeId));
}

interface Membership {
  readonly roots: ReadonlySet<string>;
  readonly owners: ReadonlySet<string>;
}

function findMembership(state: ModelState, nodeId: string): Membership {
  const roots = new Set<string>();
  const owners = new Set<string>();
  if (!isActive(state, nodeId)) return { roots, owners };
  const reached = reachedFrom(state, nodeId);
  for (const node of state.nodes) {
    if (!reached.has(node.id)) continue;
    owners.add(node.ownerId);
    if (isBranchRoot(state, node.id) || (node.id === nodeId && isShareRoot(state, node))) roots.add(node.id);
  }
  return { roots, owners };
}

/** The best of several levels; null if there are none. */
function best(levels: readonly number[]): number | null {
  return levels.length === 0 ? null : Math.min(...levels);
}

/** The level that ownership and branch grants give on a node. Rules: ACL1; ACL3 and ACL4 ("admin by a branch grant"). */
export function branchLevelOf(state: ModelState, user: ModelUser, node: ModelNode, now: string): number | null {
  const { roots } = membershipOf(state, node.id);
  const levels = node.ownerId === user.id ? [0] : [];
  for (const grant of grantsInForce(state, now)) {
    if (grant.email !== user.email || !grant.branch) continue;
    if (grant.nodeId === node.id || roots.has(grant.nodeId)) levels.push(grant.level);
  }
  return best(levels);
}

/**
 * A signed-in user's level on a node. A node in the trash belongs to no branch and no tree, so only
 * ownership and grants on the node itself count there; `levelOnRestore` has the exception of TRS2.
 * Rules: ACL1, ACL2, ACL5.
 */
export function levelOf(state: ModelState, user: ModelUser, node: ModelNode, now: string): number | null {
  const levels: number[] = [];
  const byBranch = branchLevelOf(state, user, node, now);
  if (byBranch !== null) levels.push(byBranch);
  for (const grant of grantsInForce(state, now)) {
    if (grant.email === user.email && grant.nodeId === node.id) levels.push(grant.level);
  }
  if (membershipOf(state, node.id).owners.has(user.id)) levels.push(VIEWER);
  return best(levels);
}

/**
 * The level that a node in the trash would have after a restore now; for other nodes the present
 * level. Rules: TRS2, TRS3.
 */
export function levelOnRestore(state: ModelState, user: ModelUser, node: ModelNode, now: string): number | null {
  if (!node.inTrash) return levelOf(state, user, node, now);
  const restored = stateAfterRestore(state, node.id);
  return levelOf(restored, user, { ...node, inTrash: false }, now);
}

/**
 * Whether a user sees a node outside the trash. Rules: ACL1, ACL6 (hiding does not affect
 * permission).
 */
export function seesNode(state: ModelState, user: ModelUser, node: ModelNode, now: string): boolean {
  return !node.inTrash && levelOf(state, user, node, now) !== null;
}

/** Whether a user sees an active link: both ends, and no private link of another. Rules: LNK9. */
export function seesLink(state: ModelState, user: ModelUser, link: ModelLink, now: string): boolean {
  if (link.inTrash || (link.private && link.ownerId !== user.id)) return false;
  const ends = state.nodes.filter((node) => node.id === link.source || node.id === link.target);
  return ends.length === 2 && ends.every((node) => seesNode(state, user, node, now));
}

/**
 * Whether a user sees a node: active, or in the trash because they may restore it. Rules: TRS2,
 * HIS7.
 */
export function seesNodeOrTrash(state: ModelState, user: ModelUser, node: ModelNode, now: string): boolean {
  const level = levelOnRestore(state, user, node, now);
  return level !== null && (!node.inTrash || level <= EDITOR);
}

/**
 * Whether a user may restore a link in the trash. Rules: LNK7, LNK9, TRS2.
 *
 * LNK7, TRS2: an end in the trash counts with the level that it would have after a restore now.
 */
export function mayRestoreLink(state: ModelState, user: ModelUser, link: ModelLink, now: string): boolean {
  if (link.private && link.ownerId !== user.id) return false;
  const judged = link.trashedBy === user.id ? withLinkActive(state, link.id) : state;
  const source = judged.nodes.find((node) => node.id === link.source);
  const target = judged.nodes.find((node) => node.id === link.target);
  if (source === undefined || target === undefined) return false;
  if ([source, target].some((end) => levelOnRestore(judged, user, end, now) === null)) return false;
  return link.ownerId === user.id || levelOnRestore(judged, user, target, now)! <= EDITOR;
}

/**
 * The state as if a link were active. Rules: LNK7 (the trasher's sight of its ends).
 *
 * LNK7, TRS1: a link with a trashed end cannot be active, so the state stays as it is.
 */
export function withLinkActive(state: ModelState, linkId: string): ModelState {
  const link = state.links.find(({ id }) => id === linkId);
  if (link === undefined || !isActive(state, link.source) || !isActive(state, link.target)) return state;
  return { ...state, links: state.links.map((link) => (link.id === linkId ? { ...link, inTrash: false } : link)) };
}

/**
 * The share roots of a node as a receiver sees them, by id: the owner sees all, others those whose
 * root they see. Rules: ACL2.
 */
export function shareRootsFor(state: ModelState, user: ModelUser, nodeId: string, now: string): string[] {
  const own = state.nodes.some((node) => node.id === nodeId && node.ownerId === user.id);
  const { roots } = membershipOf(state, nodeId);
  return state.nodes
    .filter((node) => roots.has(node.id) && (own || seesNode(state, user, node, now)))
    .map((node) => node.id)
    .sort();
}
