// The messages of a webhook: one at a time, each batch in the order of its feeds, and all attempts of
// a message about the same range with the same changes. Rules: HOOK4, HOOK6, HOOK7.
import type { Anomaly, HookEvent, HookMessage, WebhookLog } from '../history.ts';
import { feedsOf, levelAt, type SerialOrders } from '../serial-order.ts';
import { DUE } from './check-due.ts';

/** A closed connection is noticed a little later than the next one, and later still by a busy reader. */
const CLOSING_MS = 250;

export function checkMessages(orders: SerialOrders, webhook: WebhookLog): Anomaly[] {
  return [
    ...checkTurns(webhook),
    ...checkAttempts(webhook),
    ...checkOrder(orders, webhook),
    ...checkResets(webhook),
    ...checkContent(orders, webhook),
    ...checkFilter(webhook),
    ...checkSignatures(webhook),
  ];
}

function checkTurns({ client, messages }: WebhookLog): Anomaly[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1];
    if (before === undefined || before.endedMs <= message.arrivedMs + CLOSING_MS + message.stalledMs) return [];
    const what = `${client}: ${message.id} came ${Math.round(before.endedMs - message.arrivedMs)} ms before the end of ${before.id}`;
    return [
      { kind: 'a webhook had two messages at a time', what, about: [withoutEvents(before), withoutEvents(message)] },
    ];
  });
}

function checkAttempts({ client, messages }: WebhookLog): Anomaly[] {
  const firsts = new Map<string, HookMessage>();
  return messages.flatMap((message) => {
    const first = firsts.get(message.id) ?? message;
    firsts.set(message.id, first);
    if (first === message) return [];
    const what = differenceOf(first, message);
    if (what === null) return [];
    const about = [withoutEvents(first), withoutEvents(message)];
    return [{ kind: 'two attempts of a message differ', what: `${client} ${message.id}: ${what}`, about }];
  });
}

/** How a later attempt differs from the first one although access only hides or shows what both may have. */
function differenceOf(first: HookMessage, later: HookMessage): string | null {
  if (first.type !== later.type) return `${first.type}, then ${later.type}`;
  for (const [feed, range] of Object.entries(later.feeds)) {
    const before = first.feeds[feed];
    if (before !== undefined && before.join() !== range.join()) return `${feed} ${before.join()}, then ${range.join()}`;
  }
  const digests = new Map(first.events.filter(({ isWhole }) => isWhole).map((event) => [nameOf(event), event.digest]));
  const other = later.events.find((event) => {
    const digest = digests.get(nameOf(event));
    return event.isWhole && digest !== undefined && digest !== event.digest;
  });
  return other === undefined ? null : `other fields of ${nameOf(other)}`;
}

function nameOf({ type, batch, id, version }: HookEvent): string {
  return `${type} ${batch} ${id} ${version}`;
}

/**
 * The batches of a message are in the order of their feeds, and come after all that earlier messages
 * brought up to a 2xx. A repeated message, also one about a longer range, may also have earlier ones:
 * those of entities that its user or its branch had lost meanwhile, and has again.
 */
function checkOrder(orders: SerialOrders, { client, user, messages }: WebhookLog): Anomaly[] {
  const accepted = new Set<string>();
  const last = new Map<string, number>();
  const found: Anomaly[] = [];
  for (const { events, id, isAccepted, type } of messages) {
    if (type === 'graph.due') continue;
    const batches = [...new Set(events.map(({ batch }) => batch))];
    const numbers = batches.map((batch) => Object.entries(feedsOf(orders, batch, user)));
    const isRepeated = batches.some((batch) => accepted.has(batch));
    const own = isRepeated ? new Map<string, number>() : new Map(last);
    for (const [feed, seq] of numbers.flat()) {
      const before = own.get(feed) ?? 0;
      if (seq < before) {
        const what = `${client}: ${feed} ${seq} in ${id} came after ${before}`;
        found.push({ kind: 'a webhook received batches out of order', what, about: [batches] });
      }
      own.set(feed, Math.max(before, seq));
    }
    if (!isAccepted) continue;
    for (const batch of batches) accepted.add(batch);
    for (const [feed, seq] of own) last.set(feed, Math.max(last.get(feed) ?? 0, seq));
  }
  return found;
}

/** History has all changes of the run. */
function checkResets({ client, messages }: WebhookLog): Anomaly[] {
  return messages
    .filter(({ type }) => type === 'graph.reset')
    .map((message) => ({
      kind: 'a webhook was reset without a cause',
      what: `${client}: ${message.id}`,
      about: [message],
    }));
}

/** An event is of a stored change, with its version, title or level. `check-due.ts` judges due dates. */
function checkContent(orders: SerialOrders, { client, user, messages }: WebhookLog): Anomaly[] {
  return messages.flatMap(({ id: message, events }) =>
    events.flatMap((event) => {
      if (event.type === DUE) return [];
      const isStored = event.type.startsWith('access.') ? isGrant(orders, user, event) : isChange(orders, event);
      if (isStored) return [];
      const { type, batch, id, version, title } = event;
      const what = `${client}: ${type} of ${id} at ${version} (${title}) by ${batch} in ${message}`;
      return [{ kind: 'a webhook received a change that is not stored', what, about: [event] }];
    }),
  );
}

/** An event without a version may be of an entity that its batch only moved. */
function isChange({ entityOf, batchOf }: SerialOrders, { batch, id, version, title }: HookEvent): boolean {
  if (entityOf(id)?.owner.positionOf.has(batch) !== true) return false;
  if (version === null) return true;
  return (batchOf(batch)?.changes ?? []).some(
    ({ kind, id: changed, after }) =>
      kind !== 'grant' && changed === id && after?.version === version && (title === null || after.title === title),
  );
}

/** A grant to this user, and not to another one. */
function isGrant(orders: SerialOrders, user: string, { type, batch, id, level }: HookEvent): boolean {
  const root = orders.entityOf(id);
  const position = root?.owner.positionOf.get(batch);
  if (root === undefined || position === undefined) return false;
  const email = orders.emailOf(user);
  const isLoss = type === 'access.lost';
  if (isLoss && levelAt(orders, root, user, position - 1) === null) return false;
  return (orders.batchOf(batch)?.changes ?? []).some(
    (change) =>
      change.kind === 'grant' &&
      change.id === id &&
      change.email === email &&
      (isLoss ? change.after === null : change.after !== null && (level === null || change.after.level === level)),
  );
}

/** Only the gain of access passes each filter of types. Due dates have to be selected. */
function checkFilter({ client, events: types, messages }: WebhookLog): Anomaly[] {
  const passes = (type: string) => (types.length === 0 ? type !== DUE : types.includes(type));
  return messages.flatMap(({ id: message, events }) =>
    events
      .filter(({ type }) => type !== 'access.gained' && !passes(type))
      .map((event) => ({
        kind: 'a webhook received a type of event that its filter excludes',
        what: `${client}: ${event.type} of ${event.id} in ${message}`,
        about: [event],
      })),
  );
}

function checkSignatures({ client, messages }: WebhookLog): Anomaly[] {
  return messages
    .filter(({ isSigned }) => !isSigned)
    .map((message) => ({
      kind: 'a message has a wrong signature',
      what: `${client}: ${message.id}`,
      about: [withoutEvents(message)],
    }));
}

function withoutEvents({ events, ...message }: HookMessage) {
  return { ...message, events: events.length };
}
