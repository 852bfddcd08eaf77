// A worker's settings from its environment.
import { type ConfigOf, defineConfig } from '@taskgraph/runtime/service/config';
import { natsSettings, neo4jSettings, signingSecrets, watchSettings } from '@taskgraph/runtime/service/settings';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

export const configuration = defineConfig({
  ...watchSettings,
  ...neo4jSettings,
  ...natsSettings,
  WORKER_ID: { schema: z.string().min(1).max(100), description: 'Name of this worker; the same after a restart.' },
  NATS_REPLICAS: {
    schema: z.coerce.number().pipe(z.literal([1, 3, 5])),
    default: 1,
    description: 'Copies of the leases in a NATS cluster: 1, 3 or 5, and no more than it has servers.',
  },
  TASKGRAPH_SECRET: {
    schema: signingSecrets,
    description: 'Signs positions; the same in all workers. While it is changed: the new one, a comma, the old one.',
  },
  COMMIT_CONCURRENCY: { schema: count.max(64), default: 2, description: 'Groups that commit at once.' },
  GROUP_COMMANDS: { schema: count.max(1_000), default: 128, description: 'Most commands in a group.' },
  GROUP_BYTES: { schema: count, default: 4 * 1024 * 1024, description: 'Most bytes of payload in a group.' },
  COMMAND_ENTITIES: {
    schema: count.max(1_000_000),
    default: 60_000,
    description: 'Most nodes or links that one command may walk over.',
  },
  READS_AT_ONCE: {
    schema: count.max(256),
    default: 8,
    description: 'Most pages that are read at once, and as many of the questions of gateways.',
  },
  WAITING_READS: {
    schema: count,
    default: 1_000,
    description: 'Most pages that wait for their turn, and as many of the questions of gateways.',
  },
  WAITING_COMMANDS: { schema: count, default: 10_000, description: 'Most commands that wait in a worker.' },
  WAITING_BYTES: {
    schema: count,
    default: 128 * 1024 * 1024,
    description: 'Most bytes of payload that wait in a worker.',
  },
  ALONE_COMMANDS: { schema: count, default: 64, description: 'Most large commands that wait in a worker to go alone.' },
  ALONE_MEMORY_MB: {
    schema: count.min(64),
    default: 512,
    description: 'Most megabytes of memory of the thread in which large commands are decided.',
  },
  ALONE_BYTES: {
    schema: count,
    default: 16 * 1024 * 1024,
    description: 'Most bytes of payload that wait in a worker to go alone.',
  },
  PAGE_BYTES: {
    schema: count.min(1024 * 1024).max(16 * 1024 * 1024),
    default: 4 * 1024 * 1024,
    description: 'About the most bytes of a page; a page that would be longer ends early.',
  },
  PAGES_BYTES: {
    schema: count,
    default: 192 * 1024 * 1024,
    description: 'Memory for all pages that are read at once; each takes three times `PAGE_BYTES`.',
  },
  KEPT_PAGES_BYTES: {
    schema: z.coerce.number().int().min(0),
    default: 64 * 1024 * 1024,
    description:
      'Memory for pages that were made before, to be given again while nothing in them changes; 0 keeps none.',
  },
  REMEMBERED_BYTES: {
    schema: z.coerce.number().int().min(0),
    default: 64 * 1024 * 1024,
    description:
      'Memory for the part of the graph that was lately loaded or changed, so that commands on it need no load; 0 keeps none.',
  },
  PAGE_WAIT_MS: {
    schema: z.coerce.number().int().min(0).max(10_000),
    default: 2_000,
    description: 'How long a page waits for its memory before it is refused.',
  },
});

/** The worker's settings. */
export type WorkerConfiguration = ConfigOf<typeof configuration>;
