// The result of a request: a worker's reply to forward, or a refusal instead.
import { type ReplyMessage, replyMessage } from '@taskgraph/wire/bus/calls';
import type { Bus } from '../nats/connect.ts';
import { parseCompressedReply, parseRawReply, type RawReply, withParsedBody } from './raw-reply.ts';

/** Parses a refusal. For any other reply it only checks that the body is an object. */
export function parseReply(bus: Bus, answer: Uint8Array): ReplyMessage | RawReply {
  const raw = parseRawReply(answer) ?? parseCompressedReply(answer);
  if (raw !== null) return raw;
  try {
    const result = replyMessage.safeParse(JSON.parse(Buffer.from(answer).toString()));
    return result.success ? result.data : brokenAnswer(bus, result.error.message);
  } catch {
    return brokenAnswer(bus, 'not JSON');
  }
}

/** The reply with its body parsed. */
export function parseBody(bus: Bus, reply: ReplyMessage | RawReply): ReplyMessage {
  try {
    return withParsedBody(reply);
  } catch {
    return brokenAnswer(bus, 'its body cannot be read');
  }
}

/** The refusal for an unreadable reply. That is a bug, so it is logged. */
export function brokenAnswer(bus: Bus, reason: string): ReplyMessage {
  bus.log.error({ reason }, 'a worker sent an invalid reply');
  const details = { outcome: 'unknown' };
  return { ok: false, error: 'internal.broken_answer', message: 'The answer could not be read.', details };
}

/** The refusal for a request without a reply; `not_done` only if no worker can have executed it. */
export function unavailable(message: string, outcome: 'unknown' | 'not_done'): ReplyMessage {
  return { ok: false, error: 'unavailable', message, details: { outcome } };
}

/**
 * Replaces `not_done` and a missing outcome by `unknown`. A worker speaks only for itself: another
 * one, paused when it lost its lease, may have received an earlier attempt or this one, and may
 * commit it when it resumes.
 */
export function withoutCertainty<T extends ReplyMessage | RawReply>(reply: T): T {
  if (reply.ok) return reply;
  const outcome = reply.details?.outcome;
  const isOpen = outcome === 'not_done' || (outcome === undefined && reply.error === 'unavailable');
  return isOpen ? { ...reply, details: { ...reply.details, outcome: 'unknown' } } : reply;
}

/** A read changes nothing, so it has no outcome. */
export function withoutOutcome<T extends ReplyMessage | RawReply>(reply: T): T | ReplyMessage {
  if (reply.ok || reply.details?.outcome === undefined) return reply;
  return { ok: false, error: reply.error, message: reply.message };
}
