// Builds the artifacts of a version, and moves the changes of the changelogs to it.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import { LauncherError } from '@taskgraph/launcher/errors';
import type { Build } from './artifacts/build.ts';
import { packageChart } from './artifacts/chart.ts';
import { packImageContext } from './artifacts/image-context.ts';
import { packNpmPackages } from './artifacts/npm-packages.ts';
import { writeSbom } from './artifacts/sbom.ts';
import { buildWheel } from './artifacts/wheel.ts';
import { absoluteLinks, releaseChangelog } from './changelog.ts';
import { type Artifact, sha256, writeChecksums } from './checksums.ts';
import { baseImages, createProvenance, repositoryIn } from './provenance.ts';
import { repositoryPath } from './repository.ts';
import { checkTag, copySourceTree, readSourceTree, type SourceTree } from './source/source-tree.ts';
import { CHANGELOGS, rewrite, stampSources } from './source/version-stamp.ts';
import type { ReleaseVersion } from './version.ts';

export interface ReleaseOptions {
  readonly version: ReleaseVersion;
  /** Changes nothing in the checkout, and accepts files that differ from the commit. */
  readonly isDryRun: boolean;
  /** The folder of the artifacts. Its former content is removed. */
  readonly target: string;
  report(line: string): void;
}

/** The notes of the release, and the statement about its artifacts. They are not artifacts themselves. */
const NOTES = 'release-notes.md';
const PROVENANCE = 'provenance.intoto.json';

/**
 * Returns the artifacts. Throws a LauncherError if the checkout, the version or the changelog does
 * not permit the release.
 */
export async function release({ version, isDryRun, target, report }: ReleaseOptions): Promise<readonly Artifact[]> {
  const tree = await readSourceTree();
  if (!isDryRun) await checkReleasable(tree, version);
  const notes = readNotes(version.text, isDryRun);
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-release-'));
  // Next to the final place, so that it can be renamed to it.
  const output = `${target}.${process.pid}`;
  try {
    mkdirSync(output, { recursive: true });
    const repository = repositoryIn(process.env);
    const [sources, work] = [join(folder, 'sources'), join(folder, 'work')];
    mkdirSync(work);
    copySourceTree(tree, sources);
    stampSources(sources, tree.files, version);
    const build: Build = { version, tree, sources, work, target: output, repository };
    for (const [name, step] of STEPS) {
      report(`building ${name} ...`);
      await step(build);
    }
    const artifacts = writeChecksums(output);
    writeFileSync(join(output, NOTES), `${repository ? absoluteLinks(notes, repository, version.text) : notes}\n`);
    writeFileSync(join(output, PROVENANCE), `${JSON.stringify(await describeBuild(build, artifacts), null, 2)}\n`);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    renameSync(output, target);
    if (!isDryRun) moveChanges(version.text);
    return artifacts;
  } finally {
    for (const path of [folder, output]) rmSync(path, { recursive: true, force: true });
  }
}

const STEPS: readonly (readonly [name: string, step: (build: Build) => Promise<void>])[] = [
  ['the npm packages', packNpmPackages],
  ['the Python wheel', buildWheel],
  ['the Helm chart', packageChart],
  ["the image's build context", packImageContext],
  ['the SBOM', writeSbom],
];

async function checkReleasable({ commit, changes }: SourceTree, { text }: ReleaseVersion): Promise<void> {
  if (changes.length > 0) {
    const remedy = 'Commit them, or use --dry-run, which builds the artifacts from the files as they are.';
    throw new LauncherError(`the checkout has ${changes.length} changes, such as ${changes[0]?.trim()}`, remedy);
  }
  await checkTag(text, commit);
}

/** Only a dry run may have no changes: right after a release there are none. */
function readNotes(version: string, isDryRun: boolean): string {
  const [path] = CHANGELOGS;
  const { notes } = releaseChangelog(readFileSync(repositoryPath(path), 'utf8'), version);
  if (notes !== '') return notes;
  if (isDryRun) return 'No changes.';
  const remedy = `Add the changes under "## Unreleased", or under "## ${version}".`;
  throw new LauncherError(`${path} has no changes for ${version}`, remedy);
}

/** Other changelogs may have no changes. */
function moveChanges(version: string): void {
  for (const path of CHANGELOGS) rewrite(repositoryPath(path), (text) => releaseChangelog(text, version).text);
}

async function describeBuild({ version, tree, sources }: Build, artifacts: readonly Artifact[]) {
  const lock = {
    name: 'package-lock.json',
    digest: { sha256: sha256(readFileSync(repositoryPath('package-lock.json'))) },
  };
  const dockerfile = readFileSync(join(sources, 'deploy', 'image', 'Dockerfile'), 'utf8');
  return createProvenance(
    {
      version: version.text,
      commit: tree.commit,
      isModified: tree.changes.length > 0,
      artifacts,
      dependencies: [lock, ...baseImages(dockerfile)],
      tools: { node: process.version, npm: (await must('npm', ['--version'])).trim() },
      epoch: tree.epoch,
    },
    process.env,
  );
}
