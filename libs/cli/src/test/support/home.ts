// Runs commands in a temporary home with its own settings and copies.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../main.ts';
import { createOutput } from '../../output/output.ts';

export const PROGRAM = fileURLToPath(new URL('../../../bin/taskgraph.mjs', import.meta.url));

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

export interface Home {
  readonly environment: Environment;
  /** Runs a command in this process. `terminal`: whether its output is a terminal with colours. */
  run(words: readonly string[], options?: { environment?: Environment; terminal?: boolean }): Promise<CommandResult>;
  /** The same with `--json`; throws if the command fails. */
  json<T>(...words: readonly string[]): Promise<T>;
  remove(): Promise<void>;
}

/** Creates a home. Commands of this process use the home whose `run` was called last. */
export async function openHome(variables: Environment = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-cli-'));
  const folders = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
  // The program reads these folders from the environment of the process.
  Object.assign(process.env, folders);
  const environment = { ...folders, TASKGRAPH_URL: '', TASKGRAPH_TOKEN: '', TASKGRAPH_PROFILE: '', ...variables };
  const run: Home['run'] = async (words, { environment: more = {}, terminal = false } = {}) => {
    Object.assign(process.env, folders);
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const output = createOutput({
      stdout: { isTTY: terminal, write: (text) => stdout.push(text) },
      stderr: { isTTY: terminal, write: (text) => stderr.push(text) },
      isInteractive: false,
      hasColours: () => terminal,
    });
    const code = await runCommand({ output, environment: { ...environment, ...more }, args: words });
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
    // A completion command of a shell may still write shortly after its terminal closes.
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  };
}
