// The calls of users on their webhooks. Rules: HOOK1, HOOK3, HOOK8, HOOK11, HOOK12, HOOK13, BOT3.
//
// 1. A session manages all webhooks of its user and those of the user's bots, an API token only those that
//    it created.
// 2. Each change grows the version. A run in progress stores its outcome only under the version that
//    it read, so a change is never undone by it. Changes leave the lease to the run.
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import {
  acceptsEvent,
  DELIVERY_DAYS,
  DUE_EVENT,
  DUE_FILTERS,
  MAXIMUM_DELIVERIES,
  MAXIMUM_WEBHOOKS,
  type WebhookReason,
  type WebhookState,
} from '@taskgraph/wire/webhooks/webhook-fields';
import { type AccountCall, executeCall } from '../accounts/account-calls.ts';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { decodeDelivery, decodeWebhook, type StoredDelivery, type StoredWebhook } from './webhook-rows.ts';

/** How long a deleted webhook is stored, so that a repeated request gets the first answer. */
const REMEMBERED_MS = 10 * 60_000;
const DAY_MS = 86_400_000;

/** The caller of a request: a session or an API token. */
export interface WebhookCaller {
  readonly userId: string;
  /** The id of the session or the token. */
  readonly caller: string;
  /** A bot of the user, whose webhooks the session manages. */
  readonly bot?: string | undefined;
}

/** Identifies a webhook and the caller. */
export interface WebhookRequest extends WebhookCaller {
  readonly id: string;
}

/** A change of a webhook. */
interface WebhookChange extends WebhookRequest {
  /** Id from the gateway; a repeated request changes nothing. A gateway of the previous release may send none. */
  readonly request?: string | undefined;
  /** ISO 8601 UTC. */
  readonly now: string;
}

/**
 * The beginning of changes, in the transaction of a call (executeCall). In: userId, caller, bot (or null).
 * Out: u, the owner of the webhooks, and t, the caller's token; no row for a bot without a session of its
 * maintainer. Locks: the User, and then the bot, as in LOCK_HOLDER. Cost: three index look-ups.
 */
const LOCK_OWNER = `MATCH (m:User {id: $userId})
SET m.lock = true
WITH m WHERE $bot IS NULL OR $bot IN coalesce(m.bots, [])
MATCH (m)-[:HAS_TOKEN]->(t:Token {id: $caller}) WHERE $bot IS NULL OR t.kind = 'session'
MATCH (u:User {id: coalesce($bot, $userId)})
SET u.lock = true
WITH u, t`;

/**
 * In: as LOCK_OWNER, id. Out: w, t; no row also if the caller does not manage the webhook. Locks: as LOCK_OWNER.
 * Cost: four index look-ups.
 */
const LOCK_WEBHOOK = `${LOCK_OWNER}
MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $id})
WHERE w.state <> 'deleted' AND (t.kind = 'session' OR w.tokenId = t.id)
WITH w, t`;

/**
 * The beginning of reads. In: userId, caller, bot (or null). Out: u, the owner of the webhooks, and t; no row for
 * another's token, or for a bot without a session of its maintainer. Locks: none. Cost: two index look-ups. The
 * comprehension leaves the server no choice: from a pattern with both ends it plans, by its statistics, a product of
 * both look-ups, or a hash join over all webhooks.
 */
const MATCH_CALLER = `MATCH (t:Token {id: $caller}) USING INDEX SEEK t:Token(id)
WITH t, [(owner)-[:HAS_TOKEN]->(t) | owner][0] AS m
WHERE m.id = $userId AND ($bot IS NULL OR (t.kind = 'session' AND $bot IN coalesce(m.bots, [])))
MATCH (u:User {id: coalesce($bot, m.id)}) USING INDEX SEEK u:User(id)`;

/** The parameters of LOCK_OWNER and MATCH_CALLER, and others. */
function parametersOf(input: WebhookCaller): Row {
  return { ...input, bot: input.bot ?? null };
}

