// The external tools of `npm run check:api`, at fixed versions, installed once into the cache
// folder.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThere, must, run } from './process.ts';

export const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));

/** Clean clones share it through TASKGRAPH_CACHE_DIR. */
export const CACHE = join(resolve(process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache')), 'api');

/** Manifest and lock file of the npm packages. */
export const MANIFESTS = join(REPOSITORY, 'libs', 'repo-checks', 'api-tools');

/** The description of the REST API. */
export const OPENAPI = join(REPOSITORY, 'docs', 'api', 'openapi.json');

/** Programs that use generated clients. */
export const PROGRAMS = join(REPOSITORY, 'libs', 'repo-checks', 'clients');

const OASDIFF = { module: 'github.com/oasdiff/oasdiff', version: 'v1.35.0' };
/** A program's sources must be in Go's checksum database, whatever the machine's settings. */
const CHECKED_MODULES = { GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none' };

const PIP = ['install', '--quiet', '--disable-pip-version-check', '--no-input'];

const print = (line: string) => process.stdout.write(`${line}\n`);

/** The folder of the npm packages. */
export function packagesFolder(): string {
  const lock = readFileSync(join(MANIFESTS, 'package-lock.json'));
  const folder = join(CACHE, 'packages');
  const installed = join(folder, 'package-lock.json');
  const isInstalled =
    existsSync(join(folder, 'node_modules')) && existsSync(installed) && readFileSync(installed).equals(lock);
  if (!isInstalled) {
    print('installing the npm tools ...');
    mkdirSync(folder, { recursive: true });
    cpSync(MANIFESTS, folder, { recursive: true });
    must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  }
  return folder;
}

/** Loads a package of that folder. */
export function loadTool(folder: string, name: string): unknown {
  return createRequire(join(folder, 'package.json'))(name);
}

/** The path of oasdiff, which is built at first use; null without Go. */
export function oasdiff(): string | null {
  const folder = join(CACHE, `oasdiff-${OASDIFF.version}`);
  const program = join(folder, 'oasdiff');
  if (existsSync(program)) return program;
  if (!hasGo()) return null;
  print('building oasdiff ...');
  mkdirSync(folder, { recursive: true });
  must('go', ['install', `${OASDIFF.module}@${OASDIFF.version}`], { env: { ...CHECKED_MODULES, GOBIN: folder } });
  return program;
}

/** The programs from PyPI, and the name of each executable. */
const PYTHON = {
  'openapi-spec-validator': 'openapi-spec-validator==0.9.0',
  schemathesis: 'schemathesis==4.32.5',
} as const;

/** The folder of a program's virtual environment, created at first use; null without Python. */
export function pythonTool(name: keyof typeof PYTHON): string | null {
  const wanted = PYTHON[name];
  const folder = join(CACHE, wanted.replace('==', '-'));
  if (existsSync(join(folder, 'bin', name))) return join(folder, 'bin');
  return hasPython() ? pythonPrograms(folder, [wanted]) : null;
}

/**
 * Installs packages into a virtual environment, unless it has exactly these. Returns the folder of
 * its programs. Throws if the package index fails.
 */
export function pythonPrograms(folder: string, packages: readonly string[]): string {
  const [programs, record] = [join(folder, 'bin'), join(folder, 'packages.txt')];
  const wanted = packages.join('\n');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) return programs;
  print(`installing ${packages.join(', ')} ...`);
  must('python3', ['-m', 'venv', '--clear', folder]);
  const { status, output } = run(join(programs, 'pip'), [...PIP, ...packages]);
  if (status !== 0) throw new Error(`pip could not install ${packages.join(', ')} from the package index:\n${output}`);
  // Written last, so that an interrupted installation is repeated.
  writeFileSync(record, wanted);
  return programs;
}

export function hasPython(): boolean {
  return isThere('python3', ['-c', 'import venv, ensurepip']);
}

/** Runs a command of Go with a build cache that clean clones share. */
export function runGo(given: readonly string[], folder: string): string {
  return must('go', given, { cwd: folder, env: { ...CHECKED_MODULES, GOCACHE: join(CACHE, 'go-build') } });
}

export function hasGo(): boolean {
  return isThere('go', ['version']);
}
