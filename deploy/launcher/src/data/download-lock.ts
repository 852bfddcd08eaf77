// Allows one download of a program at a time across launchers.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isRunning, type ProcessIdentity } from '../processes/process-identity.ts';
import type { Report } from '../progress.ts';
import { linkOnce, readJson, writePrivateJson } from './private-files.ts';
import { removeStaleLock } from './stale-lock.ts';

const POLL_MS = 200;

interface LockOptions {
  readonly report: Report;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits until no other process downloads to this folder. Returns the function that lets the next
 * one go on. The lock of a process that was killed is void.
 */
export async function lockDownload(folder: string, what: string, options: LockOptions): Promise<() => void> {
  const path = `${folder}.lock`;
  const wanted = `${path}.${randomUUID()}`;
  writePrivateJson(wanted, identityOf(process.pid));
  try {
    // Only one launcher can create this file name; the other waits.
    while (!linkOnce(wanted, path)) {
      const holder = readJson<ProcessIdentity>(path);
      if (holder !== undefined && !isRunning(holder)) removeStaleLock(path, holder, wanted);
      else options.report.status(`waiting for process ${holder?.pid ?? ''}, which is fetching ${what}`);
      await sleep(POLL_MS, undefined, { signal: options.signal });
    }
  } finally {
    rmSync(wanted, { force: true });
  }
  return () => rmSync(path, { force: true });
}
