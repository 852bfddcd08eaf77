// Prepares a checkout to run: checks Node, installs packages if they differ from the lock file, and
// builds. It has no dependencies, because nothing may be installed yet, and writes nothing to
// stdout.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './console.mjs';

const LEAST_NODE = [20, 19];

export const repository = resolve(fileURLToPath(new URL('..', import.meta.url)));

/**
 * Returns when the project is installed and built; ends the process with a clear error otherwise.
 */
export function prepare() {
  checkNode();
  if (!isInstalled()) {
    console.error('installing packages ...');
    run('npm', ['ci'], 'npm could not install the packages', 'Check the network and run npm ci by hand.');
  }
  const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  run(
    process.execPath,
    [compiler, '-b'],
    'the build failed',
    'The errors above say where; a fresh checkout builds without any.',
  );
  if (!buildConsole()) {
    fail('the console could not be built', 'The errors above say where; node deploy/console.mjs builds it alone.');
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  fail(`Node ${process.versions.node} is too old`, `Install Node ${LEAST_NODE.join('.')} or newer.`);
}

/**
 * Compares npm's record in node_modules with the lock file. Dates are wrong after a checkout or in
 * a restored cache.
 */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages(join('node_modules', '.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = present[path];
    // Optional packages are for other systems, for example another platform's compiler.
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(repository, path), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function run(command, commandArguments, what, remedy) {
  // Their output goes to stderr: stdout belongs to the program that is run afterwards.
  const result = spawnSync(command, commandArguments, {
    cwd: repository,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (result.status !== 0) fail(what, remedy);
}

function fail(what, remedy) {
  console.error(`error: ${what}\n  ${remedy}`);
  process.exit(1);
}
