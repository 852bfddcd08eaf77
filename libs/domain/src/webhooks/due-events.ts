// Nodes whose due dates have passed: whether one was due, and the data of a `graph.due` message within its
// bounds. Pure. Rules: HOOK5, HOOK6.
import { Op, Status } from '@taskgraph/wire/codes';
import type { WebhookBody } from '@taskgraph/wire/webhooks/webhook-bodies';
import { DUE_EVENT, MOST_DUE_OF_MESSAGE, WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import type { StoredChange } from '../state/batch.ts';

type DueData = WebhookBody<'graph.due'>['data'];
export type DueEvent = DueData['events'][number];

/** Bytes of a message besides its events. */
const FRAME_BYTES = 500;
const CONTENT_BYTES = WEBHOOK_MESSAGE_BYTES - FRAME_BYTES;

/**
 * Whether a node had its present due date, and was active and open, when that date passed. `later` are the
 * changes after that, oldest first: the first one of a field gives its value at that time.
 */
export function wasDue(
  node: { readonly id: string; readonly dueDate: string },
  later: Iterable<StoredChange>,
): boolean {
  const known = new Set<string>();
  for (const { kind, id, op, before } of later) {
    if (kind !== 'node' || id !== node.id) continue;
    if (before === null) return false;
    if (op === Op.NODE_TRASH) known.add('trash');
    if (op === Op.NODE_RESTORE && !known.has('trash')) return false;
    for (const field of ['dueDate', 'status'] as const) {
      if (!(field in before) || known.has(field)) continue;
      known.add(field);
      if (field === 'dueDate' ? before.dueDate !== node.dueDate : before.status === Status.COMPLETED) return false;
    }
  }
  return true;
}

export function dueEvent(id: string, after: Readonly<Record<string, unknown>>): DueEvent {
  return { type: DUE_EVENT, id, after };
}

/** The events that a message has: their number, and their bytes with all fields. */
export interface DueMessageSize {
  readonly count: number;
  readonly bytes: number;
}

interface FittingEvents {
  /** How many of the events fit. */
  readonly fitting: number;
  /** The size of the message with them. */
  readonly size: DueMessageSize;
  /** Whether the message has no room for a further event. */
  readonly isFull: boolean;
}

/**
 * How many of these events, in order, fit into a message of this size with their fields; at least one into an empty
 * message. It makes no difference whether the events come at once or in several calls.
 */
export function fittingEvents(events: readonly DueEvent[], size: DueMessageSize): FittingEvents {
  let { count, bytes } = size;
  for (const [index, event] of events.entries()) {
    const next = bytes + bytesOf(event);
    if (count > 0 && next > CONTENT_BYTES) return { fitting: index, size: { count, bytes }, isFull: true };
    [count, bytes] = [count + 1, next];
    if (count >= MOST_DUE_OF_MESSAGE || bytes >= CONTENT_BYTES)
      return { fitting: index + 1, size: { count, bytes }, isFull: true };
  }
  return { fitting: events.length, size: { count, bytes }, isFull: false };
}

/** The events of a message. If they would be too long, they have ids only. */
export function dueContent(events: readonly DueEvent[]): Pick<DueData, 'events' | 'thin'> {
  const isThin = events.reduce((sum, event) => sum + bytesOf(event), 0) > CONTENT_BYTES;
  return isThin ? { events: events.map(({ type, id }) => ({ type, id })), thin: true } : { events: [...events] };
}

function bytesOf(event: DueEvent): number {
  return Buffer.byteLength(JSON.stringify(event)) + 1;
}
