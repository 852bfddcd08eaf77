// Turns whatever became of a request into the body of its answer: the one place where failures become wire errors. Rule: GEN3.
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { type ErrorBody, errorBodyOf, isRefusal, type Refusal, refusalOf, refuse } from '@taskgraph/wire/errors';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { RawJson } from '../raw-json.ts';

/** Headers of an answer; of a list, each stands in a line of its own. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** An answer of either kind: REST sends the status too, sockets the body alone. */
export interface Answer {
  readonly status: number;
  /** Headers of its own, over REST. */
  readonly headers?: Headers;
  /** A document, which REST sends in place of the body. */
  readonly page?: string;
  /** A file, which REST sends in place of the body. */
  readonly file?: { readonly bytes: Uint8Array; readonly type: string };
  /** JSON of an object, whose fields are sent after those of the body. */
  readonly json?: Uint8Array;
  /** How much was done for it, where that is more than one call's worth (LIM6). */
  readonly work?: number;
  readonly body: ErrorBody | ({ ok: true; trace_id: string } & Record<string, unknown>);
}

export function answerOf(outcome: ReplyMessage | RawReply | Refusal, traceId: string): Answer {
  if (isRefusal(outcome)) return { status: httpStatusOf(outcome.code), body: errorBodyOf(outcome, traceId) };
  const worked = outcome.work === undefined ? {} : { work: outcome.work };
  if ('json' in outcome) return { ...answerOfRaw(outcome, traceId), ...worked };
  if (outcome.ok) return { status: 200, ...worked, body: { ok: true, ...outcome.body, trace_id: traceId } };
  return { ...answerOf(refusalOf(outcome), traceId), ...worked };
}

/** When to come again: after what the refusal says, else after a second where it is `unavailable` (GEN3). In whole seconds. */
export function retryHeaders({ code, details }: Refusal): Readonly<Record<string, string>> {
  const retryAfterMs = details?.retryAfterMs;
  if (typeof retryAfterMs === 'number') return { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
  return httpStatusOf(code) === 503 ? RETRY_SOON : {};
}

/** Of each answer that has the status 503, unless it says another time. */
export const RETRY_SOON = { 'Retry-After': '1' };

/** Each answer bears a trace id of its own, so that two with one etag say the same, but not byte by byte. */
function answerOfRaw({ json, etag, unchanged }: RawReply, traceId: string): Answer {
  const body = { ok: true, trace_id: traceId } as const;
  const headers = etag === undefined ? {} : { headers: { ETag: `W/"${etag}"` } };
  if (unchanged) return { status: 304, body, ...headers };
  return { status: 200, body, json, ...headers };
}

/** The content of the ack by which a socket gets an answer. */
export function ackOf({ body, json }: Answer): unknown {
  if (json === undefined) return body;
  const fields = Buffer.from(json.buffer, json.byteOffset + 1, json.length - 1).toString();
  return new RawJson(`${JSON.stringify(body).slice(0, -1)}${fields === '}' ? '' : ','}${fields}`);
}

interface FailureLog {
  error(fields: object, message: string): void;
}

/** The answer to a bug: its stack goes to the log with the trace id, and the client learns the trace id alone. */
export function answerOfFailure(error: unknown, traceId: string, log: FailureLog): Answer {
  log.error({ error, traceId }, 'a request failed');
  return answerOf(refuse('internal.exception', 'Something went wrong. Please report the trace id.'), traceId);
}
