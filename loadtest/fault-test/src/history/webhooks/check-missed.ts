// A webhook receives every change of its user's own feed, and of each shared feed while its user has
// access to it, at least once and up to a 2xx. Rules: HOOK2, HOOK5, HOOK6, HOOK12.
//
// The ranges of accepted messages prove it: what they leave out between each other is missed. Three kinds
// of changes may be missing:
// 1. those of a shared feed up to the begin of its first range, if they were requested before the message
//    with the gain arrived, which tells the receiver to read the branch;
// 2. those of a shared feed after its last range, if access ended later. A message that was begun after
//    such a change was stored, arrived before access ended, and has younger changes, must have it;
// 3. those of an entity that the trash hides, if it was trashed before the next message.
// Ranges that lack some of their changes are judged in `check-ranges.ts`.
import { branchFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Anomaly, Change, HookMessage, WebhookLog } from '../history.ts';
import { accessOf, type GrantStep, type OwnerOrder, type SerialOrders } from '../serial-order.ts';
import {
  batchesOf,
  changesFor,
  type FirstAttempt,
  firstAttempts,
  isHiddenInTrash,
  isIn,
  type PlacedBatch,
  type Range,
  rangeOf,
  wasTrashed,
} from './ranges.ts';

const SHOWN = 3;

export function checkMissed(orders: SerialOrders, webhook: WebhookLog): Anomaly[] {
  const delivery = deliveryOf(orders, webhook);
  const own = orders.owners.get(webhook.user);
  const ofOwn = own === undefined ? [] : missedIn(delivery, ownPeriod(own, webhook));
  // A branch of the user has no entities of others.
  const shared = webhook.root === null ? sharedPeriods(delivery) : [];
  return [
    ...anomalies('a webhook missed a change', webhook, ofOwn),
    ...anomalies(
      'a webhook missed a change of a shared branch',
      webhook,
      shared.flatMap((period) => missedIn(delivery, period)),
    ),
  ];
}

function anomalies(kind: string, { client, messages }: WebhookLog, missed: readonly string[]): Anomaly[] {
  if (missed.length === 0) return [];
  const what = `${client}: ${missed.length}, such as ${missed.slice(0, SHOWN).join('; ')}`;
  return [{ kind, what, about: [{ client, messages: messages.length }] }];
}

interface Delivery {
  readonly orders: SerialOrders;
  readonly webhook: WebhookLog;
  readonly firsts: readonly FirstAttempt[];
  /** The changes of accepted messages, by batch and id. */
  readonly received: ReadonlySet<string>;
}

function deliveryOf(orders: SerialOrders, webhook: WebhookLog): Delivery {
  const accepted = webhook.messages.filter(({ isAccepted }) => isAccepted);
  const received = new Set(accepted.flatMap(({ events }) => events.map(({ batch, id }) => `${batch} ${id}`)));
  return { orders, webhook, firsts: firstAttempts(webhook), received };
}

/** A time in which the changes of a feed are for the webhook. */
interface Period {
  readonly feed: string;
  readonly owner: OwnerOrder;
  /** The positions before its first and of its end; null if it goes on. */
  readonly from: number;
  readonly until: number | null;
  /** Changes up to this position may be older than the first range. */
  readonly latest: number;
  /** When a message had reported its begin. */
  readonly begunMs: number;
}

/** What is stored before the addition of the webhook is not for it. */
function ownPeriod(owner: OwnerOrder, { user, addedMs }: WebhookLog): Period {
  const from = owner.highest(addedMs);
  return { feed: userFeed(user), owner, from, until: null, latest: from, begunMs: addedMs };
}

function sharedPeriods({ orders, webhook }: Delivery): Period[] {
  const { user, addedMs } = webhook;
  const own = orders.owners.get(user);
  return [...orders.owners.values()].flatMap((owner) => {
    if (owner.id === user) return [];
    return accessOf(orders, owner, user).flatMap(({ root, steps }) =>
      timesOf(steps).map(({ from: gained, until }) => {
        const gain = owner.batches[gained - 1]?.id ?? '';
        const isOlder = (own?.positionOf.get(gain) ?? 0) <= (own?.highest(addedMs) ?? 0);
        const begunMs = isOlder ? addedMs : reportedMs(webhook, gain);
        const latest = owner.highest(begunMs);
        const from = isOlder ? Math.max(gained, latest) : gained;
        return { feed: branchFeed(root), owner, from, until, latest, begunMs };
      }),
    );
  });
}

