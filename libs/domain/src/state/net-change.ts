// The first state and the last of each entity that a command changed: of a command of several steps, what it comes to. Rules: BAT4, EVT1.
import type { Op } from '@taskgraph/wire/codes';
import { type Change, grantKey, isVisible, subjectOf, type VisibleChange } from './change.ts';
import type { GrantState, LinkState, NodeState } from './state.ts';

/** Null where the entity was not there before the command, or is not there after it. */
export interface NetChange<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** By what identifies an entity. */
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

/** The ends of a change's entity. */
export function netChangeOf<C extends VisibleChange>(
  net: NetChangesByEntity,
  change: C,
): NetChange<NonNullable<C['after']>> {
  return (net.get(keyOf(change)) ?? change) as NetChange<NonNullable<C['after']>>;
}

/**
 * One change for each entity, from its first state to its last; none of what was made and taken away again. By these it is judged who gains
 * or loses access: what was given and taken back never was (BAT4).
 */
export function netChanges(changes: readonly Change[]): VisibleChange[] {
  const net = netChangesByEntity(changes);
  const told = new Set<string>();
  return changes.filter(isVisible).flatMap((change) => {
    const key = keyOf(change);
    if (told.has(key)) return [];
    told.add(key);
    const { before, after } = netChangeOf(net, change);
    return before === null && after === null ? [] : [{ ...change, before, after, fields: [] } as VisibleChange];
  });
}

/** A change of a node or link that is gone at the end: no more is told of it than that (TRS5). */
export function isOvertaken(net: NetChangesByEntity, change: VisibleChange): boolean {
  return change.kind !== 'grant' && change.after !== null && netChangeOf(net, change).after === null;
}

/** By `keyOf`: the last change of an entity by one of these operations. */
export function lastChanges(
  changes: readonly VisibleChange[],
  ops: ReadonlySet<Op>,
): ReadonlyMap<string, VisibleChange> {
  return new Map(changes.filter(({ op }) => ops.has(op)).map((change) => [keyOf(change), change]));
}

/** Tells entities apart; a grant is known by its node and its e-mail. */
export function keyOf(change: VisibleChange): string {
  return change.kind === 'grant' ? grantKey(change.id, subjectOf(change).email) : change.id;
}
