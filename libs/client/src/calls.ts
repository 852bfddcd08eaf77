// The calls of the service: what each event takes and gives. The types are made of the schemas that the service goes by.
import type { CallTypes, ReadName } from '@taskgraph/wire/public-types';

/** Every event with its payload and its answer, which bears no `ok`: a call that fails throws. */
export type Calls = {
  [E in keyof CallTypes]: { payload: CallTypes[E]['payload']; answer: WithoutOk<CallTypes[E]['answer']> };
};
type WithoutOk<A> = A extends unknown ? Omit<A, 'ok'> : never;
export type EventName = keyof Calls;

/** The answer of every mutation. `feeds`: the numbers that its slices have in the caller's own feeds. */
export type Changed = Calls['node:add']['answer'];

/** A page of the graph; all nodes come before all links. `next` is the `after` of the next page, null at the end. */
export type GraphPage = Calls['graph:get']['answer'];

/** A page of the trash: nodes and links together, newest first. Where there are more, they come at the `offset` after all that came. */
export type TrashPage = Calls['trash:page']['answer'];

/** A page of history, newest first. `truncated`: not all of the scope was looked at. */
export type HistoryPage = Calls['history:page']['answer'];

/** A batch as history lists it. Names of fields in patches and guards are capitalised. */
export type HistoryBatch = HistoryPage['batches'][number];

/** `resetRequired`: the position is too old, and the whole graph has to be fetched. Else the present state of what changed, and what went. */
export type Changes = Calls['changes:get']['answer'];
export type ChangesPage = Exclude<Changes, { resetRequired: true }>;

/** The compiler compares them with the declarations, whose schemas would be dead weight in a bundle. */
const READS = {
  'node:access:list': true,
  'node:get': true,
  'graph:get': true,
  'branch:get': true,
  'trash:page': true,
  'history:page': true,
  'changes:get': true,
  'graph:plan': true,
  'node:why': true,
} satisfies Record<ReadName, true>;

/** Whether a call only reads: such a call takes no idempotency key. */
export function isRead(event: string): boolean {
  return Object.hasOwn(READS, event);
}
