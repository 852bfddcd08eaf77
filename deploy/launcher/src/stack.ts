// Starts a whole stack: backends, the migration, workers, jobs and hooks services, gateways and the demo
// user. Stops it in reverse order.
import { join, resolve } from 'node:path';
import { type BackendOptions, type Backends, cacheDirOf, launchBackends, REPOSITORY } from './backends/backends.ts';
import { type NodeSetting, readNodeSetting } from './configuration.ts';
import { claimDataDirectory, type DataDirectory } from './data/data-directory.ts';
import { loadSecrets, saveSecrets } from './data/secrets.ts';
import { LauncherError } from './errors.ts';
import { chooseGatewayNode } from './node/gateway-node.ts';
import { chooseNode } from './node/node-choice.ts';
import type { NodeProgram } from './node/node-download.ts';
import { lastLines, runCommand } from './processes/commands.ts';
import { LOOPBACK, requireFreePort } from './processes/ports.ts';
import { type OnDeath, type SupervisedProcess, startedUnlessAborted, supervise } from './processes/processes.ts';
import { type Report, silentReport, step } from './progress.ts';
import { addSamplePlan } from './sample-plan.ts';

export interface StackOptions extends BackendOptions {
  /** The port of the first gateway; the other gateways use the ports after it. */
  readonly port: number;
  readonly workers: number;
  readonly gateways: number;
  /** Default: 0. */
  readonly jobs?: number;
  /** Default: 0. */
  readonly hooks?: number;
  /**
   * The first of consecutive admin ports, for workers, jobs services, hooks services and gateways in
   * this order.
   * Default: 0, any free ports.
   */
  readonly adminPort?: number;
  /** The Node of all services but gateways, and of administration programs. Default: TASKGRAPH_NODE. */
  readonly node?: NodeSetting;
  /** Creates the demo user and its token, or finds the token of an earlier start. */
  readonly demoUser?: boolean;
  /** Adds the sample plan when it creates the demo user. */
  readonly samplePlan?: boolean;
  /** The script of a service; only tests replace it, by their own or that of another release. */
  readonly scriptOf?: ScriptOf;
  /** Called when a service ends by itself, before its next start. */
  readonly onDeath?: OnDeath | undefined;
}

export interface AddedService {
  /** Selects another release. Default: that of the stack. */
  readonly scriptOf?: ScriptOf;
  /** The port of a gateway. Default: the one after those of the other gateways. */
  readonly port?: number;
}

export type ScriptOf = (service: string, script: string) => string;

/** The user for trying the service. */
export interface DemoUser {
  readonly token: string;
  /** An address that signs a browser in, once. */
  readonly signInLink: string;
}

export interface Stack {
  /** The gateways' base URLs. */
  readonly urls: readonly string[];
  /** The variables of this stack for a service or a tool: the backends and TASKGRAPH_SECRET. */
  readonly environment: Readonly<Record<string, string>>;
  readonly backends: Backends;
  readonly demo: DemoUser | undefined;
  /** Creates a token of this user. Creates the user if needed. */
  makeToken(email: string, username: string): Promise<string>;
  /** A service by name, such as `worker-1`, to kill or inspect it. */
  service(name: string): SupervisedProcess;
  /** Starts one more service under a new name, and waits until it is ready. Rejects if it ends before. */
  add(kind: ServiceKind, added?: AddedService): Promise<SupervisedProcess>;
  stop(): Promise<void>;
}

const DEMO = { email: 'demo@example.com', username: 'demo' };

/**
 * A worker is ready once its statements are planned, which takes a minute with a cold database on a
 * busy machine.
 */
const READY_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;
const MIGRATION_TIMEOUT_MS = 120_000;
const TOKEN_TIMEOUT_MS = 120_000;

/** Variables that services must not inherit from the launcher's environment. */
const NOT_INHERITED = ['PORT', 'HOST', 'WORKER_ID', 'GATEWAY_ID', 'JOBS_ID', 'HOOKS_ID', 'NODE_ENV', 'NODE_CHANNEL_FD'];

interface Context {
  readonly directory: DataDirectory;
  readonly options: StackOptions;
  readonly report: Report;
  readonly environment: Readonly<Record<string, string>>;
  readonly backends: Backends;
  readonly node: NodeProgram;
  readonly gatewayNode: NodeProgram;
  readonly scriptOf: ScriptOf;
}

