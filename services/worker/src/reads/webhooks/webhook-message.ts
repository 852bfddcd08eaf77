// Answers webhook:message: the content of a webhook's next message, as its user sees it now. Rules:
// HOOK2, HOOK5, HOOK6, HOOK7.
import type { PlacedBatch } from '@taskgraph/domain/webhooks/batch-order';
import {
  type BatchEvents,
  bytesOfBatch,
  type ChangedData,
  contentBytes,
  MOST_RANGES,
  messageContent,
  thinBytesOfBatch,
} from '@taskgraph/domain/webhooks/webhook-body';
import type { NamedIds } from '@taskgraph/domain/webhooks/webhook-events';
import type { FeedGap } from '@taskgraph/graph-store/reads/changes';
import type { EntryPlace } from '@taskgraph/graph-store/reads/feed-entries';
import { GATEWAY_READS, type WebhookContent } from '@taskgraph/wire/bus/gateway-reads';
import { userFeed } from '@taskgraph/wire/feeds';
import { compareFeeds } from '../changes/read-changes.ts';
import { type Heads, headsOf, openPosition, signPosition } from '../position.ts';
import { type EventSource, readBatchEvents } from './batch-events.ts';
import { type EventFilter, eventFilterOf } from './event-filter.ts';
import { reachedBy, readRange } from './webhook-range.ts';
import { createWebhookRead } from './webhook-read.ts';

export const readWebhookMessage = createWebhookRead({
  payload: GATEWAY_READS['webhook:message'],
  needs: 'A webhook with a position is needed.',
  async find(webhook, source, { secret }) {
    const { actor, readerAccess } = source;
    const present = headsOf(readerAccess.shown);
    const fixed = webhook.to === null ? null : openPosition(secret, actor.id, webhook.to);
    const since = openPosition(secret, actor.id, webhook.from);
    const heads = fixed ?? present;
    const { missed } = compareFeeds(readerAccess, since ?? {}, heads);
    const sign = (next: Heads) => signPosition(secret, actor.id, next);
    const resetBody: MessageBody = {
      to: fixed !== null && webhook.to !== null ? webhook.to : sign(present),
      hasMore: false,
      content: { type: 'graph.reset', data: { hook: webhook.hook } },
    };
    const reset = { body: resetBody };
    if (since === null || (fixed === null && webhook.to !== null)) return reset;
    if (!missed.some(({ feed }) => feed === userFeed(actor.id))) return reset;
    const range = await readRange(source, missed, fixed !== null);
    if (range === 'reset') return reset;
    const { batches, considered, openings } = range;
    const filter = await eventFilterOf(source, webhook);
    const taken = await collectEvents(source, { batches, filter, isFixed: fixed !== null });
    const reached = fixed === null ? reachedBy(considered, batches.slice(0, taken.count)) : considered;
    const moved = reached.filter(({ since: from, head }) => head > from);
    const to: Heads = fixed ?? { ...heads, ...headsOfGaps(reached), ...untilOpened(missed, openings, reached) };
    const body: MessageBody = {
      to: webhook.to ?? sign(to),
      hasMore: Object.entries(present).some(([feed, head]) => head > (to[feed] ?? -1)),
      content: taken.events.length === 0 ? null : { type: 'graph.changed', data: dataOf(webhook.hook, moved, taken) },
    };
    return { body, missed, resetBody };
  },
});

type MessageBody = Omit<WebhookContent, 'checkedMs'>;

/** The numbers of the feeds whose gain is not reported yet: they wait for it. */
function untilOpened(
  missed: readonly FeedGap[],
  openings: ReadonlyMap<string, number>,
  reached: readonly FeedGap[],
): Heads {
  const [own] = reached.filter(({ feed }) => feed.startsWith('user:'));
  const waiting = missed.filter(({ feed }) => (openings.get(feed) ?? 0) > (own?.head ?? 0));
  return Object.fromEntries(waiting.map(({ feed, since }) => [feed, since]));
}

interface CollectedEvents {
  readonly events: readonly BatchEvents[];
  /** How many of the batches the message includes. */
  readonly count: number;
}

interface Collection {
  readonly batches: readonly PlacedBatch<EntryPlace>[];
  readonly filter: EventFilter;
  /** Whether the message has to include all batches. */
  readonly isFixed: boolean;
}

/**
 * The events for a webhook, up to the size of a message. One batch may be longer than that.
 *
 * A range that is not fixed ends before the ids of all its events would be too long, also of those that the
 * filter rejects: a later attempt may have to include them. Only the first batches may be so many, if none of
 * them has events for the webhook: then they are a range of their own, without a message.
 */
async function collectEvents(source: EventSource, { batches, filter, isFixed }: Collection): Promise<CollectedEvents> {
  const places = batches.flatMap((batch) => batch.places);
  const ids = await source.recent.ids(source.database, places);
  const order = new Map(batches.map(({ batch }, index) => [batch, index]));
  const named = new Map(batches.flatMap(({ batch }) => (ids.has(batch) ? [[batch, ids.get(batch)] as const] : [])));
  const most = contentBytes(new Set(places.map(({ feed }) => feed)).size);
  const events: BatchEvents[] = [];
  let [bytes, thinBytes] = [0, 0];
  for await (const portion of readBatchEvents(source, named as ReadonlyMap<string, NamedIds>)) {
    const passed = new Map((await filter(portion)).map((batch) => [batch.batchId, batch]));
    for (const whole of portion) {
      const batch = passed.get(whole.batchId);
      bytes += batch === undefined ? 0 : bytesOfBatch(batch);
      thinBytes += thinBytesOfBatch(whole);
      const index = order.get(whole.batchId) as number;
      if (!isFixed && (bytes > most || thinBytes > most)) {
        if (events.length > 0) return { events, count: index };
        if (batch !== undefined) return index === 0 ? { events: [batch], count: 1 } : { events, count: index };
      }
      // The message will have ids only.
      if (batch !== undefined) events.push(bytes > most ? withoutFields(batch) : batch);
    }
  }
  return { events, count: batches.length };
}

function withoutFields({ events, ...batch }: BatchEvents): BatchEvents {
  return { ...batch, events: events.map(({ type, id }) => ({ type, id })), isThin: true };
}

function headsOfGaps(gaps: readonly FeedGap[]): Heads {
  return Object.fromEntries(gaps.map(({ feed, head }) => [feed, head]));
}

function dataOf(hook: string, moved: readonly FeedGap[], { events }: CollectedEvents): ChangedData {
  const named = moved.slice(0, MOST_RANGES);
  const feeds = Object.fromEntries(named.map(({ feed, since, head }) => [feed, [since, head]]));
  return { hook, feeds, ...messageContent(events, contentBytes(named.length)) };
}
