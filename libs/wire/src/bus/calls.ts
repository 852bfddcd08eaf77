// Commands, reads and replies between gateways and workers. Receivers validate every message.
//
// Receivers ignore unknown fields, because two successive releases exchange messages during an
// upgrade. A new field is therefore optional, and harmless to a receiver that ignores it. The
// payloads of clients have their own schemas, which are closed.
import { z } from 'zod';
import { actingUser } from '../actor.ts';
import { definedFields } from '../defined-fields.ts';
import type { ErrorCode } from '../error-codes.ts';
import type { Refusal } from '../errors.ts';
import { idempotencyKey } from '../fields.ts';
import { anyId } from '../ids.ts';

/** A command for the worker of its partition. */
export const commandMessage = z.object({
  /**
   * The gateway creates it once and reuses it for each retry. Without a key it is the key of the
   * batch, so a retry cannot execute twice.
   */
  id: anyId,
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser,
  /** The client's idempotency key, if it sent one (GEN8). */
  key: idempotencyKey.nullable(),
  /**
   * The id of the caller's token, in a claim: the worker does not run a claim that waited while its
   * token ended (AUTH2).
   */
  callerToken: anyId.optional(),
  /** Milliseconds since 1970. A worker drops the command after it. */
  deadline: z.int(),
  /**
   * The time of this attempt, by the clock of `deadline`. Their difference counts even if the
   * worker's clock is wrong.
   */
  sentAt: z.int().optional(),
  /**
   * The sender's wall clock when its monotonic clock was 0. It changes when someone sets the clock.
   */
  clockZero: z.int().optional(),
  /**
   * The token of a worker's answer to an earlier attempt; null without one. It proves that this
   * attempt came later.
   */
  token: z.string().max(100).nullable().optional(),
  traceId: z.string(),
});
export type CommandMessage = z.infer<typeof commandMessage>;

/** A read. Any worker can answer it. */
export const readMessage = z.object({
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser.nullable(),
  deadline: z.int(),
  /** As in a command. */
  sentAt: z.int().optional(),
  clockZero: z.int().optional(),
  traceId: z.string(),
  /**
   * Only in account operations: proves that the sender has TASKGRAPH_SECRET, and not only access to
   * the bus.
   */
  proof: z.string().max(200).optional(),
  /** The most bytes of a page, if the caller's connection allows less than workers do (GEN11). */
  pageBytes: z.int().min(1).optional(),
  /** The etags of the caller's pages. If one of them is current, the answer is empty. */
  etags: z.array(z.string().max(64)).max(8).optional(),
  /** Whether the sender accepts a compressed reply (ZIP2). A gateway of an earlier release does not. */
  acceptsCompressed: z.literal(true).optional(),
});
export type ReadMessage = z.infer<typeof readMessage>;

/**
 * The work of a call in changes, if it exceeds the work that one call includes. The gateway counts
 * it (LIM6).
 */
const work = z.int().min(0).optional();

/** The reply: the body of the ack without `ok` and `trace_id`, or the parts of a refusal. */
export const replyMessage = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** The reply of a command that changed no grant and no publication. */
    plain: z.literal(true).optional(),
    work,
    /** Present if the answer is that of an earlier call with the same idempotency key. */
    replayed: z.literal(true).optional(),
    body: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ok: z.literal(false),
    // Any text: a service of the next release may answer a code that this one does not have.
    error: z.string() as unknown as z.ZodType<ErrorCode, string>,
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    work,
  }),
]);
export type ReplyMessage = z.infer<typeof replyMessage>;

/** The refusal in a reply. */
export function refusalOf({ error, message, details }: Extract<ReplyMessage, { ok: false }>): Refusal {
  return { refused: true, code: error, message, ...definedFields({ details }) };
}

/** The reply of a refusal. */
export function refusalReply({ code, message, details }: Refusal): ReplyMessage {
  return { ok: false, error: code, message, ...definedFields({ details }) };
}
