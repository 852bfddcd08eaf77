// The net change of each entity over all steps of a command. Rules: BAT4, EVT1.
import type { Op } from '@taskgraph/wire/codes';
import { type Change, grantKey, isVisible, subjectOf, type VisibleChange } from './change.ts';
import type { GrantState, LinkState, NodeState } from './state.ts';

/** Null if the entity did not exist before the command, or does not exist after it. */
export interface NetChange<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** By `keyOf`. */
export type NetChangesByEntity = ReadonlyMap<string, NetChange<NodeState | LinkState | GrantState>>;

export function netChangesByEntity(changes: readonly Change[]): NetChangesByEntity {
  const net = new Map<string, NetChange<NodeState | LinkState | GrantState>>();
  for (const change of changes) {
    if (!isVisible(change)) continue;
    const key = keyOf(change);
    const first = net.get(key);
    net.set(key, { before: first === undefined ? change.before : first.before, after: change.after });
  }
  return net;
}

/** The net change of a change's entity. */
export function netChangeOf<C extends VisibleChange>(
  net: NetChangesByEntity,
  change: C,
): NetChange<NonNullable<C['after']>> {
  return (net.get(keyOf(change)) ?? change) as NetChange<NonNullable<C['after']>>;
}

/**
 * One change per entity, from its first state to its last, without entities that were created and
 * deleted again. It decides who gains or loses access (BAT4).
 */
export function netChanges(changes: readonly Change[]): VisibleChange[] {
  const net = netChangesByEntity(changes);
  const seen = new Set<string>();
  return changes.filter(isVisible).flatMap((change) => {
    const key = keyOf(change);
    if (seen.has(key)) return [];
    seen.add(key);
    const { before, after } = netChangeOf(net, change);
    return before === null && after === null ? [] : [{ ...change, before, after, fields: [] } as VisibleChange];
  });
}

/**
 * A change of a node or link that no longer exists after the command. Readers see only its deletion
 * (TRS5).
 */
export function isDeletedLater(net: NetChangesByEntity, change: VisibleChange): boolean {
  return change.kind !== 'grant' && change.after !== null && netChangeOf(net, change).after === null;
}

/** The last change of each entity by one of these operations, by `keyOf`. */
export function lastChanges(
  changes: readonly VisibleChange[],
  ops: ReadonlySet<Op>,
): ReadonlyMap<string, VisibleChange> {
  return new Map(changes.filter(({ op }) => ops.has(op)).map((change) => [keyOf(change), change]));
}

/** Identifies an entity; a grant by its node and its e-mail. */
export function keyOf(change: VisibleChange): string {
  return change.kind === 'grant' ? grantKey(change.id, subjectOf(change).email) : change.id;
}
