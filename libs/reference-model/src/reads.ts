// The answers of the reads without paging: the graph, the trash, a branch and the grants on a node.
import type { PageLink, TrashLink, TrashNode, WireNode } from '@taskgraph/wire/entities';
import { branchBelow, grantsInForce, levelOf, mayRestoreLink, membershipOf, seesNodeOrTrash } from './rules/access.ts';
import {
  byId,
  publishedAs,
  type Reader,
  type ReadRefusal,
  readerLevel,
  shownLinks,
  shownNode,
  signedIn,
} from './rules/reader-view.ts';
import type { ModelGrant, ModelNode, ModelState, ModelUser } from './state.ts';

const ADMIN = 1;

/** The whole graph as one page. */
export interface ShownGraph {
  readonly nodes: WireNode[];
  readonly links: PageLink[];
}

/** A grant in a list. */
export interface ShownGrant {
  readonly id: string;
  readonly email: string;
  readonly level: number;
  readonly due: string | null;
  readonly branch: boolean;
  readonly version: number;
}

/**
 * Whether a node belongs to a user's graph: it is in their tree, their own, or covered by a grant
 * that they have not hidden. Rules: ACL1, ACL6.
 */
export function isInGraph(state: ModelState, user: ModelUser, node: ModelNode, now: string): boolean {
  if (node.inTrash) return false;
  const { roots, owners } = membershipOf(state, node.id);
  if (owners.has(user.id)) return true;
  return grantsInForce(state, now)
    .filter((grant) => grant.email === user.email && grant.showing)
    .some((grant) => grant.nodeId === node.id || (grant.branch && roots.has(grant.nodeId)));
}

/**
 * The content of `graph:get`: nodes by id, links by id. Rules: EVT3, ACL6, ACL8 (`access` counts
 * hidden grants too), GEN6.
 */
export function graphOf(state: ModelState, user: ModelUser, now: string): ShownGraph {
  const reader = signedIn(user);
  const seen = state.nodes.filter((node) => isInGraph(state, user, node, now)).sort(byId);
  return { nodes: seen.map((node) => shownNode(state, reader, node, now)), links: shownLinks(state, reader, seen) };
}

/**
 * The list of `trash:page`: entities that the caller may restore, newest first. Rules: TRS2, LNK7,
 * LNK9, EVT3.
 *
 * TRS2: links that were trashed with a node are listed if LNK7 permits their restore; their
 * `lastBatchID` names the batch that trashed both. Of two entities with equal `lastEditedTime`, the
 * one with the higher id is the newer.
 */
export function trashOf(state: ModelState, user: ModelUser, now: string): { nodes: TrashNode[]; links: TrashLink[] } {
  const nodes = state.nodes.filter((node) => node.inTrash && seesNodeOrTrash(state, user, node, now));
  const links = state.links.filter((link) => link.inTrash && mayRestoreLink(state, user, link, now));
  return {
    nodes: nodes.sort(newestFirst).map((node) => trashNodeOf(state, node)),
    links: links.sort(newestFirst).map((link) => {
      const { id, source, target, type, version, inTrash, lastBatchID } = link;
      return { id, source, target, type, version, inTrash, lastBatchID, private: link.private };
    }),
  };
}

function trashNodeOf(state: ModelState, node: ModelNode): TrashNode {
  const owner = state.users.find((one) => one.id === node.ownerId)!;
  const { id, title, status, lastBatchID, version, lastEditedTime } = node;
  const ownership = { ownerUsername: owner.username, ownerEmail: owner.email };
  return { id, title, status, inTrash: true, lastBatchID, version, lastEditedTime, ...ownership };
}

/** The answer of `node:get`. */
export interface ShownNodes {
  readonly nodes: (WireNode | TrashNode)[];
  readonly links: PageLink[];
  readonly missing: { readonly id: string; readonly error: string }[];
}

/**
 * The nodes of `node:get` in the order of the ids, and the active links on them with both ends
 * visible. Rules: NGET1, NGET2.
 */
