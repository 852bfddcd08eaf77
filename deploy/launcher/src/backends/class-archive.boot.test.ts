// The class archive, written and mapped by the real JVM. It holds Java's own classes only, which
// takes seconds.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram, runCommand } from '../processes/commands.ts';
import { silentReport } from '../progress.ts';
import { classArchive } from './class-archive.ts';

let folder: string;
let java: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-classes-'));
  mkdirSync(join(folder, 'jars'));
  java = findProgram(['java']) as string;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const archive = (report = silentReport, workDir = folder) =>
  classArchive({ java, jars: join(folder, 'jars'), workDir, report });

/** Removes everything but an empty folder of jars. */
function clear(): void {
  for (const name of readdirSync(folder)) if (name !== 'jars') rmSync(join(folder, name));
}

test('it contains the classes of the first JVM, and the next JVM maps it', async () => {
  const first = archive();
  await runCommand(java, [...first.arguments, '-version'], {});
  // An archive of another Java version.
  writeFileSync(join(folder, 'jars.0123456789ab.jsa'), '');
  await first.make();
  const [made, ...others] = readdirSync(folder).filter((name) => name.startsWith('jars.'));
  expect(others).toEqual([]);
  const next = archive();
  expect(next.arguments).toEqual([`-XX:SharedArchiveFile=${join(folder, made as string)}`]);
  const { code, output } = await runCommand(java, [...next.arguments, '-Xshare:on', '-version'], {});
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('sharing') });
});

test('a failed archiving is reported and leaves no files', async () => {
  clear();
  const lines: string[] = [];
  // No server was started, so there is no class list.
  await archive({ ...silentReport, line: (text) => void lines.push(text) }).make();
  expect(lines).toEqual([expect.stringContaining("the archive of Neo4j's classes could not be made")]);
  expect(readdirSync(folder)).toEqual(['jars']);
});

test('changed jars get a new archive', async () => {
  clear();
  const before = archive();
  await runCommand(java, [...before.arguments, '-version'], {});
  await before.make();
  const jar = join(folder, 'jars', 'a.jar');
  writeFileSync(jar, '');
  expect(archive().arguments).toEqual([`-XX:DumpLoadedClassList=${join(folder, 'neo4j-classes')}`]);
  rmSync(jar);
});

test('a stopped archiving ends, leaves no files, and reports nothing', async () => {
  clear();
  const lines: string[] = [];
  const stopped = archive({ ...silentReport, line: (text) => void lines.push(text) });
  await runCommand(java, [...stopped.arguments, '-version'], {});
  const making = stopped.make();
  stopped.stop();
  await making;
  expect([lines, readdirSync(folder)]).toEqual([[], ['jars']]);
});

test('two archivings in one process do not disturb each other', async () => {
  clear();
  const [first, second] = [archive(), archive(silentReport, join(folder, 'jars'))];
  await runCommand(java, [...first.arguments, '-version'], {});
  const making = first.make();
  await second.make();
  await making;
  expect(readdirSync(folder).filter((name) => name.startsWith('jars.'))).toEqual([
    expect.stringMatching(/^jars\.[0-9a-f]{12}\.jsa$/),
  ]);
});
