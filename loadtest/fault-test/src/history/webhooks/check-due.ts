// The messages of webhooks about due dates: each date that passed is reported once, in order, and nothing else
// is. Rules: HOOK2, HOOK4, HOOK5, HOOK6, HOOK7.
//
// A date must arrive if its node was visible and open with this date until the attempts to report it ended.
// Dates come in order, so the attempts end with the first accepted message that has a later date, or with the run.
// Not required are dates before the webhook was added, dates after the stored data was read, and all dates of
// a run that sets clocks: a change may then be stored with a time that a search has already passed.
import type { Anomaly, HookEvent, HookMessage, RunClock, WebhookLog } from '../history.ts';
import { levelAt, type SerialOrders } from '../serial-order.ts';
import { hadAccess } from './access.ts';
import { type DatedNode, type DatedNodes, isDue, stateAt, statesIn } from './dated-nodes.ts';
import { readAt } from './ranges.ts';

export const DUE = 'node.due';
/** A search ends so long ago (HOOK5). */
const LAG_MS = 10_000;
/** The run's clock may differ from the time of day so much, after half an hour. */
const CLOCK_MS = 1_000;
/** With so many changes of its node since then, a date counts as passed (HOOK5). */
const MOST_CHANGES = 50;
const SHOWN = 3;

/** What the messages of all webhooks are compared with. */
export interface DueRecords {
  readonly orders: SerialOrders;
  readonly clock: RunClock;
  readonly dated: DatedNodes;
}

export function checkDue(records: DueRecords, webhook: WebhookLog): Anomaly[] {
  return [
    ...checkMissedDates(records, webhook),
    ...checkDates(records, webhook),
    ...checkShape(webhook),
    ...checkIds(webhook),
    ...checkOrder(webhook),
  ];
}

/** Its position in the order of due dates. */
function positionOf({ dueDate, id }: Pick<HookEvent, 'dueDate' | 'id'>): string {
  return `${dueDate} ${id}`;
}

function positionsOf({ events }: HookMessage): string[] {
  return events.flatMap((event) => (event.type === DUE && event.dueDate !== null ? [positionOf(event)] : []));
}

function dueMessages({ messages }: WebhookLog): HookMessage[] {
  return messages.filter(({ type }) => type === 'graph.due');
}

export function checkMissedDates({ orders, clock, dated }: DueRecords, webhook: WebhookLog): Anomaly[] {
  const { client, user, root, events, addedMs } = webhook;
  if (clock.isSet || !events.includes(DUE)) return [];
  const accepted = dueMessages(webhook)
    .filter(({ isAccepted }) => isAccepted)
    .map((message) => ({ message, positions: positionsOf(message) }));
  const received = new Set(accepted.flatMap(({ positions }) => positions));
  const missed = dated.passed.filter(({ node, dueDate, position: passedAt }) => {
    const atMs = Date.parse(dueDate) - clock.epochMs;
    if (atMs <= addedMs + CLOCK_MS || atMs > clock.storedMs) return false;
    const { entity, id } = node;
    const position = positionOf({ dueDate, id });
    if (received.has(position) || (root !== null && entity.root !== root)) return false;
    const next = accepted.find(({ positions }) => positions.some((other) => other > position))?.message;
    const last = Math.max(passedAt, entity.owner.highest(next?.arrivedMs ?? Number.POSITIVE_INFINITY));
    for (let each = passedAt; each <= last; each++) if (levelAt(orders, entity, user, each) === null) return false;
    return statesIn(node, { first: passedAt, last }).every((state) => isDue(state, dueDate));
  });
  if (missed.length === 0) return [];
  const names = missed.slice(0, SHOWN).map(({ node, dueDate }) => positionOf({ dueDate, id: node.id }));
  const what = `${client}: ${missed.length}, such as ${names.join('; ')}`;
  return [{ kind: 'a webhook missed a due date', what, about: missed.slice(0, SHOWN).map(({ node }) => node.states) }];
}

/** Each reported date was one of an open node that the user saw, and its fields are those of that node. */
function checkDates(records: DueRecords, webhook: WebhookLog): Anomaly[] {
  return dueMessages(webhook).flatMap((message) =>
    message.events.flatMap((event) => {
      const kinds = event.type === DUE ? faultsOf(records, { webhook, message, event }) : [];
      const { client } = webhook;
      const what = `${event.dueDate} of ${event.id} (${event.title}) in ${message.id} to ${client}`;
      const states = records.dated.nodes.get(event.id)?.states;
      return kinds.map((kind) => ({ kind, what, about: [event, withoutEvents(message), states] }));
    }),
  );
}

interface ReportedDate {
  readonly webhook: WebhookLog;
  readonly message: HookMessage;
  readonly event: HookEvent;
}

