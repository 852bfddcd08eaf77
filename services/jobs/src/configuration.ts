// The settings of a jobs service, from its environment.
import { defineConfig } from '@taskgraph/runtime/service/config';
import { natsSettings, neo4jSettings, redisSettings, watchSettings } from '@taskgraph/runtime/service/settings';
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
    description: 'Name of this service in logs and at NATS.',
  },
  ...redisSettings('Where Redis is, in which jobs wait; it must not evict keys.'),
  QUEUE_PREFIX: {
    schema: z.string().regex(/^[\w-]{1,50}$/),
    default: 'taskgraph',
    description: 'Begins the names of all keys of the queues in Redis; the same in all jobs services.',
  },
  TRASH_RETENTION_DAYS: {
    schema: days,
    default: 30,
    description: 'Days after which what is in the trash is deleted for good; 0 is never.',
  },
  HISTORY_RETENTION_DAYS: {
    schema: days,
    default: 365,
    description:
      'Days after which history is deleted, and with it what answers a repeated idempotency key; 0 is never.',
  },
  SWEEP_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 60_000,
    description: 'Milliseconds between looks at the database for what ends soon or should have ended.',
  },
  REWRITE_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 60_000,
    description: 'Milliseconds between runs that take the content of what was deleted out of stored history.',
  },
  RETENTION_INTERVAL_MS: {
    schema: milliseconds(500),
    default: 3_600_000,
    description: 'Milliseconds between runs that delete old trash, old history and rows of roots that nobody reads.',
  },
  EXPIRIES_AT_ONCE: {
    schema: z.coerce.number().int().min(1).max(256),
    default: 16,
    description: 'Nodes whose grants and publication this service ends at the same time.',
  },
  WAITING_ENDS: {
    schema: z.coerce.number().int().min(1).max(10_000_000),
    default: 100_000,
    description: 'Most ends of the next day that wait in Redis; the sweep finds all others in time.',
  },
});
