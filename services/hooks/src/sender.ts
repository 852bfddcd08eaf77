// Sends the messages of webhooks and reports their outcomes. Rules: HOOK7, HOOK8, HOOK9, HOOK10.
import type { ReceivedSend } from '@taskgraph/bus/requests/webhook-requests';
import { WEBHOOK_BODY_AGE_MS, type WebhookSendAnswer } from '@taskgraph/wire/bus/webhook-messages';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Connect } from './connection/connect.ts';
import { exchange } from './connection/exchange.ts';
import { createSpareConnections } from './connection/spare-connections.ts';
import { type FailureReason, failureOf } from './failure.ts';
import { parseRetryAfter } from './retry-after.ts';

/** The part of the messages at once that slow receivers may take, so that others find a place. */
const SLOW_PART = 0.75;
/** Milliseconds for which a connection waits for the next body. */
const SPARE_MS = 5_000;

export interface SenderOptions {
  readonly connect: Connect;
  /** Messages that are sent at the same time. */
  readonly atOnce: number;
  /**
   * Milliseconds. The duration until `unreachable` is a multiple of it, so that it does not tell a
   * forbidden address from an unknown name (HOOK9).
   */
  readonly unreachableStepMs: number;
  readonly observe: (event: SendEvent) => void;
}

/** The result of one request, for the operator. It has no path and no query of the URL. */
export interface SendEvent {
  readonly hookId: string;
  readonly host: string;
  readonly outcome: WebhookSendAnswer['outcome'];
  readonly status?: number;
  /** After `unreachable`, and after `busy` by a fault of this installation. */
  readonly reason?: FailureReason;
  readonly message?: string;
  readonly durationMs: number;
}

export interface Sender {
  /** Never rejects. */
  send(request: ReceivedSend): Promise<WebhookSendAnswer>;
  /** The number of messages that are being sent. */
  active(): number;
  /** The number of connections that wait for a body. */
  spare(): number;
  /** Ends all exchanges, which are reported as `unreachable`. */
  stop(): void;
}

type Result = Pick<SendEvent, 'outcome' | 'status' | 'reason' | 'message'> & { readonly retryAfterMs?: number };

export function createSender({ connect, atOnce, unreachableStepMs, observe }: SenderOptions): Sender {
  const spares = createSpareConnections({ idleMs: SPARE_MS, maximum: atOnce });
  const attempts = new Set<AbortController>();
  const mostSlow = Math.floor(atOnce * SLOW_PART);
  let slowAttempts = 0;
  const waits = new AbortController();

  async function attempt(request: ReceivedSend, url: URL, signal: AbortSignal): Promise<Result> {
    const { hookId, headers, body, ageMs } = request;
    const isLate = () => ageMs() >= WEBHOOK_BODY_AGE_MS;
    if (isLate()) return { outcome: 'late' };
    const key = `${hookId} ${url.origin}`;
    const socket = spares.take(key) ?? (await connect(url, signal));
    if (isLate()) {
      spares.put(key, socket);
      return { outcome: 'late' };
    }
    const { status, retryAfter } = await exchange(socket, { url, headers, body }, signal);
    if (status >= 200 && status < 300) return { outcome: 'delivered', status };
    return { outcome: 'refused', status, ...definedFields({ retryAfterMs: parseRetryAfter(retryAfter, Date.now()) }) };
  }

  async function boundedAttempt(request: ReceivedSend, url: URL): Promise<Result> {
    const isSlow = request.isSlow === true;
    const isFull = attempts.size >= atOnce || (isSlow && slowAttempts >= mostSlow);
    if (isFull || waits.signal.aborted) return { outcome: 'busy' };
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), request.timeoutMs);
    attempts.add(abort);
    if (isSlow) slowAttempts++;
    try {
      return await attempt(request, url, abort.signal);
    } catch (error) {
      const { reason, message, isInstallationFault } = failureOf(error, 'connection');
      return { outcome: isInstallationFault ? 'busy' : 'unreachable', reason, message };
    } finally {
      clearTimeout(timer);
      attempts.delete(abort);
      if (isSlow) slowAttempts--;
    }
  }

  return {
    async send(request) {
      const startMs = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startMs);
      const url = new URL(request.url);
      const { retryAfterMs, ...event } = await boundedAttempt(request, url);
      const { outcome, status } = event;
      observe({ hookId: request.hookId, host: url.host, ...event, durationMs: elapsedMs() });
      if (outcome === 'unreachable') await untilStep(elapsedMs(), unreachableStepMs, waits.signal);
      const isFault = outcome === 'busy' && event.reason !== undefined ? true : undefined;
      return { outcome, ...definedFields({ status, retryAfterMs, isFault }), durationMs: elapsedMs() };
    },
    active: () => attempts.size,
    spare: () => spares.size(),
    stop() {
      waits.abort();
      for (const attempt of attempts) attempt.abort();
      spares.clear();
    },
  };
}

/** Waits until the duration is a multiple of the step, or the signal is aborted. */
function untilStep(elapsedMs: number, stepMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, stepMs - (elapsedMs % stepMs));
    signal.addEventListener('abort', end);
  });
}
