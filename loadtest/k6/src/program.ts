// Finds k6, or builds it once into the cache folder, and runs scripts with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';

const VERSION = '1.8.1';
/** The exit code of k6 if a threshold failed. */
const THRESHOLD_CODE = 99;

/** Sources must match Go's checksum database, regardless of this machine's settings. */
const CHECKED_MODULES = { GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none' };

/** Runs one script of the folder `loadtest`. */
export type RunScript = (script: string, environment: Readonly<Record<string, string>>) => Promise<ScriptResult>;

export interface ScriptResult {
  /** Whether all thresholds held. */
  readonly ok: boolean;
  /** The script's counters. */
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * The k6 of the cache folder, built with Go if it is missing. Throws an Error that names the
 * package to install if it cannot be built.
 */
export async function findK6(note: (line: string) => void): Promise<RunScript> {
  const cache = resolve(process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache'));
  const folder = join(cache, `k6-${VERSION}`);
  const program = join(folder, 'k6');
  if (!existsSync(program)) {
    note(`building k6 ${VERSION} with Go, once; this takes some minutes`);
    await mkdir(folder, { recursive: true });
    const built = await run('go', ['install', `go.k6.io/k6@v${VERSION}`], {
      GOBIN: folder,
      ...CHECKED_MODULES,
    });
    if (built !== 0)
      throw new Error(`k6 could not be built. Install Go 1.25 or newer, or put k6 ${VERSION} at ${program}.`);
  }
  return (script, environment) => runScript(program, script, environment);
}

async function runScript(
  program: string,
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<ScriptResult> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-k6-'));
  const figures = join(folder, 'figures.json');
  try {
    const path = join(REPOSITORY, 'loadtest', script);
    // Prevents requests to hosts other than this machine.
    const offline = { K6_AUTO_EXTENSION_RESOLUTION: 'false', K6_NO_USAGE_REPORT: 'true' };
    const code = await run(program, ['run', '--quiet', '--include-system-env-vars', path], {
      ...offline,
      ...environment,
      FIGURES: figures,
    });
    if (code !== 0 && code !== THRESHOLD_CODE) throw new Error(`${script} failed: k6 ended with ${code}.`);
    return { ok: code === 0, figures: JSON.parse(await readFile(figures, 'utf8')) as Record<string, number> };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code; null after a signal, or if the program is missing. Its output goes to stderr. */
async function run(
  program: string,
  commandArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number | null> {
  const child = spawn(program, commandArguments, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 2, 2],
  });
  return once(child, 'exit').then(
    ([code]) => code as number | null,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}
