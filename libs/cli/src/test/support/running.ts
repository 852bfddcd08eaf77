// Runs commands in a home of their own: settings and copies stay apart from those of others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../main.ts';
import { outputTo } from '../../output/output.ts';

export const PROGRAM = fileURLToPath(new URL('../../../bin/taskgraph.mjs', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

export interface Home {
  readonly environment: Environment;
  /** Runs a command to its end, in this process. `terminal`: its output is taken for one with colours. */
  run(given: readonly string[], options?: { environment?: Environment; terminal?: boolean }): Promise<Ran>;
  /** The same with `--json`; throws where it fails. */
  json<T>(...given: readonly string[]): Promise<T>;
  remove(): Promise<void>;
}

/** Of several homes of a process the last one that was opened is where commands of this process look. */
export async function openHome(given: Environment = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-cli-'));
  const folders = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  // Where the folders of a user are, this process alone says.
  Object.assign(process.env, folders);
  const environment = { ...folders, TASKGRAPH_URL: '', TASKGRAPH_TOKEN: '', TASKGRAPH_PROFILE: '', ...given };
  const run: Home['run'] = async (words, { environment: more = {}, terminal = false } = {}) => {
    Object.assign(process.env, folders);
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const output = outputTo({
      stdout: { isTTY: terminal, write: (text) => stdout.push(text) },
      stderr: { isTTY: terminal, write: (text) => stderr.push(text) },
      isInteractive: false,
      hasColours: () => terminal,
    });
    const code = await runCommand({ output, environment: { ...environment, ...more }, given: words });
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  };
  return {
    environment,
    run,
    async json<T>(...words: readonly string[]) {
      const { code, stdout, stderr } = await run(['--json', ...words]);
      if (code !== 0) throw new Error(`taskgraph ${words.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    // A command that a shell has started for completion may write for a moment after its terminal is closed.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
