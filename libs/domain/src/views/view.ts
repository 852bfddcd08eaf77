// The view of entities and diffs by a reader. Every answer and push is made here from states and
// changes.

import type { ActingUser } from '@taskgraph/wire/actor';
import { type Level, Op, SHOWN_IN_FULL } from '@taskgraph/wire/codes';
import type { Diff, DiffEntry, PageLink, TrashLink, TrashNode, WireLink, WireNode } from '@taskgraph/wire/entities';
import { type FieldTable, isPublic, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS, PAGE_LINK_FIELDS, type PageLinkField } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS, type ViewedNode } from '@taskgraph/wire/node-fields';
import type { GrantChange, LinkChange, NodeChange, VisibleChange } from '../state/change.ts';
import { compileMaker } from '../state/object-maker.ts';
import type { GrantState, LinkState, OwnerNames } from '../state/state.ts';

/** The context of a view, besides the entity. */
export interface Projection {
  readonly ownerNames: (ownerId: string) => OwnerNames;
  /** The reader's level on a node; undefined in pushes, which have many readers (ACL8). */
  readonly access: (node: ShownNode) => Level | undefined;
  /** The share roots of a node that the reader may learn of (ACL2). */
  readonly rootsOf: (nodeId: string) => readonly string[];
  /** Whether the reader sees the node's public token (ACL9). */
  readonly showsToken: (node: ShownNode) => boolean;
}

/** Internal fields, which never leave the service. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set([
  ...[NODE_FIELDS, LINK_FIELDS].flatMap((table: FieldTable) => namesWhere(table, (field) => !isPublic(field))),
  'nodeId',
  'showing',
  'copyOf',
]);

/** A node without its internal fields. */
export type ShownNode = ViewedNode;

/** Fields that some readers do not see. */
const SHOWN_TO_SOME: ReadonlySet<string> = new Set<keyof WireNode>(['publicToken', 'access']);
type ComputedFields = Pick<WireNode, 'ownerUsername' | 'ownerEmail' | 'shareRoots'>;
const showNode = compileMaker<(node: ShownNode, computed: ComputedFields) => WireNode>(
  ['node', 'computed'],
  namesWhere(NODE_FIELDS, (field, name) => isPublic(field) && !SHOWN_TO_SOME.has(name)).map((name) => {
    if (!isStored(NODE_FIELDS[name])) return [name, `computed.${name}`];
    // History that an earlier release stored lacks newer fields.
    return [name, 'orNull' in NODE_FIELDS[name] ? `node.${name} ?? null` : `node.${name}`];
  }),
);

/** A node in full, as a reader sees it. */
export function viewNode(node: ShownNode, projection: Projection): WireNode {
  const { username: ownerUsername, email: ownerEmail } = projection.ownerNames(node.ownerId);
  const shown = showNode(node, { ownerUsername, ownerEmail, shareRoots: nodeRoots(node, projection) });
  if (projection.showsToken(node)) shown.publicToken = node.publicToken;
  const access = projection.access(node);
  if (access !== undefined) shown.access = access;
  return shown;
}

const showLink = compileMaker<(link: LinkState, shareRoots: string[]) => WireLink>(
  ['link', 'shareRoots'],
  namesWhere(LINK_FIELDS, isPublic).map((name) => [name, isStored(LINK_FIELDS[name]) ? `link.${name}` : name]),
);

/** A link in full, as a reader sees it. Its share roots are those of both ends. */
export function viewLink(link: LinkState, projection: Pick<Projection, 'rootsOf'>): WireLink {
  return showLink(link, linkRoots(link, projection));
}

/** A trashed node has no share roots (ACL2). */
function nodeRoots({ id, inTrash }: ShownNode, { rootsOf }: Pick<Projection, 'rootsOf'>): string[] {
  return inTrash ? [] : [...rootsOf(id)];
}

function linkRoots({ source, target, inTrash }: LinkState, { rootsOf }: Pick<Projection, 'rootsOf'>): string[] {
  if (inTrash) return [];
  const there = rootsOf(target);
  return rootsOf(source).filter((root) => there.includes(root));
}

/** A grant, as admins of its node and the grantee see it. `id` is the node's (ACL4). */
export function viewGrant({ nodeId: id, email, level, due, branch, version }: GrantState) {
  return { id, email, level, due, branch, version };
}

/** A link as graph pages show it. */
export const viewPageLink = compileMaker<(link: Pick<LinkState, PageLinkField>) => PageLink>(
  ['link'],
  PAGE_LINK_FIELDS.map((name) => [name, `link.${name}`]),
);

/** A node as trash pages show it (EVT3). */
export function viewTrashNode(node: Omit<TrashNode, 'ownerUsername' | 'ownerEmail'>, owner: OwnerNames): TrashNode {
  const { id, title, status, inTrash, lastBatchID, version, lastEditedTime } = node;
  const { username: ownerUsername, email: ownerEmail } = owner;
  return { id, title, status, inTrash, lastBatchID, version, lastEditedTime, ownerUsername, ownerEmail };
}

/** A link as trash pages show it. */
export function viewTrashLink(link: LinkState): TrashLink {
  const { id, source, target, type, version, inTrash, lastBatchID } = link;
  return { id, source, target, type, version, inTrash, lastBatchID, private: link.private };
}

