// An archive of the classes that Neo4j loads: a server that maps it starts with little more than half of the processor time.
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
  /** For a JVM on these jars: to map the archive, or to write down which classes it loads. */
  readonly arguments: readonly string[];
  /**
   * Makes the archive of what the JVM with these arguments has loaded so far, where there is none. It takes a quarter of a minute of a processor at a low
   * priority, though not the lowest, at which it would not end while a machine is busy; and never rejects: without it the next server starts as slowly
   * as this one.
   */
  make(): Promise<void>;
  /** Ends the making that is under way. */
  stop(): void;
}

export interface ClassArchiveOptions {
  readonly java: string;
  /** The folder of jars; the archive lies beside it. */
  readonly jars: string;
  /** A folder that exists, for the list of what is loaded. */
  readonly workDir: string;
  readonly report: Report;
}

/** The archive for this Java and these jars. The JVM maps it only if it fits both, and starts without it otherwise. */
export function classArchive({ java, jars, workDir, report }: ClassArchiveOptions): ClassArchive {
  const file = `${jars}.${keyOf(java, jars)}.jsa`;
  const list = join(workDir, 'neo4j-classes');
  if (existsSync(file)) {
    // A server that was started again after the making has written one more.
    rmSync(list, { force: true });
    return { arguments: [`-XX:SharedArchiveFile=${file}`], make: () => Promise.resolve(), stop: () => undefined };
  }
  const unfinished = `${file.slice(0, -'.jsa'.length)}.${randomUUID()}.jsa.new`;
  // The server goes on writing to its own list, and begins it anew when it is started again.
  const copy = `${list}.copy`;
  const stopping = new AbortController();
  const make = async () => {
    try {
      // Another launcher is at it.
      if (besides(jars).unfinished.some(isFresh)) return;
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

/** Has a server's archive made while it runs; its stop ends that too. */
export function makeBeside<Server extends { stop(): Promise<void> }>(archive: ClassArchive, server: Server): Server {
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
  // The JVM does not always read again its own lines about lambdas; it makes those anew.
  const classes = readFileSync(list, 'utf8').split('\n');
  writeFileSync(copy, classes.filter((line) => !line.startsWith('@')).join('\n'));
  // It runs nothing of what it archives, so that no method is marked as waiting for a compiler that is gone.
  const making = ['-Xshare:dump', `-XX:SharedClassListFile=${copy}`, `-XX:SharedArchiveFile=${unfinished}`];
  const { code, output } = await runCommand(java, [...making, '-XX:+UseG1GC', '-cp', join(jars, '*')], {
    signal,
    // Asked to end, the JVM first writes the whole archive.
    killed: true,
    timeoutMs: MAKING_TIMEOUT_MS,
    onPid: (pid) => setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL),
  });
  if (code !== 0) throw new Error(lastLines(output, 3).join(' '));
}

/** The JVM refuses an archive of jars with other times or sizes, so that those need one of their own. */
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

/** Archives of another Java are of no more use, nor are those that a launcher left unfinished. */
function removeOthers(jars: string): void {
  const { archives, unfinished } = besides(jars);
  const left = unfinished.filter((path) => !isFresh(path));
  for (const path of [...archives, ...left]) rmSync(path, { force: true });
}

function besides(jars: string): { readonly archives: string[]; readonly unfinished: string[] } {
  const [folder, prefix] = [dirname(jars), `${basename(jars)}.`];
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
  const ending = (end: string) => names.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
  return { archives: ending('.jsa'), unfinished: ending('.jsa.new') };
}

function isFresh(path: string): boolean {
  const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedMs > Date.now() - MAKING_TIMEOUT_MS;
}
