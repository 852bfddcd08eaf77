// The runs that deliver the messages of webhooks. Rules: HOOK3, HOOK6, HOOK8, HOOK10, HOOK13.
//
// 1. Only the runner that has the lease delivers. Leases use the database's clock.
// 2. A run stores nothing after its lease, or after a change of the webhook by its user (`version`).
// 3. At most four webhooks of a user have a lease (HOOK13). The user's first webhook is locked to count
//    them, and not the user, for whose lock commands wait.
// 4. A webhook without a free run enters its user's run queue at `queuedMs`, and a free run belongs to the first
//    in the queue. So a webhook whose time slice has ended runs again only after the others.
// 5. Runs of slow and inactive webhooks may wait long behind those of other users. So at most one of them
//    goes before the fast ones, and none while another has a lease.
// 6. `headsSum` sums up the heads of the user's feeds at the last look of a run. If it differs now, there
//    may be more to deliver. Each change of the user's grants moves the own feed, and an end of a grant
//    by time changes the count.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import { DELIVERY_DAYS, MAXIMUM_DELIVERIES, type WebhookState } from '@taskgraph/wire/webhooks/webhook-fields';
import { actingUserOf } from '../accounts/users.ts';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import type { Failure } from '../driver/failures.ts';
import { retry } from '../driver/retry.ts';
import {
  type DueMessage,
  type DueSearch,
  decodeWebhook,
  type MessageInProgress,
  type StoredDelivery,
  type StoredWebhook,
  WHERE_PERMITTED,
} from './webhook-rows.ts';

/** How long a run has a webhook without storing anything; longer than an attempt. */
const LEASE_MS = 45_000;
const DAY_MS = 86_400_000;
/** Maximum webhooks of one user that have a lease. */
export const MOST_OF_ONE_USER = 4;
/**
 * Maximum shown grants of one user whose feeds count: as many as ten owners may grant. Above it the database
 * chooses, so further looks may find nothing.
 */
export const MAXIMUM_GRANTS = 20_000;

/** Whether a webhook w without a runner may have something to deliver. */
export const IS_READY = `coalesce(w.lease, 0) <= timestamp() AND coalesce(w.nextMs, 0) <= timestamp()
  AND (w.testMs IS NOT NULL OR w.state <> 'disabled')`;

/** In: w, now. Out: w, u (its user); no row while it is paused. Locks: none. Cost: three index look-ups. */
export const FIND_USER = `CALL (w) {
  ${WHERE_PERMITTED}
  RETURN u
}`;

/**
 * In: u (the user of a webhook). Out: how many webhooks of the user have a lease. Locks: none. Cost: the number
 * of the user's webhooks.
 */
const COUNT_RUNS = `COUNT {
  MATCH (u)-[:HAS_WEBHOOK]->(leased:Webhook) WHERE leased.lease > timestamp()
}`;

/** In: as COUNT_RUNS, mostRuns. Out: whether the user has a free run. Locks, cost: as COUNT_RUNS. */
export const HAS_FREE_RUN = `${COUNT_RUNS} < $mostRuns`;

/** Whether the last attempt of a webhook w failed or took long. */
export const IS_SLOW = '(w.failingSinceMs IS NOT NULL OR coalesce(w.isSlow, false))';

/** Whether a webhook w waits neither for slow receivers nor in their queue. */
const IS_FAST = `(w.state = 'active' AND NOT ${IS_SLOW})`;

/** Milliseconds for which a slow webhook lets others of its user go first; as in the queue of runs. */
const SLOW_WAIT_MS = 30_000;

/** The rank of a webhook w in the run queue of its user, milliseconds, lowest first. A new webhook comes last. */
const RANK = `coalesce(w.queuedMs, timestamp()) + CASE WHEN ${IS_SLOW} THEN ${SLOW_WAIT_MS} ELSE 0 END`;

