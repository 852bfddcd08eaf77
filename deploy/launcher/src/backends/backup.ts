// Backs up and restores the Neo4j database of a stopped data folder. The Community edition can only
// dump stopped databases.
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
  /** The folder of Neo4j's jars. */
  readonly cacheDir: string;
  /** The folder of one backup: a backup writes it, a restore reads it. */
  readonly folder: string;
  readonly report: Report;
  readonly signal?: AbortSignal;
}

/** `neo4j` holds the graph, `system` the password from secrets.json. A restore needs both. */
const DATABASES = ['neo4j', 'system'] as const;
const SECRETS = 'secrets.json';
const MANIFEST = 'backup.json';
/** The backup format. A restore rejects any other format. */
const FORMAT = 1;

const ADMIN_TIMEOUT_MS = 4 * 3_600_000;

/**
 * Dumps both databases and copies the secrets. The folder must not exist; it appears once it is
 * complete.
 */
export async function backUp(options: BackupOptions): Promise<void> {
  const { dataDir, folder, report } = options;
  if (existsSync(folder)) throw new LauncherError(`${folder} already exists`, 'Name a folder that does not exist.');
  if (!existsSync(databaseFolder(dataDir, 'neo4j'))) {
    throw new LauncherError(
      `${dataDir} contains no database of the launcher`,
      'Set DATA_DIR to its folder. For a Neo4j in a container or your own Neo4j see docs/operations.md.',
    );
  }
  await withStoppedStack(options, async () => {
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

/** Loads both databases into a data folder that has none. A failed restore removes its files. */
export async function restore(options: BackupOptions): Promise<void> {
  const { dataDir, folder, report } = options;
  if (readJson<{ format: number }>(join(folder, MANIFEST))?.format !== FORMAT) {
    throw new LauncherError(`${folder} is not a complete backup`, 'Name a folder that npm run backup created.');
  }
  await withStoppedStack(options, async () => {
    const present = DATABASES.filter((name) => hasFiles(databaseFolder(dataDir, name)));
    if (present.length > 0) {
      throw new LauncherError(
        `${dataDir} already contains a database`,
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
    // Leaves out the secret that signs positions. A position issued after the backup counts changes
    // that no longer exist, so the service must reject it.
    const { taskgraphSecret: _old, ...kept } = readJson<Partial<Secrets>>(join(folder, SECRETS)) ?? {};
    // Written last, because this file makes the folder startable.
    writePrivateJson(join(dataDir, SECRETS), kept);
  });
}

/** Holds the data folder during the work, so that no stack starts in it. Fails if one runs. */
async function withStoppedStack(options: BackupOptions, work: () => Promise<void>): Promise<void> {
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
      // A restore deletes next what the program still writes.
      killed: true,
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
