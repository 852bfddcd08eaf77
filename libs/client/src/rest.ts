// The REST side of the SDK: one function around fetch, which tries again where that can't do a thing twice.
import { clientError, errorOf, TaskgraphError } from './error.ts';
import { createPatience, type PatienceOptions, pause } from './patience.ts';
import { isPassing, mayBeDone, retryWaitMs, withoutCertainty } from './retry.ts';

interface Options extends PatienceOptions {
  /** The service's base URL, without `/api`. */
  url: string;
  token: string;
}

interface RequestOptions {
  /** Fields of the query string. */
  query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Made by the SDK for each mutation if not given: all tries of one request bear the same key. */
  idempotencyKey?: string;
  /** Milliseconds for all tries together. */
  timeoutMs?: number;
}

/** Requests of one user. */
export interface RestClient {
  /**
   * Sends a request, such as `request('POST', '/api/node', { body: { title } })`, and gives the body of its answer. Throws a TaskgraphError;
   * after a lost connection or a 503 it tries again until `timeoutMs` (20 s if not given), and after a 429 once that allows it.
   */
  request<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    options?: RequestOptions,
  ): Promise<T>;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const MAXIMUM_TRIES = 8;

export function rest({ url, token, ...patienceOptions }: Options): RestClient {
  const patience = createPatience(patienceOptions);
  return {
    async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
      const target = new URL(url.replace(/\/$/, '') + path);
      for (const [name, value] of Object.entries(options.query ?? {})) target.searchParams.set(name, String(value));
      const request = { target, init: initOf(method, token, options) };
      const waitFor = patience(`${method} ${path}`);
      let deadline = Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      let tries = 0;
      let isUncertain = false;
      for (;;) {
        try {
          return (await tryOnce(request, AbortSignal.timeout(Math.max(1, deadline - Date.now())))) as T;
        } catch (error) {
          const limitedMs = waitFor(error);
          isUncertain ||= mayBeDone(error);
          // The wait that the service asks for is not the request's own time.
          if (limitedMs !== null) deadline += limitedMs;
          else tries++;
          const passing = limitedMs !== null || (error instanceof TaskgraphError && isPassing(error.code));
          if (!passing || tries === MAXIMUM_TRIES || Date.now() >= deadline) {
            throw isUncertain ? withoutCertainty(error) : error;
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

async function tryOnce(request: { target: URL; init: RequestInit }, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(request.target, { ...request.init, signal }).catch((error: unknown) => {
    if (signal.aborted) throw clientError('client.timeout', 'The service did not answer in time.');
    throw clientError('client.disconnected', `The service can't be reached: ${String(error)}`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  throw response.status === 429 ? limitedError(answer, response.headers.get('Retry-After')) : errorOf(answer);
}

/** A proxy's own 429 has no details: there the header says when to come again. */
function limitedError(answer: unknown, retryAfter: string | null): TaskgraphError {
  const error = errorOf(answer);
  if (error.code === 'rate_limited' && error.details.retryAfterMs !== undefined) return error;
  const details = /^\d+$/.test(retryAfter ?? '') ? { retryAfterMs: Number(retryAfter) * 1_000 } : {};
  const message = 'The service, or a proxy before it, takes no more requests for now.';
  return new TaskgraphError({ code: 'rate_limited', message, details, traceId: error.traceId });
}
