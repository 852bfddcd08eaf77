// History as a user sees it now: the visible operations of each batch, and their visible fields.
import type { Op } from '@taskgraph/wire/codes';
import { type Fields, patchesOf } from './patches.ts';
import { branchBelow, levelOnRestore, seesLink, withLinkActive } from './rules/access.ts';
import type { ReadRefusal } from './rules/reader-view.ts';
import { isActive } from './rules/restore.ts';
import type { ModelBatch, ModelGrant, ModelLink, ModelNode, ModelOp, ModelState, ModelUser } from './state.ts';
import { cached } from './state-cache.ts';

const ADMIN = 1;

/** The scope of a history page. */
export interface HistoryScope {
  readonly type: 'GRAPH' | 'NODE' | 'LINK' | 'USER';
  readonly id: string;
}

/** The order and the filters of a history page. */
export interface HistoryQuery {
  readonly order?: 'newest' | 'oldest';
  readonly since?: string;
  /** Usernames. */
  readonly actor?: readonly string[];
  readonly ops?: readonly Op[];
}

/** An operation in history. `id` is its place in the batch, with hidden operations counted. */
export interface ShownOp {
  readonly id: number;
  readonly type: Op;
  readonly entityId: string;
  readonly forwardPatch: Fields;
  readonly inversePatch: Fields;
  readonly guard: Fields;
  readonly createdTime: string;
}

/** A batch in history. */
export interface ShownBatch {
  readonly batchId: string;
  readonly actor: { readonly username: string; readonly email: string };
  readonly ts: string;
  readonly undone: boolean;
  readonly ops: ShownOp[];
}

/** The nodes (with those of grants) and links in history, and the last state of each node and link. */
interface HistoryEntities {
  readonly nodes: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
  readonly last: Readonly<Record<'node' | 'link', ReadonlyMap<string, ModelOp['before']>>>;
}

function historyEntities(state: ModelState): HistoryEntities {
  return cached(state, 'entities of history', () => {
    const [nodes, links] = [new Set<string>(), new Set<string>()];
    const last = { node: new Map(), link: new Map() };
    for (const { ops } of state.batches) {
      for (const { kind, id, before, after } of ops) {
        (kind === 'link' ? links : nodes).add(id);
        if (kind !== 'grant') last[kind].set(id, after ?? before);
      }
    }
    return { nodes, links, last };
  });
}

/** The last state of a deleted entity. */
function lastOf(state: ModelState, kind: 'node' | 'link', id: string): ModelNode | ModelLink | null {
  return (historyEntities(state).last[kind].get(id) ?? null) as ModelNode | ModelLink | null;
}

/**
 * Whether history shows a user a node's operations. Rules: HIS7, TRS2, TRS5.
 *
 * HIS7, TRS2: a node in the trash is visible to those who would see it if it were restored now.
 * HIS7, TRS5: only the owner of a deleted node sees its remainder; ownership is the only right that
 * outlives it.
 */
function seesNodeHistory(state: ModelState, user: ModelUser, nodeId: string, now: string): boolean {
  const node = state.nodes.find((one) => one.id === nodeId);
  if (node !== undefined) return levelOnRestore(state, user, node, now) !== null;
  return recalls(state, user, { kind: 'node', id: nodeId });
}

/** Whether a user may learn that a deleted entity existed. Rules: TRS5. */
export function recalls(state: ModelState, user: ModelUser, { kind, id }: Pick<ModelOp, 'kind' | 'id'>): boolean {
  if (kind !== 'link') return (lastOf(state, 'node', id) as ModelNode | null)?.ownerId === user.id;
  const last = lastOf(state, 'link', id) as ModelLink | null;
  if (last === null) return false;
  const ownerOf = (end: string) =>
    (state.nodes.find((one) => one.id === end) ?? (lastOf(state, 'node', end) as ModelNode | null))?.ownerId;
  const ownsBoth = [last.source, last.target].every((end) => ownerOf(end) === user.id);
  return last.ownerId === user.id || (!last.private && ownsBoth);
}

