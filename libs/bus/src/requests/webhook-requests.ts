// Requests from jobs to the hooks services, each to send one message of a webhook. Rules: HOOK7, HOOK10.

import { type Msg, RequestError, TimeoutError } from '@nats-io/transport-node';
import {
  type WebhookSendAnswer,
  type WebhookSendRequest,
  webhookSendAnswer,
  webhookSendRequest,
} from '@taskgraph/wire/bus/webhook-messages';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Bus } from '../nats/connect.ts';
import { INBOX_PREFIX, WEBHOOK_SEND_QUEUE, WEBHOOK_SEND_SUBJECT } from '../nats/subjects.ts';
import { inReceivingSpan, inSendingSpan } from '../nats/tracing.ts';
import { createSenderClocks, type SenderClocks } from './sender-clocks.ts';
import type { RunningSubscription } from './serve.ts';

/** Milliseconds for the way, in addition to those for the receiver. */
const TRANSIT_MS = 5_000;
/** Requests that one service processes at once; it answers further ones with `busy`. */
const MAXIMUM_IN_FLIGHT = 2_000;

/** Tokens that a requester stores, one for each webhook: other services answer meanwhile. */
const MAXIMUM_TOKENS = 1_000;

/**
 * The result of a request. `absent`: no hooks service runs, so nothing was sent. `silent`: the
 * answer is lost, and the message may have been sent.
 */
export type WebhookSendResult = WebhookSendAnswer | { readonly outcome: 'absent' | 'silent' };

/** The content of a request. The rest concerns clocks, and `createWebhookRequester` adds it. */
export type WebhookSend = Omit<WebhookSendRequest, 'sentAt' | 'clockZero' | 'token'>;

/** Sends requests to the hooks services. */
export interface WebhookRequester {
  /** Resolves after at most `timeoutMs` + 5 s. Never rejects. */
  send(request: WebhookSend): Promise<WebhookSendResult>;
}

/** Creates a requester, which has nothing to close. `nowMs` is the clock of `builtMs`. */
export function createWebhookRequester(bus: Bus, nowMs = Date.now, transitMs = TRANSIT_MS): WebhookRequester {
  const tokens = new Map<string, string>();
  return {
    async send(request) {
      const { hookId } = request;
      const token = tokens.get(hookId) ?? null;
      tokens.delete(hookId);
      if (!bus.connected()) return { outcome: 'absent' };
      const [sentAt, clockZero] = [nowMs(), Math.round(nowMs() - performance.now())];
      const data = JSON.stringify({ ...request, sentAt, clockZero, token });
      const timeout = request.timeoutMs + transitMs;
      try {
        const reply = await inSendingSpan(WEBHOOK_SEND_SUBJECT, (headers) =>
          bus.connection.request(WEBHOOK_SEND_SUBJECT, data, { timeout, ...definedFields({ headers }) }),
        );
        const { token: next, ...answer } = webhookSendAnswer.parse(reply.json());
        if (next !== undefined) tokens.set(hookId, next);
        const [oldest] = tokens.keys();
        if (tokens.size > MAXIMUM_TOKENS && oldest !== undefined) tokens.delete(oldest);
        return answer;
      } catch (error) {
        return failureOf(bus, error);
      }
    },
  };
}

function failureOf(bus: Bus, error: unknown): WebhookSendResult {
  if (error instanceof RequestError && error.isNoResponders()) return { outcome: 'absent' };
  if (!(error instanceof TimeoutError)) bus.log.error({ error }, 'a hooks service gave no valid answer');
  return { outcome: 'silent' };
}

/** A request as its handler receives it. */
export interface ReceivedSend extends WebhookSend {
  /** The age of the body now, in milliseconds, by the requester's clock. */
  ageMs(): number;
}

/**
 * Subscribes to requests; one hooks service receives each. The handler must not reject. Invalid
 * requests are logged and answered with `invalid`. A request from an unknown clock is answered with `late`
 * and a token: its next attempt returns the token, which tells another clock from a long way.
 */
export function serveWebhookSends(
  bus: Bus,
  handler: (request: ReceivedSend) => Promise<WebhookSendAnswer>,
): RunningSubscription {
  const inFlight = new Set<Promise<void>>();
  const clocks = createSenderClocks();
  const subscription = bus.connection.subscribe(WEBHOOK_SEND_SUBJECT, {
    queue: WEBHOOK_SEND_QUEUE,
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the subscription to messages of webhooks failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return respond(bus, message, { outcome: 'busy', durationMs: 0 });
      const work = inReceivingSpan(`process ${WEBHOOK_SEND_SUBJECT}`, message, () =>
        handle(bus, message, clocks, handler),
      ).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

async function handle(
  bus: Bus,
  message: Msg,
  clocks: SenderClocks,
  handler: (request: ReceivedSend) => Promise<WebhookSendAnswer>,
): Promise<void> {
  const receivedMs = performance.now();
  const request = parse(bus, message);
  if (request === null) return respond(bus, message, { outcome: 'invalid', durationMs: 0 });
  const { sentAt, clockZero = 0, token, ...send } = request;
  const nowMs = Date.now();
  const origins = { theirs: clockZero, ours: nowMs - receivedMs };
  const sender = (message.reply ?? '').split('.').slice(0, -1).join('.');
  const { aheadMs, question } =
    sentAt === undefined
      ? { aheadMs: 0, question: null }
      : clocks.offsetOf(sender, { sentAt, nowMs, origins, token: token ?? null });
  if (question !== null) return respond(bus, message, { outcome: 'late', durationMs: 0, token: question });
  const ageAtReceiptMs = Math.max(0, nowMs - send.builtMs - aheadMs);
  const ageMs = () => ageAtReceiptMs + performance.now() - receivedMs;
  try {
    respond(bus, message, await handler({ ...send, ageMs }));
  } catch (error) {
    bus.log.error({ error, hookId: send.hookId }, 'a message of a webhook could not be processed');
  }
}

function parse(bus: Bus, message: Msg): WebhookSendRequest | null {
  try {
    const result = webhookSendRequest.safeParse(message.json());
    if (result.success) return result.data;
    // Values may hold the path of a URL, so only the names of fields are logged.
    const fields = result.error.issues.map(({ path }) => path.join('.'));
    bus.log.error({ fields }, 'an invalid request to send a message was received');
  } catch {
    bus.log.error({}, 'a request to send a message is not JSON');
  }
  return null;
}

function respond(bus: Bus, message: Msg, answer: WebhookSendAnswer): void {
  const { reply = '' } = message;
  // As in serve.ts: the sender chooses the subject.
  if (reply.startsWith(`${INBOX_PREFIX}.`)) bus.publish(reply, Buffer.from(JSON.stringify(answer)));
  else bus.log.warn({ reply }, 'a request to send a message names a reply subject outside of the inboxes');
}
