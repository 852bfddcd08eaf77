// The answers of the operations on webhooks. Their schemas are closed.
import { z } from 'zod';
import { id, time } from '../../entities.ts';
import {
  DELIVERY_OUTCOMES,
  MAXIMUM_DELIVERIES,
  WEBHOOK_FILTERS,
  WEBHOOK_MESSAGES,
  WEBHOOK_REASONS,
  WEBHOOK_STATES,
} from '../../webhooks/webhook-fields.ts';
import { answer } from '../answers.ts';

const hook = z
  .strictObject({
    id,
    name: z.string(),
    url: z.string().describe('The address of the receiver.'),
    root: id.nullable().describe('The root of its branch; null for the whole graph.'),
    events: z.array(z.enum(WEBHOOK_FILTERS)).describe('The types of its events; empty for all changes.'),
    where: z.record(z.string(), z.unknown()).nullable().describe('Its conditions, as `node:find` takes them.'),
    state: z
      .enum(WEBHOOK_STATES)
      .describe('Only an active webhook receives changes. A pending one first has to accept a `hook.ping`.'),
    reason: z
      .enum(WEBHOOK_REASONS)
      .nullable()
      .describe(
        'Why the service disabled it: `gone`: the receiver answered 410; `failing`: no success for three days; `unreadable_secret`: the operator replaced TASKGRAPH_SECRET; `token_ended`. Null if its user or an administrator did.',
      ),
    tokenId: id.nullable().describe('The API token that created it, with which it ends; null for a session.'),
    createdTime: time,
    lastSuccess: time.nullable().describe('When the receiver last accepted a message.'),
    failingSince: time.nullable().describe('The first failure after the last success; null without one.'),
    nextAttempt: time.nullable().describe('When the present message is sent again; null without one.'),
    waitingSince: time
      .nullable()
      .describe(
        'Since when something is due for which no attempt was made: seconds while the service works, and longer while the operator runs no hooks service or it cannot send. Null otherwise, and while a failed message waits for `nextAttempt`.',
      ),
    formerSecretEnds: time.nullable().describe('Until when the former secret signs too; null without one.'),
  })
  .meta({ id: 'Webhook', description: 'A webhook without its secret.' });
const secret = z.string().describe('The secret of its signatures. The service never shows it again.');

export const hooks = answer({ hooks: z.array(hook) }).meta({ id: 'Webhooks' });
export const changedHook = answer({ hook }).meta({ id: 'ChangedWebhook' });
export const newHook = answer({ hook, secret }).meta({ id: 'NewWebhook' });
export const replayedHook = answer({
  hook,
  truncated: z.literal(true).optional().describe('There were more changes since then: it starts later.'),
}).meta({ id: 'ReplayedWebhook' });

const delivery = z
  .strictObject({
    time: time.describe('When the attempt began.'),
    messageId: z.string().describe('The header `webhook-id`, the same for all attempts of a message.'),
    type: z.enum(WEBHOOK_MESSAGES),
    attempt: z.int().min(1).describe('1 for the first attempt of the message.'),
    outcome: z
      .enum(DELIVERY_OUTCOMES)
      .describe('`refused`: an answer without a 2xx status; `unreachable`: no answer, for any reason.'),
    status: z.int().nullable().describe('The HTTP status; null without an answer.'),
    durationMs: z.int().min(0),
  })
  .meta({ id: 'WebhookDelivery', description: 'An attempt to deliver a message.' });
export const deliveries = answer({ deliveries: z.array(delivery).max(MAXIMUM_DELIVERIES) }).meta({
  id: 'WebhookDeliveries',
});
