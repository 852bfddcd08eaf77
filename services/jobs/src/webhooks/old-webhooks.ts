// Deletes stored data of webhooks that nobody reads any more. Rule: HOOK12.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { deleteOldAttempts, deleteTombstones } from '@taskgraph/graph-store/webhooks/old-webhooks';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { DELIVERY_DAYS, WEBHOOK_STATES } from '@taskgraph/wire/webhooks/webhook-fields';
import { count } from '../metrics.ts';

/** Longer than a request to delete a webhook may be repeated. */
const DELETED_MS = 3_600_000;

/** Deletes old attempts, and webhooks that were deleted by their users. Counts `attempts` and `webhooks`. */
export async function deleteOldWebhooks(database: Database, nowMs: number, stopping: AbortSignal): Promise<void> {
  const before = nowMs - DELIVERY_DAYS * DAY_MS;
  for (const state of WEBHOOK_STATES) {
    for (let after: string | null = ''; after !== null && !stopping.aborted; ) {
      const done: Awaited<ReturnType<typeof deleteOldAttempts>> = await deleteOldAttempts(database, {
        state,
        after,
        before,
      });
      count('retire', 'attempts', done.attempts);
      after = done.next;
    }
  }
  const deletedBefore = new Date(nowMs - DELETED_MS).toISOString();
  for (let deleted = 1; deleted > 0 && !stopping.aborted; ) {
    deleted = await deleteTombstones(database, deletedBefore);
    count('retire', 'webhooks', deleted);
  }
}
