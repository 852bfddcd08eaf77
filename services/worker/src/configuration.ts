// A worker's settings from its environment.
import { type ConfigOf, defineConfig } from '@taskgraph/runtime/service/config';
import { natsSettings, neo4jSettings, signingSecrets, watchSettings } from '@taskgraph/runtime/service/settings';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

export const configuration = defineConfig({
  ...watchSettings,
  ...neo4jSettings,
  ...natsSettings,
  WORKER_ID: {
    schema: z.string().min(1).max(100),
    description: 'Name of this worker, unique among workers and the same after a restart.',
  },
  NATS_REPLICAS: {
    schema: z.coerce.number().pipe(z.literal([1, 3, 5])),
    default: 1,
    description: 'Copies of the leases in a NATS cluster, each on another server: 1, 3 or 5.',
    see: 'operations.md#nats-as-a-cluster',
  },
  TASKGRAPH_SECRET: {
    schema: signingSecrets,
    description:
      'Signs positions, and authenticates gateways and workers to each other; at least 16 characters, the same in all of them. During a change: the new one, a comma, the old one.',
    see: 'operations.md#changing-the-secret',
  },
  COMMIT_CONCURRENCY: { schema: count.max(64), default: 2, description: 'Groups that commit at the same time.' },
  GROUP_COMMANDS: { schema: count.max(1_000), default: 128, description: 'Maximum number of commands in a group.' },
  GROUP_BYTES: { schema: count, default: 4 * 1024 * 1024, description: 'Maximum bytes of payload in a group.' },
  COMMAND_ENTITIES: {
    schema: count.max(1_000_000),
    default: 60_000,
    description:
      'Maximum number of nodes or links that one command may visit; a larger command is refused as `bad_request.too_large`.',
  },
  READS_AT_ONCE: {
    schema: count.max(256),
    default: 8,
    description:
      "Maximum number of pages that are read at the same time, and as many of the gateways' own reads. One reader may use a quarter of the pages, where up to four reads of single nodes count as one; all readers who read much recently share an eighth.",
    see: 'limits.md#pages-and-memory',
  },
  WAITING_READS: {
    schema: count,
    default: 1_000,
    description:
      "Maximum number of pages that wait for their turn, at most a tenth of them of one reader, and as many of the gateways' own reads; more are refused as `unavailable`.",
  },
  WAITING_COMMANDS: {
    schema: count,
    default: 10_000,
    description: 'Maximum number of commands that wait in a worker.',
  },
  WAITING_BYTES: {
    schema: count,
    default: 128 * 1024 * 1024,
    description: 'Maximum bytes of payload that wait in a worker.',
  },
  ALONE_COMMANDS: {
    schema: count,
    default: 64,
    description:
      'Maximum number of large commands, which commit alone, that wait in a worker; more are refused as `unavailable`.',
  },
  ALONE_MEMORY_MB: {
    schema: count.min(64),
    default: 512,
    description:
      'Maximum megabytes of memory of the thread that decides large commands; a command that needs more fails as `unavailable`.',
  },
  ALONE_BYTES: {
    schema: count,
    default: 16 * 1024 * 1024,
    description: 'Maximum bytes of payload of waiting large commands.',
  },
  PAGE_BYTES: {
    schema: count.min(1024 * 1024).max(16 * 1024 * 1024),
    default: 4 * 1024 * 1024,
    description: 'Approximate maximum size of a page in bytes; a longer page ends early and the next one continues.',
  },
  PAGES_BYTES: {
    schema: count,
    default: 192 * 1024 * 1024,
    description: 'Memory for all pages that are read at the same time; each reserves three times `PAGE_BYTES`.',
  },
  KEPT_PAGES_BYTES: {
    schema: z.coerce.number().int().min(0),
    default: 64 * 1024 * 1024,
    description: 'Cache for pages, which are served again until something in them changes; 0 disables it.',
  },
  SEARCH_INDEX_BYTES: {
    schema: z.coerce.number().int().min(0),
    default: 128 * 1024 * 1024,
    description: 'Memory of the search indexes; 0 disables them, so that each search reads its nodes.',
  },
  REMEMBERED_BYTES: {
    schema: z.coerce.number().int().min(0),
    default: 64 * 1024 * 1024,
    description:
      'Cache for the recently loaded or changed part of the graph, so that commands on it need no load; 0 disables it.',
  },
  PAGE_WAIT_MS: {
    schema: z.coerce.number().int().min(0).max(10_000),
    default: 2_000,
    description: 'Milliseconds that a read waits for page memory before it fails as `unavailable`.',
  },
});

/** The worker's settings. */
export type WorkerConfiguration = ConfigOf<typeof configuration>;
