// `npm test`: makes the checkout ready, runs vitest with the arguments given, and ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { prepare, repository } from './prepare.mjs';

prepare();
const folder = mkdtempSync(join(tmpdir(), 'taskgraph-test-'));
const report = join(folder, 'report.json');
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
// Ctrl-C belongs to vitest, which stops its backends; this process waits for it.
process.on('SIGINT', () => {});
const result = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
  cwd: repository,
  stdio: 'inherit',
});
const { passed, failed } = count(report);
tellTimes(report);
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(result.status ?? 1);

/** A run that wrote no report, or a file that could not be loaded, counts as one failure. */
function count(path) {
  const run = readReport(path);
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
function tellTimes(path) {
  const kinds = new Map();
  for (const { name, startTime, endTime, assertionResults } of readReport(path)?.testResults ?? []) {
    const [, kind = 'pure'] = basename(name, '.test.ts').split('.');
    const { files = 0, tests = 0, ms = 0 } = kinds.get(kind) ?? {};
    kinds.set(kind, { files: files + 1, tests: tests + assertionResults.length, ms: ms + endTime - startTime });
  }
  for (const [kind, { files, tests, ms }] of kinds) {
    console.log(`${kind}: ${tests} tests of ${files} files in ${Math.round(ms / 1_000)} s`);
  }
}