/** Starts everything, or nothing: if a part fails, the parts that already run are stopped. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const report = options.report ?? silentReport;
  for (let index = 0; index < options.gateways; index += 1) await requireFreePort(options.port + index, 'PORT');
  const directory = await claimDataDirectory(resolve(options.dataDir), report);
  const stops: (() => Promise<void>)[] = [async () => directory.release()];
  const stop = async () => {
    for (let undo = stops.pop(); undo !== undefined; undo = stops.pop()) await undo();
  };
  try {
    const download = { cacheDir: cacheDirOf(options), report, signal: options.signal };
    const node = await chooseNode({ ...download, setting: options.node ?? readNodeSetting(process.env) });
    const gatewayNode = await chooseGatewayNode(download);
    const backends = await launchBackends(directory, options);
    stops.push(backends.stop);
    const { taskgraphSecret } = loadSecrets(directory.path);
    const secret = options.environment?.TASKGRAPH_SECRET || taskgraphSecret;
    const environment = { ...backends.environment, TASKGRAPH_SECRET: secret };
    const scriptOf = options.scriptOf ?? builtScript;
    const context = { directory, options, report, environment, backends, node, gatewayNode, scriptOf };
    directory.publish(options.port, environment);
    await step(report, 'migrating the database', () => migrate(context));
    const workers = await startServices(context, 'worker', options.workers, stops);
    const jobs = await startServices(context, 'jobs', options.jobs ?? 0, stops);
    const hooks = await startServices(context, 'hooks', options.hooks ?? 0, stops);
    const gateways = await startServices(context, 'gateway', options.gateways, stops);
    const demo = options.demoUser ? await step(report, 'demo user', () => openDemo(context)) : undefined;
    options.signal?.throwIfAborted();
    const urls = gateways.map((_, index) => `http://${LOOPBACK}:${options.port + index}`);
    const services = { worker: workers, jobs, hooks, gateway: gateways };
    return {
      urls,
      environment,
      backends,
      demo,
      makeToken: (...user) => makeToken(context, ...user),
      service: (name) => findService(Object.values(services).flat(), name),
      async add(kind, { port, ...rest } = {}) {
        const added = startService({ ...context, ...rest }, kind, services[kind].length, port);
        services[kind].push(added);
        stops.push(() => added.stop());
        await startedUnlessAborted(added, options.signal);
        return added;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function findService(services: readonly SupervisedProcess[], name: string): SupervisedProcess {
  const service = services.find((candidate) => candidate.name === name);
  if (service === undefined) throw new Error(`no ${name}; there are ${services.map((each) => each.name).join(', ')}`);
  return service;
}

export type ServiceKind = 'worker' | 'jobs' | 'hooks' | 'gateway';

const PLURALS: Readonly<Record<ServiceKind, string>> = {
  worker: 'workers',
  jobs: 'jobs services',
  hooks: 'hooks services',
  gateway: 'gateways',
};

async function startServices(
  context: Context,
  kind: ServiceKind,
  count: number,
  stops: (() => Promise<void>)[],
): Promise<SupervisedProcess[]> {
  if (count === 0) return [];
  const services = Array.from({ length: count }, (_, index) => startService(context, kind, index));
  // Registered before they are ready, so that a failure or Ctrl-C during the start stops them too.
  stops.push(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });
  const title = count === 1 ? `starting ${kind}-1` : `starting ${count} ${PLURALS[kind]}`;
  await step(context.report, title, () =>
    Promise.all(services.map((service) => startedUnlessAborted(service, context.options.signal))),
  );
  return services;
}

function startService(
  context: Context,
  kind: ServiceKind,
  index: number,
  port = context.options.port + index,
): SupervisedProcess {
  const { directory, options, report } = context;
  const name = `${kind}-${index + 1}`;
  const admin = { ADMIN_HOST: LOOPBACK, ADMIN_PORT: String(adminPortOf(options, kind, index)) };
  const own: Record<ServiceKind, Record<string, string>> = {
    worker: { WORKER_ID: name },
    jobs: { JOBS_ID: name },
    hooks: { HOOKS_ID: name },
    gateway: { GATEWAY_ID: name, PORT: String(port), GATEWAYS: String(options.gateways) },
  };
  return supervise({
    name,
    command: (kind === 'gateway' ? context.gatewayNode : context.node).path,
    arguments: [context.scriptOf(kind, 'main.js')],
    environment: {
      ...withoutSecrets(kind, { ...serviceEnvironment(context), ...context.backends.environmentOf(kind) }),
      HOST: LOOPBACK,
      ...admin,
      ...own[kind],
    },
    logFile: join(directory.path, 'log', `${name}.log`),
    report,
    channel: true,
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    onPid: (pid) => directory.recordProcess(name, pid),
    onDeath: options.onDeath,
  });
}

/** Each service has its own admin port. */
function adminPortOf(
  { adminPort = 0, workers, jobs = 0, hooks = 0 }: StackOptions,
  kind: ServiceKind,
  index: number,
): number {
  if (adminPort === 0) return 0;
  const before: Record<ServiceKind, number> = {
    worker: 0,
    jobs: workers,
    hooks: workers + jobs,
    gateway: workers + jobs + hooks,
  };
  return adminPort + before[kind] + index;
}

