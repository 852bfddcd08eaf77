// Chooses the source of each backend: a URL, a program on this machine, a container, or a package
// to install.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LauncherError } from '../errors.ts';
import { findProgram, isProgram, runCommand } from '../processes/commands.ts';
import { type InstallOptions, installPrograms, type Program } from '../processes/packages.ts';
import { dockerIsUsable } from './docker.ts';
import { isDownloaded } from './neo4j-download.ts';

export type BackendName = 'neo4j' | 'nats' | 'redis';

export type Source =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'program'; readonly program: string; readonly maven?: string }
  | { readonly kind: 'docker'; readonly docker: string };

export type Sources = Readonly<Record<BackendName, Source>>;

export interface SourceOptions extends InstallOptions {
  readonly cacheDir: string;
}

const URL_VARIABLES: Readonly<Record<BackendName, string>> = {
  neo4j: 'NEO4J_URL',
  nats: 'NATS_URL',
  redis: 'REDIS_URL',
};
const LEAST_JAVA = 17;
const JAVA_FOLDERS = '/usr/lib/jvm';

interface Candidates {
  readonly sources: Partial<Record<BackendName, Source>>;
  readonly missing: readonly Program[];
}

/**
 * Chooses all three sources, and installs missing programs. Throws a LauncherError that names the
 * packages to install.
 */
export async function planSources(options: SourceOptions): Promise<Sources> {
  const found = await findCandidates(options);
  if (found.missing.length === 0) return complete(found);
  const docker = findProgram(['docker']);
  if (docker !== undefined && (await dockerIsUsable(docker, options.signal))) {
    const container: Source = { kind: 'docker', docker };
    return { neo4j: container, nats: container, redis: container, ...found.sources };
  }
  await installPrograms(found.missing, options);
  return complete(await findCandidates(options));
}

function complete(found: Candidates): Sources {
  const { neo4j, nats, redis } = found.sources;
  if (neo4j !== undefined && nats !== undefined && redis !== undefined) return { neo4j, nats, redis };
  throw new LauncherError(`installed, yet not found: ${found.missing.join(', ')}`, 'Put it on PATH and start again.');
}

async function findCandidates(options: SourceOptions): Promise<Candidates> {
  const missing: Program[] = [];
  const sources: Partial<Record<BackendName, Source>> = {};
  const programs = { nats: ['nats-server'], redis: ['redis-server', 'valkey-server'] } as const;
  for (const name of ['neo4j', 'nats', 'redis'] as const) {
    const url = options.environment[URL_VARIABLES[name]];
    if (url !== undefined && url !== '') sources[name] = { kind: 'url', url };
  }
  for (const name of ['nats', 'redis'] as const) {
    const program = findProgram(programs[name]);
    if (program !== undefined) sources[name] ??= { kind: 'program', program };
    else if (sources[name] === undefined) missing.push(programs[name][0]);
  }
  if (sources.neo4j === undefined) {
    const [java, maven] = [await findJava(options), findProgram(['mvn'])];
    // Maven only downloads the jars, so cached jars replace it.
    const hasJars = maven !== undefined || isDownloaded(options.cacheDir);
    if (java === undefined) missing.push('java');
    if (!hasJars) missing.push('maven');
    if (java !== undefined && hasJars)
      sources.neo4j = { kind: 'program', program: java, ...(maven === undefined ? {} : { maven }) };
  }
  return { sources, missing };
}

/**
 * Finds a recent enough Java: in JAVA_HOME, on PATH, then in Debian's folder of installed versions.
 */
export async function findJava(options: Pick<SourceOptions, 'report' | 'signal'>): Promise<string | undefined> {
  const home = process.env.JAVA_HOME;
  const candidates = [
    home === undefined ? undefined : join(home, 'bin', 'java'),
    findProgram(['java']),
    ...installedJavas(),
  ];
  for (const java of candidates) {
    if (java === undefined || !isProgram(java)) continue;
    const version = await javaVersion(java, options.signal);
    if (version !== undefined && version >= LEAST_JAVA) return java;
    if (version !== undefined)
      options.report.line(`Java ${version} at ${java} is too old for Neo4j, which needs ${LEAST_JAVA}`);
  }
  return undefined;
}

function installedJavas(): string[] {
  try {
    return readdirSync(JAVA_FOLDERS).map((name) => join(JAVA_FOLDERS, name, 'bin', 'java'));
  } catch {
    return [];
  }
}

/** The major version, or undefined if the program is only a placeholder, as on a fresh macOS. */
async function javaVersion(java: string, signal: AbortSignal | undefined): Promise<number | undefined> {
  const result = await runCommand(java, ['-version'], { signal }).catch(() => undefined);
  return result?.code === 0 ? parseJavaVersion(result.output) : undefined;
}

/** `17.0.15` is 17. Before Java 9 the form was `1.8.0_402`, which is 8. */
export function parseJavaVersion(output: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(output);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
