// The operations on webhooks. Rules: HOOK1, HOOK3, HOOK9, HOOK11, HOOK12, HOOK13, BOT3.
import { z } from 'zod';
import { type Refusal, refuseField } from '../../errors.ts';
import { list, text, timestamp } from '../../fields.ts';
import { anyId } from '../../ids.ts';
import {
  DELIVERY_DAYS,
  MAXIMUM_DELIVERIES,
  MAXIMUM_WEBHOOKS,
  OVERLAP_HOURS,
  REPLAY_DAYS,
  WEBHOOK_FILTERS,
  WEBHOOK_NAME_LENGTH,
  WEBHOOK_WHERE_LENGTH,
} from '../../webhooks/webhook-fields.ts';
import { webhookUrl } from '../../webhooks/webhook-url.ts';
import { done } from '../account-answers.ts';
import { own } from '../account-operations.ts';
import { EXAMPLE } from '../examples.ts';
import { checkSearch, findConditions } from '../find-operations.ts';
import type { Operation } from '../operation.ts';
import * as answers from './webhook-answers.ts';

const shared = {
  ...own,
  caller: 'token',
  level: { least: null, say: 'A session; a token manages only the webhooks that it created.' },
  scope: 'hooks',
} as const;
const named = z.strictObject({ id: anyId });
const bot = anyId.optional().describe('A bot of the caller, for its webhooks; this needs a session.');
const namedOfBot = named.extend({ bot });
const name = text(WEBHOOK_NAME_LENGTH, 1);
const root = anyId.describe('The root of a branch; by default the whole graph.');
const url = webhookUrl.describe(
  'Where messages are sent. `http` and inner addresses work only if the operator allows the host.',
);
const events = list(z.enum(WEBHOOK_FILTERS), WEBHOOK_FILTERS.length)
  .refine((all) => new Set(all).size === all.length, 'must name each type once')
  .meta({ uniqueItems: true })
  .describe(
    'The types of the events, such as `node.completed` or `node.*`; by default all changes. Due dates (`node.due`) have to be selected.',
  );
const where = findConditions.describe('Conditions on nodes, as `node:find` takes them.');