/** When the last message that first reported this gain arrived; Infinity if none did, as the own feed shows. */
function reportedMs({ messages }: WebhookLog, gain: string): number {
  const arrivals = new Map<string, number>();
  for (const { id, arrivedMs, events } of messages)
    if (!arrivals.has(id) && events.some(({ batch, type }) => batch === gain && type === 'access.gained'))
      arrivals.set(id, arrivedMs);
  return arrivals.size === 0 ? Number.POSITIVE_INFINITY : Math.max(...arrivals.values());
}

/** The positions of a gain and its loss; null without a loss. */
function timesOf(steps: readonly GrantStep[]): Pick<Period, 'from' | 'until'>[] {
  const times: Pick<Period, 'from' | 'until'>[] = [];
  let from: number | null = null;
  for (const { position, level } of steps) {
    if (level !== null) from ??= position;
    else if (from !== null) {
      times.push({ from, until: position });
      from = null;
    }
  }
  return from === null ? times : [...times, { from, until: null }];
}

function missedIn(delivery: Delivery, period: Period): string[] {
  const { feed, from, until } = period;
  const due = batchesOf(delivery.orders, feed).filter(
    ({ position }) => position > from && (until === null || position < until),
  );
  const [first, last] = [due[0]?.number ?? 0, due.at(-1)?.number ?? -1];
  const ranges = delivery.firsts.flatMap(({ message, isAccepted }) => {
    const range = isAccepted ? rangeOf(message, feed) : undefined;
    return range !== undefined && range.from < last && range.to >= first ? [range] : [];
  });
  return due.flatMap((placed) => {
    const missing = missingOf(delivery, period, placed);
    if (missing === undefined || ranges.some((range) => isIn(placed.number, range))) return [];
    if (isBeforeBegin(period, placed, ranges) || isAfterLoss(delivery, period, placed, ranges)) return [];
    return [`${feed} ${placed.number}: ${missing.kind} ${missing.id} of ${placed.batch.id}`];
  });
}

/** A change that the webhook should have received. */
function missingOf(delivery: Delivery, { feed, owner }: Period, { batch, position, number }: PlacedBatch) {
  const { orders, webhook, firsts, received } = delivery;
  return changesFor(orders, webhook, feed, batch).find(({ kind, id }: Change) => {
    if (received.has(`${batch.id} ${id}`)) return false;
    const entity = kind === 'grant' ? undefined : orders.entityOf(id);
    if (entity === undefined || !isHiddenInTrash(webhook, entity)) return true;
    const next = firsts.find(({ message }) => (rangeOf(message, feed)?.from ?? -1) >= number);
    const last = owner.highest(next?.message.arrivedMs ?? Number.POSITIVE_INFINITY);
    return !wasTrashed(entity, { first: position, last });
  });
}

function isBeforeBegin({ latest }: Period, { position, number }: PlacedBatch, ranges: readonly Range[]): boolean {
  return position <= latest && ranges.every(({ from }) => number <= from);
}

function isAfterLoss(
  { orders, firsts }: Delivery,
  { feed, owner, until, begunMs }: Period,
  { batch, position, number }: PlacedBatch,
  ranges: readonly Range[],
): boolean {
  if (until === null || ranges.some(({ to }) => number <= to)) return false;
  return !firsts.some(({ message, begunAfterMs }) => {
    const isBegunLater = begunAfterMs >= begunMs && owner.lowest(begunAfterMs) >= position;
    const hasAccess = owner.highest(message.arrivedMs) < until;
    // Its later attempts had nothing of the feed any more.
    const has = isIn(number, rangeOf(message, feed) ?? { from: 0, to: 0 });
    return isBegunLater && hasAccess && !has && hasYounger(orders, message, batch.ts);
  });
}

function hasYounger({ batchOf }: SerialOrders, { events }: HookMessage, ts: string): boolean {
  return events.some(({ batch }) => (batchOf(batch)?.ts ?? '') > ts);
}
