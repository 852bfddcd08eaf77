// `npm run test:release`: builds a release twice without changing the checkout, and compares both.
// Then each artifact is installed into an empty folder and used, with a stack of its own. `--quick`
// leaves out the image's build context, whose test builds everything again, and a release without a dry
// run in a clone. `--if-changed` stops if
// the tests succeeded for the same files before.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { missingPrograms } from '@taskgraph/helm-check/tools';
import { startTestStack } from '@taskgraph/testkit/stack/stack';
import { must } from '../check-api/process.ts';
import { proofOf } from '../check-api/proof.ts';
import { REPOSITORY } from '../check-api/tools.ts';
import { type ArtifactTest, type BuiltRelease, expectEqual } from './artifact-test.ts';
import { chartPackage } from './chart-package.ts';
import { imageContext } from './image-context.ts';
import { npmTarballs } from './npm-tarballs.ts';
import { pythonWheel } from './python-wheel.ts';
import { realRun } from './real-run.ts';
import { releaseFiles } from './release-files.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, 'if-changed': { type: 'boolean', default: false } },
});

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
];

const print = (line: string) => void process.stdout.write(`${line}\n`);

const proofs = ['release-proven', ...(values.quick ? ['quick-release-proven'] : [])].map((name) =>
  proofOf(name, INPUTS, /\.(ts|js|json|py|sh|ya?ml|toml|md|lock|tpl|Dockerfile|dockerignore)$|Dockerfile$/),
);
const missing = await missingPrograms();
if (missing !== null) print(`SKIPPED: no release is built, because this machine lacks ${missing}`);
else if (values['if-changed'] && proofs.some(({ exists }) => exists))
  print('the artifacts and their tests are unchanged since the last success');
else if (await testRelease()) proofs.at(-1)?.save();

/** Whether every test succeeded. A failure sets the exit code, and the other tests still run. */
async function testRelease(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-release-test-'));
  try {
    const release = { folder: join(folder, 'release'), ...VERSION };
    const isReproducible = await attempt('npm run release', async () => buildTwice(release, join(folder, 'again')));
    if (isReproducible && (await useArtifacts(folder, release))) return true;
    process.exitCode = 1;
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds with dry runs, which may change nothing in the checkout. */
function buildTwice(release: BuiltRelease, again: string): string {
  const state = () => must('git', ['status', '--porcelain'], { cwd: REPOSITORY });
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

async function useArtifacts(folder: string, release: BuiltRelease): Promise<boolean> {
  const stack = await startTestStack({ ownDatabase: true });
  try {
    const [url = ''] = stack.urls;
    const given = { url, newToken: (email: string) => stack.token(email) };
    let succeeded = true;
    for (const test of TESTS.filter(({ isSlow }) => !(isSlow && values.quick))) {
      const own = mkdtempSync(join(folder, 'artifact-'));
      if (!(await attempt(test.name, () => test.run(own, release, given)))) succeeded = false;
    }
    return succeeded;
  } finally {
    await stack.stop();
  }
}

/** Prints the result of a step and its time. Returns whether it succeeded. */
async function attempt(name: string, step: () => Promise<string>): Promise<boolean> {
  const startMs = Date.now();
  const seconds = () => `${((Date.now() - startMs) / 1_000).toFixed(1)} s`;
  try {
    print(`${name}: ${await step()}, ${seconds()}`);
    return true;
  } catch (error) {
    print(`${name}: FAILED after ${seconds()}\n${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