/**
 * The end of statements. In: w, now. Out: hook, its properties, and ended, whether the token that
 * created it has ended. Locks: none. Cost: an index look-up.
 */
const RETURN_WEBHOOK = `OPTIONAL MATCH (creator:Token {id: w.tokenId})
RETURN properties(w) AS hook, w.tokenId IS NOT NULL AND (
  creator.id IS NULL OR creator.revoked IS NOT NULL OR coalesce(creator.expires <= $now, false)
) AS ended`;

/**
 * In: as MATCH_CALLER, now. Out: as RETURN_WEBHOOK, oldest first. Locks: none. Cost: the number of
 * the user's webhooks.
 */
const LIST_WEBHOOKS = `${MATCH_CALLER}
MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook)
WHERE w.state <> 'deleted' AND (t.kind = 'session' OR w.tokenId = t.id)
WITH w
${RETURN_WEBHOOK} ORDER BY w.created, w.id`;

/** The webhooks that the caller manages. */
export async function listWebhooks(
  database: Database,
  input: WebhookCaller & { readonly now: string },
): Promise<StoredWebhook[]> {
  return (await database.read(LIST_WEBHOOKS, parametersOf(input))).map(webhookOf);
}

/**
 * In: userId, caller, hook (properties), most, now, forgotten. Out: fits, whether there is room, and
 * as RETURN_WEBHOOK (hook is null without room). Locks: the User, so that concurrent requests count each
 * other. Cost: the number of the user's webhooks.
 */
const ADD_WEBHOOK = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_TOKEN]->(t:Token {id: $caller})
CALL (u) {
  MATCH (u)-[:HAS_WEBHOOK]->(old:Webhook {state: 'deleted'}) WHERE old.deleted < $forgotten
  DETACH DELETE old
}
WITH u, t, COUNT {
  (u)-[:HAS_WEBHOOK]->(other:Webhook) WHERE other.state <> 'deleted' AND other.id <> $hook.id
} < $most AS fits
FOREACH (_ IN CASE WHEN fits THEN [1] ELSE [] END |
  MERGE (u)-[:HAS_WEBHOOK]->(new:Webhook {id: $hook.id})
  ON CREATE SET new += $hook, new.userId = u.id, new.created = $now, new.state = 'pending', new.version = $one,
    new.dueSinceMs = timestamp(),
    new.tokenId = CASE t.kind WHEN 'session' THEN null ELSE t.id END
)
WITH u, fits
OPTIONAL MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $hook.id})
WITH w, fits
OPTIONAL MATCH (creator:Token {id: w.tokenId})
RETURN fits, properties(w) AS hook, false AS ended`;

/** The definition of a webhook. */
export type WebhookDefinition = Pick<StoredWebhook, 'name' | 'url' | 'root' | 'events' | 'where'>;

type NewWebhook = WebhookRequest & WebhookDefinition & Pick<StoredWebhook, 'secret' | 'position'>;

/** The position in the order of due dates at a time (ISO 8601 UTC with milliseconds), as it is stored. */
function positionAt(time: string): string {
  return JSON.stringify({ time, id: '' } satisfies DuePosition);
}

/**
 * Stores a new webhook. A repetition with the same id creates one webhook; null if that was deleted since.
 * `ended`: the session or token of the call has ended.
 */
export async function addWebhook(
  database: Database,
  { userId, caller, id, name, url, root, events, where, secret, position }: NewWebhook,
  nowMs: number,
): Promise<StoredWebhook | 'too_many' | 'ended' | null> {
  const now = new Date(nowMs).toISOString();
  const duePosition = acceptsEvent(events, DUE_EVENT) ? positionAt(now) : null;
  const parameters = {
    userId,
    caller,
    hook: { id, name, url, root, events: [...events], where, secret, position, duePosition },
    most: integer(MAXIMUM_WEBHOOKS),
    one: integer(1),
    now,
    forgotten: new Date(nowMs - REMEMBERED_MS).toISOString(),
  };
  const rows = await executeCall(database, { userId, caller, now }, (transaction) =>
    transaction.run(ADD_WEBHOOK, parameters),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  if (row === undefined) return 'ended';
  if (row.fits !== true) return 'too_many';
  return (row.hook as Row).state === 'deleted' ? null : webhookOf(row);
}

/** Lets the next run begin anew, under the next version. */
const BEGIN_ANEW = `w.version = w.version + 1, w.message = null, w.failingSinceMs = null,
  w.faultSinceMs = null, w.nextMs = null, w.headsSum = null, w.dueMessage = null, w.dueSearch = null,
  w.dueSearchMs = null, w.dueFailures = null`;

/** In: w, dueFilters. Whether the filter of a webhook selects due dates. */
const SELECTS_DUE = 'any(item IN w.events WHERE item IN $dueFilters)';

/**
 * In: as LOCK_OWNER, id, request, isRepeated, dueFilters, duePosition, changes (properties; null removes one),
 * enabled (or null), isRestart (whether it changes more than the name), now. Out: as RETURN_WEBHOOK. Locks: the User,
 * then the Webhook. Cost: four index look-ups.
 *
 * A session that enables a webhook of an ended token takes it from that token. A filter that has not selected due
 * dates before starts at duePosition.
 */
const UPDATE_WEBHOOK = `${LOCK_WEBHOOK}
OPTIONAL MATCH (creator:Token {id: w.tokenId})
WITH w, $isRepeated OR coalesce(w.request = $request, false) AS isDone,
  t.kind = 'session' AND $enabled = true AND w.tokenId IS NOT NULL AND (
    creator.id IS NULL OR creator.revoked IS NOT NULL OR coalesce(creator.expires <= $now, false)
  ) AS adopts
