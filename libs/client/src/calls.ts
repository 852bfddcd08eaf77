// The payload and answer of each call of the service. The types follow from the service's schemas.
import type { CallTypes, Node, ReadName } from '@taskgraph/wire/public-types';

/** Every event with its payload and its answer. Answers have no `ok`: a call that fails throws. */
export type Calls = {
  [E in keyof CallTypes]: { payload: CallTypes[E]['payload']; answer: WithoutOk<CallTypes[E]['answer']> };
};
type WithoutOk<A> = A extends unknown ? Omit<A, 'ok'> : never;
export type EventName = keyof Calls;

/** The name of a field of nodes. */
export type NodeField = keyof Node;

/** The reads that return only some fields of nodes if their payload has `fields`. */
export type SelectiveRead = {
  [E in ReadName]: 'fields' extends keyof Calls[E]['payload'] ? E : never;
}[ReadName];

/** The answer of a read whose nodes have the fields `F`, `id` and `version`. */
export type SelectedAnswer<E extends SelectiveRead, F extends NodeField> = WithSelectedNodes<Calls[E]['answer'], F>;
type WithSelectedNodes<A, F extends NodeField> = A extends { nodes: readonly (infer N)[] }
  ? Omit<A, 'nodes'> & { nodes: SelectedNode<N, F>[] }
  : A;
type SelectedNode<N, F extends NodeField> = N extends unknown ? Pick<N, Extract<keyof N, F | 'id' | 'version'>> : never;

/** The payload of a read with `fields`. */
export type SelectivePayload<E extends SelectiveRead, F extends NodeField> = Calls[E]['payload'] & {
  fields: readonly F[];
};

/** The answer of every mutation. `feeds` has the numbers of its slices in the caller's feeds. */
export type Changed = Calls['node:add']['answer'];

/**
 * A page of the graph. All nodes come before all links. `next` is the `after` of the next page;
 * null at the end.
 */
export type GraphPage = Calls['graph:get']['answer'];

/**
 * A page of the trash: nodes and links together, newest first. The `offset` of the next page is the
 * number of entries so far.
 */
export type TrashPage = Calls['trash:page']['answer'];

/**
 * A page of history, in the order of its call. `truncated`: the service did not search the whole
 * scope; the page of `next` continues.
 */
export type HistoryPage = Calls['history:page']['answer'];

/** A batch in the history. Field names in patches and guards are capitalised. */
export type HistoryBatch = HistoryPage['batches'][number];

/**
 * The current state of changed entities and the ids of removed ones. `resetRequired`: the position
 * is too old; fetch the whole graph.
 */
export type Changes = Calls['changes:get']['answer'];
export type ChangesPage = Exclude<Changes, { resetRequired: true }>;

/**
 * A copy, since the declarations would bring their schemas into a bundle. The compiler compares the
 * two.
 */
const READS = {
  'node:access:list': true,
  'node:get': true,
  'node:find': true,
  'graph:get': true,
  'branch:get': true,
  'trash:page': true,
  'history:page': true,
  'changes:get': true,
  'graph:plan': true,
  'node:why': true,
} satisfies Record<ReadName, true>;

/** Whether a call is a read, which takes no idempotency key. */
export function isRead(event: string): boolean {
  return Object.hasOwn(READS, event);
}
