// The deliveries of webhooks in this process: wires the runs to the bus.
import type { Bus } from '@taskgraph/bus/nats/connect';
import type { Requester } from '@taskgraph/bus/requests/request';
import { createWebhookRequester, type WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { DueWebhook } from '@taskgraph/graph-store/webhooks/webhook-runs';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { runWebhook } from './run.ts';
import { createUserSlots } from './user-slots.ts';
import { createWebhookReader } from './webhook-reader.ts';

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

/** Creates the function that runs one webhook. */
export function createDeliveries(options: DeliveryOptions): (due: DueWebhook) => Promise<void> {
  const { bus, requester, log, newId, ...common } = options;
  const { send } = createWebhookRequester(bus);
  const noteAbsence = createAbsenceLog(log);
  const slots = createUserSlots();
  const dependencies = {
    ...common,
    log,
    read: createWebhookReader(requester, log, () => newId().replaceAll('-', '')),
    async send(request: Parameters<typeof send>[0]) {
      const result = await send(request);
      noteAbsence(result);
      return result;
    },
    nowMs: Date.now,
    random: Math.random,
    newRunner: newId,
  };
  return ({ id, userId }) => slots.run(userId, () => runWebhook(dependencies, id));
}

/** Logs once that no hooks service answers, and once that one does again. */
function createAbsenceLog(log: Log): (result: WebhookSendResult) => void {
  let isAbsent = false;
  return ({ outcome }) => {
    if (isAbsent === (outcome === 'absent')) return;
    isAbsent = outcome === 'absent';
    if (isAbsent) log.warn({}, 'no hooks service runs: messages of webhooks wait for one');
    else log.info({}, 'a hooks service runs again');
  };
}
