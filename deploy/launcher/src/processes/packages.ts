// Installs missing programs with the system's package manager if permitted; otherwise lists the
// packages to install.
import { createInterface } from 'node:readline/promises';
import { LauncherError } from '../errors.ts';
import { type Report, step } from '../progress.ts';
import { findProgram, lastLines, runCommand } from './commands.ts';

export type Program = 'chromium' | 'fish' | 'java' | 'maven' | 'nats-server' | 'redis-server' | 'tmux' | 'zsh';

export interface InstallOptions {
  readonly yes: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: Report;
  readonly signal: AbortSignal | undefined;
}

/** The programs' names for users on systems without a known package manager. */
const NEEDS: Readonly<Record<Program, string>> = {
  chromium: 'Chromium',
  fish: 'fish',
  java: 'Java 17 or newer',
  maven: 'Maven',
  'nats-server': 'nats-server 2.9 or newer',
  'redis-server': 'redis-server 7 or newer (or valkey-server)',
  tmux: 'tmux',
  zsh: 'zsh',
};

/**
 * Debian's and Ubuntu's package names. The first available one is used, because releases differ in
 * their Java.
 */
const APT_PACKAGES: Readonly<Record<Program, readonly string[]>> = {
  chromium: ['chromium', 'chromium-browser'],
  fish: ['fish'],
  java: ['openjdk-17-jre-headless', 'openjdk-21-jre-headless', 'default-jre-headless'],
  maven: ['maven'],
  'nats-server': ['nats-server'],
  'redis-server': ['redis-server', 'redis', 'valkey-server'],
  tmux: ['tmux'],
  zsh: ['zsh'],
};

const OWN_BACKENDS = 'or set NEO4J_URL, NATS_URL and REDIS_URL to servers that you have, or start a Docker engine';

export async function installPrograms(missing: readonly Program[], options: InstallOptions): Promise<void> {
  const apt = findProgram(['apt-get']);
  if (apt === undefined) {
    throw new LauncherError(
      `missing: ${missing.map((program) => NEEDS[program]).join(', ')}`,
      `Install ${missing.length === 1 ? 'it' : 'them'} so that PATH has ${missing.length === 1 ? 'it' : 'them'}, ${OWN_BACKENDS}.`,
    );
  }
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? [] : ['sudo'];
  const wanted = missing.map((program) => APT_PACKAGES[program][0]).join(' ');
  if (!(await mayInstall(wanted, isRoot, options))) {
    throw new LauncherError(
      `missing: ${missing.map((program) => NEEDS[program]).join(', ')}`,
      `Run: ${[...prefix, 'apt-get install', wanted].join(' ')} (npm start -- --yes does it for you), ${OWN_BACKENDS}.`,
    );
  }
  await step(options.report, `installing ${wanted}`, () => aptInstall(missing, [...prefix, apt], options));
}

async function mayInstall(wanted: string, isRoot: boolean, options: InstallOptions): Promise<boolean> {
  if (isRoot || options.yes || isSet(options.environment.CI)) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `Install ${wanted} with apt-get (asks for your password through sudo)? [y/N] `;
    const answer = await terminal.question(question, options.signal === undefined ? {} : { signal: options.signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

async function aptInstall(missing: readonly Program[], apt: readonly string[], options: InstallOptions): Promise<void> {
  // An update that fails for one source may still have refreshed the source that is needed, so the
  // installation decides.
  await run(apt, ['update'], options);
  const packages = await Promise.all(missing.map((program) => firstKnown(APT_PACKAGES[program])));
  const flags = ['install', '--yes', '--no-install-recommends', '--option', 'DPkg::Lock::Timeout=120'];
  const { code, output } = await run(apt, [...flags, ...packages], options);
  if (code === 0) return;
  const command = ['apt-get install', ...packages].join(' ');
  throw new LauncherError(
    'apt-get could not install the missing packages',
    `Try it by hand: ${command}; its last lines:`,
    lastLines(output),
  );
}

function run(apt: readonly string[], commandArguments: readonly string[], options: InstallOptions) {
  const [program = '', ...rest] = apt;
  return runCommand(program, [...rest, ...commandArguments], {
    environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    interactive: true,
    signal: options.signal,
  });
}

async function firstKnown(names: readonly string[]): Promise<string> {
  for (const name of names) {
    const { stdout } = await runCommand('apt-cache', ['policy', name]);
    if (/Candidate: (?!\(none\))/.test(stdout)) return name;
  }
  return names[0] ?? '';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
