// The webhooks of the calling user. Rules: HOOK1, HOOK3, HOOK11, HOOK12, HOOK13.
import { readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { findReplayStart } from '@taskgraph/graph-store/webhooks/replay-start';
import {
  addWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  moveWebhookPosition,
  requestWebhookTest,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookDefinition,
} from '@taskgraph/graph-store/webhooks/webhook-calls';
import {
  messageInProgress,
  type StoredDelivery,
  type StoredWebhook,
} from '@taskgraph/graph-store/webhooks/webhook-rows';
import type { DeliveryView, WebhookView } from '@taskgraph/wire/bus/webhook-calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { refuse } from '@taskgraph/wire/errors';
import { MAXIMUM_WEBHOOKS, REPLAY_DAYS } from '@taskgraph/wire/webhooks/webhook-fields';
import { headsOf, signPosition } from '../reads/position.ts';
import { handleFor } from './handler.ts';

const DAY_MS = 86_400_000;

const unknownWebhook = refuse('not_found', 'There is no such webhook.');

export const accountHooks = handleFor('account:hooks', async ({ payload, actor, now }, { database }) => {
  const hooks = await listWebhooks(database, { ...payload, userId: actor.id, now });
  return { hooks: hooks.map(viewOf) };
});

export const accountHookAdd = handleFor('account:hook:add', async ({ payload, actor, now }, environment) => {
  const { database, secret, nowMs } = environment;
  // The position is read before the webhook exists, so it receives all later changes.
  const { shown } = await readReaderAccess(database, actor, now);
  const position = signPosition(secret, actor.id, headsOf(shown));
  const added = await addWebhook(database, { ...payload, userId: actor.id, position }, nowMs());
  if (added === 'ended') return refuse('unauthorized', 'The token or session has ended.');
  if (added !== 'too_many') return { hook: viewOf(added) };
  return refuse('conflict.too_many_hooks', `A user can have at most ${MAXIMUM_WEBHOOKS} webhooks.`, {
    most: MAXIMUM_WEBHOOKS,
  });
});

export const accountHookUpdate = handleFor('account:hook:update', async ({ payload, actor, now }, { database }) => {
  const { id, caller, request, enabled = null, ...definition } = payload;
  const changes: Partial<WebhookDefinition> = definedFields(definition);
  return changed(await updateWebhook(database, { id, caller, request, enabled, changes, userId: actor.id, now }));
});

export const accountHookDelete = handleFor('account:hook:delete', async ({ payload, actor, now }, { database }) =>
  (await deleteWebhook(database, { ...payload, userId: actor.id, now })) ? {} : unknownWebhook,
);

export const accountHookRotate = handleFor('account:hook:rotate', async ({ payload, actor, now }, { database }) =>
  changed(await rotateWebhookSecret(database, { ...payload, userId: actor.id, now })),
);

export const accountHookTest = handleFor('account:hook:test', async ({ payload, actor, now }, { database }) =>
  changed(await requestWebhookTest(database, { ...payload, userId: actor.id, now })),
);

export const accountHookDeliveries = handleFor('account:hook:deliveries', async ({ payload, actor }, environment) => {
  const { database, nowMs } = environment;
  const deliveries = await listWebhookDeliveries(database, { ...payload, userId: actor.id }, nowMs());
  return deliveries === null ? unknownWebhook : { deliveries: deliveries.map(deliveryViewOf) };
});

export const accountHookReplay = handleFor('account:hook:replay', async ({ payload, actor, now }, environment) => {
  const { database, secret, nowMs } = environment;
  const { id, caller, request } = payload;
  const earliest = new Date(nowMs() - REPLAY_DAYS * DAY_MS).toISOString();
  const { shown } = await readReaderAccess(database, actor, now);
  const since = payload.since > earliest ? payload.since : earliest;
  const start = await findReplayStart(database, shown, since);
  const position = signPosition(secret, actor.id, start.heads);
  const moved = await moveWebhookPosition(database, { id, caller, request, position, since, userId: actor.id, now });
  return moved === null ? unknownWebhook : { hook: viewOf(moved), truncated: start.isCut };
});

function changed(webhook: StoredWebhook | null) {
  return webhook === null ? unknownWebhook : { hook: viewOf(webhook) };
}

/** A webhook without its secrets and its position. */
function viewOf(webhook: StoredWebhook): WebhookView {
  const { id, name, url, root, events, where, state, reason, tokenId, created } = webhook;
  const message = messageInProgress(webhook);
  return {
    id,
    name,
    url,
    root,
    events: [...events] as WebhookView['events'],
    where,
    state,
    reason,
    tokenId,
    createdTime: created,
    lastSuccess: timeOf(webhook.successMs),
    failingSince: timeOf(webhook.failingSinceMs),
    nextAttempt: state === 'disabled' || message === null ? null : timeOf(message.nextMs),
    waitingSince: state === 'disabled' ? null : timeOf(webhook.dueSinceMs),
    formerSecretEnds: timeOf(webhook.formerUntil),
  };
}

function deliveryViewOf({ at, messageId, type, attempt, status, code, durationMs }: StoredDelivery): DeliveryView {
  return { time: new Date(at).toISOString(), messageId, type, attempt, outcome: status, status: code, durationMs };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
