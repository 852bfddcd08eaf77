// Programs that Go builds once into the cache folder, from the sources that its database of checksums knows.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';

export interface GoProgram {
  readonly name: string;
  readonly version: string;
  readonly module: string;
  /** Its file, as Go names it. */
  readonly file: string;
}

/** Whatever this machine is set to. */
const CHECKED_MODULES = { GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none' };

/** The program's path. Throws an Error that says what to install where it is not there and can't be built. */
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
