// Verifies the messages that webhooks receive. Rules: HOOK4, HOOK14.
import type { WebhookMessage } from '@taskgraph/wire/public-types';
import { Webhook } from 'standardwebhooks';

/** The headers of a request: those of `fetch`, or those of Node. */
export type HookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request that is no message of the webhook, or an old one. Answer it with 400. */
export class InvalidHookError extends Error {
  override readonly name = 'InvalidHookError';
}

/**
 * Checks the signature and the time of a message, and returns its content. `body` is the body as it
 * was received, before any parsing. `secret` is the text `whsec_…`; with several, one of them must
 * fit. Throws an `InvalidHookError` if none does, or if the message was sent more than five minutes
 * ago. A message may come more than once: its header `webhook-id` is then the same. Later releases
 * may send further types of messages and events, which receivers should ignore.
 */
export function verifyHook(
  body: string | Uint8Array,
  headers: HookHeaders,
  secret: string | readonly string[],
): WebhookMessage {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = {
    'webhook-id': headerOf(headers, 'webhook-id'),
    'webhook-timestamp': headerOf(headers, 'webhook-timestamp'),
    'webhook-signature': headerOf(headers, 'webhook-signature'),
  };
  let cause: unknown = new Error('no secret is given');
  for (const each of secrets) {
    try {
      return new Webhook(each).verify(text, signed) as WebhookMessage;
    } catch (error) {
      cause = error;
    }
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new InvalidHookError(`the message is not valid: ${reason}`, { cause });
}

function headerOf(headers: HookHeaders, name: string): string {
  if (typeof headers.get === 'function') return headers.get(name) ?? '';
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
