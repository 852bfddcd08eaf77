// A Neo4j of a test's own, which nobody has used yet.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackends } from '@taskgraph/launcher/backends/backends';

/** Its address and login, and the function that stops and removes it. */
export interface NewNeo4j {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** Starts it beside the other backends, which take no time. Statements have a minute: a cold server makes their plans. */
export async function startNewNeo4j(): Promise<NewNeo4j> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-neo4j-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const backends = await startBackends({ dataDir, transactionSeconds: 60 });
    const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = backends.environment;
    return { url, user, password, stop: () => backends.stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
