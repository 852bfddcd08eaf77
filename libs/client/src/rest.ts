// The REST client of the SDK. It retries only where that cannot run a mutation twice.

import { pauseUnlessAborted } from './abortable-pause.ts';
import type { Changes } from './calls.ts';
import type { ChangesOptions } from './change-poll.ts';
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { randomKey } from './random-key.ts';
import { createRateLimitWaits, type RateLimitOptions } from './rate-limit-wait.ts';
import { isTransient, mayHaveRun, retryWaitMs, withUnknownOutcome } from './retry-policy.ts';

type RestOptions = RestCredentials &
  RateLimitOptions & {
    /** The service's base URL, without `/api`. */
    url: string;
  };

/** A token, or the session that a browser stores as a cookie. */
export type RestCredentials = { token: string; session?: never } | { session: true; token?: never };

export interface RequestOptions {
  /** Fields of the query string. */
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Identifies a mutation over retries. Default: a random key for each request. */
  idempotencyKey?: string;
  /** Milliseconds for all attempts together. Default 20,000, and the time of a `wait`. */
  timeoutMs?: number;
  /** Ends the request, which then throws `client.closed`. */
  signal?: AbortSignal;
}

/** Requests of one user. */
export interface RestClient {
  /**
   * Sends a request, such as `request('POST', '/api/node', { body: { title } })`, and returns the
   * body of its answer. Retries after a lost connection or a 503 until `timeoutMs`, and after a 429
   * when the service allows it. Throws a TaskgraphError.
   */
  request<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<T>;
  /**
   * Iterates over the changes since a position, as they happen. It needs no socket: each request
   * waits until something changes.
   */
  changes(options: ChangesOptions): AsyncGenerator<Changes, void, undefined>;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const MAXIMUM_TRIES = 8;

export function rest({ url, token, session: _session, ...rateLimitOptions }: RestOptions): RestClient {
  const rateLimitWaits = createRateLimitWaits(rateLimitOptions);
  async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const target = new URL(url.replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(options.query ?? {})) target.searchParams.set(name, String(value));
    const request = { target, init: initOf(method, token, options) };
    const waitFor = rateLimitWaits(`${method} ${path}`);
    const { timeoutMs = DEFAULT_TIMEOUT_MS + waitMsOf(options), signal } = options;
    let deadline = Date.now() + timeoutMs;
    let tries = 0;
    let isUncertain = false;
    for (;;) {
      try {
        return (await attempt(request, Math.max(1, deadline - Date.now()), signal)) as T;
      } catch (error) {
        const limitedMs = waitFor(error);
        isUncertain ||= mayHaveRun(error);
        // Waits for rate limits do not count against the time-out.
        if (limitedMs !== null) deadline += limitedMs;
        else tries++;
        const isRetryable = limitedMs !== null || (error instanceof TaskgraphError && isTransient(error.code));
        if (!isRetryable || tries === MAXIMUM_TRIES || Date.now() >= deadline) {
          throw isUncertain ? withUnknownOutcome(error) : error;
        }
        await pauseUnlessAborted(limitedMs ?? retryWaitMs(tries), signal);
      }
    }
  }

  return {
    request,
    async *changes(options) {
      // A file of its own: most pages of browsers do not use it.
      const { followChanges } = await import('./change-poll.ts');
      // A position may be too long for a query string.
      yield* followChanges(
        (body, signal) => request<Changes>('POST', '/api/changes', { body, ...(signal && { signal }) }),
        options,
      );
    },
  };
}

/** The time for which a request asks the service to delay its answer. */
function waitMsOf({ query, body }: RequestOptions): number {
  const seconds = query?.wait ?? (body as { wait?: unknown } | null | undefined)?.wait;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : 0;
}

function initOf(
  method: string,
  token: string | undefined,
  { body, query, idempotencyKey }: RequestOptions,
): RequestInit {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // A dry run takes no key.
  const isDry = query?.dryRun === true || (body as { dryRun?: unknown } | null | undefined)?.dryRun === true;
  if (method !== 'GET' && !isDry) headers['Idempotency-Key'] = idempotencyKey ?? randomKey();
  return {
    method,
    headers,
    ...(token === undefined ? { credentials: 'include' } : {}),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

async function attempt(
  { target, init }: { target: URL; init: RequestInit },
  timeoutMs: number,
  ending: AbortSignal | undefined,
): Promise<unknown> {
  const late = AbortSignal.timeout(timeoutMs);
  const signal = ending === undefined ? late : AbortSignal.any([late, ending]);
  const fail = (error: unknown): never => {
    if (ending?.aborted) throw clientError('client.closed', 'The request was ended.');
    if (late.aborted) throw clientError('client.timeout', 'The service did not answer in time.');
    if (error instanceof SyntaxError) throw errorOf(null);
    throw clientError('client.disconnected', `The service can't be reached: ${String(error)}`);
  };
  const response = await fetch(target, { ...init, signal }).catch(fail);
  if (response.ok) return (await response.json().catch(fail)) as unknown;
  const answer: unknown = await response.json().catch(() => null);
  throw response.status === 429 ? limitedError(answer, response.headers.get('Retry-After')) : errorOf(answer);
}

/** A 429 of a proxy has no details; its header gives the time to wait. */
function limitedError(answer: unknown, retryAfter: string | null): TaskgraphError {
  const error = errorOf(answer);
  if (error.code === 'rate_limited' && error.details.retryAfterMs !== undefined) return error;
  const details = /^\d+$/.test(retryAfter ?? '') ? { retryAfterMs: Number(retryAfter) * 1_000 } : {};
  const message = 'The service, or a proxy before it, accepts no more requests for now.';
  return new TaskgraphError({ code: 'rate_limited', message, details, traceId: error.traceId });
}