/**
 * The actor and time of a batch, and the links that stayed in the trash. `id` is null if nothing
 * changed (GEN9).
 */
export interface BatchHeader {
  readonly id: string | null;
  readonly actor: Pick<ActingUser, 'username' | 'email'>;
  readonly now: string;
  readonly skipped?: readonly string[];
}

/** A change as its reader sees it: whole, without its fields, or reduced to a deletion (TRS5). */
export type ShownChange = VisibleChange & { readonly omitted?: 'fields' | 'deleted' };

/** The diff of a batch, from the changes that its reader may see. */
export function viewDiff(changes: readonly ShownChange[], batch: BatchHeader, projection: Projection): Diff {
  const diff = viewChanges(changes, projection);
  return {
    batchId: batch.id,
    actor: { username: batch.actor.username, email: batch.actor.email },
    ts: batch.now,
    ...diff,
    user: [],
    ...(batch.skipped?.length ? { skipped: [...batch.skipped] } : {}),
  };
}

function viewChanges(
  changes: readonly ShownChange[],
  projection: Projection,
): { nodes: DiffEntry[]; links: DiffEntry[]; access: DiffEntry[] } {
  const entries: Record<VisibleChange['kind'], DiffEntry[]> = { node: [], link: [], grant: [] };
  for (const change of changes) {
    if (change.omitted !== undefined) entries[change.kind].push(viewShortened(change));
    else if (change.kind === 'node') entries.node.push(viewNodeChange(change, projection));
    else if (change.kind === 'link') entries.link.push(viewLinkChange(change, projection));
    else entries.grant.push(viewGrantChange(change));
  }
  return { nodes: entries.node, links: entries.link, access: entries.grant };
}

function viewShortened({ op, id, before, after, omitted }: ShownChange): DiffEntry {
  if (omitted === 'deleted') return { op, before: {}, after: { id, deleted: true, shareRoots: [] } };
  const version = (state: { readonly version: number } | null) =>
    state === null ? {} : { id, version: state.version };
  return { op, before: version(before), after: version(after) };
}

/** The diff of an undo or redo: flat partial snapshots beside the common entries (HIS6). */
export function viewUndoDiff(changes: readonly ShownChange[], batch: BatchHeader, projection: Projection) {
  const { access, ...diff } = viewDiff(changes, batch, projection);
  const flat = (entry: DiffEntry) => ({ ...entry.after, ...entry });
  return {
    ...diff,
    nodes: diff.nodes.map(flat),
    links: diff.links.map(flat),
    ...(access.length > 0 ? { access: access.map(flat) } : {}),
  };
}

function viewNodeChange(change: NodeChange, projection: Projection): DiffEntry {
  const { op, before, after, fields } = change;
  const shown = fields.filter((field) => field !== 'publicToken' || showsTokenOf(change, projection));
  return viewChange(
    { op, before, after },
    {
      whole: (state) => viewNode(state, projection),
      changed: (state) => changedFields(state, shown),
      roots: (state) => nodeRoots(state, projection),
    },
  );
}

function showsTokenOf({ before, after }: NodeChange, { showsToken }: Projection): boolean {
  const node = after ?? before;
  return node !== null && showsToken(node);
}

function viewLinkChange({ op, before, after, fields }: LinkChange, projection: Projection): DiffEntry {
  return viewChange(
    { op, before, after },
    {
      whole: (state) => viewLink(state, projection),
      changed: (state) => changedFields(state, fields),
      roots: (state) => linkRoots(state, projection),
    },
  );
}

/**
 * A grant's entry shows all fields on both sides. Setting a grant shows nothing before, even if one
 * existed (ACL4).
 */
function viewGrantChange({ op, before, after }: GrantChange): DiffEntry {
  const whole = (grant: GrantState | null) => (grant === null ? {} : viewGrant(grant));
  return { op, before: op === Op.GRANT_UPSERT ? {} : whole(before), after: whole(after) };
}

interface Views<T> {
  readonly whole: (state: T) => object;
  readonly changed: (state: T) => object;
  readonly roots: (state: T) => string[];
}

function viewChange<T extends { id: string; lastEditedTime: string }>(
  { op, before, after }: { op: Op; before: T | null; after: T | null },
  { whole, changed, roots }: Views<T>,
): DiffEntry {
  if (after === null) {
    const gone = before as T;
    return { op, before: { ...whole(gone) }, after: { id: gone.id, deleted: true, shareRoots: roots(gone) } };
  }
  if (before === null) return { op, before: {}, after: { ...whole(after) } };
  if (SHOWN_IN_FULL.has(op)) return { op, before: { ...changed(before) }, after: { ...whole(after) } };
  return {
    op,
    before: { ...changed(before) },
    after: { ...changed(after), shareRoots: roots(after), lastEditedTime: after.lastEditedTime },
  };
}

/** The changed fields plus `id` and `version`, which a client needs to merge (WIRE5). */
function changedFields<T extends { id: string; version: number }>(
  state: T,
  fields: readonly (keyof T)[],
): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: state.id, version: state.version };
  for (const field of fields) if (!HIDDEN_FIELDS.has(String(field))) shown[String(field)] = state[field];
  return shown;
}
