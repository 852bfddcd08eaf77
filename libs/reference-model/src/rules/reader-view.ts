// Nodes and links as a reader sees them: without hidden fields, and with the reader's own view.
import type { PageLink, WireNode } from '@taskgraph/wire/entities';
import { copyOf } from '../copies.ts';
import { FOR_USERS, PUBLICATION, SHOWN, type ShownField } from '../node-fields.ts';
import type { ModelLink, ModelNode, ModelState, ModelUser } from '../state.ts';
import { branchBelow, isPublic, levelOf, membershipOf, seesNode } from './access.ts';

const ADMIN = 1;
const VIEWER = 3;

/**
 * A reader, and the published node whose token they sent, if any. An anonymous reader has no user.
 */
export interface Reader {
  readonly user: ModelUser | null;
  readonly presented: ModelNode | null;
}

/** A refused read: the code alone. */
export interface ReadRefusal {
  readonly error: string;
}

/** A reader without a presented token. */
export function signedIn(user: ModelUser): Reader {
  return { user, presented: null };
}

/**
 * The node that a public token opens now. Rules: PUB3 (unknown, expired, trashed and unpublished
 * look the same).
 */
export function publishedAs(state: ModelState, token: string, now: string): ModelNode | null {
  return state.nodes.find((node) => node.publicToken === token && isPublic(node, now)) ?? null;
}

/**
 * Whether the reader's token opens a node: the published node, or a node of its branch if the
 * branch is published. Rules: ACL1, PUB3.
 */
function isOpened(state: ModelState, reader: Reader, node: ModelNode): boolean {
  if (reader.presented === null || node.inTrash) return false;
  if (node.id === reader.presented.id) return true;
  return reader.presented.publicBranch && branchBelow(state, reader.presented.id).has(node.id);
}

/** A reader's level on an active node, with the token counted. Rules: ACL1. */
export function readerLevel(state: ModelState, reader: Reader, node: ModelNode, now: string): number | null {
  if (node.inTrash) return null;
  const own = reader.user === null ? null : levelOf(state, reader.user, node, now);
  if (!isOpened(state, reader, node)) return own;
  return own === null ? VIEWER : Math.min(own, VIEWER);
}

/**
 * Share roots as a reader sees them. Rules: ACL2; PUB4 (an anonymous reader sees only the token's
 * own).
 *
 * PUB3, PUB4: a token shows a signed-in reader no more share roots than it shows an anonymous one.
 */
function readerRoots(state: ModelState, reader: Reader, node: ModelNode, now: string): string[] {
  const { roots } = membershipOf(state, node.id);
  const isShown = (root: ModelNode): boolean => {
    if (root.id === reader.presented?.id) return true;
    if (reader.user === null) return false;
    return node.ownerId === reader.user.id || seesNode(state, reader.user, root, now);
  };
  return state.nodes
    .filter((root) => roots.has(root.id) && isShown(root))
    .map((root) => root.id)
    .sort();
}

/**
 * An active visible node, as the reader sees it. Rules: ACL2, ACL8, ACL9, PUB4.
 *
 * ACL9: readers below admin do not see `publicToken`. PUB4: anonymous readers see no publications
 * of other nodes. Their `access` is 3, the level that a token gives (ACL1).
 */
export function shownNode(state: ModelState, reader: Reader, node: ModelNode, now: string): WireNode {
  const level = readerLevel(state, reader, node, now)!;
  const owner = state.users.find((user) => user.id === node.ownerId)!;
  const isPresented = node.id === reader.presented?.id;
  const visibleFields = SHOWN.filter((name) => {
    if (name === 'publicToken') return level <= ADMIN || isPresented;
    if (isAmong(PUBLICATION, name)) return reader.user !== null || isPresented;
    return reader.user !== null || !isAmong(FOR_USERS, name);
  });
  const { id, createdTime, lastEditedTime } = node;
  const copy = copyOf(node);
  const fields = Object.fromEntries(visibleFields.map((name) => [name, copy[name]]));
  return {
    id,
    createdTime,
    lastEditedTime,
    ...(fields as Pick<ModelNode, ShownField>),
    ...(reader.user !== null && { ownerUsername: owner.username, ownerEmail: owner.email }),
    access: level,
    shareRoots: readerRoots(state, reader, node, now),
  };
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** A link in a page. Rules: WIRE4, EVT3. */
function shownLink(link: ModelLink): PageLink {
  return {
    id: link.id,
    source: link.source,
    target: link.target,
    type: link.type,
    version: link.version,
    wasBlocker: link.wasBlocker,
    private: link.private,
  };
}

/**
 * The links between some nodes that a reader may see: all except private links of others. Rules:
 * LNK9, PUB4, "Visibility".
 */
export function shownLinks(state: ModelState, reader: Reader, nodes: readonly { readonly id: string }[]): PageLink[] {
  const ids = new Set(nodes.map((node) => node.id));
  return state.links
    .filter((link) => !link.inTrash && ids.has(link.source) && ids.has(link.target))
    .filter((link) => !link.private || link.ownerId === reader.user?.id)
    .sort(byId)
    .map(shownLink);
}

/** Compares by id, lowest first. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
