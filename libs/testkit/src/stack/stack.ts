// Starts a whole stack for a `*.cluster.test.ts`: its own ports, an empty folder, and the built services.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { type Stack, type StackOptions, startStack } from '@taskgraph/launcher/stack';

/** Everything has a default: two workers, one gateway, backends of its own, and no rate limits, which tests would run into. */
type TestStackOptions = Partial<Omit<StackOptions, 'dataDir' | 'demoUser'>>;

export interface TestStack extends Stack {
  /** A new token of the user with this e-mail address, who is made if there is none. */
  token(email: string): Promise<string>;
  /** The folder with the logs of all its processes. */
  readonly logFolder: string;
  /** Where a service such as `worker-1` has its admin port, which its log names. Throws where it has none yet. */
  adminPort(service: string): number;
}

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const { workers = 2, gateways = 1 } = options;
  const environment = { TASKGRAPH_LIMITS: 'off', ...options.environment };
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-stack-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const port = options.port ?? (await freePortRange(gateways));
    const stack = await startStack({ ...options, environment, workers, gateways, port, dataDir });
    return {
      ...stack,
      logFolder: join(dataDir, 'log'),
      adminPort: (service) => adminPortIn(readFileSync(join(dataDir, 'log', `${service}.log`), 'utf8')),
      token: (email) => stack.makeToken(email, usernameOf(email)),
      async stop() {
        await stack.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** After a restart of the service the last one counts. */
function adminPortIn(log: string): number {
  const line = log.split('\n').findLast((each) => each.includes('"the admin port listens"'));
  if (line === undefined) throw new Error('no admin port listens');
  return (JSON.parse(line) as { port: number }).port;
}

/** A username from the part before the @, which tests keep distinct. */
function usernameOf(email: string): string {
  return email.replace(/@.*/, '').replace(/[^A-Za-z0-9_]/g, '_');
}
