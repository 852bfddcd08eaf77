// The nodes with due dates in the stored order: their states, and the dates that passed while they were open.
// As the service does, a state belongs to a date by the stored times of the batches. Rule: HOOK5.
import { Status } from '@taskgraph/wire/codes';
import { at, type Entity, type OwnerOrder, type SerialOrders } from '../serial-order.ts';
import type { Positions } from './ranges.ts';

/** A node from a position of its owner's order on. */
export interface DatedState {
  readonly position: number;
  /** The time of its batch. */
  readonly ts: string;
  readonly version: number;
  readonly title: string;
  readonly dueDate: string | null;
  /** Active and not Completed. */
  readonly isOpen: boolean;
}

export interface DatedNode {
  readonly id: string;
  readonly entity: Entity;
  readonly states: readonly DatedState[];
}

/** A due date that passed while its node was open. */
export interface PassedDate {
  readonly node: DatedNode;
  readonly dueDate: string;
  /** The last position before it passed. */
  readonly position: number;
}

export interface DatedNodes {
  /** All nodes that ever had a due date, by id. */
  readonly nodes: ReadonlyMap<string, DatedNode>;
  readonly passed: readonly PassedDate[];
}

export function datedNodesOf(orders: SerialOrders): DatedNodes {
  const all = [...orders.owners.values()].flatMap((owner) => nodesOf(orders, owner));
  const nodes = new Map(all.filter(({ states }) => datesOf(states).size > 0).map((node) => [node.id, node]));
  const passed = [...nodes.values()].flatMap((node) =>
    [...datesOf(node.states)].flatMap((dueDate) => {
      if (!isDue(stateAt(node, dueDate), dueDate)) return [];
      return [{ node, dueDate, position: positionAt(node.entity.owner, dueDate) }];
    }),
  );
  return { nodes, passed };
}

function nodesOf(orders: SerialOrders, owner: OwnerOrder): DatedNode[] {
  const found = new Map<string, StoredState[]>();
  for (const [index, { ts, changes }] of owner.batches.entries())
    for (const { kind, id, after } of changes) {
      if (kind !== 'node' || orders.entityOf(id)?.owner !== owner) continue;
      const states = found.get(id) ?? [];
      found.set(id, states);
      states.push(nextState(states.at(-1), { position: index + 1, ts, after }));
    }
  return [...found].map(([id, states]) => ({ id, entity: orders.entityOf(id) as Entity, states: states.map(shown) }));
}

interface StoredState extends Omit<DatedState, 'isOpen'> {
  readonly isActive: boolean;
  readonly status: number;
}

interface StoredStep extends Pick<DatedState, 'position' | 'ts'> {
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** A step has the changed fields only. */
function nextState(last: StoredState | undefined, { position, ts, after }: StoredStep): StoredState {
  const before = last ?? { version: 0, title: '', dueDate: null, isActive: true, status: Status.AVAILABLE };
  if (after === null) return { ...before, position, ts, dueDate: null, isActive: false };
  const { version, title, dueDate, inTrash, status } = { ...fieldsOf(before), ...after };
  return {
    position,
    ts,
    version: Number(version),
    title: String(title),
    dueDate: typeof dueDate === 'string' ? dueDate : null,
    isActive: inTrash !== true,
    status: Number(status),
  };
}

function fieldsOf({ isActive, ...fields }: Omit<StoredState, 'position' | 'ts'>): Readonly<Record<string, unknown>> {
  return { ...fields, inTrash: !isActive };
}

function shown({ isActive, status, ...state }: StoredState): DatedState {
  return { ...state, isOpen: isActive && status !== Status.COMPLETED };
}

function datesOf(states: readonly DatedState[]): ReadonlySet<string> {
  return new Set(states.flatMap(({ dueDate }) => dueDate ?? []));
}

/** The state when a time passed. A change in the same millisecond was before. */
export function stateAt({ states }: DatedNode, time: string): DatedState | undefined {
  return states.findLast(({ ts }) => ts <= time);
}

/** The last position at this time. */
function positionAt({ batches }: OwnerOrder, time: string): number {
  return batches.findLastIndex(({ ts }) => ts <= time) + 1;
}

export function isDue(state: DatedState | undefined, dueDate: string): boolean {
  return state?.isOpen === true && state.dueDate === dueDate;
}

/** The states of a node at some of these positions. */
export function statesIn({ states }: DatedNode, { first, last }: Positions): readonly DatedState[] {
  const before = at(states, first);
  const later = states.filter(({ position }) => position > first && position <= last);
  return before === undefined ? later : [before, ...later];
}