export const webhookOperations = {
  'hook:list': {
    ...shared,
    name: 'hook:list',
    transports: { rest: { method: 'GET', path: '/api/hook' } },
    summary: "Lists the webhooks of the caller, or of one of the caller's bots, oldest first.",
    description: 'A token lists only those that it created. They do not contain their secrets.',
    payload: z.strictObject({ bot }),
    answer: answers.hooks,
    errors: ['not_found', 'forbidden.session_required'],
    rules: ['HOOK1', 'HOOK3', 'BOT3'],
    example: {},
  },
  'hook:add': {
    ...shared,
    name: 'hook:add',
    transports: { rest: { method: 'POST', path: '/api/hook' } },
    changes: true,
    resource: 'hook',
    summary: 'Adds a webhook: an address to which the service posts the changes that the caller sees.',
    description: `Only this answer contains \`secret\`. The webhook is pending until the receiver accepts a \`hook.ping\`; then it receives all changes since it was added. It ends with the token that created it, which needs the scope \`read\` too. A user has at most ${MAXIMUM_WEBHOOKS} webhooks.`,
    payload: z.strictObject({
      url,
      name: name.optional().describe('Its name; by default the host of the address.'),
      root: root.optional(),
      events: events.optional(),
      where: where.optional(),
    }),
    check: checkConditions,
    answer: answers.newHook,
    errors: ['conflict.too_many_hooks'],
    rules: ['HOOK1', 'HOOK2', 'HOOK3', 'HOOK9', 'HOOK11', 'HOOK12', 'HOOK13'],
    example: { url: EXAMPLE.hookUrl, events: ['node.completed'] },
  },
  'hook:update': {
    ...shared,
    name: 'hook:update',
    transports: { rest: { method: 'PUT', path: '/api/hook' } },
    changes: true,
    resource: 'hook',
    summary: 'Changes a webhook, disables it, or enables it again.',
    description:
      'A new address makes it pending. Enabled again, it is pending too and then continues where it ended. A session that enables a webhook of an ended token adopts it.',
    payload: z.strictObject({
      id: anyId,
      url: url.optional(),
      name: name.optional(),
      root: root.nullable().optional(),
      events: events.optional(),
      where: where.nullable().optional(),
      enabled: z.boolean().optional().describe('Whether it may send.'),
      bot,
    }),
    check: checkConditions,
    answer: answers.changedHook,
    errors: ['not_found', 'forbidden.session_required'],
    rules: ['HOOK1', 'HOOK3', 'HOOK8', 'HOOK12', 'BOT3'],
    example: { id: EXAMPLE.hook, name: 'Deployments' },
  },
  'hook:delete': {
    ...shared,
    name: 'hook:delete',
    transports: { rest: { method: 'DELETE', path: '/api/hook' } },
    changes: true,
    resource: 'hook',
    summary: 'Deletes a webhook.',
    description: 'An attempt that has already begun may still reach the receiver.',
    payload: namedOfBot,
    answer: done,
    errors: ['not_found', 'forbidden.session_required'],
    rules: ['HOOK1', 'HOOK3', 'BOT3'],
    example: { id: EXAMPLE.hook },
  },
  'hook:rotate': {
    ...shared,
    name: 'hook:rotate',
    transports: { rest: { method: 'POST', path: '/api/hook/rotate' } },
    changes: true,
    resource: 'hook',
    summary: 'Gives a webhook another secret.',
    description: 'Only this answer contains `secret`. During the overlap both secrets sign.',
    payload: z.strictObject({
      id: anyId,
      overlap: z
        .int()
        .min(0)
        .max(OVERLAP_HOURS.most)
        .default(OVERLAP_HOURS.initial)
        .describe('Hours for which the present secret signs too.'),
    }),
    answer: answers.newHook,
    errors: ['not_found'],
    rules: ['HOOK1', 'HOOK11'],
    example: { id: EXAMPLE.hook, overlap: 24 },
  },
  'hook:test': {
    ...shared,
    name: 'hook:test',
    transports: { rest: { method: 'POST', path: '/api/hook/test' } },
    changes: true,
    resource: 'hook',
    summary: 'Sends a `hook.ping` to a webhook, once.',
    description:
      'The answer does not wait for it: `hook:deliveries` lists the attempt. It works in every state, and makes a pending webhook active.',
    payload: named,
    answer: answers.changedHook,
    errors: ['not_found'],
    rules: ['HOOK1', 'HOOK12'],
    example: { id: EXAMPLE.hook },
  },
  'hook:deliveries': {
    ...shared,
    name: 'hook:deliveries',
    transports: { rest: { method: 'GET', path: '/api/hook/deliveries' } },
    summary: 'Lists the last attempts of a webhook, newest first.',
    description: `At most ${MAXIMUM_DELIVERIES} of the last ${DELIVERY_DAYS} days, without bodies.`,
    payload: namedOfBot,
    answer: answers.deliveries,
    errors: ['not_found', 'forbidden.session_required'],
    rules: ['HOOK1', 'HOOK12', 'BOT3'],
    example: { id: EXAMPLE.hook },
  },
  'hook:replay': {
    ...shared,
    name: 'hook:replay',
    transports: { rest: { method: 'POST', path: '/api/hook/replay' } },
    changes: true,
    resource: 'hook',
    summary: 'Sends the changes and due dates since a time again.',
    description: `At most of the last ${REPLAY_DAYS} days, and about the last 10,000 changes. What the caller no longer sees is not sent again.`,
    payload: z.strictObject({ id: anyId, since: timestamp.describe('The time of the first change to send again.') }),
    answer: answers.replayedHook,
    errors: ['not_found'],
    rules: ['HOOK1', 'HOOK12'],
    example: { id: EXAMPLE.hook, since: '2026-12-01T08:00:00.000Z' },
  },
} as const satisfies Record<string, Operation>;

function checkConditions({
  where: conditions,
}: {
  readonly where?: Readonly<Record<string, unknown>> | null;
}): Refusal | null {
  if (conditions === undefined || conditions === null) return null;
  if (JSON.stringify(conditions).length > WEBHOOK_WHERE_LENGTH) {
    const message = `The conditions of a webhook have at most ${WEBHOOK_WHERE_LENGTH} characters as JSON.`;
    return refuseField('invalid', 'where', message);
  }
  return checkSearch({ where: conditions });
}