/**
 * In: u, now (ISO 8601). Out: the same, runQueue: id, rank, isSlow, isInactive and isFast of the user's webhooks that
 * wait for a free run and may run, by rank, and hasOtherRun, whether one that is not fast has a lease. Locks: none.
 * Cost: the number of the user's webhooks, and three index look-ups for each in the queue.
 */
const LIST_QUEUE = `CALL (u) {
  MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook) WHERE w.queuedMs IS NOT NULL AND w.state <> 'deleted' AND ${IS_READY}
  ${WHERE_PERMITTED}
  WITH w, ${RANK} AS rank ORDER BY rank, w.id
  RETURN collect({id: w.id, rank: rank, isSlow: ${IS_SLOW}, isInactive: w.state <> 'active', isFast: ${IS_FAST}}) AS runQueue
}
CALL (u) {
  RETURN EXISTS { MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook) WHERE w.lease > timestamp() AND NOT ${IS_FAST} } AS hasOtherRun
}`;

/** How many free runs belong to others in the queue before one. In: runQueue, hasOtherRun, one (rank, isFast). */
const RUNS_BEFORE = `(size([other IN runQueue WHERE other.rank < one.rank AND (other.isFast OR NOT one.isFast)])
  + CASE WHEN one.isFast AND NOT hasOtherRun AND any(other IN runQueue WHERE other.rank < one.rank AND NOT other.isFast)
    THEN 1 ELSE 0 END)`;

/**
 * In: u, now (ISO 8601), mostGrants. Out: the same, and headsSum. Locks: none. Cost: the user's grants and an
 * index look-up for each. Expired grants do not count.
 */
export const SUM_HEADS = `CALL (u) {
  OPTIONAL MATCH (own:Feed {id: 'user:' + u.id})
  CALL (u) {
    MATCH (p:Principal {email: u.email})-[g:GRANT]->() USING INDEX SEEK p:Principal(email)
    WHERE p.userId = u.id AND g.showing AND (g.due IS NULL OR g.due > $now)
    WITH g LIMIT $mostGrants
    MATCH (f:Feed {id: CASE WHEN g.branch THEN 'root:' ELSE 'node:' END + g.nodeId})
    RETURN toString(coalesce(sum(f.seq), 0)) + ':' + toString(count(f)) AS granted
  }
  RETURN toString(coalesce(own.seq, 0)) + ':' + granted AS headsSum
}`;

/**
 * Whether the user u of a webhook has more webhooks than runs, so that some may be in the run queue. Deleted
 * webhooks count until they are forgotten, because counting all relationships costs nothing.
 */
const MAY_HAVE_QUEUE = 'COUNT { (u)-[:HAS_WEBHOOK]->() } > $mostRuns';

/**
 * The end of statements. In: w, u, now, mostGrants, mostRuns. Out: hook, id, username, email, maintainer (of its
 * user), headsSum, mayHaveQueue. Locks: none. Cost: SUM_HEADS.
 */
const RETURN_RUN = `WITH w, u
${SUM_HEADS}
RETURN properties(w) AS hook, u.id AS id, u.username AS username, u.email AS email, u.maintainer AS maintainer,
  headsSum, ${MAY_HAVE_QUEUE} AS mayHaveQueue`;

/**
 * In: id, runner, now, leaseMs, mostGrants, mostRuns. Out: as RETURN_RUN; no row if another runner has the
 * lease, there is nothing to deliver yet, the webhook is paused, or every free run of its user belongs to
 * an earlier webhook in the run queue; then this one enters the queue. Locks: the first webhook of the user,
 * then the Webhook. Cost: LIST_QUEUE and SUM_HEADS.
 */
