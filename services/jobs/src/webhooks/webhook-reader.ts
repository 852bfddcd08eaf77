// Asks workers for the contents of messages. Rules: HOOK2, HOOK7.
import type { Requester } from '@taskgraph/bus/requests/request';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import type { ActingUser } from '@taskgraph/wire/actor';
import {
  dueSearchResult,
  type PageLikeRead,
  webhookContent,
  webhookDueContent,
} from '@taskgraph/wire/bus/gateway-reads';
import type { z } from 'zod';
import type { WebhookRunDependencies } from './run.ts';

/** Milliseconds in which a worker must answer, unless less time is left. */
const DEADLINE_MS = 10_000;

interface ContentRead<T> {
  readonly event: PageLikeRead;
  readonly answer: z.ZodType<T>;
}

/** The reads of messages about changes, and about due dates. */
export function createWebhookReaders(
  requester: Pick<Requester, 'read'>,
  log: Log,
  newTraceId: () => string,
): Pick<WebhookRunDependencies, 'read' | 'readDue' | 'searchDue'> {
  const reader =
    <T>({ event, answer }: ContentRead<T>) =>
    async (user: ActingUser, request: { readonly hook: string }, withinMs = DEADLINE_MS): Promise<T | null> => {
      const reply = await requester.read({
        event,
        payload: { ...request },
        actor: user,
        deadline: Date.now() + withinMs,
        traceId: recordedTraceId() ?? newTraceId(),
      });
      const hookId = request.hook;
      if (!reply.ok) {
        log.info({ hookId, error: reply.error }, 'the content of a webhook could not be read');
        return null;
      }
      const content = answer.safeParse(reply.body);
      if (content.success) return content.data;
      // The worker may be of a newer release: the webhook waits as for a worker.
      log.error({ hookId, issues: content.error.issues.slice(0, 3) }, 'a worker gave an unknown content of a webhook');
      return null;
    };
  return {
    read: reader({ event: 'webhook:message', answer: webhookContent }),
    readDue: reader({ event: 'webhook:due', answer: webhookDueContent }),
    searchDue: reader({ event: 'webhook:due-search', answer: dueSearchResult }),
  };
}
