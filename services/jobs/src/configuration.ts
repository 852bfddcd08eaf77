// The settings of a jobs service, from its environment.
import { defineConfig } from '@taskgraph/runtime/service/config';
import {
  natsSettings,
  neo4jSettings,
  redisSettings,
  signingSecrets,
  watchSettings,
} from '@taskgraph/runtime/service/settings';
import { z } from 'zod';

const days = z.coerce.number().int().min(0).max(36_500);
const milliseconds = (lowest: number) => z.coerce.number().int().min(lowest).max(86_400_000);

export const configuration = defineConfig({
  ...watchSettings,
  ...neo4jSettings,
  ...natsSettings,
  JOBS_ID: {
    schema: z.string().min(1).max(100),
    default: 'jobs',
    description: 'Name in logs and at NATS.',
  },
  ...redisSettings('URL of the Redis that holds waiting jobs; it must not evict keys.'),
  QUEUE_PREFIX: {
    schema: z.string().regex(/^[\w-]{1,50}$/),
    default: 'taskgraph',
    description: 'Prefix of all queue keys in Redis: letters, digits, `_` and `-`; the same in all jobs services.',
  },
  TASKGRAPH_SECRET: {
    schema: signingSecrets,
    description:
      'Opens the stored secrets of webhooks; the same as in gateways and workers. During a change: the new one, a comma, the old one.',
    see: 'operations.md#changing-the-secret',
  },
  TRASH_RETENTION_DAYS: {
    schema: days,
    default: 30,
    description: 'Days after which trashed nodes and links are deleted for good; 0 keeps them forever.',
  },
  HISTORY_RETENTION_DAYS: {
    schema: days,
    default: 365,
    description:
      'Days after which history is deleted, together with the answers to repeated idempotency keys; 0 keeps it forever.',
  },
  SWEEP_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 60_000,
    description:
      'Milliseconds between sweeps, which search the database for access that ends soon or should have ended, and expire ended claims.',
  },
  REWRITE_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 60_000,
    description: 'Milliseconds between runs that remove deleted content from stored history.',
  },
  RETENTION_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 3_600_000,
    description: 'Milliseconds between runs that delete old trash, old history and unused membership rows.',
  },
  WEBHOOK_SWEEP_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 1_000,
    description: 'Milliseconds between sweeps, which search the database for webhooks with something to deliver.',
  },
  WEBHOOKS_AT_ONCE: {
    schema: z.coerce.number().int().min(1).max(512),
    default: 64,
    description:
      'Maximum webhooks to which this service delivers at the same time. As many further ones with slow or new receivers have their own limit of the same size.',
  },
  EXPIRIES_AT_ONCE: {
    schema: z.coerce.number().int().min(1).max(256),
    default: 16,
    description: 'Nodes whose grants and publication this service ends at the same time.',
  },
  WAITING_ENDS: {
    schema: z.coerce.number().int().min(1).max(10_000_000),
    default: 100_000,
    description:
      'Maximum number of jobs in Redis for access that ends within the next day; the sweep finds the rest in time.',
  },
});
