// `npm run previous-release -- --commit REF`: builds the services of a commit from Git's history, and
// replaces the archive in deploy/previous-release by them.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ARCHIVE,
  DESCRIPTION,
  type LockedPackages,
  must,
  PREVIOUS_RELEASE_FOLDER,
  type PreviousRelease,
  readLock,
  sha256,
  workspacesOf,
} from './previous-release.ts';

/** Besides the services: the manifests for npm, and the files that gateways serve. */
const ROOT_FILES = ['package.json', 'package-lock.json', '.npmrc', 'docs/api/openapi.json', 'docs/api/asyncapi.json'];
const SERVED_FOLDERS = ['services/gateway/page'];
/** The console is larger than all services. Tests of upgrades do without it. */
const CONSOLE = 'services/console';
/** Types, source maps, and records of the compiler. */
const NOT_RUN = /\.(d\.ts|map|tsbuildinfo)$/;

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { commit: { type: 'string' }, version: { type: 'string' } } });
  if (values.commit === undefined) throw new Error('--commit REF names the commit of the previous release');
  const commit = (await must('git', ['rev-parse', '--verify', `${values.commit}^{commit}`])).trim();
  const epoch = Number((await must('git', ['show', '--no-patch', '--format=%ct', commit])).trim());
  const work = mkdtempSync(join(tmpdir(), 'taskgraph-previous-'));
  try {
    const sources = join(work, 'sources');
    mkdirSync(sources);
    await must('git', ['archive', '--format=tar', `--output=${join(work, 'sources.tar')}`, commit]);
    await must('tar', ['--extract', '--file', join(work, 'sources.tar'), '--directory', sources]);
    await must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], sources);
    await must(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-b'], sources);
    const archive = join(work, ARCHIVE);
    await writeArchive(sources, runFiles(sources, readLock(sources)), { archive, epoch });
    const bytes = readFileSync(archive);
    const description: PreviousRelease = {
      version: values.version ?? readManifest(sources).version,
      commit,
      epoch,
      lockDigest: sha256(readFileSync(join(sources, 'package-lock.json'))),
      archiveDigest: sha256(bytes),
    };
    mkdirSync(PREVIOUS_RELEASE_FOLDER, { recursive: true });
    writeFileSync(join(PREVIOUS_RELEASE_FOLDER, ARCHIVE), bytes);
    writeFileSync(join(PREVIOUS_RELEASE_FOLDER, DESCRIPTION), `${JSON.stringify(description, null, 2)}\n`);
    process.stdout.write(`${description.version} of ${commit.slice(0, 12)}: ${Math.ceil(bytes.length / 1024)} KiB\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The files of the archive, relative and sorted. */
function runFiles(sources: string, locked: LockedPackages): string[] {
  const manifests = workspacesOf(locked).map((workspace) => `${workspace}/package.json`);
  const compiled = runPackages(sources, locked).map((workspace) => `${workspace}/dist`);
  const folders = [...compiled, ...SERVED_FOLDERS].flatMap((folder) => filesBelow(sources, folder));
  return [...ROOT_FILES, ...manifests, ...folders].filter((path) => !NOT_RUN.test(path)).sort();
}

/** The services, and the packages that they import, directly or not. */
function runPackages(sources: string, locked: LockedPackages): string[] {
  const services = workspacesOf(locked).filter((path) => path.startsWith('services/') && path !== CONSOLE);
  const found = new Set(services);
  for (const workspace of found)
    for (const name of Object.keys(readManifest(join(sources, workspace)).dependencies ?? {})) {
      const { link, resolved } = locked[`node_modules/${name}`] ?? {};
      if (link === true && resolved !== undefined) found.add(resolved);
    }
  return [...found];
}

function filesBelow(sources: string, folder: string): string[] {
  return (readdirSync(join(sources, folder), { recursive: true }) as string[])
    .map((path) => `${folder}/${path}`)
    .filter((path) => statSync(join(sources, path)).isFile());
}

/** The same files give the same bytes on every machine. Needs GNU tar. */
async function writeArchive(
  sources: string,
  files: readonly string[],
  { archive, epoch }: { archive: string; epoch: number },
): Promise<void> {
  const list = join(sources, '..', 'files');
  writeFileSync(list, files.map((path) => `${path}\n`).join(''));
  await must('tar', [
    '--create',
    '--format=ustar',
    `--mtime=@${epoch}`,
    '--mode=u=rw,go=r',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--use-compress-program=gzip -9 --no-name',
    `--file=${archive}`,
    `--directory=${sources}`,
    '--no-recursion',
    '--verbatim-files-from',
    `--files-from=${list}`,
  ]);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
