// Conflicts of an undo with later changes: fields that the batch set and that no longer hold the
// batch's final value. Intermediate values of the batch do not conflict. Rules: HIS2, HIS4, HIS10,
// BAT5.

import { grantOn } from '@taskgraph/domain/access/permissions';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import type { GrantState, LinkState, NodeState } from '@taskgraph/domain/state/state';
import { appliedState } from '@taskgraph/domain/views/history';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { PUBLICATION_FIELDS } from '@taskgraph/wire/node-fields';
import {
  CLAIM,
  CONTENT,
  entityKey,
  FORM,
  fieldsSet,
  isSame,
  type Patch,
  PRESENCE,
  statusByHand,
  TERMS,
} from './fields.ts';

export interface Conflict {
  readonly kind: StoredChange['kind'];
  readonly entity: string;
  readonly field: string;
  /** For a grant, whose entity is its node. */
  readonly email?: string;
}

/** The state of one entity after the batch. */
interface Outcome {
  /** The last change by the command itself, not a side effect. */
  readonly own: StoredChange;
  /** The fields that the command itself set. */
  readonly fields: ReadonlySet<string>;
  /** Whether the command's last such change trashed or restored it; null for neither. */
  readonly trashed: boolean | null;
  /** As known from the batch, with side effects; null if it was deleted. */
  readonly state: Patch | null;
}

interface EntityConflicts {
  /** The last change of the entity by the command itself. */
  readonly change: StoredChange;
  readonly conflicts: readonly Conflict[];
}

/** The conflicts by entity, latest changed first. */
export function conflictsWith(draft: Draft, { changes, id, origin }: StoredBatch): EntityConflicts[] {
  const all = outcomesOf(changes).reverse();
  const trashers = all.flatMap(({ own, trashed }) => (trashed === true ? (trasherOf(draft, own) ?? []) : []));
  draft.requireHistory(
    trashers.filter((trasher) => trasher !== id),
    [],
  );
  const isSameOrigin = (trasher: string | null) =>
    trasher === id || (trasher !== null && draft.batchHead(trasher)?.origin === origin);
  return all
    .map((outcome) => {
      const { kind, id: entity, email } = outcome.own;
      const named = { kind, entity, ...definedFields({ email }) };
      return {
        change: outcome.own,
        conflicts: changedFields(draft, outcome, isSameOrigin).map((field) => ({ ...named, field })),
      };
    })
    .filter(({ conflicts }) => conflicts.length > 0);
}

/** The outcome of each entity that the command itself changed, in the order of the last change. */
function outcomesOf(changes: readonly StoredChange[]): Outcome[] {
  const states = new Map<string, Patch | null>();
  const set = new Map<string, Omit<Outcome, 'state' | 'fields'> & { readonly fields: Set<string> }>();
  for (const change of changes) {
    const { before, after, effect } = change;
    const key = entityKey(change);
    states.set(key, after === null ? null : { ...states.get(key), ...appliedState(before, after) });
    if (effect === true) continue;
    const { fields = new Set<string>(), trashed = null } = set.get(key) ?? {};
    for (const field of fieldsSet(change)) fields.add(field);
    set.delete(key);
    set.set(key, {
      own: change,
      fields,
      trashed: fieldsSet(change).includes(PRESENCE) ? after?.inTrash === true : trashed,
    });
  }
  return [...set].map(([key, outcome]) => ({ ...outcome, state: states.get(key) ?? null }));
}

/** The batch that last trashed a node or link. */
export function trasherOf(draft: Draft, { kind, id }: Pick<StoredChange, 'kind' | 'id'>): string | null {
  if (kind === 'grant') return null;
  return (kind === 'node' ? draft.node(id) : draft.link(id))?.lastBatchID ?? null;
}

/** The fields with another value than after the batch. A deleted entity does not conflict here. */
function changedFields(draft: Draft, outcome: Outcome, isSameOrigin: (trasher: string | null) => boolean): string[] {
  const { kind, id, email = '' } = outcome.own;
  const node = kind === 'link' ? null : draft.node(id);
  if (kind === 'grant') return node === null ? [] : changedGrant(grantOn(draft.world, id, email), outcome);
  const present = kind === 'node' ? node : draft.link(id);
  if (present === null || outcome.state === null) return [];
  const { fields, state } = outcome;
  const changed = [...(kind === 'node' ? [...CONTENT, ...PUBLICATION_FIELDS, CLAIM] : FORM)].filter(
    (field) => fields.has(field) && !isSame((present as unknown as Patch)[field], state[field]),
  );
  const status = fields.has('status') && statusByHand(present as NodeState) !== statusByHand(state);
  return [...changedPresence(present, outcome, isSameOrigin), ...changed, ...(status ? ['status'] : [])];
}

/**
 * Whether the entity is where the batch left it. A restored entity must be active, except a link
 * that a side effect of the batch trashed again. A trashed entity must have been trashed by the
 * batch or by an undo or redo of it (HIS4): otherwise it was restored and trashed again since.
 */
function changedPresence(
  { inTrash, lastBatchID }: NodeState | LinkState,
  { trashed, state }: Outcome,
  isSameOrigin: (trasher: string | null) => boolean,
): string[] {
  if (trashed === null) return [];
  if (!trashed) return inTrash && state?.inTrash !== true ? [PRESENCE] : [];
  return [...(inTrash ? [] : [PRESENCE]), ...(isSameOrigin(lastBatchID) ? [] : ['lastBatchID'])];
}

function changedGrant(present: GrantState | null, { fields, state }: Outcome): string[] {
  if (present === null || state === null) return present === null && state === null ? [] : ['grant'];
  return TERMS.filter((term) => fields.has(term) && !isSame(present[term], state[term]));
}
