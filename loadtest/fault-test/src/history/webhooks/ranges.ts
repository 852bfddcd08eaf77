// What the messages of a webhook are about: the ranges of feeds, the batches in them, and the changes of
// these batches that are for the webhook. Rules: HOOK4, HOOK5, HOOK6.
import { Op, Status } from '@taskgraph/wire/codes';
import { subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import type { Batch, Change, HookMessage, WebhookLog } from '../history.ts';
import type { Entity, OwnerOrder, SerialOrders } from '../serial-order.ts';

/** A body is sent within a second of its last check of access. */
const BODY_AGE_MS = 1_000;
/** The only type of changes that webhooks with a filter select. */
const COMPLETED = 'node.completed';
/** For its way to the receiver, on a busy machine. */
const TRANSIT_MS = 1_000;

/** Positions of an owner's order, both included. */
export interface Positions {
  readonly first: number;
  readonly last: number;
}

/** The time limit of the statements that read a body before its last check of access. */
const READ_MS = 3_000;

/** The positions at which access to the body of a message may have been checked last. */
export function checkedAt(owner: OwnerOrder, { arrivedMs, stalledMs }: HookMessage): Positions {
  const first = owner.lowest(arrivedMs - stalledMs - BODY_AGE_MS - TRANSIT_MS);
  return { first, last: Math.max(first, owner.highest(arrivedMs)) };
}

/** The positions at which the rows for the body of a message may have been read. */
export function readAt(owner: OwnerOrder, message: HookMessage): Positions {
  return checkedAt(owner, { ...message, stalledMs: message.stalledMs + READ_MS });
}

/** Numbers of a feed, without the first one. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

export function rangeOf({ feeds }: HookMessage, feed: string): Range | undefined {
  const [from, to] = feeds[feed] ?? [];
  return from === undefined || to === undefined ? undefined : { from, to };
}

export function isIn(number: number, { from, to }: Range): boolean {
  return number > from && number <= to;
}

/** The order whose batches a feed consists of; undefined for a feed of no known user or node. */
function orderOfFeed(orders: SerialOrders, feed: string): OwnerOrder | undefined {
  const subject = subjectOfFeed(feed);
  return orders.owners.get(subject) ?? orders.entityOf(subject)?.owner;
}

export interface PlacedBatch {
  readonly batch: Batch;
  /** In its owner's order. */
  readonly position: number;
  /** In the feed. */
  readonly number: number;
}

/** The batches of a feed, in order. */
export function batchesOf(orders: SerialOrders, feed: string): readonly PlacedBatch[] {
  return (orderOfFeed(orders, feed)?.batches ?? []).flatMap((batch, index) => {
    const number = batch.feeds[feed];
    return number === undefined ? [] : [{ batch, position: index + 1, number }];
  });
}

/** The changes of a batch in a feed that a webhook receives, unless its entity is hidden at the attempt. */
export function changesFor(orders: SerialOrders, webhook: WebhookLog, feed: string, batch: Batch): readonly Change[] {
  const { user, root, events } = webhook;
  const email = orders.emailOf(user);
  const isOwn = feed === userFeed(user);
  return batch.changes.filter((change) => {
    if (change.kind === 'grant') {
      const isMoved = (change.before === null) !== (change.after === null);
      const isForFilter = root === null && (events.length === 0 || change.before === null);
      return isOwn && change.email === email && isMoved && isForFilter;
    }
    const entity = orders.entityOf(change.id);
    if (entity === undefined) return false;
    const isOfFeed = isOwn ? entity.owner.id === user : entity.root === subjectOfFeed(feed);
    return (
      isOfFeed &&
      (root === null || entity.root === root) &&
      (events.length === 0 || (events.includes(COMPLETED) && isCompletion(change)))
    );
  });
}

function isCompletion({ kind, op, before, after }: Change): boolean {
  const [was, is] = [before?.status, after?.status];
  return kind === 'node' && op === Op.NODE_STATUS && is === Status.COMPLETED && was !== is;
}

/**
 * Whether the trash may hide an entity from a webhook: it is then in no branch, and for other users its
 * events have another type.
 */
export function isHiddenInTrash({ user, root, events }: WebhookLog, { owner }: Entity): boolean {
  return root !== null || (events.length > 0 && owner.id !== user);
}

/** Whether an entity was in the trash at one of these positions. */
export function wasTrashed({ steps }: Entity, { first, last }: Positions): boolean {
  return steps.some(
    ({ position, active }, index) => !active && position <= last && (steps[index + 1]?.position ?? Infinity) > first,
  );
}

export interface FirstAttempt {
  readonly message: HookMessage;
  /** Whether any attempt of the message was accepted. */
  readonly isAccepted: boolean;
  /** Its range was chosen later: a message begins after all attempts of those before. */
  readonly begunAfterMs: number;
}

/** The first attempts of all messages with changes, in the order of their arrival. */
export function firstAttempts({ messages }: WebhookLog): readonly FirstAttempt[] {
  const accepted = new Set(messages.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));
  const known = new Set<string>();
  let begunAfterMs = Number.NEGATIVE_INFINITY;
  return messages.flatMap((message) => {
    const { id, type, isAccepted, arrivedMs, endedMs } = message;
    const first = { message, isAccepted: accepted.has(id), begunAfterMs };
    begunAfterMs = Math.max(begunAfterMs, isAccepted ? endedMs : arrivedMs);
    if (known.has(id) || type !== 'graph.changed') return [];
    known.add(id);
    return [first];
  });
}
