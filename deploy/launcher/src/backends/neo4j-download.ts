// Downloads Neo4j's jars from Maven Central into the cache folder, once for all data folders.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { lockDownload } from '../data/download-lock.ts';
import { LauncherError } from '../errors.ts';
import { lastLines, runCommand } from '../processes/commands.ts';
import type { Report } from '../progress.ts';

const NEO4J_VERSION = '5.26.31';
const COPY_GOAL = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
/**
 * The checksum of this version's jars (`checksumOf`). Maven verifies each jar against its mirror;
 * this checksum does not depend on the mirror.
 */
export const JARS_SHA256 = '5ff513a7c2196de08e703fd73ca770a9a001a80327d7889aa4192f1fc4506e76';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>taskgraph</groupId>
  <artifactId>neo4j-download</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>${NEO4J_VERSION}</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>${NEO4J_VERSION}</version></dependency>
  </dependencies>
</project>
`;

export interface DownloadOptions {
  readonly cacheDir: string;
  readonly maven: string;
  /** The Java that runs Maven. */
  readonly java: string;
  readonly report: Report;
  readonly signal: AbortSignal | undefined;
}

/** The folder of jars. It gets its name after the download, so it is complete if it exists. */
export function neo4jFolder(cacheDir: string): string {
  return join(cacheDir, `neo4j-${NEO4J_VERSION}`);
}

export function isDownloaded(cacheDir: string): boolean {
  return existsSync(neo4jFolder(cacheDir));
}

export async function downloadNeo4j(options: DownloadOptions): Promise<void> {
  // Maven's local repository is unsafe with two writers.
  const unlock = await lockDownload(neo4jFolder(options.cacheDir), 'Neo4j', options);
  try {
    // Another launcher may have downloaded the jars in the meantime.
    if (!isDownloaded(options.cacheDir)) await download(options);
  } finally {
    unlock();
  }
}

async function download(options: DownloadOptions): Promise<void> {
  const folder = neo4jFolder(options.cacheDir);
  const unfinished = `${folder}.part`;
  // The remains of an interrupted download; the lock excludes a running one.
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const pom = join(unfinished, 'pom.xml');
  writeFileSync(pom, POM);
  const goals = [COPY_GOAL, `-DoutputDirectory=${unfinished}`, '-DincludeScope=runtime'];
  const { code, output } = await runCommand(
    options.maven,
    ['--batch-mode', '--strict-checksums', '--file', pom, ...goals],
    {
      directory: unfinished,
      environment: { ...process.env, JAVA_HOME: javaHome(options.java) },
      signal: options.signal,
      // The next download must not meet a Maven that still writes.
      killed: true,
      onLine: countMegabytes(options.report),
    },
  );
  if (code !== 0 || !readdirSync(unfinished).includes(`neo4j-${NEO4J_VERSION}.jar`)) {
    throw new LauncherError(
      'Maven could not fetch Neo4j',
      "Check the network (or a mirror in Maven's settings.xml) and start again; its last lines:",
      lastLines(output),
    );
  }
  const found = checksumOf(unfinished);
  if (found !== JARS_SHA256) {
    throw new LauncherError(
      `the downloaded jars are not those of Neo4j ${NEO4J_VERSION} (their checksum is ${found})`,
      "Check the mirrors in Maven's settings.xml, delete ~/.m2/repository/org/neo4j, and start again.",
    );
  }
  renameSync(unfinished, folder);
}

/**
 * SHA-256 over the names and SHA-256 sums of all jars in a folder, in the output format of
 * `sha256sum`.
 */
export function checksumOf(folder: string): string {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.jar'))
    .sort()
    .map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  return sha256(lines.join(''));
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The folder above `bin/java`, with the links of PATH resolved. */
function javaHome(java: string): string {
  return dirname(dirname(realpathSync(java)));
}

/** Adds up the file sizes that Maven prints, as the progress. */
function countMegabytes(report: Report): (line: string) => void {
  const units: Record<string, number> = { B: 1e-6, kB: 1e-3, MB: 1 };
  let megabytes = 0;
  return (line) => {
    // Backtracks: the input is short lines of Maven.
    const match = /Downloaded from .* \(([\d.]+) (B|kB|MB) at /.exec(line);
    if (match === null) return;
    megabytes += Number(match[1]) * (units[match[2] ?? ''] ?? 0);
    report.status(`fetching Neo4j: ${megabytes.toFixed(0)} MB of about 150`);
  };
}