const TAKE = `MATCH (w:Webhook {id: $id})<-[:HAS_WEBHOOK]-(user:User) USING INDEX SEEK w:Webhook(id)
CALL (user) {
  MATCH (user)-[:HAS_WEBHOOK]->(first:Webhook)
  WITH first ORDER BY first.id LIMIT 1
  SET first.lock = true
}
SET w.lock = true
WITH w WHERE w.state IN ['pending', 'active', 'disabled'] AND ${IS_READY}
${FIND_USER}
WITH w AS own, u, {rank: ${RANK}, isFast: ${IS_FAST}} AS one
${LIST_QUEUE}
WITH own AS w, u, ${COUNT_RUNS} + ${RUNS_BEFORE} AS earlier
SET w.queuedMs = CASE WHEN earlier < $mostRuns THEN null ELSE coalesce(w.queuedMs, timestamp()) END
WITH w, u WHERE earlier < $mostRuns
SET w.lease = timestamp() + $leaseMs, w.runner = $runner
${RETURN_RUN}`;

/**
 * In: as TAKE. Out: as TAKE; no row if the lease has ended or the webhook is paused. Locks: the Webhook.
 * Cost: as TAKE.
 */
const RENEW = `MATCH (w:Webhook {id: $id})
SET w.lock = true
WITH w WHERE w.state IN ['pending', 'active', 'disabled'] AND w.runner = $runner AND w.lease > timestamp()
${FIND_USER}
SET w.lease = timestamp() + $leaseMs
${RETURN_RUN}`;

/** Identifies the run of a webhook. */
export interface WebhookRun {
  readonly id: string;
  readonly runner: string;
}

/** A webhook with its user, as they are now. */
export interface RunnableWebhook {
  readonly webhook: StoredWebhook;
  readonly minute: { readonly startMs: number; readonly count: number };
  /** Runs that ended without an attempt since the last one. */
  readonly waits: number;
  /** The first fault of the installation since the last attempt that had none; null for none. */
  readonly faultSinceMs: number | null;
  readonly user: ActingUser;
  readonly headsSum: string;
  /** Whether other webhooks of the user may wait for the end of the run. */
  readonly mayHaveQueue: boolean;
}

/** The properties that only runs read. */
interface RunProperties {
  readonly minuteMs?: number;
  readonly minuteCount?: number;
  readonly waits?: number;
  readonly faultSinceMs?: number;
}

/** Takes the lease of a webhook, or renews it. `now` is ISO 8601. Null if this runner may not deliver now. */
export async function leaseWebhook(
  database: Database,
  run: WebhookRun & { readonly now: string },
  isRenewal: boolean,
): Promise<RunnableWebhook | null> {
  const bounds = { mostGrants: integer(MAXIMUM_GRANTS), mostRuns: integer(MOST_OF_ONE_USER) };
  const parameters = { ...run, ...bounds, leaseMs: integer(LEASE_MS) };
  const [row] = await retry(() => database.write(isRenewal ? RENEW : TAKE, parameters));
  return row === undefined ? null : runnableOf(row);
}

/** A row of RETURN_RUN. */
function runnableOf({ hook, headsSum, mayHaveQueue, ...user }: Row): RunnableWebhook {
  const { minuteMs = 0, minuteCount = 0, waits = 0, faultSinceMs = null } = hook as RunProperties;
  return {
    webhook: decodeWebhook(hook as Row),
    minute: { startMs: minuteMs, count: minuteCount },
    waits,
    faultSinceMs,
    user: actingUserOf(user),
    headsSum: headsSum as string,
    mayHaveQueue: mayHaveQueue === true,
  };
}

/**
 * In: steps, in order of ids: id, runner, version, changes (properties; null removes one), delayMs (until the next
 * run, or null for none), attempts (deliveries), testMs (a test that is done, or null), after (continue, hold or
 * release), before (ms); now, leaseMs, most, trimAfter, mostGrants, mostRuns. Out: id, isStored, whether the changes were
 * stored, found: as RETURN_RUN, if the run continues; no row if the runner has lost the webhook. Locks: each Webhook,
 * in that order. Cost: the attempts; after every trimAfter of them, the stored ones; SUM_HEADS if the run continues.
 *
 * An attempt is recorded even if its user has changed the webhook meanwhile. It is merged, so that the statement can be
 * repeated. A run that does not continue loses its lease here, which saves a transaction.
 */
