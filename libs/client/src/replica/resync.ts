// Fetches the parts that a replica misses. Rules: EVT2, EVT3.
//
// 1. At most one request is in flight.
// 2. Gaps are closed between the pages of a full read.
// 3. If the service can no longer list the changes, the full read finishes and another one begins.
//    So nothing is older than two full reads, however fast the graph changes.
import { TaskgraphError } from '../error.ts';
import { requestedWaitMs } from '../rate-limit-wait.ts';
import { retryWaitMs } from '../retry-policy.ts';
import { createResyncSteps, type ResyncSteps, type StepDependencies } from './resync-steps.ts';

interface ResyncDependencies extends Omit<StepDependencies, 'isStopped'> {
  readonly isConnected: () => boolean;
  /** Called after each step. */
  readonly stepped: () => void;
  /** Receives failures after which the resync retries. */
  readonly failed: (error: TaskgraphError) => void;
}

export interface Resync extends Omit<ResyncSteps, 'step' | 'adapt' | 'isFullRead'> {
  /**
   * Schedules a step if something is missing: at once, or when slices that overtook each other have
   * arrived.
   */
  wake(when: 'now' | 'soon'): void;
  stop(): void;
}

/** Slices may overtake each other, and the gaps of several feeds share one request. */
const WAIT_MS = 300;
const JITTER_MS = 200;

export function createResync(dependencies: ResyncDependencies): Resync {
  const { isConnected, stepped, failed } = dependencies;
  const steps = createResyncSteps({ ...dependencies, isStopped: () => isStopped });
  const { isComplete, isFullRead } = steps;
  let isRunning = false;
  let isStopped = false;
  let attempts = 0;
  let timer: { readonly handle: ReturnType<typeof setTimeout>; readonly atMs: number } | null = null;

  function wakeIn(waitMs: number): void {
    if (isStopped || isRunning) return;
    const atMs = Date.now() + waitMs;
    if (timer !== null && timer.atMs <= atMs) return;
    if (timer !== null) clearTimeout(timer.handle);
    timer = { handle: setTimeout(() => void run(), waitMs), atMs };
  }

  async function run(): Promise<void> {
    timer = null;
    if (isRunning || isStopped || !isConnected() || isComplete()) return;
    isRunning = true;
    let waitMs = 0;
    try {
      const kind = await steps.step();
      // The pages of a full read follow each other at once; the service limits their rate.
      if (isComplete() || isFullRead()) attempts = 0;
      else waitMs = WAIT_MS + retryWaitMs(++attempts);
      if (isFullRead() && kind === 'changes') waitMs = WAIT_MS;
    } catch (error) {
      if (!(error instanceof TaskgraphError)) throw error;
      waitMs = Math.max(WAIT_MS + retryWaitMs(++attempts), requestedWaitMs(error) ?? 0);
      steps.adapt(error);
      failed(error);
    } finally {
      isRunning = false;
    }
    if (isStopped) return;
    stepped();
    if (!isComplete()) wakeIn(waitMs);
  }

  return {
    ...steps,
    wake(when) {
      if (!isComplete()) wakeIn(when === 'now' ? 0 : WAIT_MS + Math.random() * JITTER_MS);
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer.handle);
    },
  };
}
