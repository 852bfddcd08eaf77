// Answers webhook:due: the content of a message about due nodes, as its user sees them now. Rules: HOOK2, HOOK5, HOOK7.
import { dueContent } from '@taskgraph/domain/webhooks/due-events';
import { GATEWAY_READS, type WebhookDueContent } from '@taskgraph/wire/bus/gateway-reads';
import { dueEventOf, dueFilterOf, openNodesAt } from './open-due-nodes.ts';
import { createWebhookRead } from './webhook-read.ts';

/** The search has decided by history that the nodes were due. Later changes do not alter that. */
export const readWebhookDue = createWebhookRead({
  payload: GATEWAY_READS['webhook:due'],
  needs: 'The due nodes of a message of a webhook are needed.',
  async find({ nodes, ...webhook }, source) {
    const open = await openNodesAt(source, await dueFilterOf(source, webhook), nodes);
    const data = { hook: webhook.hook, ...dueContent(open.map(dueEventOf)) };
    const content = open.length === 0 ? null : ({ type: 'graph.due', data } as const);
    return { body: { content } satisfies Omit<WebhookDueContent, 'checkedMs'> };
  },
});
