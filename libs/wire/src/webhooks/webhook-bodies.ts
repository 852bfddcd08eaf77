// The bodies of the messages that webhooks receive: Standard Webhooks 1.0.0. Rules: HOOK4, HOOK5, HOOK6.
import { z } from 'zod';
import { actor, id, time } from '../entities.ts';
import { CHANGE_EVENTS, DUE_EVENT, MOST_DUE_OF_MESSAGE } from './webhook-fields.ts';

const fields = z.record(z.string(), z.unknown());
const timestamp = time.describe('When the service built this body. Each attempt has its own body.');
const hook = id.describe('The id of the webhook.');

const event = z
  .strictObject({
    type: z.enum(CHANGE_EVENTS),
    batchId: id.describe('The batch that caused it.'),
    id: id.describe('The node or the link; for access, the node that was granted.'),
    feed: z.string().optional().describe('Only in events about access: the feed.'),
    before: fields.nullable().optional().describe('The changed fields before; null if it did not exist.'),
    after: fields.nullable().optional().describe('The changed fields after; null if it no longer exists.'),
  })
  .meta({ id: 'WebhookEvent', description: 'A change to a node, a link or the access of the user.' });
export type WebhookEventBody = z.infer<typeof event>;

const batch = z
  .strictObject({ batchId: id, actor, ts: time })
  .meta({ id: 'WebhookBatch', description: 'Who made a change, and when.' });
export type WebhookBatch = z.infer<typeof batch>;

const dueEvent = z
  .strictObject({
    type: z.literal(DUE_EVENT),
    id: id.describe('The node.'),
    after: fields.optional().describe('The node as the user sees it; missing if `thin`.'),
  })
  .meta({ id: 'WebhookDueEvent', description: 'An open node whose due date has passed.' });
export type WebhookDueEvent = z.infer<typeof dueEvent>;

const range = z.array(z.int().min(0)).length(2);

/** The body of each type of message. */
export const WEBHOOK_BODIES = {
  'graph.changed': z
    .strictObject({
      type: z.literal('graph.changed'),
      timestamp,
      data: z.strictObject({
        hook,
        events: z.array(event),
        feeds: z
          .record(z.string(), range)
          .describe('By feed: the number of the last slice before this message, and of the last one in it.'),
        batches: z.array(batch),
        thin: z.literal(true).optional().describe('The changes were too long: the events have ids only.'),
        truncated: z.literal(true).optional().describe('Even the ids were too many: read the graph again.'),
      }),
    })
    .meta({ id: 'GraphChangedMessage', description: 'Changes that the user sees, in order.' }),
  'graph.due': z
    .strictObject({
      type: z.literal('graph.due'),
      timestamp,
      data: z.strictObject({
        hook,
        events: z.array(dueEvent).max(MOST_DUE_OF_MESSAGE).describe('In order of the due dates.'),
        thin: z.literal(true).optional().describe('The fields were too long: the events have ids only.'),
      }),
    })
    .meta({ id: 'GraphDueMessage', description: 'Open nodes whose due dates have passed.' }),
  'graph.reset': z
    .strictObject({ type: z.literal('graph.reset'), timestamp, data: z.strictObject({ hook }) })
    .meta({ id: 'GraphResetMessage', description: 'History lacks some changes: read the graph again.' }),
  'hook.ping': z
    .strictObject({ type: z.literal('hook.ping'), timestamp, data: z.strictObject({ hook }) })
    .meta({ id: 'HookPingMessage', description: 'A test of the address, which the receiver answers with 2xx.' }),
} as const;
export type WebhookBody<T extends keyof typeof WEBHOOK_BODIES> = z.infer<(typeof WEBHOOK_BODIES)[T]>;
