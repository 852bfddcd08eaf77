// `npm test [-- arguments of vitest]`: prepares the checkout, runs vitest, and prints
// `N passed, N failed` last.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { prepare, repository } from './prepare.mjs';

prepare();
const folder = mkdtempSync(join(tmpdir(), 'taskgraph-test-'));
const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
/** Tests without backends run while the backends start, and beside tests that mostly wait. */
const PURE = ['--project=pure', '--project=isolated', '--project=tidy', '--maxWorkers=2'];
/**
 * Tests that boot their own backends follow, two files at a time, since each mostly waits. They
 * start once the shared backends run: then missing programs are installed, and no two installers
 * collide.
 */
const BOOTING = ['--project=boot', '--maxWorkers=2'];
const ON_BACKENDS = ['--project=alone', '--project=neo4j', '--project=cluster', '--project=browser'];
const POLL_MS = 200;
/** How many of the longest files are printed. */
const LONGEST_FILES = 15;

const given = process.argv.slice(2);
// On Ctrl-C vitest stops its backends. This process waits for that, and starts no further run.
let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true;
});
const results = await (given.length > 0 ? Promise.all([run(given, 'given')]) : runAll());
const reports = results.map(({ report }) => report);
printTimes(reports.flatMap((report) => report?.testResults ?? []));
rmSync(folder, { recursive: true, force: true });
printFailures(reports.flatMap((report) => report?.testResults ?? []));
const counts = reports.map(count);
const [passed, failed] = ['passed', 'failed'].map((kind) => counts.reduce((sum, each) => sum + each[kind], 0));
console.log(`${passed} passed, ${failed} failed`);
process.exit(results.find(({ status }) => status !== 0)?.status ?? 0);

async function runAll() {
  // backends.setup.ts writes this file.
  const up = join(folder, 'up');
  const onBackends = run(ON_BACKENDS, 'on-backends', { TASKGRAPH_TESTS_UP: up });
  let isOver = false;
  void onBackends.finally(() => {
    isOver = true;
  });
  const booting = async () => {
    const pure = await run(PURE, 'pure');
    while (!isOver && !existsSync(up)) await sleep(POLL_MS);
    return isInterrupted ? [pure] : [pure, await run(BOOTING, 'booting')];
  };
  const [first, others] = await Promise.all([onBackends, booting()]);
  return [first, ...others];
}

/** Runs vitest. Returns its exit status and its report, which is undefined if it wrote none. */
async function run(options, name, environment = {}) {
  const path = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...options], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
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

/** Prints the number of files and tests of each kind, the sum of their durations, and the longest files. */
function printTimes(files) {
  const kinds = new Map();
  for (const { name, startTime, endTime, assertionResults } of files) {
    const [, kind = 'pure'] = basename(name, '.test.ts').split('.');
    const { files = 0, tests = 0, ms = 0 } = kinds.get(kind) ?? {};
    kinds.set(kind, { files: files + 1, tests: tests + assertionResults.length, ms: ms + endTime - startTime });
  }
  for (const [kind, { files, tests, ms }] of kinds) {
    console.log(`${kind}: ${tests} tests of ${files} files in ${Math.round(ms / 1_000)} s`);
  }
  const longest = files.toSorted((one, other) => durationOf(other) - durationOf(one)).slice(0, LONGEST_FILES);
  for (const file of longest) {
    console.log(`${String(Math.round(durationOf(file) / 1_000)).padStart(5)} s  ${relative(repository, file.name)}`);
  }
}

function durationOf({ startTime, endTime }) {
  return endTime - startTime;
}

/**
 * Prints each failure with its first line, so that a long log ends with the failures of all runs.
 * The line of the test, and what a browser waited for, find the cause of a failure that is rare.
 */
function printFailures(files) {
  const linesOf = (text) => stripVTControlCharacters(text ?? '').split('\n');
  const firstLine = (text) => linesOf(text)[0];
  for (const { name, status, message, assertionResults } of files) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    const path = relative(repository, name);
    for (const { fullName, failureMessages } of failed) {
      console.log(`failed: ${path} > ${fullName}: ${firstLine(failureMessages[0])}`);
      for (const line of new Set(failureMessages.slice(1).map(firstLine))) console.log(`  ${line}`);
      for (const line of linesOf(failureMessages[0]).slice(1)) {
        if (line.includes('waiting for') || line.includes(basename(name))) console.log(`  ${line.trim()}`);
      }
    }
    if (status === 'failed' && failed.length === 0) console.log(`failed: ${path}: ${firstLine(message)}`);
  }
}
