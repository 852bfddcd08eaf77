// The search for webhooks that have something to deliver. Rules: HOOK6, HOOK10, HOOK13.
//
// Each statement has a bound. Most webhooks are found due, or not ready, by their own properties and the head
// of the own feed; the heads of the feeds of grants are read in statements of their own.
import { DUE_FILTERS, type WebhookState } from '@taskgraph/wire/webhooks/webhook-fields';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import {
  FIND_USER,
  HAS_FREE_RUN,
  IS_READY,
  IS_SLOW,
  MAXIMUM_GRANTS,
  MOST_OF_ONE_USER,
  SUM_HEADS,
} from './webhook-runs.ts';

/** The start of statements. In: state, after (id), limit. Out: page (webhooks). Locks: none. Cost: the limit. */
const FIND_PAGE = `
MATCH (w:Webhook) USING INDEX SEEK w:Webhook(state, id) WHERE w.state = $state AND w.id > $after
WITH w ORDER BY w.id LIMIT $limit
WITH collect(w) AS page`;

/**
 * In: state, after (id), limit, now, mostRuns, dueFilters. Out: last (id), examined (number), ready: id, userId,
 * isDue (certainly), isSlow (its last attempt failed or took long), isInactive, isHealthy (active, its last attempt did
 * not fail, and no fault of the installation prevents the next one), dueSinceMs (0 if it was not due before),
 * headsSum (of its last run), grants (of its user, also hidden and expired ones). Without a free run of its user,
 * a webhook is listed until it is in the run queue: the end of another run begins it then. Locks: none.
 * Cost: the limit, and the webhooks of each user.
 */
const LIST_READY = `${FIND_PAGE}
CALL (page) {
  UNWIND page AS w
  WITH w WHERE ${IS_READY}
  ${FIND_USER}
  WITH u, collect(w) AS ready
  WITH u, ready, ${HAS_FREE_RUN} AS hasFreeRun
  WITH u, [w IN ready WHERE hasFreeRun OR w.queuedMs IS NULL] AS webhooks WHERE size(webhooks) > 0
  OPTIONAL MATCH (own:Feed {id: 'user:' + u.id})
  OPTIONAL MATCH (p:Principal {email: u.email}) USING INDEX SEEK p:Principal(email) WHERE p.userId = u.id
  WITH u, webhooks, toString(coalesce(own.seq, 0)) + ':' AS ownHead, COUNT { (p)-[:GRANT]->() } AS grants
  UNWIND webhooks AS w
  WITH w {
    .id, userId: u.id, grants: grants,
    isDue: w.testMs IS NOT NULL OR w.state = 'pending' OR w.message IS NOT NULL
      OR (w.dueMessage IS NOT NULL AND w.dueFailures IS NULL) OR w.dueSinceMs IS NOT NULL OR w.queuedMs IS NOT NULL
      OR (coalesce(w.dueSearchMs, 0) <= timestamp() AND any(item IN w.events WHERE item IN $dueFilters))
      OR NOT coalesce(w.headsSum, '') STARTS WITH ownHead,
    isSlow: ${IS_SLOW},
    isInactive: w.state <> 'active',
    isHealthy: w.state = 'active' AND w.failingSinceMs IS NULL AND w.faultSinceMs IS NULL,
    dueSinceMs: coalesce(w.dueSinceMs, 0), headsSum: coalesce(w.headsSum, '')
  } AS one ORDER BY one.id
  RETURN collect(one) AS ready
}
RETURN page[-1].id AS last, size(page) AS examined, ready`;

/** In: state, after, limit. Out: last (id), examined (number). Locks: none. Cost: the limit. */
const LAST_EXAMINED = `${FIND_PAGE}
RETURN page[-1].id AS last, size(page) AS examined`;

/** A webhook for which there is something to do. */
export interface DueWebhook {
  readonly id: string;
  /** Whether its last attempt failed or took long: others go first. */
  readonly isSlow?: boolean;
  /** Whether its receiver has not accepted a message yet, or it is disabled. */
  readonly isInactive?: boolean;
}

/** A webhook that may start a run now. */
export interface ReadyWebhook extends DueWebhook {
  readonly userId: string;
  /** Whether it has something to deliver, whatever the heads of the feeds of grants are. */
  readonly isDue: boolean;
  /** Active, and neither its receiver nor the installation has a fault: its wait is lag. */
  readonly isHealthy: boolean;
  /** The first moment at which it was found due; 0 for none. */
  readonly dueSinceMs: number;
  /** Of its last run; empty for none. */
  readonly headsSum: string;
  /** Grants to its user: the cost of `sumHeads`. */
  readonly grants: number;
}

/** A page of the webhooks in a state, in order of ids. `now` is ISO 8601. */
interface WebhookPage {
  readonly state: WebhookState;
  /** The id after which it begins. */
  readonly after: string;
  readonly limit: number;
  readonly now: string;
}

/** The webhooks of a page that may start a run now. `next` is the last examined id, null at the end. */
export async function listReadyWebhooks(
  database: Database,
  { limit, ...page }: WebhookPage,
): Promise<{ readonly ready: readonly ReadyWebhook[]; readonly next: string | null }> {
  const parameters = { ...page, limit: integer(limit), mostRuns: integer(MOST_OF_ONE_USER), dueFilters: DUE_FILTERS };
  const [row] = await database.read(LIST_READY, parameters);
  return { ready: (row?.ready ?? []) as ReadyWebhook[], next: row?.examined === limit ? (row.last as string) : null };
}

/** The last id of a page, null at the end. */
export async function lastOfPage(database: Database, { state, after, limit }: WebhookPage): Promise<string | null> {
  const [row] = await database.read(LAST_EXAMINED, { state, after, limit: integer(limit) });
  return row?.examined === limit ? (row.last as string) : null;
}

/** In: users (ids), now, mostGrants. Out: id, headsSum. Locks: none. Cost: SUM_HEADS for each. */
const SUM_USERS = `UNWIND $users AS id
MATCH (u:User {id: id})
${SUM_HEADS}
RETURN id, headsSum`;

/** The present sums of the heads of these users' feeds, by user id. `now` is ISO 8601. */
export async function sumHeads(
  database: Database,
  { users, now }: { readonly users: readonly string[]; readonly now: string },
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read(SUM_USERS, { users, now, mostGrants: integer(MAXIMUM_GRANTS) });
  return new Map(rows.map(({ id, headsSum }) => [id as string, headsSum as string]));
}

/** In: ids. Out: nothing. Locks: each Webhook, in order of ids. Cost: an index look-up each. */
const MARK_DUE = `UNWIND $ids AS id
MATCH (w:Webhook {id: id}) WHERE w.dueSinceMs IS NULL
SET w.dueSinceMs = timestamp()`;

/** Stores that these webhooks are due from now on; a run that finds nothing, or succeeds, ends it. */
export async function markDue(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await retry(() => database.write(MARK_DUE, { ids: [...ids].sort() }));
}
