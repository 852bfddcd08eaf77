// A terminal for tests of interactive programs: Debian's tmux with bash, zsh or fish, each
// installed if it is missing.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from '@taskgraph/launcher/processes/commands';
import { installPrograms, type Program } from '@taskgraph/launcher/processes/packages';
import { streamReport } from '@taskgraph/launcher/progress';

const run = promisify(execFile);

export interface Terminal {
  /** Types the text and Enter. */
  enter(text: string): Promise<void>;
  /** Presses keys by tmux's names, such as `C-c` or `Tab`, or types a text. */
  press(...keys: readonly string[]): Promise<void>;
  /** The screen as a person sees it; with `colours`, also its escape sequences. */
  screen(options?: { colours?: boolean }): Promise<string>;
  /** Waits until the screen matches. Rejects with the screen if it does not in time. */
  shows(pattern: RegExp): Promise<string>;
  /** The title that programs gave the terminal with escape sequences. */
  title(): Promise<string>;
  close(): Promise<void>;
}

/** Without personal settings, and with the prompt `$ `. */
const SHELLS = {
  bash: ['--norc', '--noprofile'],
  zsh: ['-f'],
  fish: ['--no-config', '--init-command', "function fish_prompt; echo -n '$ '; end"],
} as const;

export type Shell = keyof typeof SHELLS;

interface TerminalOptions {
  readonly shell?: Shell;
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly columns?: number;
  readonly lines?: number;
}

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Opens a separate terminal with a shell; bash by default. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { shell = 'bash', environment, cwd, columns = 100, lines = 40 } = options;
  const [program, shellProgram] = [await findOrInstall('tmux'), await findOrInstall(shell)];
  const socket = `taskgraph-${randomUUID().slice(0, 8)}`;
  const tmux = async (...given: readonly string[]) =>
    (await run(program, ['-L', socket, '-f', '/dev/null', ...given], { cwd, env: { ...process.env, ...environment } }))
      .stdout;
  const size = ['-x', String(columns), '-y', String(lines)];
  await tmux('new-session', '-d', ...size, 'env', 'PS1=$ ', shellProgram, ...SHELLS[shell]);
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
    title: async () => (await tmux('display-message', '-p', '#{pane_title}')).trimEnd(),
    close: async () => void (await tmux('kill-server')),
  };
}

async function findOrInstall(name: Shell | 'tmux'): Promise<string> {
  const found = findProgram([name]);
  if (found !== undefined) return found;
  if (name === 'bash') throw new Error('there is no bash on PATH');
  const missing: readonly Program[] = [name];
  const options = { yes: false, environment: process.env, signal: undefined };
  await installPrograms(missing, { ...options, report: streamReport(process.stderr) });
  const installed = findProgram([name]);
  if (installed === undefined) throw new Error(`${name} was installed, but is not on PATH`);
  return installed;
}
