// Asks workers for the contents of messages. Rules: HOOK2, HOOK7.
import type { Requester } from '@taskgraph/bus/requests/request';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import { webhookContent } from '@taskgraph/wire/bus/gateway-reads';
import type { WebhookRunDependencies } from './run.ts';

/** Milliseconds in which a worker must answer. */
const DEADLINE_MS = 10_000;

export function createWebhookReader(
  requester: Pick<Requester, 'read'>,
  log: Log,
  newTraceId: () => string,
): WebhookRunDependencies['read'] {
  return async (user, request) => {
    const reply = await requester.read({
      event: 'webhook:message',
      payload: { ...request },
      actor: user,
      deadline: Date.now() + DEADLINE_MS,
      traceId: recordedTraceId() ?? newTraceId(),
    });
    if (reply.ok) return webhookContent.parse(reply.body);
    log.info({ hookId: request.hook, error: reply.error }, 'the content of a webhook could not be read');
    return null;
  };
}
