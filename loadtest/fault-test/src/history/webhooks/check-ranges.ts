// Each attempt has all changes in the ranges that it names, and no others. Rules: HOOK4, HOOK5, HOOK6.
import type { Anomaly, HookMessage, WebhookLog } from '../history.ts';
import type { SerialOrders } from '../serial-order.ts';
import {
  batchesOf,
  changesFor,
  isHiddenInTrash,
  isIn,
  type PlacedBatch,
  type Range,
  rangeOf,
  readAt,
  wasTrashed,
} from './ranges.ts';

const SHOWN = 3;

export function checkRanges(orders: SerialOrders, webhook: WebhookLog): Anomaly[] {
  const feeds = new Set(webhook.messages.flatMap((message) => Object.keys(message.feeds)));
  const batches = new Map([...feeds].map((feed) => [feed, batchesOf(orders, feed)]));
  return webhook.messages.flatMap((message) => {
    if (message.type !== 'graph.changed') return [];
    const lacking = [...batches].flatMap(([feed, all]) => lackingIn(orders, webhook, message, { feed, all }));
    return [
      ...anomaliesOf('a message lacks a change of its range', webhook, message, lacking),
      ...anomaliesOf('a message has a change outside of its ranges', webhook, message, strayIn(orders, message)),
      ...checkTruncation(webhook, message),
    ];
  });
}

function anomaliesOf(kind: string, { client }: WebhookLog, message: HookMessage, found: readonly string[]): Anomaly[] {
  if (found.length === 0) return [];
  const what = `${client} ${message.id}: ${found.length}, such as ${found.slice(0, SHOWN).join('; ')}`;
  return [{ kind, what, about: [{ ...message, events: message.events.length }] }];
}

interface FeedBatches {
  readonly feed: string;
  readonly all: readonly PlacedBatch[];
}

function lackingIn(
  orders: SerialOrders,
  webhook: WebhookLog,
  message: HookMessage,
  { feed, all }: FeedBatches,
): string[] {
  const range = rangeOf(message, feed);
  if (range === undefined || message.isTruncated) return [];
  if (range.to <= range.from || range.to > all.length) return [`${feed} ${range.from} to ${range.to} of ${all.length}`];
  const named = new Set(message.events.map(({ batch, id }) => `${batch} ${id}`));
  return all.flatMap(({ batch, number }) => {
    if (!isIn(number, range)) return [];
    const missing = changesFor(orders, webhook, feed, batch).find(({ kind, id }) => {
      if (named.has(`${batch.id} ${id}`)) return false;
      const entity = kind === 'grant' ? undefined : orders.entityOf(id);
      const mayBeHidden = entity !== undefined && isHiddenInTrash(webhook, entity);
      return !(mayBeHidden && wasTrashed(entity, readAt(entity.owner, message)));
    });
    return missing === undefined ? [] : [`${feed} ${number}: ${missing.kind} ${missing.id} of ${batch.id}`];
  });
}

/** Events whose batch has its number in none of the message's ranges. */
function strayIn({ batchOf }: SerialOrders, message: HookMessage): string[] {
  const ranges = Object.keys(message.feeds).map((feed) => [feed, rangeOf(message, feed) as Range] as const);
  return message.events.flatMap(({ batch, type, id }) => {
    const stored = batchOf(batch);
    // The check of messages reports what is not stored.
    if (stored === undefined || ranges.some(([feed, range]) => isIn(stored.feeds[feed] ?? 0, range))) return [];
    return [`${type} of ${id} by ${batch}`];
  });
}

/** Only a batch that is sent alone may be too long for a message. */
function checkTruncation({ client }: WebhookLog, message: HookMessage): Anomaly[] {
  const batches = new Set(message.events.map(({ batch }) => batch));
  if (!message.isTruncated || batches.size <= 1) return [];
  const what = `${client} ${message.id}: ${batches.size} batches`;
  return [{ kind: 'a message of several batches is truncated', what, about: [{ ...message, events: [] }] }];
}
