// Settings shared by several services, which spread them into their own configuration.
import { z } from 'zod';
import type { Secrets } from '../security/signed-text.ts';
import { tlsSettings } from '../security/tls.ts';
import { defineConfig } from './config.ts';
import { REDIS_MODES } from './redis-options.ts';

/** For users of the database: workers, jobs and the administration commands. */
export const neo4jSettings = defineConfig({
  NEO4J_URL: { schema: z.string().min(1), description: 'URL of Neo4j, for instance bolt://127.0.0.1:7687.' },
  NEO4J_USER: { schema: z.string(), default: 'neo4j', description: 'User for Neo4j.' },
  NEO4J_PASSWORD: { schema: z.string(), description: 'Password for Neo4j.' },
  ...tlsSettings('NEO4J', 'Neo4j'),
});

const natsAddress = z.string().min(1);

/** For all clients of NATS. */
const natsUser = defineConfig({
  NATS_USER: { schema: z.string(), default: '', description: 'User for NATS.' },
  NATS_PASSWORD: { schema: z.string(), default: '', description: 'Password for NATS.' },
  ...tlsSettings('NATS', 'NATS'),
  NATS_SERVER_NAME: {
    schema: z.string().min(1).optional(),
    description:
      "Name in NATS's certificate, if it differs from the host in the URL; required if the URL has an IP address.",
  },
});

/** For gateways, workers and jobs, which require NATS. */
export const natsSettings = defineConfig({
  NATS_URL: { schema: natsAddress, description: 'URL of NATS; several are separated by commas.' },
  ...natsUser,
});

/** For commands that notify gateways if there are any. */
export const optionalNatsSettings = defineConfig({
  NATS_URL: {
    schema: natsAddress.optional(),
    description:
      'URL of NATS, to tell gateways which sessions ended: they close sockets at once, otherwise some seconds later.',
  },
  ...natsUser,
});

/** For gateways and jobs. Each states its purpose of Redis. */
export function redisSettings(purpose: string) {
  return defineConfig({
    REDIS_URL: { schema: z.string(), default: 'redis://127.0.0.1:6379', description: purpose },
    REDIS_MODE: {
      schema: z.enum(REDIS_MODES),
      default: 'single',
      description:
        '`single` for one server, `cluster` for a Redis Cluster, `sentinel` for Sentinels. For the last two, REDIS_URL lists several servers, separated by commas, with user and password in the first.',
      see: 'operations.md#redis-as-a-cluster-or-with-sentinel',
    },
    REDIS_SENTINEL_MASTER: {
      schema: z.string().min(1).optional(),
      description: 'Name under which the Sentinels know the master; required with `sentinel`.',
    },
    REDIS_SENTINEL_PASSWORD: {
      schema: z.string().min(1).optional(),
      description: 'Password of the Sentinels, if they ask for one; REDIS_URL holds that of Redis.',
    },
    ...tlsSettings('REDIS', 'Redis'),
    REDIS_SERVER_NAME: {
      schema: z.string().min(1).optional(),
      description: "Name in Redis's certificate, if it differs from the host in the URL.",
    },
  });
}

/** Settings of every monitored service: log, admin port and traces. */
export const watchSettings = defineConfig({
  LOG_LEVEL: { schema: z.string(), default: 'info', description: 'From `trace` to `fatal`, or `silent`.' },
  ADMIN_HOST: {
    schema: z.string(),
    default: '127.0.0.1',
    description: 'Address on which the admin port listens.',
  },
  ADMIN_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535),
    default: 9090,
    description: 'Port for probes and metrics; 0 takes any free port.',
    see: 'metrics.md',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description:
      'OTLP collector for traces, over HTTP, such as http://collector:4318; without it no traces are recorded.',
  },
});

/** A holder of a signed text could guess shorter secrets. */
const SHORTEST_SECRET = 16;
/** The signing secret and the previous one. */
const MOST_SECRETS = 2;

/**
 * The schema of `TASKGRAPH_SECRET`: one secret, or the new one, a comma, and the one it replaces.
 */
export const signingSecrets = z.string().transform((text, context): Secrets => {
  const [first = '', ...before] = text.split(',').map((secret) => secret.trim());
  const secrets = [first, ...before] as const;
  if (secrets.length <= MOST_SECRETS && secrets.every(({ length }) => length >= SHORTEST_SECRET)) return secrets;
  context.addIssue({
    code: 'custom',
    message: `it must be one or two secrets of at least ${SHORTEST_SECRET} characters, with a comma between`,
  });
  return z.NEVER;
});
