// Builds the console with Vite, unless the files in its last build are unchanged. It needs the
// packages of the lock file, and nothing else. Run by hand: `node deploy/console.mjs`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = resolve(fileURLToPath(new URL('..', import.meta.url)));
const folder = join(repository, 'services', 'console');
const built = join(folder, 'dist');

/** The files that decide about the build, and are no modules. */
const OTHERS = [
  'package-lock.json',
  'libs/client/package.json',
  'services/console/index.html',
  'services/console/package.json',
  'services/console/src/style/app.webmanifest',
  'services/console/src/style/icon.svg',
  'services/console/vite.config.ts',
];

/** Returns whether the console is built. The output of a failed build is on stderr. */
export function buildConsole() {
  if (isCurrent()) return true;
  // Another process may read the present build, or make the same one.
  const fresh = join(folder, '.cache', `dist-${process.pid}`);
  const vite = join(repository, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn', '--outDir', fresh], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  writeFileSync(join(fresh, 'inputs.sha256'), hashOf(inputsOf(fresh)));
  rmSync(built, { recursive: true, force: true });
  try {
    renameSync(fresh, built);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!isCurrent()) throw error;
  }
  return true;
}

function isCurrent() {
  try {
    return readFileSync(join(built, 'inputs.sha256'), 'utf8') === hashOf(inputsOf(built));
  } catch {
    return false;
  }
}

/** The files of the repository in a build. */
function inputsOf(build) {
  return [...JSON.parse(readFileSync(join(build, 'inputs.json'), 'utf8')), ...OTHERS];
}

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(repository, path)))
      .update('\0');
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(buildConsole() ? 0 : 1);
