// `npm test`: makes the checkout ready, runs vitest with the arguments given, and ends with `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(result.status ?? 1);

/** A run that wrote no report, or a file that could not be loaded, counts as one failure. */
function count(path) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'));
    const broken = testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: numPassedTests, failed: numFailedTests + broken.length };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
