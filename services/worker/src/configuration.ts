// What a worker reads from its environment.
import { defineConfig } from '@taskgraph/runtime/config';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

export const configuration = defineConfig({
  WORKER_ID: { schema: z.string().min(1).max(100), description: 'Name of this worker; the same after a restart.' },
  NEO4J_URL: { schema: z.string().min(1), description: 'Where Neo4j listens, for instance bolt://127.0.0.1:7687.' },
  NEO4J_USER: { schema: z.string(), default: 'neo4j', description: 'User for Neo4j.' },
  NEO4J_PASSWORD: { schema: z.string(), description: 'Password for Neo4j.' },
  NATS_URL: { schema: z.string().min(1), description: 'Where NATS listens; several with commas between.' },
  NATS_USER: { schema: z.string(), default: '', description: 'User for NATS.' },
  NATS_PASSWORD: { schema: z.string(), default: '', description: 'Password for NATS.' },
  TASKGRAPH_SECRET: { schema: z.string().min(16), description: 'Signs positions; the same in all workers.' },
  LOG_LEVEL: { schema: z.string(), default: 'info', description: 'debug, info, warn or error.' },
  ADMIN_HOST: {
    schema: z.string(),
    default: '127.0.0.1',
    description: 'The address at which the admin port listens.',
  },
  ADMIN_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535),
    default: 9090,
    description: 'The port for probes and metrics; 0 takes any free one.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'Where a collector takes traces by OTLP over HTTP; without it none are recorded.',
  },
  WORKER_LANES: { schema: count.max(64), default: 2, description: 'Groups that commit at once.' },
  LANE_REST_MS: {
    schema: z.coerce.number().min(0).max(100),
    default: 4,
    description: 'Most milliseconds that a lane rests after a group, so that the next can gather.',
  },
  GROUP_COMMANDS: { schema: count.max(1_000), default: 128, description: 'Most commands in a group.' },
  GROUP_BYTES: { schema: count, default: 4 * 1024 * 1024, description: 'Most bytes of payload in a group.' },
  COMMAND_ENTITIES: {
    schema: count.max(1_000_000),
    default: 60_000,
    description: 'Most nodes or links that one command may walk over.',
  },
  WAITING_COMMANDS: { schema: count, default: 10_000, description: 'Most commands that wait in a worker.' },
  WAITING_BYTES: {
    schema: count,
    default: 128 * 1024 * 1024,
    description: 'Most bytes of payload that wait in a worker.',
  },
});
