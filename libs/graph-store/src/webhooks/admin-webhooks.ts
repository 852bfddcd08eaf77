// The webhooks of all users, as administrators see them: without names, addresses, branches and
// conditions, which their users write. Rules: ADMIN2, ADMIN6.
import type { AdminWebhook } from '@taskgraph/wire/bus/admin-calls';
import type { WebhookState } from '@taskgraph/wire/webhooks/webhook-fields';
import { type AccountCall, executeCall } from '../accounts/account-calls.ts';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { decodeWebhook, messageInProgress } from './webhook-rows.ts';

/**
 * Whether the token that created a webhook has ended. In: w, now. Out: w, ended; a condition on them may follow.
 * Locks: none. Cost: one index look-up for each webhook.
 */
const WITH_ENDED = `OPTIONAL MATCH (creator:Token {id: w.tokenId})
WITH w, w.tokenId IS NOT NULL AND (
  creator.id IS NULL OR creator.revoked IS NOT NULL OR coalesce(creator.expires <= $now, false)
) AS ended`;

/** In: w, ended, limit. Out: hook, userId, email, ended, by id. Locks: none. Cost: a page. */
const RETURN_PAGE = `WITH w, ended ORDER BY w.id LIMIT $limit
MATCH (u:User)-[:HAS_WEBHOOK]->(w)
RETURN properties(w) AS hook, u.id AS userId, u.email AS email, ended ORDER BY w.id`;

/**
 * In: after (an id, '' for the start), limit, now. Out: as RETURN_PAGE. Locks: none. Cost: the page, and the
 * deleted webhooks between its entries.
 */
const LIST_ALL = `MATCH (w:Webhook) USING INDEX SEEK w:Webhook(id) WHERE w.id > $after AND w.state <> 'deleted'
${WITH_ENDED}
${RETURN_PAGE}`;

/**
 * In: state (pending or active), after, limit, now. Out: as RETURN_PAGE. Locks: none. Cost: the page, and the
 * webhooks of ended tokens between its entries.
 */
const LIST_ENABLED = `MATCH (w:Webhook) USING INDEX SEEK w:Webhook(state, id) WHERE w.state = $state AND w.id > $after
${WITH_ENDED}
WHERE NOT ended
${RETURN_PAGE}`;

/**
 * In: after, limit, now. Out: as RETURN_PAGE. Locks: none. Cost: all webhooks up to the end of the page,
 * because the end of a token that expired is stored only when its webhook would run.
 */
const LIST_DISABLED = `MATCH (w:Webhook) USING INDEX SEEK w:Webhook(id) WHERE w.id > $after AND w.state <> 'deleted'
${WITH_ENDED}
WHERE ended OR w.state = 'disabled'
${RETURN_PAGE}`;

interface WebhookPage {
  readonly after: string;
  readonly limit: number;
  /** Null for all. */
  readonly state: WebhookState | null;
  /** ISO 8601 UTC. */
  readonly now: string;
}

/** A page of the webhooks of all users, by id. */
export async function listAdminWebhooks(
  database: Database,
  { after, limit, state, now }: WebhookPage,
): Promise<AdminWebhook[]> {
  const page = { after, limit: integer(limit), now };
  return (await rowsOf(database, state, page)).map(adminWebhookOf);
}

function rowsOf(database: Database, state: WebhookState | null, page: Row): Promise<Row[]> {
  if (state === null) return database.read(LIST_ALL, page);
  return state === 'disabled' ? database.read(LIST_DISABLED, page) : database.read(LIST_ENABLED, { ...page, state });
}

/** A webhook of an ended token is disabled, whether or not its state was stored already. */
function adminWebhookOf({ hook, userId, email, ended }: Row): AdminWebhook {
  const webhook = decodeWebhook(hook as Row);
  const { id, created } = webhook;
  const message = messageInProgress(webhook);
  const isOff = webhook.state === 'disabled' || ended === true;
  const state = isOff ? 'disabled' : webhook.state;
  const reason = ended === true && webhook.state !== 'disabled' ? 'token_ended' : webhook.reason;
  return {
    id,
    user: { id: userId as string, email: email as string },
    state,
    reason,
    createdTime: created,
    lastSuccess: timeOf(webhook.successMs),
    failingSince: timeOf(webhook.failingSinceMs),
    attempts: message?.attempts ?? 0,
    nextAttempt: isOff || message === null ? null : timeOf(message.nextMs),
    waitingSince: isOff ? null : timeOf(webhook.dueSinceMs),
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * In: id, request, isRepeated. Out: id; no row without such a webhook. Locks: its User, then the Webhook. Cost:
 * two index look-ups. A run in progress stores nothing after it, since the version has grown. A
 * repetition does not disable what its user has enabled since.
 */
const DISABLE = `MATCH (found:Webhook {id: $id}) WHERE found.state <> 'deleted'
MATCH (u:User)-[:HAS_WEBHOOK]->(found)
SET u.lock = true
WITH u
MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $id}) WHERE w.state <> 'deleted'
FOREACH (_ IN CASE WHEN $isRepeated OR coalesce(w.operatorRequest = $request, false) OR w.state = 'disabled' THEN [] ELSE [1] END |
  SET w.state = 'disabled', w.reason = null, w.dueSinceMs = null, w.message = null, w.dueMessage = null, w.failingSinceMs = null,
    w.operatorRequest = $request, w.version = w.version + 1
)
RETURN w.id AS id`;

/** Disables a webhook of any user; false if there is none. `ended`: the session of the call has ended. */
export async function disableAdminWebhook(
  database: Database,
  { id, ...call }: AccountCall & { readonly id: string; readonly request: string },
): Promise<boolean | 'ended'> {
  const rows = await executeCall(database, call, (transaction, isRepeated) =>
    transaction.run(DISABLE, { id, request: call.request, isRepeated }),
  );
  return rows === 'ended' ? rows : rows.length > 0;
}
