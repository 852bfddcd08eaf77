// Go programs, built once into the cache folder from sources in Go's checksum database.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';

export interface GoProgram {
  readonly name: string;
  readonly version: string;
  readonly module: string;
  /** Its file name, as Go names it. */
  readonly file: string;
}

/** Overrides the settings of this machine. */
const CHECKED_MODULES = { GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none' };

/**
 * The program's path. Throws an Error that names the package to install if the program is missing
 * and cannot be built.
 */
export function goProgram({ name, version, module, file }: GoProgram, note: (line: string) => void): string {
  const cache = resolve(process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache'));
  const folder = join(cache, `${name}-${version}`);
  const program = join(folder, file);
  if (existsSync(program)) return program;
  note(`building ${name} ${version} with Go, once`);
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, ...CHECKED_MODULES, GOBIN: folder };
  const { status } = spawnSync('go', ['install', `${module}@v${version}`], { env, stdio: ['ignore', 2, 2] });
  if (status === 0) return program;
  throw new Error(`${name} could not be built. Install Go 1.24 or newer, or put the program at ${program}.`);
}
