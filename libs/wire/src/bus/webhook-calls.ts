// The account operations on webhooks: payload and answer of each event. `caller` is the token or
// session of the call: a token manages only the webhooks that it created (HOOK3).
import { z } from 'zod';
import { text } from '../fields.ts';
import { anyId } from '../ids.ts';
import {
  DELIVERY_OUTCOMES,
  MAXIMUM_DELIVERIES,
  OVERLAP_HOURS,
  WEBHOOK_FILTERS,
  WEBHOOK_MESSAGES,
  WEBHOOK_NAME_LENGTH,
  WEBHOOK_REASONS,
  WEBHOOK_STATES,
  WEBHOOK_URL_LENGTH,
  WEBHOOK_WHERE_LENGTH,
} from '../webhooks/webhook-fields.ts';
import { callerFields } from './caller-fields.ts';

const HOUR_MS = 3_600_000;
const LONGEST_SEALED = 500;

/** A webhook as its user defines it. */
const definition = z.object({
  name: text(WEBHOOK_NAME_LENGTH, 1),
  url: text(WEBHOOK_URL_LENGTH, 1),
  root: anyId.nullable(),
  events: z.array(z.enum(WEBHOOK_FILTERS)).max(WEBHOOK_FILTERS.length),
  /** The conditions as JSON. */
  where: text(WEBHOOK_WHERE_LENGTH).nullable(),
});

/** A webhook as its user sees it. Times are ISO 8601 UTC. */
const view = z.object({
  id: anyId,
  ...definition.shape,
  state: z.enum(WEBHOOK_STATES),
  reason: z.enum(WEBHOOK_REASONS).nullable(),
  tokenId: anyId.nullable(),
  createdTime: z.string(),
  lastSuccess: z.string().nullable(),
  failingSince: z.string().nullable(),
  nextAttempt: z.string().nullable(),
  /** Workers of an earlier release do not tell it. */
  waitingSince: z.string().nullable().default(null),
  formerSecretEnds: z.string().nullable(),
});
export type WebhookView = z.infer<typeof view>;

const delivery = z.object({
  time: z.string(),
  messageId: z.string(),
  type: z.enum(WEBHOOK_MESSAGES),
  attempt: z.int(),
  outcome: z.enum(DELIVERY_OUTCOMES),
  status: z.int().nullable(),
  durationMs: z.int(),
});
export type DeliveryView = z.infer<typeof delivery>;

/** Sealed by the gateway (libs/runtime/src/security/sealed-text.ts). */
const secret = text(LONGEST_SEALED, 1);
const own = z.object({ id: anyId, caller: anyId });
const changed = z.object({ hook: view });

const list = z.object({ caller: anyId });
const update = definition.partial().extend({ ...own.shape, request: anyId, enabled: z.boolean().optional() });
const removal = own.extend({ request: anyId });
const hooks = z.object({ hooks: z.array(view) });
const deliveries = z.object({ deliveries: z.array(delivery).max(MAXIMUM_DELIVERIES) });

export const WEBHOOK_CALLS = {
  /** The actor's webhooks, oldest first. */
  'account:hooks': { payload: list, answer: hooks },
  'account:hook:add': {
    payload: definition.extend({ ...own.shape, secret }),
    answer: changed,
  },
  /** Changes some fields. `enabled` disables the webhook, or makes it pending again. */
  'account:hook:update': { payload: update, answer: changed },
  'account:hook:delete': { payload: removal, answer: z.object({}) },
  /** Replaces the secret. The former one signs too for this time. */
  'account:hook:rotate': {
    payload: own.extend({
      request: callerFields.request,
      secret,
      overlapMs: z
        .int()
        .min(0)
        .max(OVERLAP_HOURS.most * HOUR_MS),
    }),
    answer: changed,
  },
  'account:hook:test': { payload: own.extend({ request: callerFields.request }), answer: changed },
  /** The attempts of the last days, newest first. */
  'account:hook:deliveries': { payload: own, answer: deliveries },
  /** Moves the position back to this time, or as far as one look-up reaches. */
  'account:hook:replay': {
    payload: own.extend({ request: anyId, since: z.iso.datetime() }),
    answer: changed.extend({ truncated: z.boolean() }),
  },
  /** The webhooks of a bot of the actor, and their changes, by a session, as for the actor's own. */
  'account:bot:hooks': { payload: list.extend({ bot: anyId }), answer: hooks },
  'account:bot:hook:update': { payload: update.extend({ bot: anyId }), answer: changed },
  'account:bot:hook:delete': { payload: removal.extend({ bot: anyId }), answer: z.object({}) },
  'account:bot:hook:deliveries': { payload: own.extend({ bot: anyId }), answer: deliveries },
} as const;