function faultsOf(records: DueRecords, reported: ReportedDate): string[] {
  const { orders, clock, dated } = records;
  const { webhook, message, event } = reported;
  const { id, dueDate, version, title } = event;
  const node = dated.nodes.get(id);
  const hasHad = node?.states.some((state) => dueDate === null || state.dueDate === dueDate) === true;
  if (node === undefined || !hasHad) return ['a webhook received a due date that its node never had'];
  const found: string[] = [];
  const { entity } = node;
  if (webhook.root !== null && entity.root !== webhook.root)
    found.push('a webhook of a branch received another branch');
  if (!hadAccess(orders, entity, webhook.user, message)) found.push('a webhook received a due date without access');
  if (dueDate === null) return found;
  if (clock.epochMs + message.arrivedMs < Date.parse(dueDate) + LAG_MS - CLOCK_MS)
    found.push('a webhook received a due date too early');
  if (!isDue(stateAt(node, dueDate), dueDate) && !isBeyondBounds(reported, node))
    found.push('a webhook received a due date at which its node was not due');
  const present = statesIn(node, readAt(entity.owner, message)).filter((state) => isDue(state, dueDate));
  if (present.length === 0) found.push('a webhook received a due date that its node no longer had');
  else if (!present.some((state) => state.version === version && state.title === title))
    found.push('a due date has other fields than its node');
  return found;
}

/** Whether the service may not read the changes of a node since its date, because there are too many. */
function isBeyondBounds({ message, event }: ReportedDate, { entity, states }: DatedNode): boolean {
  const last = entity.owner.highest(message.arrivedMs);
  const since = states.filter(({ ts, position }) => ts > (event.dueDate as string) && position <= last);
  return since.length >= MOST_CHANGES;
}

/** A message about due dates has nothing else: a range would reveal the dates of hidden nodes. */
function checkShape({ client, messages }: WebhookLog): Anomaly[] {
  return messages.flatMap((message) => {
    const isAboutDates = message.type === 'graph.due';
    const about = [withoutEvents(message)];
    const found = (kind: string, more: string) => [{ kind, what: `${client} ${message.id}: ${more}`, about }];
    const other = message.events.find(({ type }) => (type === DUE) !== isAboutDates);
    return [
      ...(other === undefined ? [] : found('a message has events of another kind', other.type)),
      ...(isAboutDates && message.events.length === 0 ? found('a message about due dates has none', '') : []),
      ...(message.unknownFields.length === 0
        ? []
        : found('a message about due dates has other fields', message.unknownFields.join())),
    ];
  });
}

/**
 * A date has one `webhook-id`, and another one if the run enabled the webhook again meanwhile. In all attempts of a
 * message a node has one date.
 */
function checkIds(webhook: WebhookLog): Anomaly[] {
  const { client, enabledMs } = webhook;
  const ids = new Map<string, string>();
  const renewed = new Set<string>();
  const dates = new Map<string, string>();
  return dueMessages(webhook).flatMap((message) => {
    const isNewId = (position: string) => {
      const before = ids.get(position) ?? message.id;
      ids.set(position, message.id);
      if (before === message.id) return false;
      const mayBeRenewed = enabledMs !== null && message.arrivedMs >= enabledMs && !renewed.has(position);
      renewed.add(position);
      return !mayBeRenewed;
    };
    const isNewDate = ({ id, dueDate }: HookEvent) => {
      const before = dates.get(`${message.id} ${id}`) ?? dueDate;
      if (dueDate !== null) dates.set(`${message.id} ${id}`, dueDate);
      return dueDate !== null && before !== dueDate;
    };
    const about = [withoutEvents(message)];
    return [
      ...positionsOf(message)
        .filter(isNewId)
        .map((position) => ({
          kind: 'a due date came again with another id',
          what: `${client}: ${position} in ${message.id}`,
          about,
        })),
      ...message.events.filter(isNewDate).map((event) => ({
        kind: 'two attempts of a message differ',
        what: `${client} ${message.id}: another date of ${event.id}`,
        about,
      })),
    ];
  });
}

/**
 * Dates come by time and id, and after all that earlier messages brought up to a 2xx. A repeated message may
 * have what it lacked before.
 */
function checkOrder(webhook: WebhookLog): Anomaly[] {
  const accepted = { ids: new Set<string>(), positions: new Set<string>(), last: '' };
  return dueMessages(webhook).flatMap((message) => {
    const positions = positionsOf(message);
    let before = accepted.ids.has(message.id) ? '' : accepted.last;
    const late = positions.find((position) => {
      const isLate = position <= before && !accepted.positions.has(position);
      before = accepted.positions.has(position) ? before : position;
      return isLate;
    });
    if (message.isAccepted) {
      accepted.ids.add(message.id);
      for (const position of positions) accepted.positions.add(position);
      accepted.last = [accepted.last, ...positions].sort().at(-1) as string;
    }
    if (late === undefined) return [];
    const what = `${webhook.client}: ${late} in ${message.id}`;
    return [{ kind: 'a webhook received due dates out of order', what, about: [positions, withoutEvents(message)] }];
  });
}

function withoutEvents({ events, ...message }: HookMessage) {
  return { ...message, events: events.length };
}
