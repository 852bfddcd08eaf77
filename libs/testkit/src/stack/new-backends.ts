// New, empty backends in a folder that is removed when they stop.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackends } from '@taskgraph/launcher/backends/backends';
import { type Report, silentReport } from '@taskgraph/launcher/progress';

/**
 * The default limit suits a warm server. Here the first run of each statement also waits for its
 * plan and for other tests.
 */
const TRANSACTION_SECONDS = 60;

export interface NewBackends {
  /** The variables with their addresses. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startNewBackends(report: Report = silentReport): Promise<NewBackends> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-backends-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const { environment, stop } = await startBackends({ dataDir, transactionSeconds: TRANSACTION_SECONDS, report });
    return { environment, stop: () => stop().then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