export function nodesOf(state: ModelState, user: ModelUser, ids: readonly string[], now: string): ShownNodes {
  const reader = signedIn(user);
  const isVisible = (node: ModelNode) => !node.inTrash && levelOf(state, user, node, now) !== null;
  const nodes: (WireNode | TrashNode)[] = [];
  const missing: { id: string; error: string }[] = [];
  for (const id of new Set(ids)) {
    const node = state.nodes.find((one) => one.id === id);
    if (node !== undefined && isVisible(node)) nodes.push(shownNode(state, reader, node, now));
    else if (node?.inTrash && seesNodeOrTrash(state, user, node, now)) nodes.push(trashNodeOf(state, node));
    else
      missing.push({
        id,
        error: node === undefined || levelOf(state, user, node, now) !== null ? 'not_found' : 'forbidden',
      });
  }
  const links = linksSeenBy(state, user, now);
  const named = new Set(nodes.map(({ id }) => id));
  return { nodes, links: links.filter(({ source, target }) => named.has(source) || named.has(target)), missing };
}

/** The active links between nodes that a user sees, hidden grants included. */
export function linksSeenBy(state: ModelState, user: ModelUser, now: string): PageLink[] {
  const visible = state.nodes.filter((node) => !node.inTrash && levelOf(state, user, node, now) !== null);
  return shownLinks(state, signedIn(user), visible);
}

interface EditedEntity {
  readonly id: string;
  readonly lastEditedTime: string;
}

function newestFirst(a: EditedEntity, b: EditedEntity): number {
  if (a.lastEditedTime !== b.lastEditedTime) return a.lastEditedTime < b.lastEditedTime ? 1 : -1;
  return -byId(a, b);
}

/**
 * The branch of `root` for a reader, or the refusal. Rules: PUB3, GEN7.
 *
 * PUB3, TRS2: a node in the trash, named by its id, is a 404 even to readers with a level on it,
 * because it belongs to no branch.
 */
function rootFor(
  state: ModelState,
  reader: ModelUser | null,
  root: string,
  now: string,
): { reader: Reader; node: ModelNode } | ReadRefusal {
  const published = publishedAs(state, root, now);
  if (published !== null) return { reader: { user: reader, presented: published }, node: published };
  const node = state.nodes.find((one) => one.id === root);
  if (reader === null || node === undefined) return { error: 'not_found' };
  if (levelOf(state, reader, node, now) === null) return { error: 'forbidden' };
  return node.inTrash ? { error: 'not_found' } : { reader: signedIn(reader), node };
}

/**
 * The view of `branch:get`: the visible part of the root and its descendants over propagating
 * links, as in `graphOf`. Rules: PUB3, PUB4, GEN7, LNK1, ACL1.
 *
 * PUB3: a token opens the same nodes for a signed-in reader as for others, shown with the reader's
 * own levels. ACL6: hidden grants count, because the reader named the branch.
 */
export function branchOf(
  state: ModelState,
  reader: ModelUser | null,
  root: string,
  now: string,
): ShownGraph | ReadRefusal {
  const found = rootFor(state, reader, root, now);
  if ('error' in found) return found;
  const opened = found.reader.presented;
  const branch = opened !== null && !opened.publicBranch ? new Set([opened.id]) : branchBelow(state, found.node.id);
  const seen = state.nodes
    .filter((node) => branch.has(node.id) && readerLevel(state, found.reader, node, now) !== null)
    .sort(byId);
  return {
    nodes: seen.map((node) => shownNode(state, found.reader, node, now)),
    links: shownLinks(state, found.reader, seen),
  };
}

/** The grants on a node that a user may list. Rules: ACL9. */
export function grantsShown(
  state: ModelState,
  user: ModelUser,
  nodeId: string,
  { level, now }: { readonly level: number; readonly now: string },
): ModelGrant[] {
  const grants = grantsInForce(state, now).filter((grant) => grant.nodeId === nodeId);
  return grants.filter((grant) => level <= ADMIN || grant.email === user.email);
}

/**
 * The answer of `node:access:list`. Rules: ACL9, GEN7.
 *
 * ACL9: by e-mail. ACL5: an expired grant gives no access and is not listed.
 */
export function grantsOn(
  state: ModelState,
  user: ModelUser,
  nodeId: string,
  now: string,
): { grants: ShownGrant[] } | ReadRefusal {
  const node = state.nodes.find((one) => one.id === nodeId);
  if (node === undefined) return { error: 'not_found' };
  const level = levelOf(state, user, node, now);
  if (level === null) return { error: 'forbidden' };
  const shown = grantsShown(state, user, nodeId, { level, now }).map((grant) => {
    const { email, due, branch, version } = grant;
    return { id: nodeId, email, level: grant.level, due, branch, version };
  });
  return { grants: shown.sort((a, b) => (a.email < b.email ? -1 : 1)) };
}
