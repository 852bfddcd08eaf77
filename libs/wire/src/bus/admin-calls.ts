// The account operations of administrators: payload and answer of each event. The worker reads for
// each of them whether its actor is an administrator. Rules: ADMIN1 to ADMIN6.
import { z } from 'zod';
import { anyEmail } from '../account-fields.ts';
import { anyId } from '../ids.ts';
import { WEBHOOK_REASONS, WEBHOOK_STATES } from '../webhooks/webhook-fields.ts';
import { callerFields } from './caller-fields.ts';
import { MAXIMUM_SERVICES, serviceDetails, serviceReport } from './status-messages.ts';

const listedUser = z.object({
  id: anyId,
  email: z.string(),
  username: z.string(),
  admin: z.boolean(),
  disabled: z.boolean(),
  createdTime: z.string(),
  /** Only of a bot. */
  maintainer: z.object({ id: anyId, email: z.string() }).optional(),
});

/** A session of a user. */
const session = z.object({
  id: anyId,
  createdTime: z.string(),
  expires: z.string().nullable(),
  lastUsed: z.string().nullable(),
});

/** An API token of a user, without its name, which the user writes. */
const token = session.extend({ prefix: z.string(), readOnly: z.boolean(), scopes: z.array(z.string()).optional() });

/** A webhook without its name, address, branch and conditions. */
const webhook = z.object({
  id: anyId,
  user: z.object({ id: anyId, email: z.string() }),
  state: z.enum(WEBHOOK_STATES),
  reason: z.enum(WEBHOOK_REASONS).nullable(),
  createdTime: z.string(),
  lastSuccess: z.string().nullable(),
  failingSince: z.string().nullable(),
  attempts: z.int().min(0),
  nextAttempt: z.string().nullable(),
  waitingSince: z.string().nullable(),
});
export type AdminWebhook = z.infer<typeof webhook>;

const start = z.union([anyId, z.literal('')]);
const limit = z.int().min(1).max(1_001);

export const ADMIN_CALLS = {
  /** Users by id; with `email`, only the one with this address. */
  'account:users': {
    payload: z.object({ after: start, limit, email: anyEmail.optional() }),
    answer: z.object({ users: z.array(listedUser) }),
  },
  /** Disables or enables a user. */
  'account:disable': {
    payload: z.object({ id: anyId, disabled: z.boolean(), ...callerFields }),
    answer: z.object({}),
  },
  /** The reports of all services that answer. */
  'account:admin:status': {
    payload: z.object({}),
    answer: z.object({ services: z.array(serviceReport).max(MAXIMUM_SERVICES), truncated: z.boolean() }),
  },
  /** The report of one process, with details. */
  'account:admin:service': {
    payload: z.object({ process: anyId }),
    answer: z.object({ service: serviceReport, details: serviceDetails }),
  },
  'account:admin:sessions': {
    payload: z.object({ user: anyId }),
    answer: z.object({ sessions: z.array(session) }),
  },
  /** Ends one session of a user; with a null id, all of them. */
  'account:admin:session:end': {
    payload: z.object({ user: anyId, id: anyId.nullable(), request: anyId, caller: callerFields.caller }),
    answer: z.object({}),
  },
  'account:admin:tokens': { payload: z.object({ user: anyId }), answer: z.object({ tokens: z.array(token) }) },
  'account:admin:token:revoke': {
    payload: z.object({ user: anyId, id: anyId, request: anyId }),
    answer: z.object({}),
  },
  /** The webhooks of all users by id; with a state, only those in it. */
  'account:admin:hooks': {
    payload: z.object({ after: start, limit, state: z.enum(WEBHOOK_STATES).nullable() }),
    answer: z.object({ hooks: z.array(webhook) }),
  },
  /** Disables a webhook, as its user could. */
  'account:admin:hook:disable': {
    payload: z.object({ id: anyId, request: anyId, caller: callerFields.caller }),
    answer: z.object({}),
  },
} as const;
