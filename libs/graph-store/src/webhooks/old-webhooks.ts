// Deletes what webhooks no longer need: attempts older than seven days, and webhooks deleted by their
// users. Runs delete the attempts of webhooks that send. Rule: HOOK12.
import type { WebhookState } from '@taskgraph/wire/webhooks/webhook-fields';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';

/** Webhooks of one page; each has at most 219 attempts: the listed ones, and those since the last deletion. */
const PAGE = 50;
const DELETED_AT_ONCE = 500;

/**
 * In: state, after (id), limit, before (ms). Out: last (id), examined (number), attempts (deleted). Locks: the
 * attempts. Cost: the limit, and the deleted attempts.
 */
const DELETE_ATTEMPTS = `
MATCH (w:Webhook) USING INDEX SEEK w:Webhook(state, id) WHERE w.state = $state AND w.id > $after
WITH w ORDER BY w.id LIMIT $limit
CALL (w) {
  MATCH (d:WebhookDelivery) USING INDEX SEEK d:WebhookDelivery(hookId, at)
  WHERE d.hookId = w.id AND d.at > 0 AND d.at < $before
  DELETE d
  RETURN count(*) AS deleted
}
RETURN max(w.id) AS last, count(w) AS examined, sum(deleted) AS attempts`;

/** Deletes attempts before a moment (ms) of one page of webhooks. `next` is null at the end. */
export async function deleteOldAttempts(
  database: Database,
  page: { readonly state: WebhookState; readonly after: string; readonly before: number },
): Promise<{ readonly attempts: number; readonly next: string | null }> {
  const parameters = { ...page, before: integer(page.before), limit: integer(PAGE) };
  const [row] = await retry(() => database.write(DELETE_ATTEMPTS, parameters));
  const { last, examined, attempts } = row as { last: string | null; examined: number; attempts: number };
  return { attempts, next: examined === PAGE ? last : null };
}

/**
 * In: before (ISO 8601), limit. Out: webhooks (deleted). Locks: the Webhooks and their Users. Cost: all deleted
 * webhooks, and the limit.
 */
const DELETE_TOMBSTONES = `
MATCH (w:Webhook) USING INDEX SEEK w:Webhook(state, id)
WHERE w.state = 'deleted' AND w.id > '' AND w.deleted < $before
WITH w LIMIT $limit
DETACH DELETE w
RETURN count(*) AS webhooks`;

/** Deletes webhooks that their users deleted before a moment (ISO 8601). The number is 0 at the end. */
export async function deleteTombstones(database: Database, before: string): Promise<number> {
  const [row] = await retry(() => database.write(DELETE_TOMBSTONES, { before, limit: integer(DELETED_AT_ONCE) }));
  return row?.webhooks as number;
}
