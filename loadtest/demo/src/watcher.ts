// The second socket: it derives the state of every job from pushed diffs alone.
import type { Slice, TaskgraphClient } from '@taskgraph/client';

const BLOCKED = 2;
const STATUS_OPERATION = 2;

/** The status changes of one batch. */
export interface PushedBatch {
  readonly unblocked: ReadonlySet<string>;
  readonly completed: ReadonlySet<string>;
}

export interface Watcher {
  /** The status of a node according to the pushed diffs. */
  status(nodeId: string): number | undefined;
  /** Waits for the pushed diff of a batch. Rejects after ten seconds, or if pushes were lost. */
  batch(batchId: string): Promise<PushedBatch>;
}

const PUSH_TIMEOUT_MS = 10_000;

/** Subscribes to a client's pushes. */
export function watch(client: TaskgraphClient): Watcher {
  const statuses = new Map<string, number>();
  const seen = new Map<string, PushedBatch>();
  const waiting = new Map<string, (batch: PushedBatch) => void>();
  let lost: string | null = null;
  client.onGap(({ feed, from, to }) => {
    lost = `pushes ${from} to ${to} of ${feed} did not arrive`;
  });
  client.onDiff((slice) => {
    const batch = read(slice, statuses);
    const id = slice.batchId ?? '';
    const resolve = waiting.get(id);
    if (resolve === undefined) seen.set(id, batch);
    else resolve(batch);
    waiting.delete(id);
  });
  return {
    status: (nodeId) => statuses.get(nodeId),
    batch(batchId) {
      const early = seen.get(batchId);
      seen.delete(batchId);
      if (early !== undefined) return Promise.resolve(early);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(lost ?? `the push of batch ${batchId} did not arrive in ${PUSH_TIMEOUT_MS} ms`)),
          PUSH_TIMEOUT_MS,
        );
        waiting.set(batchId, (batch) => {
          clearTimeout(timer);
          resolve(batch);
        });
      });
    },
  };
}

function read(slice: Slice, statuses: Map<string, number>): PushedBatch {
  const unblocked = new Set<string>();
  const completed = new Set<string>();
  for (const { op, before, after } of slice.nodes) {
    const id = after.id as string;
    if (after.status === undefined) continue;
    statuses.set(id, after.status as number);
    if (op !== STATUS_OPERATION) continue;
    if (before.status === BLOCKED) unblocked.add(id);
    if (after.status === 3) completed.add(id);
  }
  return { unblocked, completed };
}
