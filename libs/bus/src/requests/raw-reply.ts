// A reply whose body stays encoded. Pages are long, and only the requester needs to parse them.

import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import { Op } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { JOIN_BYTES } from '../nats/parts.ts';
import type { CompressedJson } from './compressed-json.ts';

/** A successful reply whose body stays encoded. */
export type RawReply = JsonReply | CompressedReply;

/** A successful reply with its body as JSON. */
export interface JsonReply {
  readonly ok: true;
  /** The JSON of an object: the fields of the body. */
  readonly json: Uint8Array;
  /** A text that differs for each body; absent if the worker made none. */
  readonly etag?: string;
  /** The requester already has the body, according to its etag: `json` is an empty object. */
  readonly unchanged?: true;
  /**
   * Set for a command that changed neither a grant nor a publication: a gateway may forward the
   * body unread. On the wire it is `plain`.
   */
  readonly keepsAccess?: true;
  /** The work of the request, if more than that of one call. */
  readonly work?: number;
  /** Present if the answer is that of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  /** The complete encoded reply, if it was composed earlier. */
  readonly encoded?: Uint8Array;
}

/** A successful reply to a read whose requester accepts compressed bodies. */
export interface CompressedReply {
  readonly ok: true;
  readonly compressed: CompressedJson;
  /** Of the body, so it is that of the same body as JSON. */
  readonly etag: string;
  /** The complete encoded reply. */
  readonly encoded: Uint8Array;
  readonly work?: undefined;
  readonly replayed?: undefined;
}

const CLOSING_BRACE = 0x7d;
/** Upper bound of the bytes before the body. */
const HEAD_BYTES = 200;
const HEAD =
  /^\{"ok":true,(?:"etag":"([\w-]{1,64})",)?(?:"unchanged":(true),)?(?:"plain":(true),)?(?:"work":(\d{1,15}),)?(?:"replayed":(true),)?"body":(?=\{)/;

const MAXIMUM_CRC = 0xffff_ffff;
/** The first line of a compressed reply. The bytes follow it. */
const COMPRESSED_HEAD = /^\{"ok":true,"etag":"([\w-]{1,64})","length":(\d{1,10}),"crc":(\d{1,10})\}\n/;

/** Encodes a reply. Only a gateway that accepts compressed replies can read a compressed one. */
export function encodeRawReply(reply: RawReply): Uint8Array {
  if ('compressed' in reply) return reply.encoded;
  const { json, etag, unchanged, encoded } = reply;
  return encoded ?? composeReply([json], { etag, unchanged });
}

/** A compressed reply composed once. */
export function compressedReplyOf({ deflated, length, crc }: CompressedJson, etag: string): CompressedReply {
  const head = Buffer.from(`${JSON.stringify({ ok: true, etag, length, crc })}\n`);
  const encoded = concatUnpooled([head, deflated]);
  return { ok: true, compressed: { deflated: encoded.subarray(head.length), length, crc }, etag, encoded };
}

/** Parses the first line of a compressed reply; null for any other reply. */
export function parseCompressedReply(reply: Uint8Array): CompressedReply | null {
  const [head, etag, length, crc] = COMPRESSED_HEAD.exec(beginningOf(reply)) ?? [];
  if (head === undefined || etag === undefined) return null;
  if (Number(length) > JOIN_BYTES || Number(crc) > MAXIMUM_CRC) return null;
  const deflated = reply.subarray(head.length);
  return { ok: true, compressed: { deflated, length: Number(length), crc: Number(crc) }, etag, encoded: reply };
}

/** The head of a reply, perhaps with a part of its body. */
function beginningOf(reply: Uint8Array): string {
  return Buffer.from(reply.buffer, reply.byteOffset, Math.min(reply.length, HEAD_BYTES)).toString('latin1');
}

/** A reply composed once from JSON pieces of its body. */
export function rawReplyOf(
  pieces: readonly Uint8Array[],
  etag: string,
): JsonReply & { readonly etag: string; readonly encoded: Uint8Array } {
  const encoded = composeReply(pieces, { etag });
  const length = byteLengthOf(pieces);
  return { ok: true, json: encoded.subarray(encoded.length - length - 1, -1), etag, encoded };
}

function composeReply(
  pieces: readonly Uint8Array[],
  fields: { readonly etag: string | undefined; readonly unchanged?: true | undefined },
): Uint8Array {
  const head = JSON.stringify({ ok: true, ...fields }).slice(0, -1);
  return concatUnpooled([Buffer.from(`${head},"body":`), ...pieces, Buffer.from('}')]);
}

/**
 * Concatenates without Node's buffer pool: a cached short slice would keep the whole pool alive.
 */
function concatUnpooled(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(byteLengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Parses a reply's head without its body. Null unless it begins and ends like a successful reply;
 * the body itself is not validated.
 */
export function parseRawReply(reply: Uint8Array): JsonReply | null {
  const [head, etag, unchanged, keepsAccess, work, replayed] = HEAD.exec(beginningOf(reply)) ?? [];
  const ends = reply.at(-1) === CLOSING_BRACE && reply.at(-2) === CLOSING_BRACE;
  if (head === undefined || !ends || reply.length < head.length + 3) return null;
  return {
    ok: true,
    json: reply.subarray(head.length, -1),
    ...definedFields({ etag }),
    ...(unchanged !== undefined && { unchanged: true as const }),
    ...(keepsAccess !== undefined && { keepsAccess: true as const }),
    ...(work !== undefined && { work: Number(work) }),
    ...(replayed !== undefined && { replayed: true as const }),
  };
}

interface Diff {
  readonly nodes?: readonly { readonly op: number }[];
  readonly access?: readonly unknown[];
}

/** Marks the reply to a command that changed neither a grant nor a publication. */
export function markKeptAccess(reply: ReplyMessage): ReplyMessage {
  const diff = reply.ok ? (reply.body.diff as Diff | undefined) : undefined;
  if (!reply.ok || diff === undefined) return reply;
  const concerns = (diff.access ?? []).length > 0 || (diff.nodes ?? []).some(({ op }) => op === Op.NODE_PUBLISH);
  const { body, work, replayed } = reply;
  return concerns ? reply : { ok: true, plain: true, ...definedFields({ work, replayed }), body };
}

/**
 * A reply of any kind with its body parsed. Throws on invalid JSON, and for a compressed reply: its
 * requester forwards it.
 */
export function withParsedBody<T extends object>(reply: T | RawReply): T | ReplyMessage {
  if ('compressed' in reply) throw new Error('a compressed reply cannot be parsed');
  if (!('json' in reply)) return reply;
  const { json, work, replayed } = reply;
  const body = JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>;
  return { ok: true, ...definedFields({ work, replayed }), body };
}
