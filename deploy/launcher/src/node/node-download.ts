// Fetches Node with npm's own client into the cache folder, once for all data folders.
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockDownload } from '../data/download-lock.ts';
import { LauncherError } from '../errors.ts';
import { lastLines, runCommand } from '../processes/commands.ts';
import { type Report, step } from '../progress.ts';
import type { NodePackage } from './node-package.ts';

/** A program of Node and its version, such as `24.21.0`. */
export interface NodeProgram {
  readonly path: string;
  readonly version: string;
}

export interface NodeDownloadOptions {
  readonly cacheDir: string;
  readonly report: Report;
  readonly signal: AbortSignal | undefined;
}

/**
 * Nothing arrives in this time from a registry that cannot be reached. It does not limit a slow
 * download.
 */
const SILENCE_LIMIT_MS = 20_000;
const PROGRESS_EVERY_MS = 500;
const PROBE_TIMEOUT_MS = 20_000;

/** npm checks the package by the lock file. One attempt is enough, since there is another Node. */
const NPM = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--fetch-retries=0',
  `--fetch-timeout=${SILENCE_LIMIT_MS}`,
];

/**
 * The path of the program. The folder gets its name after the download, so it was complete. It may be
 * damaged since, or from a machine with another C library: see `checkedNode`.
 */
export function programOf(cacheDir: string, wanted: NodePackage): string {
  return programIn(folderOf(cacheDir, wanted), wanted);
}

/** Throws a LauncherError if npm cannot fetch it or it does not run here. */
export async function downloadNode(wanted: NodePackage, options: NodeDownloadOptions): Promise<NodeProgram> {
  const path = programOf(options.cacheDir, wanted);
  if (existsSync(path)) return checkedNode(wanted, options);
  const unlock = await lockDownload(folderOf(options.cacheDir, wanted), `Node ${wanted.version}`, options);
  try {
    // Another launcher may have downloaded it in the meantime.
    if (!existsSync(path))
      await step(options.report, `fetching Node ${wanted.version}`, () => download(wanted, options));
  } finally {
    unlock();
  }
  return checkedNode(wanted, options);
}

/**
 * The program in the cache folder. Throws a LauncherError if it does not run here or has another version.
 * It stays there even so: on a machine where it cannot run, each start would fetch it again.
 */
export async function checkedNode(
  wanted: NodePackage,
  { cacheDir, signal }: Pick<NodeDownloadOptions, 'cacheDir' | 'signal'>,
): Promise<NodeProgram> {
  const path = programOf(cacheDir, wanted);
  const version = await versionOf(path, signal);
  if (version === wanted.version) return { path, version };
  throw new LauncherError(`${path} is Node ${version}`, `It should be ${wanted.version}.`);
}

/** The version that the program reports. Throws a LauncherError if it is no Node that runs here. */
export async function versionOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  const result = await runCommand(path, ['--version'], { signal, timeoutMs: PROBE_TIMEOUT_MS }).catch(
    (error: unknown) => {
      signal?.throwIfAborted();
      return { code: 1, stdout: '', output: String(error) };
    },
  );
  const version = /^v(\d+\.\d+\.\d+)\s*$/.exec(result.stdout)?.[1];
  if (result.code === 0 && version !== undefined) return version;
  throw new LauncherError(`${path} is not a Node that runs here`, 'Its last lines:', lastLines(result.output));
}

async function download(wanted: NodePackage, options: NodeDownloadOptions): Promise<void> {
  const folder = folderOf(options.cacheDir, wanted);
  const unfinished = `${folder}.part`;
  // The remains of an interrupted download; the lock excludes a running one.
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeManifests(unfinished, wanted);
  const timer = setInterval(() => reportSize(unfinished, wanted, options.report), PROGRESS_EVERY_MS);
  try {
    const { code, output } = await runCommand('npm', [...NPM, '--prefix', unfinished], {
      directory: unfinished,
      signal: options.signal,
      // The folder is deleted next, and the next download must not meet an npm that still writes.
      killed: true,
    });
    if (code !== 0) {
      const reason = /npm error code (\w+)/.exec(output)?.[1] ?? `exit code ${code}`;
      throw new LauncherError(`npm could not fetch ${wanted.name} (${reason})`, 'Its last lines:', lastLines(output));
    }
    // Headers for add-ons take half as much again.
    rmSync(join(unfinished, 'node_modules', wanted.name, 'include'), { recursive: true, force: true });
    // A damaged folder: it has no program.
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
  } finally {
    clearInterval(timer);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function writeManifests(folder: string, { name, version, integrity }: NodePackage): void {
  const root = { name: 'taskgraph-node', private: true, dependencies: { [name]: version } };
  const packages = { '': root, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
}

/** npm unpacks while it downloads, so the program's size shows the progress. */
function reportSize(folder: string, wanted: NodePackage, report: Report): void {
  const size = statSync(programIn(folder, wanted), { throwIfNoEntry: false })?.size;
  if (size !== undefined) report.status(`fetching Node ${wanted.version}: ${(size / 1e6).toFixed(0)} MB of about 130`);
}

function folderOf(cacheDir: string, { name, version }: NodePackage): string {
  return join(cacheDir, `${name}-${version}`);
}

function programIn(folder: string, { name }: NodePackage): string {
  return join(folder, 'node_modules', name, 'bin', 'node');
}
