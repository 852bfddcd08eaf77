// Posts signed messages to a server, one after the other, as webhooks do. Rule: HOOK14.
import { randomBytes } from 'node:crypto';
import type { WebhookMessage } from '@taskgraph/client';
import { Webhook } from 'standardwebhooks';

/** As in the service. */
const TIMEOUT_MS = 15_000;
/** Messages that wait for their turn. Further ones are dropped, and a `graph.reset` takes their place. */
const MAXIMUM_WAITING = 100;

/** The result of a message: the status of the answer, or the reason why there is none. */
export interface Forwarded {
  readonly message: WebhookMessage;
  readonly status: number | null;
  readonly reason: string | null;
}

export interface Forwarder {
  /** Posts the message when those before it are done. A message is posted once, whatever the answer. */
  send(message: WebhookMessage): void;
  /** Resolves when all messages are posted. */
  idle(): Promise<void>;
}

interface ForwarderOptions {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
  readonly hook: string;
  readonly report: (forwarded: Forwarded) => void;
}

/** A secret in the form of the service's. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function createForwarder({ url, secret, hook, report }: ForwarderOptions): Forwarder {
  const signer = new Webhook(secret);
  let [waiting, isFull, last] = [0, false, Promise.resolve()];

  async function post(message: WebhookMessage): Promise<void> {
    const [id, time, body] = [`msg_${randomBytes(16).toString('hex')}`, new Date(), JSON.stringify(message)];
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
      'webhook-signature': signer.sign(id, time, body),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
      report({ message, status: answer.status, reason: null });
    } catch (error) {
      report({ message, status: null, reason: reasonOf(error) });
    }
  }

  function queue(message: WebhookMessage): void {
    waiting += 1;
    last = last.then(async () => {
      await post(message);
      waiting -= 1;
      if (!isFull || waiting > 0) return;
      isFull = false;
      queue({ type: 'graph.reset', timestamp: new Date().toISOString(), data: { hook } });
    });
  }

  return {
    send(message) {
      if (waiting >= MAXIMUM_WAITING) isFull = true;
      if (!isFull) queue(message);
    },
    async idle() {
      while (waiting > 0) await last;
    },
  };
}

/** The cause, because `fetch` itself only says that it failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return String(cause);
}
