// A batch's steps as its caller sees them: the diff of the answer.
import { Level, Op, SHOWN_IN_FULL, TAKES_AWAY } from '@taskgraph/wire/codes';
import type { DiffEntry } from '@taskgraph/wire/entities';
import { findLink, findNode } from './draft.ts';
import { recalls } from './history.ts';
import { HIDDEN, PUBLICATION } from './node-fields.ts';
import { levelOf, shareRootsFor } from './rules/access.ts';
import type { ModelGrant, ModelLink, ModelNode, ModelOp, ModelState, ModelUser } from './state.ts';

/**
 * The viewer and the moment of a diff. `before` is the state before the command; null for a
 * repeated answer (GEN8).
 */
export interface View {
  readonly before: ModelState | null;
  readonly after: ModelState;
  readonly user: ModelUser;
  readonly now: string;
}

/** The entries of a diff, by kind. */
export interface Entries {
  readonly nodes: DiffEntry[];
  readonly links: DiffEntry[];
  readonly access: DiffEntry[];
  readonly skipped: string[];
}

type Fields = Record<string, unknown>;

/** Fields of the state that are not on the wire, or that every entry has anyway. */
const NODE_OMITTED: readonly string[] = [...HIDDEN, 'ownerId', 'version', 'lastEditedTime'];
const LINK_OMITTED = ['ownerId', 'mayConvey', 'marked', 'unmarkedTime', 'trashedBy', 'version', 'lastEditedTime'];

/**
 * Reduces the steps of a batch to those visible to the caller. Rules: ACL2, ACL8, ACL9, LNK9,
 * WIRE5.
 */
export function entriesFor(view: View, ops: readonly ModelOp[], skipped: readonly string[]): Entries {
  const of = (kind: ModelOp['kind']) => ops.filter((op) => op.kind === kind && isShown(view, op));
  return {
    nodes: of('node').map((op) => nodeEntry(view, op)),
    links: of('link').map((op) => linkEntry(view, op)),
    access: of('grant').map(grantEntry),
    skipped: skipped.filter((id) => {
      const link = findLink(view.after, id);
      return link !== undefined && seesLinkOrTrash(view, view.after, link);
    }),
  };
}

/**
 * Whether the caller sees a step: by their sight after it or, for a removal, by their sight before
 * it.
 */
export function isShown(view: View, op: ModelOp): boolean {
  if (op.kind === 'grant') return isGrantShown(view, op);
  const saw = (state: ModelState) =>
    op.kind === 'node' ? seesNodeIn(view, state, op.id) : seesLinkIn(view, state, op.id);
  const exists = op.kind === 'node' ? findNode(view.after, op.id) : findLink(view.after, op.id);
  if (view.before === null && exists === undefined) return isShownDeleted(view, op);
  return saw(view.after) || (TAKES_AWAY.has(op.op) && view.before !== null && saw(view.before));
}

/**
 * Whether a repeated answer contains a step on an entity that was deleted since.
 *
 * GEN8, TRS5: it does if history shows the caller that the entity existed. A caller who lost it
 * before learns nothing of its deletion.
 */
function isShownDeleted(view: View, op: ModelOp): boolean {
  return recalls(view.after, view.user, op);
}

function seesNodeIn(view: View, state: ModelState, id: string): boolean {
  const node = findNode(state, id);
  return node !== undefined && levelOf(state, view.user, node, view.now) !== null;
}

function seesLinkIn(view: View, state: ModelState, id: string): boolean {
  const link = findLink(state, id);
  return link !== undefined && seesLinkOrTrash(view, state, link);
}

/**
 * Whether the caller sees a link, in the trash too. Rules: LNK9, TRS2.
 *
 * TRS2: answers use the present levels on entities in the trash. The levels after a restore apply
 * only to the trash page and to restoring.
 */
function seesLinkOrTrash(view: View, state: ModelState, link: ModelLink): boolean {
  if (link.private && link.ownerId !== view.user.id) return false;
  return [link.source, link.target].every((id) => seesNodeIn(view, state, id));
}

/**
 * Rules: ACL9. A grant on a node that was deleted with it is judged by the state before.
 *
 * GEN8, ACL9: a repeated answer omits grants on nodes that the caller no longer sees, even the
 * caller's own.
 */
function isGrantShown(view: View, op: ModelOp): boolean {
  const state = findNode(view.after, op.id) === undefined ? (view.before ?? view.after) : view.after;
  const node = findNode(state, op.id);
  const level = node === undefined ? null : levelOf(state, view.user, node, view.now);
  const isOwn = ((op.after ?? op.before) as ModelGrant).email === view.user.email;
  if (isOwn) return view.before !== null || level !== null;
  return level !== null && level <= Level.ADMIN;
}

/**
 * A node's entry. Rules: WIRE5, GEN6, ACL8, ACL9, TRS5.
 *
 * WIRE5: NODE_PUBLISH has all three fields of the publication on both sides, changed or not.
 */
