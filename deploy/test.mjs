// `npm test`: makes the checkout ready, runs vitest with the arguments given, and ends with `N passed, N failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, repository } from './prepare.mjs';

prepare();
const folder = mkdtempSync(join(tmpdir(), 'taskgraph-test-'));
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
const wanted = process.argv.slice(2);
// Clusters mostly wait, for leases, timers and starts. So everything runs as two halves side by side, each on servers of its own.
const halves = [
  ['--project', 'pure', '--project', 'tidy', '--project', 'neo4j'],
  ['--project', 'cluster'],
];
// Ctrl-C belongs to vitest, which stops its backends; this process waits for it.
process.on('SIGINT', () => {});
const results = wanted.length > 0 ? [await run(wanted)] : await runHalves();
rmSync(folder, { recursive: true, force: true });
const sum = (name) => results.reduce((total, result) => total + result[name], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(results.every(({ code }) => code === 0) ? 0 : 1);

/** The servers of the first half are started before, so that only one of the two fetches and installs what is missing. */
async function runHalves() {
  const { startBackends } = await import('./launcher/dist/backends.js');
  const { streamReport } = await import('./launcher/dist/progress.js');
  const backends = await startBackends({ dataDir: join(folder, 'data'), report: streamReport(process.stderr) });
  try {
    return await Promise.all(halves.map((half, index) => run(half, index, index === 0 ? backends.environment : {})));
  } finally {
    await backends.stop();
  }
}

/** Runs vitest once. What the second half says is held back, so that the two don't mix. */
async function run(args, index = 0, environment = {}) {
  const report = join(folder, `report-${index}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const stdio = index === 0 ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], { cwd: repository, stdio, env });
  const held = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => held.push(chunk));
  const code = await new Promise((resolve) => child.on('close', (exit) => resolve(exit ?? 1)));
  process.stdout.write(Buffer.concat(held));
  return { code, ...count(report) };
}

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
