// How a request ends: the answer of a worker as it is passed on, or a refusal in the place of one.
import { type ReplyMessage, replyMessage } from '@taskgraph/wire/messages';
import type { Bus } from '../nats/connect.ts';
import { openRawReply, type RawReply, readRawReply } from './raw-reply.ts';

/** A refusal is read here; of any other answer no more is known than that its body is an object. */
export function openReply(bus: Bus, answer: Uint8Array): ReplyMessage | RawReply {
  const raw = openRawReply(answer);
  if (raw !== null) return raw;
  try {
    const result = replyMessage.safeParse(JSON.parse(Buffer.from(answer).toString()));
    return result.success ? result.data : brokenAnswer(bus, result.error.message);
  } catch {
    return brokenAnswer(bus, 'not JSON');
  }
}

/** The answer with its body read. */
export function whole(bus: Bus, reply: ReplyMessage | RawReply): ReplyMessage {
  if (!('json' in reply)) return reply;
  try {
    return readRawReply(reply);
  } catch {
    return brokenAnswer(bus, 'not JSON');
  }
}

/** For an answer that could not be read: a bug, which is logged. */
export function brokenAnswer(bus: Bus, reason: string): ReplyMessage {
  bus.log.error({ reason }, 'a worker sent a broken answer');
  const details = { outcome: 'unknown' };
  return { ok: false, error: 'internal.broken_answer', message: 'The answer could not be read.', details };
}

/** For what no worker answered; `not_done` only where none can have done it. */
export function unavailable(message: string, outcome: 'unknown' | 'not_done'): ReplyMessage {
  return { ok: false, error: 'unavailable', message, details: { outcome } };
}

/**
 * A worker that says `not_done` speaks for itself. One whose lease went while it was paused may have had an earlier try, or this very one,
 * since it stays subscribed; when it wakes up it may commit, so that nothing is certain. Nor is it where a worker says nothing of the outcome.
 */
export function withoutCertainty<T extends ReplyMessage | RawReply>(reply: T): T {
  if (reply.ok) return reply;
  const outcome = reply.details?.outcome;
  const isOpen = outcome === 'not_done' || (outcome === undefined && reply.error === 'unavailable');
  return isOpen ? { ...reply, details: { ...reply.details, outcome: 'unknown' } } : reply;
}

/** A read changes nothing, so an outcome would only confuse. */
export function withoutOutcome<T extends ReplyMessage | RawReply>(reply: T): T | ReplyMessage {
  if (reply.ok || reply.details?.outcome === undefined) return reply;
  return { ok: false, error: reply.error, message: reply.message };
}