async function migrate(context: Context): Promise<void> {
  const result = await runScript(context, ['migrate.js'], MIGRATION_TIMEOUT_MS);
  if (result.code === 0) return;
  throw new LauncherError('the migration of the database failed', 'Its last lines:', lastLines(result.output));
}

/** Reuses the token of an earlier start if it belongs to the same database. */
async function openDemo(context: Context): Promise<DemoUser> {
  const { directory, options } = context;
  const secrets = loadSecrets(directory.path);
  const database = options.environment?.NEO4J_URL || 'own';
  const known = secrets.demoToken?.database === database ? secrets.demoToken.token : undefined;
  const token = known ?? (await makeToken(context, DEMO.email, DEMO.username));
  const url = `http://${LOOPBACK}:${options.port}`;
  if (known === undefined) {
    if (options.samplePlan) await addSamplePlan(url, token);
    saveSecrets(directory.path, { ...secrets, demoToken: { token, database } });
  }
  return { token, signInLink: await makeSignInLink(context, url) };
}

/** A link that signs a browser in as the demo user, once. */
async function makeSignInLink(context: Context, url: string): Promise<string> {
  const named = ['--email', DEMO.email, '--username', DEMO.username, '--url', url];
  const result = await runScript(context, ['sign-in-link.js', ...named], TOKEN_TIMEOUT_MS);
  const link = lastLines(result.stdout, 1)[0] ?? '';
  if (result.code === 0 && link !== '') return link;
  throw new LauncherError('could not create a sign-in link', 'The last lines of the tool:', lastLines(result.output));
}

async function makeToken(context: Context, email: string, username: string): Promise<string> {
  const result = await runScript(context, ['token.js', '--email', email, '--username', username], TOKEN_TIMEOUT_MS);
  const token = lastLines(result.stdout, 1)[0] ?? '';
  if (result.code === 0 && token !== '') return token;
  throw new LauncherError(
    `could not create a token for ${email}`,
    'The last lines of the tool:',
    lastLines(result.output),
  );
}

function runScript(context: Context, [script = '', ...scriptArguments]: readonly string[], timeoutMs: number) {
  return runCommand(context.node.path, [context.scriptOf('admin', script), ...scriptArguments], {
    environment: serviceEnvironment(context),
    signal: context.options.signal,
    timeoutMs,
  });
}

function serviceEnvironment(context: Context): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !NOT_INHERITED.includes(name) && !name.startsWith('VITEST'),
  );
  return { ...Object.fromEntries(inherited), ...context.options.environment, ...context.environment };
}

/**
 * Credentials that a service does not get. A gateway faces the internet and reaches the graph only
 * through workers. A hooks service sends to addresses that users choose, so it gets no credentials
 * but its own of NATS.
 */
const WITHHELD: Readonly<Partial<Record<ServiceKind, RegExp>>> = {
  gateway: /^NEO4J_/,
  hooks: /^(?:NEO4J_|REDIS_|TASKGRAPH_SECRET$)/,
};

function withoutSecrets(kind: ServiceKind, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const withheld = WITHHELD[kind];
  if (withheld === undefined) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !withheld.test(name)));
}

function builtScript(service: string, script: string): string {
  return join(REPOSITORY, 'services', service, 'dist', script);
}
