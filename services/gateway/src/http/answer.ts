// Turns the outcome of a request into its answer. Only here do failures become wire errors. Rule:
// GEN3.
import type { CompressedJson } from '@taskgraph/bus/requests/compressed-json';
import type { JsonReply, RawReply } from '@taskgraph/bus/requests/raw-reply';
import { type ReplyMessage, refusalOf } from '@taskgraph/wire/bus/calls';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { type ErrorBody, errorBodyOf, isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { RawJson } from '../raw-json.ts';
import type { Coding } from './accept-encoding.ts';

/** Headers of an answer; each text of a list gets a line of its own. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A file as an answer. */
export interface AnswerFile {
  readonly bytes: Uint8Array;
  /** The media type. */
  readonly type: string;
  /** The compressed file; each coding is computed once, at its first request. */
  readonly compressed: (coding: Coding) => Promise<Uint8Array>;
}

/** The token of an answer's caller (AUTH2). */
export interface AnswerGuard {
  /** The answer to send instead if the token has ended; null while it is valid. */
  readonly check: () => Promise<CallAnswer | null>;
  /** Calls `close` once if the token ends. Returns a function that stops watching it. */
  readonly watch: (close: () => void) => () => void;
}

/** An answer for either transport: REST sends status and body, sockets only the body. */
export interface CallAnswer {
  readonly status: number;
  /** The status that metrics and traces have, if a redirect hides it from them, or the client has gone. */
  readonly observedStatus?: number;
  /** Headers of its own; REST only. */
  readonly headers?: Headers;
  /** A document; REST sends it instead of the body. */
  readonly page?: string;
  /** Whether nothing may follow the document: a header pads it in place of blanks (ZIP1). */
  readonly isExact?: true;
  /** A file; REST sends it instead of the body. */
  readonly file?: AnswerFile;
  /** The bytes that REST sends, if they are encoded already, perhaps compressed. */
  readonly content?: readonly Uint8Array[];
  /** The JSON of an object, whose fields follow those of the body. */
  readonly json?: Uint8Array;
  /**
   * In place of `json`, for a client that accepts gzip: the JSON of the answer without the fields
   * of the body, compressed. `Compression.encode` frames it.
   */
  readonly compressed?: CompressedJson;
  /** The work of the call, if it is more than one call counts for (LIM6). */
  readonly work?: number;
  /** REST sends the answer that this function returns after a change (LONG1), with these headers. */
  readonly later?: () => Promise<CallAnswer>;
  /** Whether the answer may be sent (AUTH2); without it, it may. */
  readonly guard?: AnswerGuard;
  /** Milliseconds for which the call waited for a change (LONG1). */
  readonly waitedMs?: number;
  readonly body: ErrorBody | ({ ok: true; trace_id: string } & Record<string, unknown>);
}

export function answerOf(outcome: ReplyMessage | RawReply | Refusal, traceId: string): CallAnswer {
  if (isRefusal(outcome)) return { status: httpStatusOf(outcome.code), body: errorBodyOf(outcome, traceId) };
  const worked = outcome.work === undefined ? {} : { work: outcome.work };
  if ('compressed' in outcome) {
    const { compressed, etag } = outcome;
    return { status: 200, body: { ok: true, trace_id: traceId }, compressed, headers: { ETag: `W/"${etag}"` } };
  }
  if ('json' in outcome) return { ...answerOfRaw(outcome, traceId), ...worked };
  if (outcome.ok) return { status: 200, ...worked, body: { ok: true, ...outcome.body, trace_id: traceId } };
  return { ...answerOf(refusalOf(outcome), traceId), ...worked };
}

/** `Retry-After` in whole seconds: the refusal's own time, or one second with status 503 (GEN3). */
export function retryHeaders({ code, details }: Refusal): Readonly<Record<string, string>> {
  const retryAfterMs = details?.retryAfterMs;
  if (typeof retryAfterMs === 'number') return { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
  return httpStatusOf(code) === 503 ? RETRY_SOON : {};
}

/** The header of each answer with status 503 that names no other time. */
export const RETRY_SOON = { 'Retry-After': '1' };

/**
 * Each answer has a trace id of its own, so answers with one etag differ in bytes: the etag is
 * weak.
 */
function answerOfRaw({ json, etag, unchanged }: JsonReply, traceId: string): CallAnswer {
  const body = { ok: true, trace_id: traceId } as const;
  const headers = etag === undefined ? {} : { headers: { ETag: `W/"${etag}"` } };
  if (unchanged) return { status: 304, body, ...headers };
  return { status: 200, body, json, ...headers };
}

/** The bytes of an answer over REST. They are not concatenated, since a page is long. */
export function contentOf({ body, json, compressed, page, file }: Omit<CallAnswer, 'status'>): readonly Uint8Array[] {
  if (compressed !== undefined) throw new Error('a compressed answer has no plain content');
  if (file !== undefined) return [file.bytes];
  if (page !== undefined) return [Buffer.from(page)];
  const text = JSON.stringify(body);
  // The fields of raw JSON follow those of the body.
  if (json === undefined || json.length <= EMPTY_OBJECT.length) return [Buffer.from(text)];
  return [Buffer.from(`${text.slice(0, -1)},`), json.subarray(1)];
}

/** The end of an answer whose compressed text lacks its trace id and its closing brace. */
export function closingFields({ trace_id }: CallAnswer['body']): Uint8Array {
  return Buffer.from(`,${JSON.stringify({ trace_id }).slice(1)}`);
}

const EMPTY_OBJECT = '{}';

/** The content of the ack with which a socket gets an answer. */
export function ackOf({ body, json, compressed }: CallAnswer): unknown {
  if (compressed !== undefined) throw new Error('a compressed answer is for REST alone');
  if (json === undefined) return body;
  const fields = Buffer.from(json.buffer, json.byteOffset + 1, json.length - 1).toString();
  return new RawJson(`${JSON.stringify(body).slice(0, -1)}${fields === '}' ? '' : ','}${fields}`);
}

interface FailureLog {
  error(fields: object, message: string): void;
}

/** The answer to a bug: the log gets its stack with the trace id, the client only the trace id. */
export function answerOfFailure(error: unknown, traceId: string, log: FailureLog): CallAnswer {
  log.error({ error, traceId }, 'a request failed');
  return answerOf(refuse('internal.exception', 'Something went wrong. Please report the trace id.'), traceId);
}