WITH w, isDone, adopts, CASE
  WHEN $enabled = false THEN 'disabled'
  WHEN $enabled = true AND (adopts OR w.state = 'disabled') THEN 'pending'
  WHEN w.state = 'active' AND coalesce($changes.url <> w.url, false) THEN 'pending'
  ELSE w.state
END AS state
FOREACH (_ IN CASE WHEN isDone THEN [] ELSE [1] END |
  SET w.duePosition = CASE
    WHEN $changes.events IS NULL OR ${SELECTS_DUE} THEN w.duePosition
    WHEN any(item IN $changes.events WHERE item IN $dueFilters) THEN $duePosition
    ELSE null
  END
  SET w.reason = CASE WHEN state = w.state AND $enabled IS NULL THEN w.reason ELSE null END
  SET w.dueSinceMs = CASE
    WHEN state = 'pending' AND (w.state <> 'pending' OR $isRestart) THEN timestamp()
    WHEN state = 'disabled' THEN null
    ELSE w.dueSinceMs
  END
  SET w += $changes, w.request = $request, w.state = state,
    w.tokenId = CASE WHEN adopts THEN null ELSE w.tokenId END
  FOREACH (restart IN CASE WHEN $isRestart THEN [1] ELSE [] END | SET ${BEGIN_ANEW})
)
WITH w
${RETURN_WEBHOOK}`;

interface WebhookUpdate extends WebhookChange {
  readonly changes: Partial<WebhookDefinition>;
  /** Disables or enables the webhook; null for neither. */
  readonly enabled: boolean | null;
}

/** The webhook after a change; null if there is none. `ended`: the session or token of the call has ended. */
type ChangeResult = StoredWebhook | 'ended' | null;

/** Executes a change, which `run` must not make again if an earlier attempt did. */
async function change(
  database: Database,
  { userId, caller, request, now }: WebhookChange,
  run: (transaction: OpenTransaction, isRepeated: boolean) => Promise<Row[]>,
): Promise<ChangeResult> {
  const call: AccountCall = { userId, caller, request, now };
  const rows = await executeCall(database, call, run);
  if (rows === 'ended') return rows;
  const [row] = rows;
  return row === undefined ? null : webhookOf(row);
}

/** Changes a webhook. */
export function updateWebhook(database: Database, input: WebhookUpdate): Promise<ChangeResult> {
  const { changes, enabled } = input;
  const isRestart = enabled !== null || Object.keys(changes).some((field) => field !== 'name');
  // From the change on: due dates that pass before the next search are reported too.
  const duePosition = positionAt(input.now);
  const parameters = {
    ...parametersOf(input),
    changes: { ...changes },
    isRestart,
    dueFilters: DUE_FILTERS,
    duePosition,
  };
  return change(database, input, (transaction, isRepeated) =>
    transaction.run(UPDATE_WEBHOOK, { ...parameters, isRepeated }),
  );
}

/**
 * In: as LOCK_OWNER, id, request, now. Out: id; no row without such a webhook. Locks: the User, then
 * the Webhook. Cost: the number of its stored attempts.
 */
const DELETE_WEBHOOK = `${LOCK_OWNER}
MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $id})
WHERE (t.kind = 'session' OR w.tokenId = t.id) AND (w.state <> 'deleted' OR w.request = $request)
SET w = {id: w.id, userId: w.userId, tokenId: w.tokenId, state: 'deleted', version: w.version + 1, request: $request,
  deleted: coalesce(w.deleted, $now)}
