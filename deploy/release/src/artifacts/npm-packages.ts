// The npm packages: the client and the command line, which includes the server for agents.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { must } from '@taskgraph/helm-check/program';
import { releaseChangelog } from '../changelog.ts';
import { repositoryPath } from '../repository.ts';
import { checkRegular } from '../source/source-tree.ts';
import { type Manifest, rewrite, rewriteJson, stampManifest } from '../source/version-stamp.ts';
import type { Build } from './build.ts';

/** The folders that deploy/pack.mjs makes; each has the same name in `libs`. */
const PACKAGES = ['client', 'cli'] as const;

/** Packs the built packages of the checkout. */
export async function packNpmPackages({ version, work, target, repository }: Build): Promise<void> {
  const packed = join(work, 'npm');
  await must(process.execPath, [repositoryPath('deploy', 'pack.mjs'), packed]);
  for (const name of PACKAGES) {
    rewriteJson<Manifest>(join(packed, name, 'package.json'), (manifest) => ({
      ...stampManifest(manifest, version.text),
      // npm accepts a provenance only if the manifest names the repository that built the package.
      ...(repository === null ? null : { repository: repositoryOf(repository, name) }),
    }));
  }
  rewrite(join(packed, 'client', 'CHANGELOG.md'), (text) => releaseChangelog(text, version.text).text);
  const folders = PACKAGES.map((name) => join(packed, name));
  for (const folder of folders) checkRegular(folder, filesIn(folder));
  await must('npm', ['pack', ...folders, '--pack-destination', target, '--foreground-scripts=false'], { cwd: work });
}

/** The paths of everything but folders. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function repositoryOf(repository: string, name: string) {
  return { type: 'git', url: `git+${repository}.git`, directory: `libs/${name}` };
}
