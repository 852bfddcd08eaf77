// Requests from jobs to the hooks service to send one signed message, and their answers (HOOK10).
import { z } from 'zod';
import { text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { webhookUrl } from '../webhooks/webhook-url.ts';

/** Bytes of the body of a message, as UTF-8. */
export const WEBHOOK_BODY_BYTES = 80 * 1024;
/** Milliseconds in which a receiver must answer. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/** Milliseconds after which a body is too old to be sent: access may have changed meanwhile (HOOK7). */
export const WEBHOOK_BODY_AGE_MS = 1_000;
/** The longest wait of a `Retry-After` that is passed on, in milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** A header value of visible ASCII characters and single spaces. */
const header = z
  .string()
  .max(500)
  .regex(/^[!-~]+(?: [!-~]+)*$/);

export const webhookSendRequest = z.object({
  hookId: anyId,
  url: webhookUrl,
  /** All headers, except those that HTTP itself requires. */
  headers: z.strictObject({
    'webhook-id': header,
    /** Seconds since 1970. */
    'webhook-timestamp': z.string().regex(/^\d{1,12}$/),
    /** One or two signatures, separated by a space. */
    'webhook-signature': header,
    'content-type': header,
    'user-agent': header,
  }),
  body: text(WEBHOOK_BODY_BYTES).refine(
    (body) => Buffer.byteLength(body) <= WEBHOOK_BODY_BYTES,
    `must have at most ${WEBHOOK_BODY_BYTES} bytes`,
  ),
  /** When the body was built, in milliseconds since 1970 by the clock of the requester. */
  builtMs: z.int(),
  /** Milliseconds for the whole exchange with the receiver. */
  timeoutMs: z.int().min(1).max(WEBHOOK_TIMEOUT_MS),
  /** Whether the receiver failed or was slow at the last attempt, or is new (HOOK13). */
  isSlow: z.boolean().optional(),
  /** As in a command (calls.ts). */
  sentAt: z.int().optional(),
  clockZero: z.int().optional(),
  token: z.string().max(100).nullable().optional(),
});
export type WebhookSendRequest = z.infer<typeof webhookSendRequest>;

/**
 * The outcomes of a request.
 * - `delivered`: the receiver answered with a 2xx.
 * - `refused`: the receiver gave another answer over HTTP, also a redirect.
 * - `unreachable`: the name was not resolved, the address is forbidden, the connection failed, or
 *   no answer came in time. Nothing tells these apart (HOOK9).
 * - `busy`: the service sends too much already, or the installation has a fault, such as one of its name
 *   servers or its proxy. No attempt was made.
 * - `late`: the body would be older than 1 s when written. No attempt was made; build it again.
 *
 * A request that is no `webhookSendRequest` is answered with `invalid`. No attempt was made.
 */
export const WEBHOOK_SEND_OUTCOMES = ['delivered', 'refused', 'unreachable', 'busy', 'late'] as const;
export type WebhookSendOutcome = (typeof WEBHOOK_SEND_OUTCOMES)[number];

export const webhookSendAnswer = z.object({
  outcome: z.enum([...WEBHOOK_SEND_OUTCOMES, 'invalid']),
  /** The status code, after `delivered` and `refused`. */
  status: z.int().min(100).max(999).optional(),
  /** From `Retry-After`, after `refused`. */
  retryAfterMs: z.int().min(0).max(LONGEST_RETRY_AFTER_MS).optional(),
  /** After `busy`: whether the cause is a fault of the installation. */
  isFault: z.boolean().optional(),
  /** Milliseconds from the receipt of the request to this answer. */
  durationMs: z.int().min(0),
  /** After `late`, if the requester's clock is unknown yet: the next request returns it. */
  token: z.string().max(100).optional(),
});
export type WebhookSendAnswer = z.infer<typeof webhookSendAnswer>;
