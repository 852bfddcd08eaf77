// The previous release: the archive of its compiled services in deploy/previous-release, and a copy of
// it that can run.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { readCacheDir } from '@taskgraph/launcher/configuration';
import { runCommand } from '@taskgraph/launcher/processes/commands';

/** The description next to the archive. */
export interface PreviousRelease {
  readonly version: string;
  readonly commit: string;
  /** The time of the commit, seconds since 1970. */
  readonly epoch: number;
  /** SHA-256 of its lock file and of the archive. */
  readonly lockDigest: string;
  readonly archiveDigest: string;
}

export const PREVIOUS_RELEASE_FOLDER = join(REPOSITORY, 'deploy', 'previous-release');
export const DESCRIPTION = 'release.json';
export const ARCHIVE = 'services.tar.gz';

const INSTALL_LIMIT_MS = 600_000;

interface LockEntry {
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly resolved?: string;
}

export type LockedPackages = Readonly<Record<string, LockEntry>>;

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Throws if the archive is not the described one. */
export function readDescription(folder: string = PREVIOUS_RELEASE_FOLDER): PreviousRelease {
  const description = JSON.parse(readFileSync(join(folder, DESCRIPTION), 'utf8')) as PreviousRelease;
  const digest = sha256(readFileSync(join(folder, ARCHIVE)));
  if (digest !== description.archiveDigest)
    throw new Error(`${join(folder, ARCHIVE)} has the checksum ${digest}, not ${description.archiveDigest}`);
  return description;
}

export interface RunnableRelease extends PreviousRelease {
  /** The path of a service's or a program's script. */
  scriptOf(service: string, script: string): string;
  /** Whether it has this service. */
  has(service: string): boolean;
  remove(): Promise<void>;
}

/**
 * Extracts the archive into a new folder. Its packages are those of this checkout, if they have the
 * versions of its own lock file; otherwise npm installs that lock file once into the cache folder.
 */
export async function openPreviousRelease(note: (line: string) => void): Promise<RunnableRelease> {
  const description = readDescription();
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-previous-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await must('tar', ['--extract', '--gzip', '--file', join(PREVIOUS_RELEASE_FOLDER, ARCHIVE), '--directory', folder]);
    const locked = readLock(folder);
    const present = readLock(REPOSITORY);
    const isPresent = differingPackages(locked, present).length === 0;
    linkPackages(folder, locked, isPresent ? REPOSITORY : await installPackages(folder, description, note));
    const scriptOf = (service: string, script: string) => join(folder, 'services', service, 'dist', script);
    return { ...description, scriptOf, has: (service) => existsSync(scriptOf(service, 'main.js')), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export function readLock(folder: string): LockedPackages {
  return (JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: LockedPackages }).packages;
}

/** The packages of production that another lock file lacks or has in another version. */
export function differingPackages(locked: LockedPackages, present: LockedPackages): string[] {
  return Object.entries(locked)
    .filter(([path, { link, dev }]) => path.includes('node_modules/') && link !== true && dev !== true)
    .filter(([path, { version }]) => present[path]?.version !== version)
    .map(([path]) => path);
}

/** The folders of a lock file's own packages. */
export function workspacesOf(locked: LockedPackages): string[] {
  return Object.keys(locked).filter((path) => path !== '' && !path.includes('node_modules/'));
}

/**
 * Links foreign packages to those of another folder, and the release's own to its own. Node resolves
 * links first, so a foreign package finds what it needs next to its original.
 */
function linkPackages(folder: string, locked: LockedPackages, source: string): void {
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  for (const name of readdirSync(join(source, 'node_modules')))
    if (!name.startsWith('.') && name !== '@taskgraph')
      link(join(source, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [path, { link: isOwn, resolved = '' }] of Object.entries(locked))
    if (isOwn === true) link(join(folder, resolved), join(folder, path));
  for (const workspace of workspacesOf(locked)) {
    const nested = join(source, workspace, 'node_modules');
    if (existsSync(nested)) link(nested, join(folder, workspace, 'node_modules'));
  }
}

/** Returns a folder of the cache with the packages of the release's lock file. */
async function installPackages(
  folder: string,
  { lockDigest }: PreviousRelease,
  note: (line: string) => void,
): Promise<string> {
  const target = join(readCacheDir(process.env, REPOSITORY), 'previous-release', lockDigest);
  if (existsSync(target)) return target;
  note('installing the packages of the previous release, whose lock file differs');
  const building = `${target}.${process.pid}`;
  await rm(building, { recursive: true, force: true });
  await cp(folder, building, { recursive: true });
  await must('npm', ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], building);
  try {
    await rename(building, target);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Another process has installed them meanwhile.
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** Runs a program, and throws with its output if it fails. */
export async function must(program: string, given: readonly string[], directory = REPOSITORY): Promise<string> {
  const { code, stdout, output } = await runCommand(program, given, { directory, timeoutMs: INSTALL_LIMIT_MS });
  if (code !== 0) throw new Error(`${program} ${given[0] ?? ''} failed:\n${output}`);
  return stdout;
}
