// The names, states and bounds of webhooks. Rules: HOOK1, HOOK5, HOOK6, HOOK12, HOOK13.

const NODE_EVENTS = [
  'node.added',
  'node.changed',
  'node.completed',
  'node.reopened',
  'node.blocked',
  'node.unblocked',
  'node.trashed',
  'node.restored',
  'node.deleted',
  'node.joined',
  'node.left',
] as const;
const LINK_EVENTS = [
  'link.added',
  'link.changed',
  'link.trashed',
  'link.restored',
  'link.deleted',
  'link.joined',
  'link.left',
] as const;
const ACCESS_EVENTS = ['access.gained', 'access.lost', 'access.level'] as const;

/** The types of the events about changes. */
export const CHANGE_EVENTS = [...NODE_EVENTS, ...LINK_EVENTS, ...ACCESS_EVENTS] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

/** The type of the events about due dates that have passed. */
export const DUE_EVENT = 'node.due';

/** The types of the events in messages. */
export const WEBHOOK_EVENTS = [...CHANGE_EVENTS, DUE_EVENT] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The items of a filter: a type, or all types of a kind. */
export const WEBHOOK_FILTERS = ['node.*', 'link.*', 'access.*', ...WEBHOOK_EVENTS] as const;
export type WebhookFilter = (typeof WEBHOOK_FILTERS)[number];

/** The items of a filter that select due dates. */
export const DUE_FILTERS = [DUE_EVENT, 'node.*'] as const;

/**
 * Whether a webhook with this filter receives events of a type. An empty filter accepts all changes. Due dates
 * have to be selected.
 */
export function acceptsEvent(filters: readonly string[], type: WebhookEvent): boolean {
  if (filters.length === 0) return type !== DUE_EVENT;
  const kind = type.slice(0, type.indexOf('.'));
  return filters.includes(type) || filters.includes(`${kind}.*`);
}

/** Only an active webhook receives changes; a pending one first has to accept a `hook.ping`. */
export const WEBHOOK_STATES = ['pending', 'active', 'disabled'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** Why the service disabled a webhook. One that its user or an administrator disabled has none. */
export const WEBHOOK_REASONS = ['gone', 'failing', 'unreadable_secret', 'token_ended'] as const;
export type WebhookReason = (typeof WEBHOOK_REASONS)[number];

/** The types of messages. */
export const WEBHOOK_MESSAGES = ['graph.changed', 'graph.due', 'graph.reset', 'hook.ping'] as const;
export type WebhookMessage = (typeof WEBHOOK_MESSAGES)[number];

/** The outcomes of an attempt. `refused` is an answer without a 2xx status. */
export const DELIVERY_OUTCOMES = ['delivered', 'refused', 'unreachable'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Maximum webhooks of a user. */
export const MAXIMUM_WEBHOOKS = 20;
/** The listed attempts of a webhook, and how long they are stored. */
export const MAXIMUM_DELIVERIES = 200;
export const DELIVERY_DAYS = 7;
/** UTF-16 units. */
export const WEBHOOK_URL_LENGTH = 2_048;
export const WEBHOOK_NAME_LENGTH = 100;
/** UTF-16 units of the conditions as JSON. */
export const WEBHOOK_WHERE_LENGTH = 10_000;
/** Hours for which the former secret signs too after a rotation. */
export const OVERLAP_HOURS = { initial: 24, most: 168 } as const;
/** How far back a replay may start, days. */
export const REPLAY_DAYS = 7;
/** The bounds of a message: batches, and bytes of its body as UTF-8. */
export const MOST_BATCHES_OF_MESSAGE = 250;
export const WEBHOOK_MESSAGE_BYTES = 64 * 1024;
/** Maximum due nodes of a message. */
export const MOST_DUE_OF_MESSAGE = 100;
/** Maximum messages in a minute of one webhook. */
export const MESSAGES_A_MINUTE = 300;
