// Identifies a recorded process: a process id alone may belong to another process by now.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { continueGroup } from './stopped-groups.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the system's own unit. Two processes with the same id differ in it. */
  readonly startMark: string;
}

const POLL_MS = 50;

export function identityOf(pid: number): ProcessIdentity | undefined {
  const startMark = existsSync('/proc/self/stat') ? startMarkOnLinux(pid) : startMarkElsewhere(pid);
  return startMark === undefined ? undefined : { pid, startMark };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.startMark === identity.startMark;
}

/** Sends SIGTERM, waits, and kills the process after the time limit. */
export async function endProcess(identity: ProcessIdentity, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  if (isRunning(identity)) {
    process.kill(identity.pid, 'SIGTERM');
    continueGroup(identity.pid);
  }
  while (isRunning(identity)) {
    if (Date.now() > deadline) process.kill(identity.pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

function startMarkOnLinux(pid: number): string | undefined {
  try {
    // The program's name, in brackets, may contain blanks, so fields are counted from behind it.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A zombie has ended; its parent has not collected it yet.
    return state === 'Z' || state === 'X' ? undefined : fields[18];
  } catch {
    return undefined;
  }
}

function startMarkElsewhere(pid: number): string | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}
