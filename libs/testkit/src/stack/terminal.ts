// A real terminal for tests of programs that people use in one: Debian's tmux, which is installed where it is missing.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { installPrograms } from '@taskgraph/launcher/processes/packages';
import { streamReport } from '@taskgraph/launcher/progress';

const run = promisify(execFile);

export interface Terminal {
  /** Types the text and Enter. */
  enter(text: string): Promise<void>;
  /** Presses keys by tmux's names, such as `C-c`, `Tab`, or types a text. */
  press(...keys: readonly string[]): Promise<void>;
  /** The screen as a person sees it; with `colours` its escape sequences too. */
  screen(options?: { colours?: boolean }): Promise<string>;
  /** Waits until the screen matches. Rejects with the screen where it does not in time. */
  shows(pattern: RegExp): Promise<string>;
  close(): Promise<void>;
}

interface Options {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly columns?: number;
  readonly lines?: number;
}

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Opens a terminal of its own, in which a bash without anybody's settings waits. */
export async function openTerminal({ environment, cwd, columns = 100, lines = 40 }: Options): Promise<Terminal> {
  const program = await findTmux();
  const socket = `taskgraph-${randomUUID().slice(0, 8)}`;
  const tmux = async (...given: readonly string[]) =>
    (await run(program, ['-L', socket, '-f', '/dev/null', ...given], { cwd, env: { ...process.env, ...environment } }))
      .stdout;
  const size = ['-x', String(columns), '-y', String(lines)];
  await tmux('new-session', '-d', ...size, 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile');
  const screen = ({ colours = false } = {}) => tmux('capture-pane', '-p', ...(colours ? ['-e'] : []));
  const press = async (...keys: readonly string[]) => void (await tmux('send-keys', ...keys));
  return {
    enter: async (text) => {
      await tmux('send-keys', '-l', text);
      await press('Enter');
    },
    press,
    screen,
    async shows(pattern) {
      const deadline = Date.now() + LIMIT_MS;
      for (;;) {
        const text = await screen();
        if (pattern.test(text)) return text;
        if (Date.now() > deadline) throw new Error(`the terminal does not show ${pattern}:\n${text}`);
        await sleep(POLL_MS);
      }
    },
    close: async () => void (await tmux('kill-server')),
  };
}

async function findTmux(): Promise<string> {
  const found = findProgram(['tmux']);
  if (found !== undefined) return found;
  const options = { yes: false, environment: process.env, signal: undefined };
  await installPrograms(['tmux'], { ...options, report: streamReport(process.stderr) });
  const installed = findProgram(['tmux']);
  if (installed === undefined) throw new Error('tmux was installed, yet is not on PATH');
  return installed;
}
