// Keeps the classes that Neo4j loads as the JVM has parsed them: with them the next server starts with a third less work.
import { createHash } from 'node:crypto';
import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';

export interface ClassArchive {
  /** For the JVM: to use the archive, or where there is none, to write one when it ends. */
  readonly options: readonly string[];
  /** Gives an archive its name once it is complete: when the JVM has ended by itself. */
  keep(): void;
}

/** The archive of these jars for this JVM. Another JVM has another one: it would refuse what is not its own. */
export function classArchive(jars: string, java: string): ClassArchive {
  const program = realpathSync(java);
  const { mtimeMs, size } = statSync(program);
  const identity = createHash('sha256').update(`${program} ${mtimeMs} ${size}`).digest('hex').slice(0, 12);
  const archive = `${jars}-${identity}.jsa`;
  if (existsSync(archive)) return { options: [`-XX:SharedArchiveFile=${archive}`], keep: () => undefined };
  const unfinished = `${archive}.${process.pid}.new`;
  return {
    options: [`-XX:ArchiveClassesAtExit=${unfinished}`],
    keep() {
      if (!existsSync(unfinished)) return;
      // The first writer wins; a JVM may be reading that one.
      if (existsSync(archive)) rmSync(unfinished);
      else renameSync(unfinished, archive);
    },
  };
}