const STORE = `UNWIND $steps AS step
MATCH (w:Webhook {id: step.id})
SET w.lock = true
WITH step, w WHERE w.runner = step.runner AND w.state <> 'deleted'
FOREACH (fields IN step.attempts |
  MERGE (d:WebhookDelivery {hookId: fields.hookId, at: fields.at, messageId: fields.messageId})
  SET d += fields
)
SET w.testMs = CASE WHEN w.testMs = step.testMs THEN null ELSE w.testMs END,
  w.untrimmed = coalesce(w.untrimmed, 0) + size(step.attempts)
WITH step, w, w.version = step.version AND w.lease > timestamp() AS isStored, w.untrimmed >= $trimAfter AS isFull
FOREACH (_ IN CASE WHEN isStored THEN [1] ELSE [] END |
  SET w += step.changes, w.lease = timestamp() + $leaseMs,
    w.nextMs = CASE WHEN step.delayMs IS NULL THEN null ELSE timestamp() + step.delayMs END
)
FOREACH (_ IN CASE WHEN isFull THEN [1] ELSE [] END | SET w.untrimmed = 0)
WITH step, w, isStored, isFull
CALL (step, w, isFull) {
  WITH step, w, isFull WHERE isFull
  MATCH (d:WebhookDelivery) USING INDEX SEEK d:WebhookDelivery(hookId, at) WHERE d.hookId = w.id AND d.at > 0
  WITH step, d ORDER BY d.at DESC
  WITH step, collect(d) AS recorded
  UNWIND range(0, size(recorded) - 1) AS place
  WITH step, recorded[place] AS d, place WHERE place >= $most OR d.at < step.before
  DELETE d
}
CALL (step, w, isStored) {
  WITH step, w, isStored WHERE isStored AND step.after = 'continue'
  ${WHERE_PERMITTED}
  ${SUM_HEADS}
  RETURN collect({
    hook: properties(w), id: u.id, username: u.username, email: u.email, maintainer: u.maintainer, headsSum: headsSum,
    mayHaveQueue: ${MAY_HAVE_QUEUE}
  }) AS found
}
FOREACH (_ IN CASE WHEN NOT isStored OR step.after = 'release' OR (step.after = 'continue' AND size(found) = 0) THEN [1] ELSE [] END |
  REMOVE w.runner, w.lease
)
RETURN step.id AS id, isStored, found[0] AS found`;

/** Attempts after which the oldest ones beyond the limit are deleted: a list of 200 costs as much as all else. */
const TRIM_AFTER = 20;

/**
 * Tries of a group, after failures that all steps of a group share. One step may cause any other: then each is
 * stored alone at once, and alone it has all tries.
 */
const OF_GROUP = { tries: 3, passing: new Set<Failure>(['passing', 'crowded', 'duplicate']) };

/** The properties that a run changes; null removes one. */
export interface RunChanges {
  readonly state?: WebhookState;
  readonly reason?: StoredWebhook['reason'];
  readonly position?: string;
  readonly message?: MessageInProgress | null;
  readonly successMs?: number;
  readonly failingSinceMs?: number | null;
  readonly headsSum?: string;
  readonly dueSinceMs?: null;
  readonly duePosition?: DuePosition;
  readonly dueMessage?: DueMessage | null;
  readonly dueSearch?: DueSearch | null;
  readonly dueSearchMs?: number;
  readonly dueFailures?: number | null;
  readonly minuteMs?: number;
  readonly minuteCount?: number;
  readonly waits?: number | null;
  readonly faultSinceMs?: number | null;
  readonly isSlow?: boolean;
}

/** A step of a run. */
export interface RunStep extends WebhookRun {
  /** The version that the run has read. */
  readonly version: number;
  readonly changes: RunChanges;
  /** Milliseconds until the next run; null for none. */
  readonly delayMs?: number | null;
  readonly attempts?: readonly StoredDelivery[];
  /** The request of a test that has been done. */
  readonly testMs?: number | null;
  /** The run continues with the present state of the webhook, holds its lease, or ends. */
  readonly after: 'continue' | 'hold' | 'release';
  readonly nowMs: number;
}

