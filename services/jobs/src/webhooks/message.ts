// The messages of webhooks: their ids, bodies and headers. Rules: HOOK4, HOOK11, HOOK12.
import { createHash } from 'node:crypto';
import type { WebhookSend } from '@taskgraph/bus/requests/webhook-requests';
import { webhookHeaders } from '@taskgraph/runtime/security/webhook-signature';
import { WEBHOOK_BODY_AGE_MS, WEBHOOK_TIMEOUT_MS } from '@taskgraph/wire/bus/webhook-messages';
import type { WebhookMessage } from '@taskgraph/wire/webhooks/webhook-fields';

const USER_AGENT = 'Taskgraph-Webhooks/1';

/** A message's content, without its time. */
export interface MessageContent {
  readonly type: WebhookMessage;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The id of a message: the same for each attempt, and for each replay of the same range. */
export function messageId(hookId: string, ...parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify([hookId, ...parts]));
  return `msg_${digest.digest('hex').slice(0, 32)}`;
}

interface MessageTarget {
  readonly hookId: string;
  readonly url: string;
  readonly id: string;
  /** The present secret, and during a rotation the former one. */
  readonly secrets: readonly [string, ...string[]];
}

interface MessageTimes {
  readonly nowMs: number;
  /** Before the content was read. */
  readonly builtMs: number;
}

/**
 * When a body counts as built: at the last check of its user's access, or earlier, so that it is too old from the
 * end of a grant on (HOOK7).
 */
export function builtMsOf(checkedMs: number, accessEnd: string | undefined): number {
  return accessEnd === undefined ? checkedMs : Math.min(checkedMs, Date.parse(accessEnd) - WEBHOOK_BODY_AGE_MS);
}

/** The request to send a message. */
export function sendRequest(
  { hookId, url, id, secrets }: MessageTarget,
  { type, data }: MessageContent,
  { nowMs, builtMs }: MessageTimes,
): WebhookSend {
  const body = JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data });
  const signed = webhookHeaders({ id, timestamp: Math.floor(nowMs / 1_000), body }, secrets);
  return {
    hookId,
    url,
    headers: { ...signed, 'content-type': 'application/json; charset=utf-8', 'user-agent': USER_AGENT },
    body,
    builtMs,
    timeoutMs: WEBHOOK_TIMEOUT_MS,
  };
}
