// The form in which replies are sent, and the shorter ones in place of those that are too long.
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { BusLog } from '../nats/connect.ts';
import { JOIN_BYTES, tryStringify } from '../nats/parts.ts';
import { markPlain } from './raw-reply.ts';

/** A reply as it is sent, made where it was decided: a long one takes a while to put into this form. */
export interface EncodedReply {
  readonly encoded: Uint8Array;
}
export type Reply = ReplyMessage | EncodedReply;

/** A reply as `serveCommands` sends it, or `serveReads` the reply to a read. */
export function encodeReply(log: BusLog, reply: ReplyMessage, to: 'command' | 'read' = 'command'): EncodedReply {
  return { encoded: contentOf(log, reply, to === 'read' ? () => tooLong : withoutLists) };
}

/** The reply as JSON, or the shorter one where it is too long to send. */
export function contentOf(log: BusLog, reply: Reply, shorten: (reply: ReplyMessage) => ReplyMessage): Uint8Array {
  if ('encoded' in reply) return reply.encoded;
  for (const make of [() => reply, () => shorten(reply)]) {
    const text = tryStringify(markPlain(make()));
    if (text !== null && Buffer.byteLength(text) <= JOIN_BYTES) return Buffer.from(text);
    log.error({ length: text?.length }, 'an answer is too long to send');
  }
  return Buffer.from(JSON.stringify(tooLong));
}

/** The answer in the place of one that is too long. */
export const tooLong: ReplyMessage = {
  ok: false,
  error: 'internal.too_large',
  message: 'The answer is too long to send.',
};

/** A committed command is told as done, though its diff is too long to be told. */
export function withoutLists(reply: ReplyMessage): ReplyMessage {
  if (!reply.ok) return tooLong;
  const { diff, ...body } = reply.body;
  const { work } = reply;
  const fields = Object.entries(diff ?? {}).map(([name, value]) => [name, Array.isArray(value) ? [] : value]);
  return {
    ok: true,
    ...(work === undefined ? {} : { work }),
    body: { ...body, diff: { ...Object.fromEntries(fields), truncated: true } },
  };
}
