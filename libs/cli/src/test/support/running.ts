// Runs the command line as its users do, in a home of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../../bin/taskgraph.mjs', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home of its own: settings and copies stay apart from those of others. */
export interface Home {
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a command to its end, without a terminal. */
  run(
    given: readonly string[],
    options?: { input?: string; environment?: Readonly<Record<string, string>> },
  ): Promise<Ran>;
  /** The same with `--json`; throws where it fails. */
  json<T>(...given: readonly string[]): Promise<T>;
  remove(): Promise<void>;
}

export async function openHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-cli-'));
  const environment = {
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    ...{ TASKGRAPH_URL: '', TASKGRAPH_TOKEN: '', TASKGRAPH_PROFILE: '' },
  };
  const run: Home['run'] = async (given, { input = '', environment: more = {} } = {}) => {
    const env = { ...process.env, ...environment, ...more };
    const child = spawn(process.execPath, [PROGRAM, ...given], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout, stderr };
  };
  return {
    environment,
    run,
    async json<T>(...given: readonly string[]) {
      const { code, stdout, stderr } = await run(['--json', ...given]);
      if (code !== 0) throw new Error(`taskgraph ${given.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
