// An archive of the classes that Neo4j loads. A server that maps it starts in little more than half
// of the processor time.
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { lastLines, runCommand } from '../processes/commands.ts';
import type { Report } from '../progress.ts';

const MAKING_TIMEOUT_MS = 600_000;

export interface ClassArchive {
  /** JVM arguments for these jars: they map the archive, or record the loaded classes. */
  readonly arguments: readonly string[];
  /**
   * Makes the archive from the classes that the JVM has loaded so far, unless one exists. It takes
   * 15 s of processor time at a low priority; at the lowest it would never finish on a busy
   * machine. Never rejects: without an archive the next server starts as slowly as this one.
   */
  make(): Promise<void>;
  /** Ends an archiving that is in progress. */
  stop(): void;
}

export interface ClassArchiveOptions {
  readonly java: string;
  /** The folder of jars; the archive is stored beside it. */
  readonly jars: string;
  /** An existing folder for the list of loaded classes. */
  readonly workDir: string;
  readonly report: Report;
}

/**
 * The archive for this Java and these jars. The JVM maps it only if it matches both, and otherwise
 * starts without it.
 */
export function classArchive({ java, jars, workDir, report }: ClassArchiveOptions): ClassArchive {
  const file = `${jars}.${keyOf(java, jars)}.jsa`;
  const list = join(workDir, 'neo4j-classes');
  if (existsSync(file)) {
    // A server that restarted after the archiving has written another list.
    rmSync(list, { force: true });
    return { arguments: [`-XX:SharedArchiveFile=${file}`], make: () => Promise.resolve(), stop: () => undefined };
  }
  const unfinished = `${file.slice(0, -'.jsa'.length)}.${randomUUID()}.jsa.new`;
  // The server continues its own list, and truncates it when it restarts.
  const copy = `${list}.copy`;
  const stopping = new AbortController();
  const make = async () => {
    try {
      // Another launcher is making the archive.
      if (archivesOf(jars).unfinished.some(isFresh)) return;
      writeFileSync(unfinished, '');
      await dump({ java, jars, list, copy, unfinished, signal: stopping.signal });
      removeOthers(jars);
      renameSync(unfinished, file);
    } catch (error) {
      if (!stopping.signal.aborted) report.line(`the archive of Neo4j's classes could not be made: ${String(error)}`);
    } finally {
      for (const name of [list, copy, unfinished]) rmSync(name, { force: true });
    }
  };
  return { arguments: [`-XX:DumpLoadedClassList=${list}`], make, stop: () => stopping.abort() };
}

/** Makes a server's archive while the server runs. Stopping the server stops the archiving too. */
export function archiveDuring<Server extends { stop(): Promise<void> }>(archive: ClassArchive, server: Server): Server {
  const making = archive.make();
  const stop = async () => {
    archive.stop();
    await Promise.all([server.stop(), making]);
  };
  return { ...server, stop };
}

interface Dump extends Pick<ClassArchiveOptions, 'java' | 'jars'> {
  readonly list: string;
  readonly copy: string;
  readonly unfinished: string;
  readonly signal: AbortSignal;
}

async function dump({ java, jars, list, copy, unfinished, signal }: Dump): Promise<void> {
  // The JVM cannot always read its own lines about lambdas; it generates those classes again.
  const classes = readFileSync(list, 'utf8').split('\n');
  writeFileSync(copy, classes.filter((line) => !line.startsWith('@')).join('\n'));
  // The dump runs none of the archived classes, so that no method is marked as waiting for a
  // compiler that no longer exists.
  const making = ['-Xshare:dump', `-XX:SharedClassListFile=${copy}`, `-XX:SharedArchiveFile=${unfinished}`];
  const { code, output } = await runCommand(java, [...making, '-XX:+UseG1GC', '-cp', join(jars, '*')], {
    signal,
    // On SIGTERM the JVM would first write the whole archive.
    killed: true,
    timeoutMs: MAKING_TIMEOUT_MS,
    onPid: (pid) => setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL),
  });
  if (code !== 0) throw new Error(lastLines(output, 3).join(' '));
}

/**
 * The JVM rejects an archive if the jars' times or sizes differ, so each set of jars has its own
 * key.
 */
function keyOf(java: string, jars: string): string {
  const program = realpathSync(java);
  const names = readdirSync(jars).sort();
  const contents = names.map((name) => {
    const { mtimeMs, size } = statSync(join(jars, name));
    return [name, mtimeMs, size];
  });
  const parts = [program, statSync(program).mtimeMs, jars, contents];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

/** Removes archives of other Java versions and unfinished archives of other launchers. */
function removeOthers(jars: string): void {
  const { archives, unfinished } = archivesOf(jars);
  const left = unfinished.filter((path) => !isFresh(path));
  for (const path of [...archives, ...left]) rmSync(path, { force: true });
}

function archivesOf(jars: string): { readonly archives: string[]; readonly unfinished: string[] } {
  const [folder, prefix] = [dirname(jars), `${basename(jars)}.`];
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const ending = (end: string) => names.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
  return { archives: ending('.jsa'), unfinished: ending('.jsa.new') };
}

function isFresh(path: string): boolean {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedMs > Date.now() - MAKING_TIMEOUT_MS;
}
