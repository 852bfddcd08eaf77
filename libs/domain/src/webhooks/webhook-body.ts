// The data of a `graph.changed` message within its bounds. Pure. Rules: HOOK4, HOOK5, HOOK6.
import type { WebhookBatch, WebhookBody } from '@taskgraph/wire/webhooks/webhook-bodies';
import { WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import type { ShownEvent } from './webhook-events.ts';

/** The events of one batch. */
export interface BatchEvents extends WebhookBatch {
  readonly events: readonly ShownEvent[];
  /** Whether the events have no fields, since they are too many. */
  readonly isThin?: boolean;
}

export type ChangedData = WebhookBody<'graph.changed'>['data'];
type Content = Pick<ChangedData, 'events' | 'batches' | 'thin' | 'truncated'>;

/** Bytes of a message besides its events, batches and feeds. */
const FRAME_BYTES = 500;
/** Bytes of a number and the signs around it, in the range of a feed. */
const RANGE_BYTES = 80;

/** Maximum feeds whose ranges a message names. */
export const MOST_RANGES = 200;

/** The bytes that the events and batches of a message may have, next to the ranges of this many feeds. */
export function contentBytes(feeds: number): number {
  return WEBHOOK_MESSAGE_BYTES - FRAME_BYTES - Math.min(feeds, MOST_RANGES) * RANGE_BYTES;
}

/** The bytes of one batch with its events in a message. */
export function bytesOfBatch(batch: BatchEvents): number {
  return [batchOf(batch), ...eventsOf(batch)].map(bytesOf).reduce((sum, bytes) => sum + bytes, 0);
}

function bytesOf(item: object): number {
  return Buffer.byteLength(JSON.stringify(item)) + 1;
}

function batchOf({ batchId, actor, ts }: BatchEvents): WebhookBatch {
  return { batchId, actor, ts };
}

function eventsOf({ batchId, events }: BatchEvents): ChangedData['events'] {
  return events.map((event) => ({ ...event, batchId })) as ChangedData['events'];
}

/** The bytes of one batch in a message whose events have ids only. */
export function thinBytesOfBatch(batch: BatchEvents): number {
  return eventsOf(batch)
    .map(thinOf)
    .reduce((sum, event) => sum + bytesOf(event), bytesOf(batchOf(batch)));
}

function thinOf({ type, batchId, id }: ChangedData['events'][number]): ChangedData['events'][number] {
  return { type, batchId, id };
}

/**
 * The content of a message about these batches, without those that have no events. If it would be longer
 * than `bytes`, its events have ids only. If it still would be, it has the first events with their batches,
 * and is marked as truncated.
 */
export function messageContent(all: readonly BatchEvents[], bytes: number): Content {
  const batches = all.filter(({ events }) => events.length > 0);
  const isThin = batches.some((batch) => batch.isThin === true);
  const whole = batches.reduce((sum, batch) => sum + bytesOfBatch(batch), 0);
  if (whole <= bytes && !isThin) return { events: batches.flatMap(eventsOf), batches: batches.map(batchOf) };
  return thinContent(batches, bytes);
}

function thinContent(batches: readonly BatchEvents[], bytes: number): Content {
  const content = { events: [] as ChangedData['events'], batches: [] as WebhookBatch[], thin: true as const };
  let left = bytes;
  for (const batch of batches) {
    const named = batchOf(batch);
    let ofBatch = bytesOf(named);
    for (const event of eventsOf(batch).map(thinOf)) {
      left -= bytesOf(event) + ofBatch;
      if (left < 0) return { ...content, truncated: true };
      // A batch is named once, with its first event.
      if (ofBatch > 0) content.batches.push(named);
      ofBatch = 0;
      content.events.push(event);
    }
  }
  return content;
}
