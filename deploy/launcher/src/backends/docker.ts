// Runs backends in containers of `deploy/compose.yaml`, on machines with a Docker engine but
// without the programs.
import { createHash } from 'node:crypto';
import { LauncherError } from '../errors.ts';
import { lastLines, runCommand } from '../processes/commands.ts';

const PROBE_TIMEOUT_MS = 5_000;

export interface ComposeOptions {
  readonly docker: string;
  readonly composeFile: string;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

/** True if an engine runs and the compose plugin is installed. */
export async function dockerIsUsable(docker: string, signal: AbortSignal | undefined): Promise<boolean> {
  for (const commandArguments of [['compose', 'version'], ['info']]) {
    const result = await runCommand(docker, commandArguments, { timeoutMs: PROBE_TIMEOUT_MS, signal }).catch(
      () => undefined,
    );
    if (result?.code !== 0) return false;
  }
  return true;
}

/** Starts one service of the compose file and waits until it is healthy. */
export async function startContainer(options: ComposeOptions, service: string): Promise<void> {
  const { code, output } = await compose(options, ['up', '--detach', '--wait', service], options.signal);
  if (code === 0) return;
  throw new LauncherError(
    `Docker could not start ${service}`,
    'Check the engine (docker info) and the network; its last lines:',
    lastLines(output),
  );
}

export async function stopContainer(options: ComposeOptions, service: string): Promise<void> {
  // Removes the container, so that the next start may use other ports. The data stays in a named
  // volume.
  await compose(options, ['rm', '--stop', '--force', service]);
}

export async function killContainer(options: ComposeOptions, service: string): Promise<void> {
  await compose(options, ['kill', service]);
  await compose(options, ['start', service]);
}

function compose(options: ComposeOptions, commandArguments: readonly string[], signal?: AbortSignal) {
  // One project for each data folder and password: stacks must not share volumes, nor reuse those
  // of a deleted folder.
  const owner = `${options.dataDir} ${options.environment.NEO4J_PASSWORD}`;
  const project = `taskgraph-${createHash('sha256').update(owner).digest('hex').slice(0, 12)}`;
  const common = ['compose', '--project-name', project, '--file', options.composeFile];
  return runCommand(options.docker, [...common, ...commandArguments], {
    environment: { ...process.env, ...options.environment },
    signal,
  });
}
