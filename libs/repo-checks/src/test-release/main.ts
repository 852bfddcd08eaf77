// `npm run test:release`: builds a release twice without changing the checkout, and compares both.
// Then each artifact is installed into an empty folder and used, with a stack of its own. `--quick`
// leaves out the image's build context, whose test builds everything again, and a release without a dry
// run in a clone. `--if-changed` stops if the tests succeeded for the same files before.
import { mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPrograms } from '@taskgraph/helm-check/tools';
import { must } from '../check-api/process.ts';
import { REPOSITORY } from '../check-api/tools.ts';
import { attempt, type Outcome, onOwnStack, runTests } from '../test-clients/test-run.ts';
import { type ArtifactTest, type BuiltRelease, expectEqual } from './artifact-test.ts';
import { chartPackage } from './chart-package.ts';
import { imageContext } from './image-context.ts';
import { npmTarballs } from './npm-tarballs.ts';
import { pythonWheel } from './python-wheel.ts';
import { realRun } from './real-run.ts';
import { releaseFiles } from './release-files.ts';

/** A prerelease has another form in Python. No release has this number. */
const VERSION = { version: '9999.0.0-rc.1', pythonVersion: '9999.0.0rc1' };

const TESTS: readonly ArtifactTest[] = [releaseFiles, npmTarballs, pythonWheel, chartPackage, imageContext, realRun];

const HERE = dirname(fileURLToPath(import.meta.url));
const INPUTS = [
  ...['client', 'cli', 'mcp', 'wire', 'client-python'].map((name) => join(REPOSITORY, 'libs', name, 'src')),
  ...['deploy/release/src', 'deploy/image', 'helm/taskgraph', 'docs/api'].map((path) => join(REPOSITORY, path)),
  ...[
    'package-lock.json',
    'deploy/pack.mjs',
    'libs/client-python/pyproject.toml',
    'libs/client-python/generate.py',
  ].map((path) => join(REPOSITORY, path)),
  ...['client', 'cli', 'mcp'].map((name) => join(REPOSITORY, 'libs', name, 'package.json')),
  HERE,
  join(HERE, '..', 'test-clients', 'test-run.js'),
];

const missing = await missingPrograms();
await runTests({
  name: 'release',
  inputs: INPUTS,
  suffixes: /\.(ts|js|json|py|sh|ya?ml|toml|md|lock|tpl|Dockerfile|dockerignore)$|Dockerfile$/,
  unchanged: 'the artifacts and their tests are unchanged since the last success',
  impossible: missing === null ? null : `SKIPPED: no release is built, because this machine lacks ${missing}`,
  test: testRelease,
});

async function testRelease(folder: string, isQuick: boolean): Promise<Outcome> {
  const release = { folder: join(folder, 'release'), ...VERSION };
  const isReproducible = await attempt('npm run release', async () => buildTwice(release, join(folder, 'again')));
  const tests = TESTS.filter(({ isSlow }) => !(isSlow && isQuick));
  return isReproducible && (await useArtifacts(folder, release, tests)) ? 'succeeded' : 'failed';
}

/** Builds with dry runs, which may change nothing in the checkout. */
function buildTwice(release: BuiltRelease, again: string): string {
  const state = () => must('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: REPOSITORY });
  const before = state();
  for (const folder of [release.folder, again]) {
    const given = ['--version', release.version, '--dry-run', '--output', folder];
    must(process.execPath, [join(REPOSITORY, 'deploy', 'release', 'dist', 'main.js'), ...given]);
  }
  expectEqual('the checkout', state(), before);
  const [one, other] = [release.folder, again].map((folder) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8'));
  expectEqual('the second build', other as string, one as string);
  return 'two builds are equal, and the checkout is unchanged';
}

function useArtifacts(folder: string, release: BuiltRelease, tests: readonly ArtifactTest[]): Promise<boolean> {
  return onOwnStack(async (stack) => {
    let succeeded = true;
    for (const test of tests) {
      const own = mkdtempSync(join(folder, 'artifact-'));
      if (!(await attempt(test.name, () => test.run(own, release, stack)))) succeeded = false;
    }
    return succeeded;
  });
}
