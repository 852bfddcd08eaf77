// The calls of the service: what each event takes and gives. The types are those of the schemas that the service goes by.
import type { AnswerOf, CallName, PayloadSchema } from '@taskgraph/wire/calls/calls';
import type { WireGrant } from '@taskgraph/wire/entities';
import type { z } from 'zod';

/** A grant on a node; `id` is the node's. */
export type Grant = WireGrant;

/** The answer of every mutation. `feeds`: the numbers that its slices have in the caller's own feeds. */
export type Changed = AnswerOf<'node:add'>;

/** A page of the graph; all nodes come before all links. `next` is the `after` of the next page, null at the end. */
export type GraphPage = AnswerOf<'graph:get'>;

/** A page of the trash: nodes and links together, newest first. Where there are more, they come at the `offset` after all that came. */
export type TrashPage = AnswerOf<'trash:page'>;

/** A page of history, newest first. `truncated`: not all of the scope was looked at. */
export type HistoryPage = AnswerOf<'history:page'>;

/** A batch as history lists it. Names of fields in patches and guards are capitalised. */
export type HistoryBatch = HistoryPage['batches'][number];

/** `resetRequired`: the position is too old, and the whole graph has to be fetched. Else the present state of what changed, and what went. */
export type Changes = AnswerOf<'changes:get'>;
export type ChangesPage = Exclude<Changes, { resetRequired: true }>;

/** Over sockets the scope must be named. `root` is that of a connection by public token where it is left out. */
interface OverSockets {
  'history:page': { scopeType: string; scopeId: string };
  'branch:get': { root?: string };
}

type Payload<E extends CallName> = E extends keyof OverSockets
  ? Omit<z.input<PayloadSchema<E>>, keyof OverSockets[E]> & OverSockets[E]
  : z.input<PayloadSchema<E>>;

/** Every event with its payload and its answer. */
export type Calls = { [E in CallName]: { payload: Payload<E>; answer: AnswerOf<E> } };
export type EventName = CallName;

const READS: ReadonlySet<string> = new Set<EventName>([
  'node:access:list',
  'graph:get',
  'branch:get',
  'trash:page',
  'history:page',
  'changes:get',
]);

/** Whether a call only reads: such a call takes no idempotency key. */
export function isRead(event: string): boolean {
  return READS.has(event);
}
