// Messages between gateways and workers. They are checked on arrival there too: the bus is not trusted with shapes.
import { z } from 'zod';
import { idempotencyKey } from './fields.ts';
import { anyId } from './ids.ts';

/** Who acts: the user behind a token. */
export const actingUser = z.strictObject({ id: anyId, username: z.string(), email: z.string() });
export type ActingUser = z.infer<typeof actingUser>;

/** A mutation on its way to the worker of its partition. */
export const commandMessage = z.strictObject({
  /** Made once by the gateway and kept over retries: the batch is stored under it, so that a retry can't do it twice. */
  id: anyId,
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser,
  /** The client's Idempotency-Key, if it gave one (GEN8). */
  key: idempotencyKey.nullable(),
  /** Milliseconds since 1970; past it a worker drops the command. */
  deadline: z.int(),
  traceId: z.string(),
});
export type CommandMessage = z.infer<typeof commandMessage>;

/** A read; any worker may answer it. */
export const readMessage = z.strictObject({
  event: z.string(),
  payload: z.record(z.string(), z.unknown()),
  actor: actingUser.nullable(),
  deadline: z.int(),
  traceId: z.string(),
});
export type ReadMessage = z.infer<typeof readMessage>;

/** What comes back: the body of the ack without `ok` and `trace_id`, or a refusal's parts. */
export const replyMessage = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), body: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    ok: z.literal(false),
    error: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
]);
export type ReplyMessage = z.infer<typeof replyMessage>;

/** One feed's part of a committed batch, on its way to the sockets that read the feed. */
export const sliceMessage = z.strictObject({
  feed: z.string(),
  epoch: z.int(),
  seq: z.int(),
  diff: z.record(z.string(), z.unknown()),
});
export type SliceMessage = z.infer<typeof sliceMessage>;

/** All slices of one group commit, in the order of their commit. */
export const slicesMessage = z.strictObject({ slices: z.array(sliceMessage) });
export type SlicesMessage = z.infer<typeof slicesMessage>;

/** The answer of the read `token:resolve`: whose token it is, or null where it is unknown, expired or revoked. */
export const resolvedToken = z.strictObject({ user: actingUser.nullable() });
export type ResolvedToken = z.infer<typeof resolvedToken>;

/** The room that a feed's slices go to. The epoch is part of its name, so that a raised epoch empties it. */
export function roomOf(feed: string, epoch: number): string {
  return `${feed}#${epoch}`;
}

/** The feed of all that a user owns. */
export function userFeed(userId: string): string {
  return `user:${userId}`;
}
