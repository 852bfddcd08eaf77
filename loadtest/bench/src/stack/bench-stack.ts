// A stack for measurements: the launcher's, with its defaults, on loopback, in a temporary folder,
// and without limits unless the environment sets them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '@taskgraph/launcher/processes/ports';
import { type Stack, startStack } from '@taskgraph/launcher/stack';
import type { DatabaseAccess } from '../direct-writes.ts';
import type { Roles } from '../measure/cpu.ts';
import { readVersions, type Versions } from './versions.ts';

/** The number of each service; the default is the launcher's. */
export interface Topology {
  readonly workers?: number;
  readonly gateways?: number;
  readonly jobs?: number;
  readonly hooks?: number;
}

export interface BenchStack {
  readonly stack: Stack;
  readonly urls: readonly string[];
  /** The bare driver's access to the database. */
  readonly access: DatabaseAccess;
  /** The URLs of the admin ports, by service name. */
  readonly admin: Readonly<Record<string, string>>;
  /** The current process ids; a restarted process has another id. */
  roles(): Roles;
  stop(): Promise<void>;
}

let versions: Versions = {};

/** The versions in the latest stack. All stacks of a run have the same. */
export function latestVersions(): Versions {
  return versions;
}

const DEFAULTS = { workers: 2, gateways: 1, jobs: 1, hooks: 0 };

export async function startBenchStack(
  topology: Topology = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchStack> {
  const counts = { ...DEFAULTS, ...topology };
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-bench-'));
  const port = await freePortRange(counts.gateways);
  const adminPort = await freePortRange(counts.workers + counts.jobs + counts.hooks + counts.gateways);
  const stack = await startStack({
    dataDir,
    port,
    adminPort,
    ...counts,
    environment: { TASKGRAPH_LIMITS: 'off', ...environment },
  });
  const names = namesOf(counts);
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = stack.environment;
  const access = { url, user, password };
  const admin = Object.fromEntries(names.map((name, index) => [name, `http://127.0.0.1:${adminPort + index}`]));
  versions = await readVersions(stack, admin, access);
  return {
    stack,
    urls: stack.urls,
    access,
    admin,
    roles: () => rolesOf(stack, names),
    async stop() {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The names in the order of their admin ports. */
function namesOf({ workers, jobs, hooks, gateways }: Required<Topology>): string[] {
  const several = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`);
  return [
    ...several('worker', workers),
    ...several('jobs', jobs),
    ...several('hooks', hooks),
    ...several('gateway', gateways),
  ];
}

function rolesOf(stack: Stack, names: readonly string[]): Roles {
  const pids = Object.entries(stack.backends.pids()).map(([name, pid]) => [name, pid] as const);
  const services = names.map((name) => [name.slice(0, name.lastIndexOf('-')), stack.service(name).pid()] as const);
  const roles: Record<string, number[]> = {};
  for (const [role, pid] of [...pids, ...services]) {
    roles[role] ??= [];
    if (pid !== undefined) roles[role].push(pid);
  }
  return roles;
}
