// Entities and diffs as a reader sees them. Every answer and every push is made here, from states and changes.
import { type Level, type Op, SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import type { Diff, DiffEntry, PageLink, TrashLink, TrashNode, WireLink, WireNode } from '@taskgraph/wire/entities';
import type { ActingUser } from '@taskgraph/wire/messages';
import { type Change, isVisible, type LinkChange, type NodeChange } from './change.ts';
import type { LinkState, NodeState, OwnerNames } from './state.ts';

/** What a view depends on besides the entity itself. */
export interface Viewpoint {
  readonly ownerNames: (ownerId: string) => OwnerNames;
  /** The reader's level on a node, or undefined in pushes, which many read (ACL8). */
  readonly access: (node: NodeState) => Level | undefined;
}

/** Stored fields that are bookkeeping and never leave the service. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set([
  'ownerId',
  'statusBefore',
  'openBlockers',
  'conveys',
  'trashedWithNode',
]);

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
  const { ownerId: _owner, conveys: _conveys, trashedWithNode: _marked, ...fields } = link;
  return { ...fields, shareRoots: [] };
}

/** A link as graph pages show it. */
export function viewPageLink(link: LinkState): PageLink {
  const { id, source, target, type, version, wasBlocker } = link;
  return { id, source, target, type, version, wasBlocker, private: link.private };
}

/** A node as trash pages show it (interface document, GET /api/trash). */
export function viewTrashNode(node: NodeState, owner: OwnerNames): TrashNode {
  const { id, title, status, inTrash, lastBatchID, version, lastEditedTime } = node;
  const { username: ownerUsername, email: ownerEmail } = owner;
  return { id, title, status, inTrash, lastBatchID, version, lastEditedTime, ownerUsername, ownerEmail };
}

/** A link as trash pages show it. */
export function viewTrashLink(link: LinkState): TrashLink {
  const { id, source, target, type, version, inTrash, lastBatchID } = link;
  return { id, source, target, type, version, inTrash, lastBatchID, private: link.private };
}

/** The diff of one batch from its changes. `batchId` is null where nothing changed (GEN9). */
export function viewDiff(
  changes: readonly Change[],
  batch: { id: string | null; actor: ActingUser; now: string; skipped?: readonly string[] },
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
    ...(batch.skipped?.length ? { skipped: [...batch.skipped] } : {}),
  };
}

function viewNodeChange(change: NodeChange, viewpoint: Viewpoint): DiffEntry {
  const { op, before, after, fields } = change;
  const whole = (state: NodeState) => viewNode(state, viewpoint);
  return viewChange(op, before, after, whole, (state) => changedFields(state, fields));
}

function viewLinkChange({ op, before, after, fields }: LinkChange): DiffEntry {
  return viewChange(op, before, after, viewLink, (state) => changedFields(state, fields));
}

function viewChange<T extends { id: string; lastEditedTime: string }>(
  op: Op,
  before: T | null,
  after: T | null,
  whole: (state: T) => object,
  changed: (state: T) => object,
): DiffEntry {
  if (after === null) {
    const gone = before as T;
    return { op, before: { ...whole(gone) }, after: { id: gone.id, deleted: true, shareRoots: [] } };
  }
  if (before === null) return { op, before: {}, after: { ...whole(after) } };
  if (SHOWN_IN_FULL.has(op)) return { op, before: { ...changed(before) }, after: { ...whole(after) } };
  return {
    op,
    before: { ...changed(before) },
    after: { ...changed(after), shareRoots: [], lastEditedTime: after.lastEditedTime },
  };
}

/** The changed fields plus `id` and `version`, which a client needs to merge (interface document, rule 2 of the diff). */
function changedFields<T extends { id: string; version: number }>(
  state: T,
  fields: readonly (keyof T)[],
): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: state.id, version: state.version };
  for (const field of fields) if (!HIDDEN_FIELDS.has(String(field))) shown[String(field)] = state[field];
  return shown;
}
