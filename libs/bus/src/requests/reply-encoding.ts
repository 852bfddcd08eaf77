// Encodes replies and replaces those that are too long by shorter ones.

import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { BusLog } from '../nats/connect.ts';
import { JOIN_BYTES, tryStringify } from '../nats/parts.ts';
import { markKeptAccess } from './raw-reply.ts';

/** An encoded reply. The thread that decided it also encodes it, since long replies take time. */
export interface EncodedReply {
  readonly encoded: Uint8Array;
  /** The bytes of the same reply without compression, if it is compressed. */
  readonly plainBytes?: number;
}
export type Reply = ReplyMessage | EncodedReply;

/** Encodes a reply as `serveCommands` sends it, or as `serveReads` does for a read. */
export function encodeReply(log: BusLog, reply: ReplyMessage, to: 'command' | 'read' = 'command'): EncodedReply {
  return { encoded: contentOf(log, reply, to === 'read' ? () => tooLong : withoutLists) };
}

/** The reply as JSON, or the shorter one if it is too long to send. */
export function contentOf(log: BusLog, reply: Reply, shorten: (reply: ReplyMessage) => ReplyMessage): Uint8Array {
  if ('encoded' in reply) return reply.encoded;
  for (const make of [() => reply, () => shorten(reply)]) {
    const text = tryStringify(markKeptAccess(make()));
    if (text !== null && Buffer.byteLength(text) <= JOIN_BYTES) return Buffer.from(text);
    log.error({ length: text?.length }, 'a reply is too long to send');
  }
  return Buffer.from(JSON.stringify(tooLong));
}

/** Replaces a reply that is too long. */
export const tooLong: ReplyMessage = {
  ok: false,
  error: 'internal.too_large',
  message: 'The answer is too long to send.',
};

/** Replaces a long reply to a committed command: still a success, but with a truncated diff. */
export function withoutLists(reply: ReplyMessage): ReplyMessage {
  if (!reply.ok) return tooLong;
  const { diff, ...body } = reply.body;
  const { work, replayed } = reply;
  const fields = Object.entries(diff ?? {}).map(([name, value]) => [name, Array.isArray(value) ? [] : value]);
  return {
    ok: true,
    ...definedFields({ work, replayed }),
    body: { ...body, diff: { ...Object.fromEntries(fields), truncated: true } },
  };
}