export interface StoredStep {
  /** False if the webhook has changed, or another runner has it. */
  readonly isStored: boolean;
  /** If the run continues: the webhook with its user as they are now. If it is null, the run has no lease any more. */
  readonly next: RunnableWebhook | null;
}

const NOT_STORED: StoredStep = { isStored: false, next: null };

/** Stores steps of different webhooks in one transaction, and returns their results in the same order. */
export async function storeRunSteps(database: Database, steps: readonly RunStep[]): Promise<StoredStep[]> {
  const ordered = [...steps].sort((one, other) => (one.id < other.id ? -1 : 1));
  const nowMs = Math.max(...steps.map((step) => step.nowMs));
  const parameters = {
    steps: ordered.map(stepRow),
    now: new Date(nowMs).toISOString(),
    leaseMs: integer(LEASE_MS),
    most: integer(MAXIMUM_DELIVERIES),
    trimAfter: integer(TRIM_AFTER),
    mostGrants: integer(MAXIMUM_GRANTS),
    mostRuns: integer(MOST_OF_ONE_USER),
  };
  const rows = await retry(() => database.write(STORE, parameters), steps.length > 1 ? OF_GROUP : {});
  const stored = new Map(rows.map((row) => [row.id as string, row]));
  return steps.map(({ id }) => {
    const row = stored.get(id);
    if (row === undefined) return NOT_STORED;
    const found = row.found as Row | null;
    return { isStored: row.isStored === true, next: found === null ? null : runnableOf(found) };
  });
}

function stepRow({ version, changes, delayMs = null, attempts = [], testMs = null, nowMs, ...step }: RunStep): Row {
  return {
    ...step,
    version: integer(version),
    changes: encoded(changes),
    delayMs: delayMs === null ? null : integer(delayMs),
    attempts: attempts.map(encoded),
    testMs: testMs === null ? null : integer(testMs),
    before: integer(nowMs - DELIVERY_DAYS * DAY_MS),
  };
}

function encoded(fields: object): Row {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? integer(value)
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : value,
    ]),
  );
}

/** In: id, runner. Out: nothing. Locks: the Webhook. Cost: an index look-up. */
const RELEASE = `MATCH (w:Webhook {id: $id})
SET w.lock = true
WITH w WHERE w.runner = $runner
REMOVE w.runner, w.lease`;

/** Ends a run. */
export async function releaseWebhook(database: Database, { id, runner }: WebhookRun): Promise<void> {
  await retry(() => database.write(RELEASE, { id, runner }));
}

/**
 * In: id, now (ISO 8601), mostRuns. Out: next: id, isSlow and isInactive of those in the run queue for which
 * a run is free. Locks: none. Cost: LIST_QUEUE.
 */
const LIST_NEXT = `MATCH (own:Webhook {id: $id})<-[:HAS_WEBHOOK]-(u:User) USING INDEX SEEK own:Webhook(id)
${LIST_QUEUE}
WITH runQueue, hasOtherRun, $mostRuns - ${COUNT_RUNS} AS free
RETURN [one IN runQueue WHERE ${RUNS_BEFORE} < free | one {.id, .isSlow, .isInactive}] AS next`;

/** The webhooks of the same user that may begin a run after one of this webhook. `now` is ISO 8601. */
export async function listNextRuns(
  database: Database,
  input: { readonly id: string; readonly now: string },
): Promise<{ readonly id: string; readonly isSlow: boolean; readonly isInactive: boolean }[]> {
  const [row] = await database.read(LIST_NEXT, { ...input, mostRuns: integer(MOST_OF_ONE_USER) });
  return (row?.next ?? []) as { id: string; isSlow: boolean; isInactive: boolean }[];
}
