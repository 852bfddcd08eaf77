// The webhooks of the calling user, and those of bots (bots.ts). Rules: HOOK1, HOOK3, HOOK11, HOOK12, HOOK13.
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
  type WebhookCaller,
  type WebhookDefinition,
} from '@taskgraph/graph-store/webhooks/webhook-calls';
import {
  messageInProgress,
  type StoredDelivery,
  type StoredWebhook,
} from '@taskgraph/graph-store/webhooks/webhook-rows';
import type { AccountPayload } from '@taskgraph/wire/bus/account-messages';
import type { DeliveryView, WebhookView } from '@taskgraph/wire/bus/webhook-calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { refuse } from '@taskgraph/wire/errors';
import { MAXIMUM_WEBHOOKS, REPLAY_DAYS } from '@taskgraph/wire/webhooks/webhook-fields';
import { headsOf, signPosition } from '../reads/position.ts';
import { type AccountEnvironment, endedCaller, handleFor } from './handler.ts';

const DAY_MS = 86_400_000;

const unknownWebhook = refuse('not_found', 'There is no such webhook.');

type HookUpdate = Omit<AccountPayload<'account:hook:update'>, 'caller'>;
type Caller = WebhookCaller & { readonly now: string };

export async function hooksOf(caller: Caller, { database }: AccountEnvironment) {
  return { hooks: (await listWebhooks(database, caller)).map(viewOf) };
}

export async function updateHookOf(
  caller: Caller,
  { id, request, enabled, ...definition }: HookUpdate,
  { database }: AccountEnvironment,
) {
  const changes: Partial<WebhookDefinition> = definedFields(definition);
  return changed(await updateWebhook(database, { ...caller, id, request, enabled: enabled ?? null, changes }));
}

export async function deleteHookOf(
  caller: Caller,
  { id, request }: { readonly id: string; readonly request: string },
  { database }: AccountEnvironment,
) {
  const found = await deleteWebhook(database, { ...caller, id, request });
  if (found === 'ended') return endedCaller;
  return found ? {} : unknownWebhook;
}

export async function deliveriesOf(caller: WebhookCaller, id: string, { database, nowMs }: AccountEnvironment) {
  const deliveries = await listWebhookDeliveries(database, { ...caller, id }, nowMs());
  return deliveries === null ? unknownWebhook : { deliveries: deliveries.map(deliveryViewOf) };
}

export const accountHooks = handleFor('account:hooks', ({ payload: { caller }, actor, now }, environment) =>
  hooksOf({ userId: actor.id, caller, now }, environment),
);

export const accountHookAdd = handleFor('account:hook:add', async ({ payload, actor, now }, environment) => {
  const { database, secret, nowMs } = environment;
  // The position is read before the webhook exists, so it receives all later changes.
  const { shown } = await readReaderAccess(database, actor, now);
  const position = signPosition(secret, actor.id, headsOf(shown));
  const added = await addWebhook(database, { ...payload, userId: actor.id, position }, nowMs());
  if (added === 'ended') return endedCaller;
  if (added === null) return unknownWebhook;
  if (added !== 'too_many') return { hook: viewOf(added) };
  return refuse('conflict.too_many_hooks', `A user can have at most ${MAXIMUM_WEBHOOKS} webhooks.`, {
    most: MAXIMUM_WEBHOOKS,
  });
});

export const accountHookUpdate = handleFor('account:hook:update', ({ payload, actor, now }, environment) => {
  const { caller, ...update } = payload;
  return updateHookOf({ userId: actor.id, caller, now }, update, environment);
});

export const accountHookDelete = handleFor('account:hook:delete', ({ payload, actor, now }, environment) =>
  deleteHookOf({ userId: actor.id, caller: payload.caller, now }, payload, environment),
);

export const accountHookRotate = handleFor('account:hook:rotate', async ({ payload, actor, now }, { database }) =>
  changed(await rotateWebhookSecret(database, { ...payload, userId: actor.id, now })),
);

export const accountHookTest = handleFor('account:hook:test', async ({ payload, actor, now }, { database }) =>
  changed(await requestWebhookTest(database, { ...payload, userId: actor.id, now })),
);

export const accountHookDeliveries = handleFor('account:hook:deliveries', ({ payload, actor }, environment) =>
  deliveriesOf({ userId: actor.id, caller: payload.caller }, payload.id, environment),
);

export const accountHookReplay = handleFor('account:hook:replay', async ({ payload, actor, now }, environment) => {
  const { database, secret, nowMs } = environment;
  const { id, caller, request } = payload;
  const earliest = new Date(nowMs() - REPLAY_DAYS * DAY_MS).toISOString();
  const { shown } = await readReaderAccess(database, actor, now);
  const since = payload.since > earliest ? payload.since : earliest;
  const start = await findReplayStart(database, shown, since);
  const position = signPosition(secret, actor.id, start.heads);
  const moved = await moveWebhookPosition(database, { id, caller, request, position, since, userId: actor.id, now });
  if (moved === 'ended') return endedCaller;
  return moved === null ? unknownWebhook : { hook: viewOf(moved), truncated: start.isCut };
});

function changed(webhook: StoredWebhook | 'ended' | null) {
  if (webhook === 'ended') return endedCaller;
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