function nodeEntry(view: View, op: ModelOp): DiffEntry {
  if (op.after !== null && findNode(view.after, op.id) === undefined) return deletedSince(op);
  if (op.op === Op.NODE_DELETE) {
    const before = view.before === null ? {} : fullNode(view, view.before, op.before as ModelNode);
    return { op: op.op, before, after: { id: op.id, deleted: true, shareRoots: [] } };
  }
  const after = fullNode(view, view.after, op.after as ModelNode);
  if (op.before === null) return { op: op.op, before: {}, after };
  const before = fullNode(view, view.after, op.before as ModelNode);
  const always = op.op === Op.NODE_PUBLISH ? PUBLICATION : [];
  const patch = changedNames(op, NODE_OMITTED, always);
  return entryOf(op.op, before, after, patch);
}

/** A link's entry. Rules: WIRE5, BLK9. */
function linkEntry(view: View, op: ModelOp): DiffEntry {
  if (op.after !== null && findLink(view.after, op.id) === undefined) return deletedSince(op);
  if (op.op === Op.LINK_DELETE) {
    const before = view.before === null ? {} : fullLink(view, op.before as ModelLink);
    return { op: op.op, before, after: { id: op.id, deleted: true, shareRoots: [] } };
  }
  const after = fullLink(view, op.after as ModelLink);
  if (op.before === null) return { op: op.op, before: {}, after };
  return entryOf(op.op, fullLink(view, op.before as ModelLink), after, changedNames(op, LINK_OMITTED, []));
}

/**
 * The remainder of a step on an entity that was deleted since. Rules: TRS5.
 *
 * GEN8, TRS5: its form tells a client that the entity is deleted.
 */
function deletedSince(op: ModelOp): DiffEntry {
  return { op: op.op, before: {}, after: { id: op.id, deleted: true, shareRoots: [] } };
}

/** The fields of a step that differ, and those that its code always has. */
function changedNames(op: ModelOp, omitted: readonly string[], always: readonly string[]): string[] {
  const before: Fields = { ...op.before };
  const after: Fields = { ...op.after };
  return Object.keys(after).filter((name) => {
    if (omitted.includes(name)) return false;
    return always.includes(name) || JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  });
}

/** An entry of changed fields. The `after` of a restore is the whole entity. Rules: WIRE5. */
function entryOf(op: Op, before: Fields, after: Fields, changed: readonly string[]): DiffEntry {
  const pick = (fields: Fields, names: readonly string[]) =>
    Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
  const names = ['id', 'version', ...changed];
  const whole = SHOWN_IN_FULL.has(op);
  return {
    op,
    before: pick(before, names),
    after: whole ? after : pick(after, [...names, 'shareRoots', 'lastEditedTime']),
  };
}

/**
 * A node with its fields at some moment, and the caller's own view of it in `state`. Rules: ACL2,
 * ACL8, ACL9.
 *
 * ACL2: a node in the trash belongs to no share root, so `shareRoots` is empty on NODE_TRASH and
 * NODE_DELETE. ACL8: only whole nodes have `access`; partial entries do not.
 */
function fullNode(view: View, state: ModelState, node: ModelNode): Fields {
  const now = findNode(state, node.id)!;
  const access = levelOf(state, view.user, now, view.now);
  const owner = state.users.find((user) => user.id === node.ownerId)!;
  const { ownerId: _owner, publicToken, ...all } = structuredClone(node);
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => !HIDDEN.some((hidden) => hidden === name)));
  return {
    ...fields,
    ownerUsername: owner.username,
    ownerEmail: owner.email,
    ...(access !== null && access <= Level.ADMIN && { publicToken }),
    ...(access !== null && { access }),
    shareRoots: node.inTrash ? [] : shareRootsFor(state, view.user, node.id, view.now),
  };
}

/**
 * A link with its fields at some moment.
 *
 * ACL2: the share roots of a link are those of both its ends that the caller may see; none in the
 * trash.
 */
function fullLink(view: View, link: ModelLink): Fields {
  const { ownerId: _o, mayPropagate: _c, marked: _m, unmarkedTime: _u, trashedBy: _t, ...fields } = link;
  const rootsOf = (id: string) => (!link.inTrash ? shareRootsFor(view.after, view.user, id, view.now) : []);
  const ofTarget = rootsOf(link.target);
  return { ...fields, shareRoots: rootsOf(link.source).filter((root) => ofTarget.includes(root)) };
}

/** A grant's entry. Rules: WIRE5, ACL4. */
function grantEntry(op: ModelOp): DiffEntry {
  const whole = (grant: ModelOp['after']): Fields => {
    if (grant === null) return {};
    const { nodeId: id, email, level, due, branch, version } = grant as ModelGrant;
    return { id, email, level, due, branch, version };
  };
  return { op: op.op, before: op.op === Op.GRANT_UPSERT ? {} : whole(op.before), after: whole(op.after) };
}
