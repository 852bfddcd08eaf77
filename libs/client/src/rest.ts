// The REST client of the SDK. It retries only where that cannot run a mutation twice.
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { createRateLimitWaits, pause, type RateLimitOptions } from './rate-limit-wait.ts';
import { isTransient, mayHaveRun, retryWaitMs, withUnknownOutcome } from './retry-policy.ts';

interface RestOptions extends RateLimitOptions {
  /** The service's base URL, without `/api`. */
  url: string;
  token: string;
}

interface RequestOptions {
  /** Fields of the query string. */
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Identifies a mutation over retries. Default: a random key for each request. */
  idempotencyKey?: string;
  /** Milliseconds for all attempts together. */
  timeoutMs?: number;
}

/** Requests of one user. */
export interface RestClient {
  /**
   * Sends a request, such as `request('POST', '/api/node', { body: { title } })`, and returns the
   * body of its answer. Retries after a lost connection or a 503 until `timeoutMs` (default
   * 20,000), and after a 429 when the service allows it. Throws a TaskgraphError.
   */
  request<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<T>;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const MAXIMUM_TRIES = 8;

export function rest({ url, token, ...rateLimitOptions }: RestOptions): RestClient {
  const rateLimitWaits = createRateLimitWaits(rateLimitOptions);
  return {
    async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
      const target = new URL(url.replace(/\/$/, '') + path);
      for (const [name, value] of Object.entries(options.query ?? {})) target.searchParams.set(name, String(value));
      const request = { target, init: initOf(method, token, options) };
      const waitFor = rateLimitWaits(`${method} ${path}`);
      let deadline = Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      let tries = 0;
      let isUncertain = false;
      for (;;) {
        try {
          return (await attempt(request, AbortSignal.timeout(Math.max(1, deadline - Date.now())))) as T;
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
          await pause(limitedMs ?? retryWaitMs(tries));
        }
      }
    },
  };
}

function initOf(method: string, token: string, { body, query, idempotencyKey }: RequestOptions): RequestInit {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // A dry run takes no key.
  const isDry = query?.dryRun === true || (body as { dryRun?: unknown } | null | undefined)?.dryRun === true;
  if (method !== 'GET' && !isDry) headers['Idempotency-Key'] = idempotencyKey ?? crypto.randomUUID();
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

async function attempt(request: { target: URL; init: RequestInit }, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(request.target, { ...request.init, signal }).catch((error: unknown) => {
    if (signal.aborted) throw clientError('client.timeout', 'The service did not answer in time.');
    throw clientError('client.disconnected', `The service can't be reached: ${String(error)}`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
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
