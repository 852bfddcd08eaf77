// The due dates of a range that a webhook reports to its user now, by brute force over the user's graph and all
// operations. Without the bounds of a message. Rules: HOOK2, HOOK5, HOOK6, HOOK7.
import type { WireNode } from '@taskgraph/wire/entities';
import { findIn, type ModelSearch } from './find.ts';
import { branchOf, graphOf } from './reads.ts';
import type { ModelNode, ModelState, ModelUser } from './state.ts';

/** A due date and the id of its node; '' is before each id. */
export interface ModelDuePosition {
  readonly time: string;
  readonly id: string;
}

/** A range of due dates, without its first position, and the filter of a webhook. */
export interface ModelDueSearch extends Pick<ModelSearch, 'root' | 'where'> {
  readonly after: ModelDuePosition;
  readonly to: ModelDuePosition;
}

/** An event of a `graph.due` message. */
export interface ModelDueEvent {
  readonly type: 'node.due';
  readonly id: string;
  readonly after: Omit<WireNode, 'description'>;
}

const COMPLETED = 3;

/** The events in order of date and id. */
export function dueIn(
  state: ModelState,
  user: ModelUser,
  { after, to, root, where }: ModelDueSearch,
  now: string,
): ModelDueEvent[] {
  const ids = selected(state, user, { root, where }, now);
  return graphOf(state, user, now)
    .nodes.filter(({ id }) => ids.has(id))
    .filter(({ id, dueDate, status }) => {
      if (dueDate === null || status === COMPLETED) return false;
      const at = { time: dueDate, id };
      return isBefore(after, at) && !isBefore(to, at) && wasDue(state, id, dueDate);
    })
    .map(({ description: _, ...fields }) => ({ type: 'node.due' as const, id: fields.id, after: fields }))
    .sort((a, b) => (isBefore(positionOf(a), positionOf(b)) ? -1 : 1));
}

/** The nodes of the branch that meet the conditions. */
function selected(
  state: ModelState,
  user: ModelUser,
  { root, where }: { readonly root: string | undefined; readonly where: ModelSearch['where'] },
  now: string,
): ReadonlySet<string> {
  const found = findIn(state, user, where === undefined ? {} : { where }, now);
  const hits = 'error' in found ? [] : found.map(({ id }) => id);
  if (root === undefined) return new Set(hits);
  const branch = branchOf(state, user, root, now);
  const inside = new Set('error' in branch ? [] : branch.nodes.map(({ id }) => id));
  return new Set(hits.filter((id) => inside.has(id)));
}

function positionOf({ id, after }: ModelDueEvent): ModelDuePosition {
  return { time: after.dueDate as string, id };
}

function isBefore(one: ModelDuePosition, other: ModelDuePosition): boolean {
  return one.time < other.time || (one.time === other.time && one.id < other.id);
}

/**
 * Whether a node was active and open with this due date when the date passed. HOOK5: a date that is set when it has
 * passed is not reported. A change in the same millisecond was before.
 */
function wasDue(state: ModelState, id: string, dueDate: string): boolean {
  const before = state.batches.filter(({ ts }) => ts <= dueDate).flatMap(({ ops }) => ops);
  const last = before.findLast((op) => op.kind === 'node' && op.id === id);
  const node = (last?.after ?? null) as ModelNode | null;
  return node !== null && !node.inTrash && node.status !== COMPLETED && node.dueDate === dueDate;
}

/** How many batches changed a node after its due date. HOOK5: the service reads only so many. */
export function changesSinceDue(state: ModelState, { id, dueDate }: Pick<ModelNode, 'id' | 'dueDate'>): number {
  return state.batches.filter(({ ts, ops }) => dueDate !== null && ts > dueDate && ops.some((op) => op.id === id))
    .length;
}
