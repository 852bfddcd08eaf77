// The deliveries of webhooks in this process: wires the runs to the bus.
import type { Bus } from '@taskgraph/bus/nats/connect';
import type { Requester } from '@taskgraph/bus/requests/request';
import { createWebhookRequester, type WebhookSend } from '@taskgraph/bus/requests/webhook-requests';
import { createCallGroups } from '@taskgraph/graph-store/driver/call-groups';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { DueWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';
import { type RunStep, storeRunSteps } from '@taskgraph/graph-store/webhooks/webhook-runs';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { createSenderPresence } from './sender-presence.ts';
import { runTimeSlice } from './time-slice.ts';
import { createWebhookReaders } from './webhook-reader.ts';

/**
 * The steps of runs that are stored in one transaction, and such transactions at once. While one commits, the
 * next steps gather.
 */
const STEPS_OF_GROUP = 32;
const GROUPS_AT_ONCE = 2;

interface DeliveryOptions {
  readonly database: Database;
  readonly bus: Bus;
  readonly requester: Pick<Requester, 'read'>;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly log: Log;
  readonly newId: () => string;
  readonly stopping: AbortSignal;
}

export interface Deliveries {
  /** Those of these webhooks for which a run is useful now. */
  admit(due: readonly DueWebhook[]): readonly DueWebhook[];
  /** Runs one webhook, unless no hooks service answers. Returns the webhooks whose runs are useful afterwards. */
  deliver(due: DueWebhook): Promise<readonly DueWebhook[]>;
}

export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { bus, requester, log, newId, ...common } = options;
  const { send } = createWebhookRequester(bus);
  const presence = createSenderPresence(log, Date.now);
  let lastDeliveryMs = Number.NEGATIVE_INFINITY;
  const dependencies = {
    ...common,
    log,
    storeStep: createCallGroups({
      run: (steps: readonly RunStep[]) => storeRunSteps(common.database, steps),
      most: STEPS_OF_GROUP,
      atOnce: GROUPS_AT_ONCE,
      keyOf: ({ id }) => id,
    }),
    ...createWebhookReaders(requester, log, () => newId().replaceAll('-', '')),
    async send(request: WebhookSend) {
      const result = await untilStopped(send(request), options.stopping);
      if (result.outcome !== 'stopped') presence.note(result.outcome);
      if (result.outcome === 'delivered') lastDeliveryMs = Date.now();
      return result;
    },
    lastDeliveryMs: () => lastDeliveryMs,
    nowMs: Date.now,
    random: Math.random,
    newRunner: newId,
  };
  return {
    admit: presence.admit,
    async deliver({ id }) {
      return presence.mayBegin() ? runTimeSlice(dependencies, id) : [];
    },
  };
}

/** How long a run waits for its receiver after the service was told to stop. */
const STOP_WAIT_MS = 3_000;

/** The result, or `stopped` if the service stops before it is known. */
async function untilStopped<T>(
  sending: Promise<T>,
  stopping: AbortSignal,
): Promise<T | { readonly outcome: 'stopped' }> {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<{ readonly outcome: 'stopped' }>((resolve) => {
    stop = () => {
      timer = setTimeout(() => resolve({ outcome: 'stopped' }), STOP_WAIT_MS);
    };
  });
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([sending, stopped]);
  } finally {
    stopping.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}
