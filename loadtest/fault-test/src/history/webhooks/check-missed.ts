// A webhook receives every change of its user's own feed, and of each shared feed while its user has
// access to it, at least once and up to a 2xx. Rules: HOOK2, HOOK5, HOOK6.
//
// Three kinds of changes may be missing, and only at the ends of a time of access: those before the
// message with the gain, which tells the receiver to read the branch; those after which access was lost
// before they could be sent; and with a root, those of entities that were trashed before they were sent.
import { Op, Status } from '@taskgraph/wire/codes';
import { branchFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Anomaly, Batch, Change, WebhookLog } from '../history.ts';
import { accessOf, type Entity, type GrantStep, type OwnerOrder, type SerialOrders } from '../serial-order.ts';

const SHOWN = 3;

export function checkMissed(orders: SerialOrders, webhook: WebhookLog): Anomaly[] {
  const received = receivedBy(webhook);
  const own = missedOfOwn(orders, webhook, received);
  const shared = webhook.root === null && webhook.events.length === 0 ? missedOfShared(orders, webhook, received) : [];
  return [
    ...anomalies('a webhook missed a change', webhook, own),
    ...anomalies('a webhook missed a change of a shared branch', webhook, shared),
  ];
}

function anomalies(kind: string, { client, messages }: WebhookLog, missed: readonly string[]): Anomaly[] {
  if (missed.length === 0) return [];
  const what = `${client}: ${missed.length}, such as ${missed.slice(0, SHOWN).join('; ')}`;
  return [{ kind, what, about: [{ client, messages: messages.length }] }];
}

interface Received {
  /** By batch: the ids of its events in accepted messages. */
  readonly ids: ReadonlyMap<string, ReadonlySet<string>>;
  /** Batches of accepted messages that had not all of their events. */
  readonly cut: ReadonlySet<string>;
  /** By batch: the first arrival of a gain of access in any message. */
  readonly gains: ReadonlyMap<string, number>;
}

function receivedBy({ messages }: WebhookLog): Received {
  const ids = new Map<string, Set<string>>();
  const cut = new Set<string>();
  const gains = new Map<string, number>();
  for (const { events, isAccepted, isTruncated, arrivedMs } of messages) {
    for (const { batch, id, type } of events) {
      if (type === 'access.gained' && !gains.has(batch)) gains.set(batch, arrivedMs);
      if (!isAccepted) continue;
      const own = ids.get(batch) ?? new Set();
      ids.set(batch, own.add(id));
      if (isTruncated) cut.add(batch);
    }
  }
  return { ids, cut, gains };
}

function missedOfOwn(orders: SerialOrders, webhook: WebhookLog, { ids, cut }: Received): string[] {
  const order = orders.owners.get(webhook.user);
  const isFor = filterOf(orders, webhook);
  const before = order?.highest(webhook.addedMs) ?? 0;
  return (order?.batches ?? []).flatMap((batch, index) => {
    if (index < before || cut.has(batch.id)) return [];
    const missing = batch.changes.find(
      (change) => isFor(change, index + 1) && ids.get(batch.id)?.has(change.id) !== true,
    );
    return missing === undefined
      ? []
      : [`${userFeed(webhook.user)} ${index + 1}: ${missing.kind} ${missing.id} of ${batch.id}`];
  });
}

/** Whether a change of the own feed is certainly for the webhook. */
function filterOf(
  orders: SerialOrders,
  { user, root, events }: WebhookLog,
): (change: Change, position: number) => boolean {
  const email = orders.emailOf(user);
  return (change, position) => {
    if (change.kind === 'grant') {
      const isMoved = (change.before === null) !== (change.after === null);
      return root === null && change.email === email && isMoved && (events.length === 0 || change.before === null);
    }
    const entity = orders.entityOf(change.id);
    if (entity?.owner.id !== user) return false;
    if (events.length > 0) return isCompletion(change);
    return root === null || (entity.root === root && isActiveFrom(entity, position));
  };
}

function isCompletion({ kind, op, before, after }: Change): boolean {
  const [was, is] = [before?.status, after?.status];
  return kind === 'node' && op === Op.NODE_STATUS && is === Status.COMPLETED && was !== is;
}

function isActiveFrom({ steps }: Entity, position: number): boolean {
  return steps.every((step) => step.position < position || step.active);
}

/** No access begins before the webhooks are added. */
function missedOfShared(orders: SerialOrders, { user }: WebhookLog, received: Received): string[] {
  return [...orders.owners.values()].flatMap((owner) => {
    if (owner.id === user) return [];
    return accessOf(orders, owner, user).flatMap(({ root, steps }) =>
      timesOf(steps).flatMap((time) => missedInTime(owner, branchFeed(root), time, received)),
    );
  });
}

/** A time of access: the positions of its gain and its loss; without a loss it goes on. */
interface AccessTime {
  readonly from: number;
  readonly until: number | null;
}

function timesOf(steps: readonly GrantStep[]): AccessTime[] {
  const times: AccessTime[] = [];
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

function missedInTime(owner: OwnerOrder, feed: string, { from, until }: AccessTime, received: Received): string[] {
  const { ids, gains } = received;
  const due = owner.batches
    .map((batch, index) => ({ batch, position: index + 1 }))
    .filter(({ batch, position }) => {
      return position > from && (until === null || position < until) && feed in batch.feeds && hasEntities(batch);
    })
    .map((each) => ({ ...each, isReceived: ids.has(each.batch.id) }));
  const first = due.findIndex(({ isReceived }) => isReceived);
  const last = due.findLastIndex(({ isReceived }) => isReceived);
  const gain = owner.batches[from - 1]?.id ?? '';
  const gainedMs = gains.get(gain) ?? Number.POSITIVE_INFINITY;
  const latest = owner.highest(gainedMs);
  return due
    .filter(({ position, isReceived }, index) => {
      if (isReceived) return false;
      const isBefore = first < 0 || index < first;
      if (isBefore && position <= latest) return false;
      const isAfter = first < 0 || index > last;
      return until === null || !isAfter;
    })
    .map(({ batch }) => `${feed} ${batch.feeds[feed]}: ${batch.id}`);
}

function hasEntities({ changes }: Batch): boolean {
  return changes.some(({ kind }) => kind !== 'grant');
}