/**
 * Whether history shows a user a link's operations. Rules: HIS7, LNK9, TRS2, TRS5.
 *
 * HIS7: a link in the trash is visible to those who see both its ends in history, and to its
 * trasher as if it were active. TRS5: the remainder of a deleted link is visible to its owner and,
 * if it was public, to the owner of both its ends.
 */
function seesLinkHistory(state: ModelState, user: ModelUser, linkId: string, now: string): boolean {
  const link = state.links.find((one) => one.id === linkId);
  if (link !== undefined) {
    return link.inTrash ? seesTrashedLink(state, user, link, now) : seesLink(state, user, link, now);
  }
  return recalls(state, user, { kind: 'link', id: linkId });
}

/** Rules: LNK7 (the trasher's sight is judged as if the link were active), LNK9, TRS2. */
function seesTrashedLink(state: ModelState, user: ModelUser, link: ModelLink, now: string): boolean {
  if (link.private && link.ownerId !== user.id) return false;
  const judged = link.trashedBy === user.id ? withLinkActive(state, link.id) : state;
  return [link.source, link.target].every((id) => {
    const node = judged.nodes.find((one) => one.id === id);
    return node !== undefined && levelOnRestore(judged, user, node, now) !== null;
  });
}

/**
 * A user's level on a node for its history; the owner's level on deleted nodes. Rules: ACL9, TRS2.
 */
function historyLevel(state: ModelState, user: ModelUser, nodeId: string, now: string): number | null {
  const node = state.nodes.find((one) => one.id === nodeId);
  if (node !== undefined) return levelOnRestore(state, user, node, now);
  return (lastOf(state, 'node', nodeId) as ModelNode | null)?.ownerId === user.id ? 0 : null;
}

/**
 * The entities whose history a user sees now, and the nodes whose grants and tokens they see too.
 */
