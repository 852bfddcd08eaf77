// The answers of the operations of administrators. Their schemas are closed. They have no text that
// a user writes, except the e-mail and the user name that identify a person. Rule: ADMIN2.
import { z } from 'zod';
import { SERVICE_KINDS } from '../../bus/status-messages.ts';
import { id, time } from '../../entities.ts';
import { WEBHOOK_REASONS, WEBHOOK_STATES } from '../../webhooks/webhook-fields.ts';
import { admin, ends, lastUsed, prefix, scope, user } from '../account-answers.ts';
import { answer } from '../answers.ts';

const count = z.int().min(0);
const page = {
  hasMore: z.boolean(),
  next: id.nullable().describe('The `after` of the next page; null at the end.'),
};

const listed = z
  .strictObject({
    ...user.shape,
    admin,
    disabled: z.boolean(),
    createdTime: time,
    maintainer: z.strictObject({ id, email: z.string() }).optional().describe('Only of a bot: its maintainer.'),
  })
  .meta({ id: 'User', description: 'A user as administrators see them.' });
export const foundUser = answer({ user: listed }).meta({ id: 'FoundUser' });
export const users = answer({ users: z.array(listed), ...page }).meta({ id: 'Users' });

const service = z
  .strictObject({
    process: id.describe('Random for each process.'),
    kind: z.enum(SERVICE_KINDS),
    name: z.string().describe('Its name in logs, which several services may share.'),
    version: z.string(),
    node: z.string().describe('The release of Node on which it runs.'),
    startedTime: time,
    backends: z.array(z.strictObject({ name: z.string(), isUp: z.boolean() })),
    metrics: z
      .array(z.strictObject({ name: z.string(), value: z.number() }))
      .describe('Some of its metrics, each summed over its labels (docs/metrics.md).'),
    queues: z
      .array(
        z.strictObject({
          name: z.string(),
          waiting: count,
          active: count.describe('Jobs in progress.'),
          delayed: count.describe('Jobs of a later time.'),
        }),
      )
      .describe('The queues in Redis; empty unless it is a jobs service. All jobs services report the same ones.'),
    serves: z.array(count).describe('The partitions that it serves; empty unless it is a worker.'),
  })
  .meta({ id: 'ServiceProcess', description: 'A running process of the service.' });

const leases = z
  .strictObject({
    partitions: z
      .array(z.string().nullable())
      .describe('The name of the worker that has the lease of each partition, by its index; null without one.'),
    workers: z.array(
      z.strictObject({
        name: z.string(),
        ageMs: count.describe('Milliseconds since the last change of its heartbeat.'),
        isLeaving: z.boolean().describe('Whether it hands its partitions over, or has left.'),
      }),
    ),
  })
  .meta({ id: 'LeaseTable', description: 'The lease table as one worker sees it.' });

export const status = answer({
  services: z.array(service).describe('Those that answered in time.'),
  leases: leases.nullable().describe('Null if no worker has a current view.'),
  truncated: z.boolean().describe('Whether more services answered than the list has.'),
}).meta({ id: 'ServiceStatus' });

export const serviceDetails = answer({
  service,
  settings: z
    .array(z.strictObject({ name: z.string(), value: z.string() }))
    .describe('Its settings. Of a setting with free text the value is `(set)`: it may be a secret.'),
  metrics: z.string().describe('Its metrics in OpenMetrics.'),
  truncated: z.boolean().describe('Whether the end of the metrics is missing.'),
}).meta({ id: 'ServiceDetails' });

const session = z
  .strictObject({ id, createdTime: time, expires: time, lastUsed })
  .meta({ id: 'UserSession', description: 'A session as administrators see it.' });
export const userSessions = answer({ sessions: z.array(session) }).meta({ id: 'UserSessions' });

const token = z
  .strictObject({
    id,
    prefix,
    createdTime: time,
    expires: ends,
    readOnly: z.boolean(),
    scopes: z.array(scope),
    lastUsed,
  })
  .meta({ id: 'UserToken', description: 'An API token as administrators see it: without its name.' });
export const userTokens = answer({ tokens: z.array(token) }).meta({ id: 'UserTokens' });

const hook = z
  .strictObject({
    id,
    user: z.strictObject({ id, email: z.string() }),
    state: z.enum(WEBHOOK_STATES),
    reason: z.enum(WEBHOOK_REASONS).nullable().describe('Why the service disabled it.'),
    createdTime: time,
    lastSuccess: time.nullable().describe('When the receiver last accepted a message.'),
    failingSince: time.nullable().describe('The first failure after the last success; null without one.'),
    attempts: count.describe('Attempts of the present message.'),
    nextAttempt: time.nullable().describe('When the present message is sent again; null without one.'),
    waitingSince: time.nullable().describe('Since when something is due without an attempt: its lag.'),
  })
  .meta({
    id: 'UserWebhook',
    description: 'A webhook as administrators see it: without its name, address, branch and conditions.',
  });
export const userHooks = answer({ hooks: z.array(hook), ...page }).meta({ id: 'UserWebhooks' });
