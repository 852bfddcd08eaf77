// Backs up and restores the Neo4j of a data folder while nothing of it runs: the Community edition dumps stopped databases alone.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { claimDataDirectory } from '../data/data-directory.ts';
import { readJson, writePrivateJson } from '../data/private-files.ts';
import type { Secrets } from '../data/secrets.ts';
import { LauncherError } from '../errors.ts';
import { findProgram, lastLines, runCommand } from '../processes/commands.ts';
import { type Report, step } from '../progress.ts';
import { downloadNeo4j, isDownloaded, neo4jFolder } from './neo4j-download.ts';
import { findJava } from './sources.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** Where Neo4j's jars are kept. */
  readonly cacheDir: string;
  /** The folder of one backup: made by a backup, read by a restore. */
  readonly folder: string;
  readonly report: Report;
  readonly signal?: AbortSignal;
}

/** `neo4j` holds the graph; `system` the password that is in secrets.json. One is of no use without the other. */
const DATABASES = ['neo4j', 'system'] as const;
const SECRETS = 'secrets.json';
const MANIFEST = 'backup.json';
/** The form that a restore accepts; a backup of another form is not guessed at. */
const FORMAT = 1;

const ADMIN_TIMEOUT_MS = 4 * 3_600_000;

/** Dumps both databases and copies the secrets. The folder must not be there yet; it appears only when it is complete. */
export async function backUp(options: BackupOptions): Promise<void> {
  const { dataDir, folder, report } = options;
  if (existsSync(folder)) throw new LauncherError(`${folder} is there already`, 'Name a folder that is not there yet.');
  if (!existsSync(databaseFolder(dataDir, 'neo4j'))) {
    throw new LauncherError(
      `there is no database of the launcher in ${dataDir}`,
      'Set DATA_DIR to its folder. For a Neo4j in a container or of your own see docs/operations.md.',
    );
  }
  await whileStopped(options, async () => {
    const unfinished = `${folder}.part`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true, mode: 0o700 });
    for (const name of DATABASES) {
      await step(report, `dumping ${name}`, () => runAdmin(options, ['dump', name, `--to-path=${unfinished}`]));
    }
    copyFileSync(join(dataDir, SECRETS), join(unfinished, SECRETS));
    writePrivateJson(join(unfinished, MANIFEST), { format: FORMAT, time: new Date().toISOString() });
    renameSync(unfinished, folder);
  });
}

/** Loads both databases into a data folder that has none. A backup that breaks off half way is removed again. */
export async function restore(options: BackupOptions): Promise<void> {
  const { dataDir, folder, report } = options;
  if (readJson<{ format: number }>(join(folder, MANIFEST))?.format !== FORMAT) {
    throw new LauncherError(`${folder} is no complete backup`, 'Name a folder that npm run backup has made.');
  }
  await whileStopped(options, async () => {
    const present = DATABASES.filter((name) => hasFiles(databaseFolder(dataDir, name)));
    if (present.length > 0) {
      throw new LauncherError(
        `${dataDir} holds a database already`,
        `Move ${join(dataDir, 'neo4j')} away, or set DATA_DIR to an empty folder.`,
      );
    }
    try {
      for (const name of DATABASES) {
        await step(report, `loading ${name}`, () => runAdmin(options, ['load', name, `--from-path=${folder}`]));
      }
    } catch (error) {
      for (const name of DATABASES) rmSync(databaseFolder(dataDir, name), { recursive: true, force: true });
      throw error;
    }
    // Without the secret that signs positions: a client's position of after the backup would count changes that are gone, and must not be taken.
    const { taskgraphSecret: _old, ...kept } = readJson<Partial<Secrets>>(join(folder, SECRETS)) ?? {};
    // Written last: with it the folder can be started.
    writePrivateJson(join(dataDir, SECRETS), kept);
  });
}

/** Holds the data folder, so that no stack starts in it meanwhile. Fails where one runs. */
async function whileStopped(options: BackupOptions, work: () => Promise<void>): Promise<void> {
  const directory = await claimDataDirectory(resolve(options.dataDir), options.report);
  try {
    await work();
  } finally {
    directory.release();
  }
}

async function runAdmin(options: BackupOptions, command: readonly string[]): Promise<void> {
  const { cacheDir, report, signal, dataDir } = options;
  const java = await findJava({ report, signal });
  if (java === undefined) throw new LauncherError('Java 17 or newer is missing', 'Install it and try again.');
  if (!isDownloaded(cacheDir)) {
    const maven = findProgram(['mvn']);
    if (maven === undefined) throw new LauncherError('Maven is missing', 'Install it and try again.');
    await downloadNeo4j({ cacheDir, maven, java, report, signal });
  }
  const home = join(resolve(dataDir), 'neo4j');
  mkdirSync(join(home, 'conf'), { recursive: true, mode: 0o700 });
  const { code, output } = await runCommand(
    java,
    ['-cp', join(neo4jFolder(cacheDir), '*'), 'org.neo4j.cli.AdminTool', 'database', ...command],
    {
      environment: { ...process.env, NEO4J_HOME: home, NEO4J_CONF: join(home, 'conf') },
      timeoutMs: ADMIN_TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    },
  );
  if (code !== 0)
    throw new LauncherError(`neo4j-admin database ${command[0]} failed`, 'Its last lines:', lastLines(output));
}

function databaseFolder(dataDir: string, name: string): string {
  return join(dataDir, 'neo4j', 'data', 'databases', name);
}

function hasFiles(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