interface HistoryVisibility {
  readonly user: ModelUser;
  readonly nodes: ReadonlySet<string>;
  readonly administered: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** Judges every entity in history once for each request. Rules: HIS7, ACL9. */
function historyVisibility(state: ModelState, user: ModelUser, now: string): HistoryVisibility {
  const all = historyEntities(state);
  const nodes = [...all.nodes].filter((id) => seesNodeHistory(state, user, id, now));
  const administered = nodes.filter((id) => historyLevel(state, user, id, now)! <= ADMIN);
  const links = [...all.links].filter((id) => seesLinkHistory(state, user, id, now));
  return { user, nodes: new Set(nodes), administered: new Set(administered), links: new Set(links) };
}

/**
 * Whether a user sees an operation now. Rules: HIS7, ACL9, LNK9.
 *
 * ACL9, HIS7: a grant's operation is visible to a reader who sees its node now and is its admin or
 * the grantee. So a grant that was a reader's only access disappears from their history together
 * with the node.
 */
function seesOp(sight: HistoryVisibility, op: ModelOp): boolean {
  if (op.kind === 'link') return sight.links.has(op.id);
  if (op.kind === 'node') return sight.nodes.has(op.id);
  const email = ((op.after ?? op.before) as ModelGrant).email;
  return sight.administered.has(op.id) || (sight.nodes.has(op.id) && email === sight.user.email);
}

/** Whether an operation's entity, or the node of its grant, was permanently deleted. Rules: TRS5. */
function isDeleted(state: ModelState, op: ModelOp): boolean {
  const ids = cached(state, 'ids', () => new Set([...state.nodes, ...state.links].map(({ id }) => id)));
  return !ids.has(op.id);
}

/** An operation as a user sees it. Rules: HIS1, ACL9, TRS5. */
function shownOp(state: ModelState, sight: HistoryVisibility, batch: ModelBatch, op: ModelOp): ShownOp {
  const head = { id: batch.ops.indexOf(op), type: op.op, entityId: op.id, createdTime: batch.ts };
  if (isDeleted(state, op)) return { ...head, forwardPatch: {}, inversePatch: {}, guard: {} };
  return { ...head, ...patchesOf(state, op, sight.administered.has(op.id)) };
}

/** Whether a user sees a single operation now. Rules: HIS7. */
export function seesOperation(state: ModelState, user: ModelUser, op: ModelOp, now: string): boolean {
  return seesOp(historyVisibility(state, user, now), op);
}

/** Whether a user sees a batch. For others it does not exist. Rules: HIS3, HIS7. */
export function seesBatch(state: ModelState, user: ModelUser, batch: ModelBatch, now: string): boolean {
  const sight = historyVisibility(state, user, now);
  return batch.ops.some((op) => seesOp(sight, op));
}

/** The condition on a batch, and on one of its visible operations. */
interface ScopeTest {
  batch(batch: ModelBatch): boolean;
  op(op: ModelOp): boolean;
}

/**
 * The batches of a scope, as conditions; null if the user may not use the scope. Rules: HIS8.
 *
 * HIS8: a batch touched the branch if it touched its nodes (with their grants) or a link of one of
 * them, in the trash too. The branch of a trashed node is the node alone. A scope selects batches;
 * each shows everything in it that is visible to the caller. No test uses a deleted entity as
 * scope.
 */
function scopeTest(state: ModelState, user: ModelUser, scope: HistoryScope | null, now: string): ScopeTest | null {
  const anyOf = () => true;
  if (scope === null) return { batch: anyOf, op: anyOf };
  if (scope.type === 'USER') {
    return scope.id === user.id ? { batch: (batch) => batch.actor.id === user.id, op: anyOf } : null;
  }
  if (scope.type === 'GRAPH' && scope.id === user.id) return { batch: anyOf, op: anyOf };
  if (scope.type === 'LINK') {
    const known = state.links.some((link) => link.id === scope.id) && seesLinkHistory(state, user, scope.id, now);
    return known ? { batch: anyOf, op: (op) => op.id === scope.id } : null;
  }
  const known = state.nodes.some((node) => node.id === scope.id) && seesNodeHistory(state, user, scope.id, now);
  if (!known) return null;
  const nodes = isActive(state, scope.id) ? branchBelow(state, scope.id) : new Set([scope.id]);
  if (scope.type === 'NODE') return { batch: anyOf, op: (op) => op.id === scope.id };
  const links = state.links.filter((link) => nodes.has(link.source) || nodes.has(link.target));
  const touched = new Set([...nodes, ...links.map((link) => link.id)]);
  return { batch: anyOf, op: (op) => touched.has(op.id) };
}

/**
 * The whole list of `history:page`. Rules: HIS1, HIS5, HIS7, HIS8, HISX1, TRS5, ACL9, LNK9.
 *
 * HISX1: filters select batches, by operations that are visible to the user and of the scope.
 */
export function historyOf(
  state: ModelState,
  user: ModelUser,
  { scope, order = 'newest', since = '', actor, ops: types }: HistoryQuery & { readonly scope: HistoryScope | null },
  now: string,
): { batches: ShownBatch[] } | ReadRefusal {
  const holds = scopeTest(state, user, scope, now);
  if (holds === null) return { error: 'bad_request.invalid_scope' };
  const sight = historyVisibility(state, user, now);
  const batches: ShownBatch[] = [];
  const sorted = [...state.batches].sort(newestFirst);
  for (const batch of order === 'newest' ? sorted : sorted.reverse()) {
    if (batch.ts < since || (actor !== undefined && !actor.includes(batch.actor.username))) continue;
    const seen = batch.ops.filter((op) => seesOp(sight, op));
    const isOfType = (op: ModelOp) => types === undefined || types.includes(op.op);
    if (!holds.batch(batch) || !seen.some((op) => holds.op(op) && isOfType(op))) continue;
    const { username, email } = batch.actor;
    const ops = seen.map((op) => shownOp(state, sight, batch, op));
    batches.push({ batchId: batch.id, actor: { username, email }, ts: batch.ts, undone: batch.undone, ops });
  }
  return { batches };
}

/** Newest first, by time and then id. Rules: HIS7. */
function newestFirst(a: ModelBatch, b: ModelBatch): number {
  const [first, second] = a.ts === b.ts ? [a.id, b.id] : [a.ts, b.ts];
  return first < second ? 1 : first > second ? -1 : 0;
}
