// A reply whose body stays as it came: a page is long, and only who asked for it has to read it.
import { Op } from '@taskgraph/wire/codes';
import type { ReplyMessage } from '@taskgraph/wire/messages';

/** A reply that is no refusal, with its body as JSON. */
export interface RawReply {
  readonly ok: true;
  /** The JSON of an object: the fields of the body. */
  readonly json: Uint8Array;
  /** A text that differs wherever the body does; absent where nobody made one. */
  readonly etag?: string;
  /** The asker has the body already, by one of their etags: `json` is an empty object. */
  readonly unchanged?: true;
  /** Of a command that changed neither a grant nor a publication: nothing in its body concerns whoever hands it on. */
  readonly plain?: true;
  /** How much was done for it, where that is more than one call's worth. */
  readonly work?: number;
  /** All of the reply, where it was put together before. */
  readonly encoded?: Uint8Array;
}

const CLOSING_BRACE = 0x7d;
/** More than any reply has before its body. */
const HEAD_BYTES = 200;
const HEAD =
  /^\{"ok":true,(?:"etag":"([\w-]{1,64})",)?(?:"unchanged":(true),)?(?:"plain":(true),)?(?:"work":(\d{1,15}),)?"body":(?=\{)/;

/** The bytes of a reply as any gateway reads them. */
export function encodeRawReply({ json, etag, unchanged, encoded }: RawReply): Uint8Array {
  return encoded ?? putTogether([json], { etag, unchanged });
}

/** A reply whose body comes in pieces of JSON, put together once. */
export function rawReplyOf(pieces: readonly Uint8Array[], etag: string): RawReply {
  const encoded = putTogether(pieces, { etag });
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return { ok: true, json: encoded.subarray(encoded.length - length - 1, -1), etag, encoded };
}

function putTogether(
  pieces: readonly Uint8Array[],
  fields: { readonly etag: string | undefined; readonly unchanged?: true | undefined },
): Uint8Array {
  const head = JSON.stringify({ ok: true, ...fields }).slice(0, -1);
  return inOwnMemory([Buffer.from(`${head},"body":`), ...pieces, Buffer.from('}')]);
}

/** Bytes one after the other. Short ones would else be cut from a pool, all of which lives for as long as one of them is kept. */
function inOwnMemory(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Takes a reply apart without reading its body; null for whatever does not begin and end like one that was not refused. The body is not
 * looked at: of what a worker says there, nothing but this much is known.
 */
export function openRawReply(reply: Uint8Array): RawReply | null {
  const start = Buffer.from(reply.buffer, reply.byteOffset, Math.min(reply.length, HEAD_BYTES)).toString('latin1');
  const [head, etag, unchanged, plain, work] = HEAD.exec(start) ?? [];
  const ends = reply.at(-1) === CLOSING_BRACE && reply.at(-2) === CLOSING_BRACE;
  if (head === undefined || !ends || reply.length < head.length + 3) return null;
  return {
    ok: true,
    json: reply.subarray(head.length, -1),
    ...(etag !== undefined && { etag }),
    ...(unchanged !== undefined && { unchanged: true as const }),
    ...(plain !== undefined && { plain: true as const }),
    ...(work !== undefined && { work: Number(work) }),
  };
}

interface Diff {
  readonly nodes?: readonly { readonly op: number }[];
  readonly access?: readonly unknown[];
}

/** The reply to a command, which says of itself where nothing in it concerns a gateway. */
export function markPlain(reply: ReplyMessage): ReplyMessage {
  const diff = reply.ok ? (reply.body.diff as Diff | undefined) : undefined;
  if (!reply.ok || diff === undefined) return reply;
  const concerns = (diff.access ?? []).length > 0 || (diff.nodes ?? []).some(({ op }) => op === Op.NODE_PUBLISH);
  const { body, work } = reply;
  return concerns ? reply : { ok: true, plain: true, ...(work === undefined ? {} : { work }), body };
}

/** A reply of any kind; a raw one with its body read. Throws where that is no JSON. */
export function inWhole<T extends object>(reply: T | RawReply): T | ReplyMessage {
  return 'json' in reply ? readRawReply(reply) : reply;
}

/** The same reply with its body read. Throws where that is no JSON. */
export function readRawReply({ json, work }: RawReply): ReplyMessage {
  const body = JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>;
  return { ok: true, ...(work === undefined ? {} : { work }), body };
}
