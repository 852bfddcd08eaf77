// Webhooks as they are stored. Rules: HOOK3, HOOK6, HOOK8, HOOK11.
//
// A user has webhooks: (:User)-[:HAS_WEBHOOK]->(:Webhook). A deleted one stays for some minutes in
// the state `deleted`, without its secrets. Attempts are (:WebhookDelivery {hookId}), without
// relationships.
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import type {
  DeliveryOutcome,
  WebhookMessage,
  WebhookReason,
  WebhookState,
} from '@taskgraph/wire/webhooks/webhook-fields';
import type { Row } from '../driver/database.ts';

/** The range that is being delivered. It is fixed before the first attempt. */
export interface MessageInProgress {
  readonly id: string;
  /** Positions; null if there is none yet. */
  readonly from: string | null;
  readonly to: string;
  readonly firstMs: number;
  readonly attempts: number;
  readonly nextMs: number;
}

/** A message about due nodes that is being delivered, as a MessageInProgress. */
export interface DueMessage extends Omit<MessageInProgress, 'from' | 'to'> {
  /** Its nodes: a later attempt has no others. */
  readonly nodes: readonly DuePosition[];
  /** The position of the webhook after it. */
  readonly to: DuePosition;
  /** The time at which its search ends; null if it has ended. */
  readonly until: string | null;
}

/** A search for the nodes of a message that has not ended yet. */
export interface DueSearch {
  /** All nodes up to here have been examined. */
  readonly to: DuePosition;
  /** The time at which the search ends. */
  readonly until: string;
  /** The nodes that it has found, and the bytes of their events. */
  readonly nodes: readonly DuePosition[];
  readonly bytes: number;
}

export interface StoredWebhook {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly url: string;
  /** The root of a branch; null for the whole graph. */
  readonly root: string | null;
  /** The filter; empty for all types. */
  readonly events: readonly string[];
  /** The conditions as JSON. */
  readonly where: string | null;
  /** The API token that created it; null if a session did. */
  readonly tokenId: string | null;
  /** ISO 8601 UTC. */
  readonly created: string;
  readonly state: WebhookState;
  readonly reason: WebhookReason | null;
  /** Grows by one with each change by its user. */
  readonly version: number;
  /** Sealed. */
  readonly secret: string;
  readonly formerSecret: string | null;
  /** Milliseconds since 1970, as all times of this kind. */
  readonly formerUntil: number | null;
  /** The position up to which it has received all changes. */
  readonly position: string;
  readonly message: MessageInProgress | null;
  /** The position up to which it has received all due nodes; null if it has not been looked at for them yet. */
  readonly duePosition: DuePosition | null;
  readonly dueMessage: DueMessage | null;
  /** The search from `duePosition` on; null if it has not begun. While it is not null, `dueMessage` is. */
  readonly dueSearch: DueSearch | null;
  /** The time of the next search or read of due nodes; 0 for at once, null if it is not known. */
  readonly dueSearchMs: number | null;
  /** How many reads of due nodes have failed since the last one that did not; null for none. */
  readonly dueFailures: number | null;
  /** A request of its user for a `hook.ping`, which is tried once in any state. */
  readonly testMs: number | null;
  /** Until when its runner alone may deliver. */
  readonly lease: number | null;
  readonly runner: string | null;
  /** The last 2xx. */
  readonly successMs: number | null;
  /** The first failure since. */
  readonly failingSinceMs: number | null;
  /** Whether the last attempt took long. */
  readonly isSlow: boolean;
  /** Since when something is due without an attempt; null if nothing was found due. */
  readonly dueSinceMs: number | null;
}

/** A webhook from its properties. */
export function decodeWebhook(properties: Row): StoredWebhook {
  const stored = { ...NULLS, ...properties } as unknown as StoredWebhook;
  return { ...stored, ...Object.fromEntries(IN_JSON.map((name) => [name, parsed(properties[name])])) };
}

const IN_JSON = [
  'message',
  'duePosition',
  'dueMessage',
  'dueSearch',
] as const satisfies readonly (keyof StoredWebhook)[];

function parsed(json: unknown): unknown {
  return typeof json === 'string' ? JSON.parse(json) : null;
}

/** The message in progress, of either type, or null. A message about due nodes is not, while its read fails. */
export function messageInProgress({
  message,
  dueMessage,
  dueFailures,
}: Pick<StoredWebhook, 'message' | 'dueMessage' | 'dueFailures'>): MessageInProgress | DueMessage | null {
  return message ?? (dueFailures === null ? dueMessage : null);
}

const NULLS = {
  root: null,
  where: null,
  tokenId: null,
  reason: null,
  formerSecret: null,
  formerUntil: null,
  testMs: null,
  lease: null,
  runner: null,
  successMs: null,
  failingSinceMs: null,
  isSlow: false,
  dueSinceMs: null,
  dueSearchMs: null,
  dueFailures: null,
} as const;

/** An attempt. */
export interface StoredDelivery {
  readonly hookId: string;
  /** The start of the attempt. */
  readonly at: number;
  readonly messageId: string;
  readonly type: WebhookMessage;
  /** 1 for the first attempt of the message. */
  readonly attempt: number;
  readonly status: DeliveryOutcome;
  /** The HTTP status, or null. */
  readonly code: number | null;
  readonly durationMs: number;
}

/** An attempt from its properties. */
export function decodeDelivery(properties: Row): StoredDelivery {
  return { code: null, ...properties } as unknown as StoredDelivery;
}

/**
 * A part of statements: passes on the webhooks that may deliver. In: w, now (ISO 8601). Out: w and
 * its user u. Locks: none. Cost: three index look-ups each. A webhook pauses while its user, or the
 * maintainer of a bot, is disabled, and ends with the token that created it (HOOK3).
 */
export const WHERE_PERMITTED = `MATCH (w)<-[:HAS_WEBHOOK]-(u:User)
OPTIONAL MATCH (m:User {id: u.maintainer})
OPTIONAL MATCH (t:Token {id: w.tokenId})
WITH w, u, m, t
WHERE coalesce(u.disabled, false) = false
  AND (u.maintainer IS NULL OR (u.id IN coalesce(m.bots, []) AND coalesce(m.disabled, false) = false))
  AND (w.tokenId IS NULL OR (t.id IS NOT NULL AND t.revoked IS NULL AND (t.expires IS NULL OR t.expires > $now)))
WITH w, u`;
