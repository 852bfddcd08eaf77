// Removes lock files whose holder has ended. A lock file has the identity of its holder, and is made by
// `linkOnce`.
import { rmSync } from 'node:fs';
import { isRunning, type ProcessIdentity } from '../processes/process-identity.ts';
import { linkOnce, readJson } from './private-files.ts';

/**
 * Removes the lock if it is still the one of `dead`, whom several waiters may have found: the slower one
 * must not remove the lock that the faster one has made since. So one at a time looks again and removes.
 * `own` is a file with the identity of this process. Returns also if it is another one's turn: try again.
 */
export function removeStaleLock(path: string, dead: ProcessIdentity, own: string): void {
  const turn = `${path}.removal`;
  if (!linkOnce(own, turn)) {
    const other = readJson<ProcessIdentity>(turn);
    if (other !== undefined && !isRunning(other)) removeStaleLock(turn, other, own);
    return;
  }
  try {
    const holder = readJson<ProcessIdentity>(path);
    if (holder?.pid === dead.pid && holder.startMark === dead.startMark) rmSync(path, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}
