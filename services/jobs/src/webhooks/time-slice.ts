// The time slices of webhooks: a run, and the runs that are useful after it. Rule: HOOK13.
import type { DueWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';
import { listNextRuns } from '@taskgraph/graph-store/webhooks/webhook-runs';
import { runWebhook, type WebhookRunDependencies } from './run.ts';

/**
 * Runs a webhook. Returns the webhooks of the same user whose runs may begin now, those of its run
 * queue first, then the same one if it has more to deliver.
 */
export async function runTimeSlice(dependencies: WebhookRunDependencies, id: string): Promise<readonly DueWebhook[]> {
  const { hasMore, mayHaveQueue } = await runWebhook(dependencies, id);
  const now = new Date(dependencies.nowMs()).toISOString();
  const next = mayHaveQueue ? await listNextRuns(dependencies.database, { id, now }) : [];
  return hasMore ? [...next.filter((one) => one.id !== id), { id }] : next;
}
