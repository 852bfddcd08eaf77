// Starts a stack for a test: its own ports, an empty folder, the built services, and its own NATS
// and Redis. It uses the database of the whole run unless the test needs its own, which takes ten
// times as long to start as the rest.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import type { OnDeath } from '@taskgraph/launcher/processes/processes';
import { type Stack, type StackOptions, startStack } from '@taskgraph/launcher/stack';
import { type GivenScopes, makeToken } from './users.ts';

/**
 * Everything has a default: two workers, one gateway, the run's database, and no rate limits, which
 * tests would exceed.
 */
interface TestStackOptions extends Partial<Omit<StackOptions, 'dataDir' | 'demoUser'>> {
  /**
   * Called with the empty data folder before the start. The result is called after the stop and
   * removes its effects.
   */
  readonly onFolder?: (dataDir: string) => () => void;
  /** For tests that kill it. Only a run of tests has another one. */
  readonly ownDatabase?: boolean;
}

/** The part of a shared stack that tests need. */
export interface RunningStack extends Pick<Stack, 'urls' | 'environment'> {
  /** A new token of the user with this e-mail. Creates the user if necessary. */
  token(email: string, scopes?: GivenScopes): Promise<string>;
  /** The folder with the logs of all processes. */
  readonly logFolder: string;
  /**
   * The admin port of a service such as `worker-1`, from its log. Throws if the log has none yet.
   */
  adminPort(service: string): number;
}

export interface TestStack extends Stack, RunningStack {}

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const { workers = 2, gateways = 1, ownDatabase = false, onFolder, ...rest } = options;
  const environment = { TASKGRAPH_LIMITS: 'off', ...(ownDatabase ? {} : databaseOfTheRun()), ...options.environment };
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-stack-'));
  const undo = onFolder?.(dataDir);
  const crashes = recordCrashes();
  const remove = async () => {
    undo?.();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const port = options.port ?? (await freePortRange(gateways));
    const { onDeath } = crashes;
    const stack = await startStack({ onDeath, ...rest, environment, workers, gateways, port, dataDir });
    return {
      ...stack,
      ...running({ urls: stack.urls, environment: stack.environment, logFolder: join(dataDir, 'log') }),
      async stop() {
        await stack.stop();
        await remove();
        crashes.assertNone();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** How a service ends that a test has killed, paused for too long or told to stop. */
export const INTENDED_ENDS: ReadonlySet<string> = new Set(['exit code 0', 'signal SIGKILL', 'signal SIGTERM']);

/**
 * Records services that crash. The launcher starts them again within a second, so that the test
 * would show at most a broken connection.
 */
function recordCrashes(): { readonly onDeath: OnDeath; assertNone(): void } {
  const crashes: string[] = [];
  return {
    onDeath(name, reason, tail) {
      if (INTENDED_ENDS.has(reason)) return;
      crashes.push([`${name} crashed (${reason}). The end of its log:`, ...tail].join('\n'));
      process.stderr.write(`${crashes.at(-1)}\n`);
    },
    assertNone() {
      if (crashes.length > 0) throw new Error(crashes.join('\n\n'));
    },
  };
}

/** A port for a stack whose settings name its address. */
export function freePort(): Promise<number> {
  return freePortRange(1);
}

/** The description of a running stack for another process, and its form there. */
export function running(facts: Pick<RunningStack, 'urls' | 'environment' | 'logFolder'>): RunningStack {
  const { environment, logFolder } = facts;
  return {
    ...facts,
    token: (email, options) => makeToken(environment, email, options),
    adminPort: (service) => adminPortIn(readFileSync(join(logFolder, `${service}.log`), 'utf8')),
  };
}

/** Written by backends.setup.ts. */
function databaseOfTheRun(): Record<string, string> {
  const { NEO4J_URL = '', NEO4J_USER = '', NEO4J_PASSWORD = '' } = process.env;
  return { NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD };
}

/** After a restart of the service the last one counts. */
function adminPortIn(log: string): number {
  const line = log.split('\n').findLast((each) => each.includes('"the admin port listens"'));
  if (line === undefined) throw new Error('no admin port listens');
  return (JSON.parse(line) as { port: number }).port;
}