WITH w
CALL (w) {
  MATCH (d:WebhookDelivery) USING INDEX SEEK d:WebhookDelivery(hookId, at) WHERE d.hookId = w.id AND d.at > 0
  DELETE d
}
RETURN w.id AS id`;

/** Deletes a webhook; false if there is none. `ended`: the session or token of the call has ended. */
export async function deleteWebhook(
  database: Database,
  input: WebhookRequest & { readonly request: string; readonly now: string },
): Promise<boolean | 'ended'> {
  const { userId, caller, now } = input;
  const rows = await executeCall(database, { userId, caller, now }, (transaction) =>
    transaction.run(DELETE_WEBHOOK, parametersOf(input)),
  );
  return rows === 'ended' ? rows : rows.length > 0;
}

/**
 * In: as LOCK_OWNER, id, secret (sealed), until (milliseconds, or null), isRepeated, now. Out: as
 * RETURN_WEBHOOK. Locks: the User, then the Webhook. Cost: four index look-ups. A repetition changes
 * nothing. A secret that could not be read is not used further.
 */
const ROTATE_SECRET = `${LOCK_WEBHOOK}
FOREACH (_ IN CASE WHEN $isRepeated OR w.secret = $secret THEN [] ELSE [1] END |
  SET w.formerSecret = CASE WHEN $until IS NULL OR w.reason = 'unreadable_secret' THEN null ELSE w.secret END
  SET w.formerUntil = CASE WHEN w.formerSecret IS NULL THEN null ELSE $until END, w.secret = $secret,
    w.version = w.version + 1, w.nextMs = null, w.headsSum = null
)
WITH w
${RETURN_WEBHOOK}`;

/** Replaces the secret. */
export function rotateWebhookSecret(
  database: Database,
  { secret, overlapMs, ...input }: WebhookChange & Pick<StoredWebhook, 'secret'> & { readonly overlapMs: number },
): Promise<ChangeResult> {
  const until = overlapMs === 0 ? null : integer(Date.parse(input.now) + overlapMs);
  const parameters = { ...parametersOf(input), secret, until };
  return change(database, input, (transaction, isRepeated) =>
    transaction.run(ROTATE_SECRET, { ...parameters, isRepeated }),
  );
}

/**
 * In: as LOCK_OWNER, id, nowMs, isRepeated, now. Out: as RETURN_WEBHOOK. Locks: the User, then the Webhook.
 * Cost: four index look-ups. A repetition requests no second test.
 */
const REQUEST_TEST = `${LOCK_WEBHOOK}
FOREACH (_ IN CASE WHEN $isRepeated THEN [] ELSE [1] END | SET w.testMs = $nowMs, w.nextMs = null, w.headsSum = null)
WITH w
${RETURN_WEBHOOK}`;

/** Requests a `hook.ping`. */
export function requestWebhookTest(database: Database, input: WebhookChange): Promise<ChangeResult> {
  const parameters = { ...parametersOf(input), nowMs: integer(Date.parse(input.now)) };
  return change(database, input, (transaction, isRepeated) =>
    transaction.run(REQUEST_TEST, { ...parameters, isRepeated }),
  );
}

/**
 * In: as LOCK_OWNER, id, request, isRepeated, position, duePosition, dueFilters, now. Out: as RETURN_WEBHOOK. Locks: the User, then
 * the Webhook. Cost: four index look-ups. A repetition changes nothing. Positions of due dates are stored as JSON
 * that begins with the time, so they sort as texts.
 */
const MOVE_POSITION = `${LOCK_WEBHOOK}
FOREACH (_ IN CASE WHEN $isRepeated OR coalesce(w.request = $request, false) THEN [] ELSE [1] END |
  SET w.request = $request, w.position = $position, ${BEGIN_ANEW},
    w.duePosition = CASE WHEN ${SELECTS_DUE} AND NOT coalesce(w.duePosition < $duePosition, false) THEN $duePosition ELSE w.duePosition END
)
WITH w
${RETURN_WEBHOOK}`;

/** Moves the position of a webhook, and that in the order of due dates back to `since`. */
export function moveWebhookPosition(
  database: Database,
  { since, ...input }: WebhookChange & { readonly position: string; readonly since: string },
): Promise<ChangeResult> {
  const parameters = { ...parametersOf(input), duePosition: positionAt(since), dueFilters: DUE_FILTERS };
  return change(database, input, (transaction, isRepeated) =>
    transaction.run(MOVE_POSITION, { ...parameters, isRepeated }),
  );
}

/**
 * In: as MATCH_CALLER, id, since (milliseconds), most. Out: deliveries, properties, newest first; no
 * row without such a webhook. Locks: none. Cost: the number of its stored attempts, and of the user's webhooks. The
 * comprehension prevents a product, as in MATCH_CALLER.
 */
const LIST_DELIVERIES = `${MATCH_CALLER}
WITH t, [(u)-[:HAS_WEBHOOK]->(own:Webhook) WHERE own.id = $id | own][0] AS w
WHERE w.state <> 'deleted' AND (t.kind = 'session' OR w.tokenId = t.id)
RETURN COLLECT {
  MATCH (d:WebhookDelivery) USING INDEX SEEK d:WebhookDelivery(hookId, at)
  WHERE d.hookId = $id AND d.at > $since
  RETURN properties(d) ORDER BY d.at DESC, d.attempt DESC LIMIT $most
} AS deliveries`;

/** The last attempts of a webhook; null if there is none. */
export async function listWebhookDeliveries(
  database: Database,
  input: WebhookRequest,
  nowMs: number,
): Promise<StoredDelivery[] | null> {
  const since = integer(nowMs - DELIVERY_DAYS * DAY_MS);
  const [row] = await database.read(LIST_DELIVERIES, {
    ...parametersOf(input),
    since,
    most: integer(MAXIMUM_DELIVERIES),
  });
  return row === undefined ? null : (row.deliveries as Row[]).map(decodeDelivery);
}

/** A webhook of an ended token is disabled, whether or not its state was stored already. */
function webhookOf(row: Row): StoredWebhook {
  const webhook = decodeWebhook(row.hook as Row);
  if (row.ended !== true || webhook.state === 'disabled') return webhook;
  const [state, reason]: [WebhookState, WebhookReason] = ['disabled', 'token_ended'];
  return { ...webhook, state, reason };
}
