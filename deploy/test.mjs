// `npm test`: makes the checkout ready, runs vitest with the arguments given, and ends with `N passed, N failed`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { prepare, repository } from './prepare.mjs';

prepare();
const folder = mkdtempSync(join(tmpdir(), 'taskgraph-test-'));
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
/**
 * Tests without the backends of the run: one process has them done, one file at a time, while those come up and some tests have them to
 * themselves. These wait often, and never for the machine alone. Those that boot databases of their own come last.
 */
const BY_THEMSELVES = ['--project=pure', '--project=isolated', '--project=tidy', '--project=boot', '--maxWorkers=1'];
const ON_BACKENDS = ['--project=alone', '--project=neo4j', '--project=cluster'];

const given = process.argv.slice(2);
// Ctrl-C belongs to vitest, which stops its backends; this process waits for it.
process.on('SIGINT', () => {});
const results = await Promise.all((given.length > 0 ? [given] : [ON_BACKENDS, BY_THEMSELVES]).map(run));
const reports = results.map(({ report }) => report);
tellTimes(reports.flatMap((report) => report?.testResults ?? []));
rmSync(folder, { recursive: true, force: true });
const counts = reports.map(count);
const [passed, failed] = ['passed', 'failed'].map((kind) => counts.reduce((sum, each) => sum + each[kind], 0));
console.log(`${passed} passed, ${failed} failed`);
process.exit(results.find(({ status }) => status !== 0)?.status ?? 0);

/** Runs vitest with these arguments; gives its status and its report, undefined where it wrote none. */
async function run(options, index) {
  const path = join(folder, `${index}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...options], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(child, 'exit');
  return { status: status ?? 1, report: readReport(path) };
}

/** A run that wrote no report, or a file that could not be loaded, counts as one failure. */
function count(run) {
  if (run === undefined) return { passed: 0, failed: 1 };
  const broken = run.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: run.numPassedTests, failed: run.numFailedTests + broken.length };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Prints for each kind of tests how many files and tests ran, and how long these took, added up: several run beside each other. */
function tellTimes(files) {
  const kinds = new Map();
  for (const { name, startTime, endTime, assertionResults } of files) {
    const [, kind = 'pure'] = basename(name, '.test.ts').split('.');
    const { files = 0, tests = 0, ms = 0 } = kinds.get(kind) ?? {};
    kinds.set(kind, { files: files + 1, tests: tests + assertionResults.length, ms: ms + endTime - startTime });
  }
  for (const [kind, { files, tests, ms }] of kinds) {
    console.log(`${kind}: ${tests} tests of ${files} files in ${Math.round(ms / 1_000)} s`);
  }
}
