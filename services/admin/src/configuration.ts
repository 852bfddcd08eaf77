// What the administration commands read from their environment.
import { defineConfig } from '@taskgraph/runtime/config';
import { z } from 'zod';

export const configuration = defineConfig({
  NEO4J_URL: { schema: z.string().min(1), description: 'Where Neo4j listens, for instance bolt://127.0.0.1:7687.' },
  NEO4J_USER: { schema: z.string(), default: 'neo4j', description: 'User for Neo4j.' },
  NEO4J_PASSWORD: { schema: z.string(), description: 'Password for Neo4j.' },
  NATS_URL: {
    schema: z.string().optional(),
    description: 'Where NATS listens, to tell gateways of sessions that end.',
  },
  NATS_USER: { schema: z.string(), default: '', description: 'User for NATS.' },
  NATS_PASSWORD: { schema: z.string(), default: '', description: 'Password for NATS.' },
  TASKGRAPH_ADMIN_EMAIL: { schema: z.string().optional(), description: 'E-mail of the first administrator.' },
  TASKGRAPH_ADMIN_PASSWORD: { schema: z.string().optional(), description: 'Password of the first administrator.' },
});
