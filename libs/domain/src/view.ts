// Entities and diffs as a reader sees them. Every answer and every push is made here, from states and changes.
import type { Level } from '@taskgraph/wire/codes';
import type { Diff, DiffEntry, PageLink, WireLink, WireNode } from '@taskgraph/wire/entities';
import type { ActingUser } from '@taskgraph/wire/messages';
import { isVisible, type Change, type LinkChange, type NodeChange } from './change.ts';
import type { LinkState, NodeState, OwnerNames } from './state.ts';

/** What a view depends on besides the entity itself. */
export interface Viewpoint {
  readonly ownerNames: (ownerId: string) => OwnerNames;
  /** The reader's level on a node, or undefined in pushes, which many read (ACL8). */
  readonly access: (node: NodeState) => Level | undefined;
}

/** Fields of the stored node that are bookkeeping and never leave the service. */
const HIDDEN_NODE_FIELDS: ReadonlySet<string> = new Set(['ownerId', 'statusBefore', 'openBlockers']);
const HIDDEN_LINK_FIELDS: ReadonlySet<string> = new Set(['ownerId', 'conveys']);

/** A node in full, as a reader sees it. */
export function viewNode(node: NodeState, viewpoint: Viewpoint): WireNode {
  const { ownerId, statusBefore: _before, openBlockers: _open, tags, assignee, ...fields } = node;
  const names = viewpoint.ownerNames(ownerId);
  const access = viewpoint.access(node);
  return {
    ...fields,
    tags: [...tags],
    assignee: [...assignee],
    ownerUsername: names.username,
    ownerEmail: names.email,
    ...(access === undefined ? {} : { access }),
    shareRoots: [],
  };
}

/** A link in full, as a reader sees it. */
function viewLink(link: LinkState): WireLink {
  const { ownerId: _owner, conveys: _conveys, ...fields } = link;
  return { ...fields, shareRoots: [] };
}

/** A link as graph pages show it. */
export function viewPageLink(link: LinkState): PageLink {
  const { id, source, target, type, version, wasBlocker } = link;
  return { id, source, target, type, version, wasBlocker, private: link.private };
}

/** The diff of one batch from its changes. `batchId` is null where nothing changed (GEN9). */
export function viewDiff(
  changes: readonly Change[],
  batch: { id: string | null; actor: ActingUser; now: string },
  viewpoint: Viewpoint,
): Diff {
  const nodes: DiffEntry[] = [];
  const links: DiffEntry[] = [];
  for (const change of changes.filter(isVisible)) {
    if (change.kind === 'node') nodes.push(viewNodeChange(change, viewpoint));
    else links.push(viewLinkChange(change));
  }
  return {
    batchId: batch.id,
    actor: { username: batch.actor.username, email: batch.actor.email },
    ts: batch.now,
    nodes,
    links,
    access: [],
    user: [],
  };
}

function viewNodeChange(change: NodeChange, viewpoint: Viewpoint): DiffEntry {
  if (change.before === null) return { op: change.op, before: {}, after: viewNode(change.after, viewpoint) };
  return {
    op: change.op,
    before: changedFields(change.before, change.fields, HIDDEN_NODE_FIELDS),
    after: {
      ...changedFields(change.after, change.fields, HIDDEN_NODE_FIELDS),
      shareRoots: [],
      lastEditedTime: change.after.lastEditedTime,
    },
  };
}

function viewLinkChange(change: LinkChange): DiffEntry {
  if (change.before === null) return { op: change.op, before: {}, after: viewLink(change.after) };
  return {
    op: change.op,
    before: changedFields(change.before, change.fields, HIDDEN_LINK_FIELDS),
    after: {
      ...changedFields(change.after, change.fields, HIDDEN_LINK_FIELDS),
      shareRoots: [],
      lastEditedTime: change.after.lastEditedTime,
    },
  };
}

/** The changed fields plus `id` and `version`, which a client needs to merge (interface document, rule 2 of the diff). */
function changedFields<T extends { id: string; version: number }>(
  state: T,
  fields: readonly (keyof T)[],
  hidden: ReadonlySet<string>,
): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: state.id, version: state.version };
  for (const field of fields) if (!hidden.has(String(field))) shown[String(field)] = state[field];
  return shown;
}
