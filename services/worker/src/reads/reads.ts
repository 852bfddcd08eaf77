// The table of all reads: those of clients, and look-ups of gateways.
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import { type Database, withOrderedReads } from '@taskgraph/graph-store/driver/database';
import { type ReadMessage, type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import type { GatewayRead, PageLikeRead } from '@taskgraph/wire/bus/gateway-reads';
import { refuse } from '@taskgraph/wire/errors';
import type { NameOf } from '@taskgraph/wire/operations/operations';
import { jsonPieces } from './cache/page-json.ts';
import { readChanges } from './changes/read-changes.ts';
import { readFind } from './find/read-find.ts';
import { readHistory } from './history/read-history.ts';
import type { PageBudget } from './page-budget.ts';
import { readAccessList } from './read-access.ts';
import { readBranch } from './read-branch.ts';
import { resolveCalendarAddresses } from './read-calendar.ts';
import { readFeedHeads, readPublicFeeds, readReadersFeeds } from './read-feeds.ts';
import { readGraph } from './read-graph.ts';
import { budgetExhausted, type ReadEnvironment, type ReadHandler, replyTo } from './read-handler.ts';
import { readNodes } from './read-nodes.ts';
import { readPlan } from './read-plan.ts';
import { checkTokens, readTokenOwners } from './read-token.ts';
import { readTrash } from './read-trash.ts';
import { retryWhileAccessChanges, withStableAccess } from './stable-access.ts';
import { searchWebhookDue } from './webhooks/due-search.ts';
import { readWebhookDue } from './webhooks/webhook-due.ts';
import { readWebhookMessage } from './webhooks/webhook-message.ts';
import { readWhy } from './why/read-why.ts';

/** Look-ups with short answers. */
const gatewayReads: Readonly<Record<Exclude<GatewayRead, PageLikeRead>, ReadHandler>> = {
  'readers:feeds': readReadersFeeds,
  'public:feeds': readPublicFeeds,
  'feeds:heads': readFeedHeads,
  'tokens:resolve': readTokenOwners,
  'calendars:resolve': resolveCalendarAddresses,
  'tokens:check': checkTokens,
};

/** Reads with pages as answers, and those that cost as much. */
const pageReads: Readonly<Record<NameOf<'read'> | PageLikeRead, ReadHandler>> = {
  'webhook:message': readWebhookMessage,
  'webhook:due-search': searchWebhookDue,
  'webhook:due': readWebhookDue,
  'node:get': retryWhileAccessChanges(readNodes),
  'node:find': withStableAccess(readFind),
  'graph:get': retryWhileAccessChanges(readGraph),
  'branch:get': retryWhileAccessChanges(readBranch),
  'trash:page': withStableAccess(readTrash),
  'node:access:list': withStableAccess(readAccessList),
  'history:page': withStableAccess(readHistory),
  'changes:get': withStableAccess(readChanges),
  'graph:plan': withStableAccess(retryWhileAccessChanges(readPlan)),
  'node:why': withStableAccess(readWhy),
};

/** Every read by its event. */
const readHandlers: Readonly<Record<string, ReadHandler>> = { ...pageReads, ...gatewayReads };

/** A statement that timed out on a busy server often succeeds the next time. */
const READ_TRIES = 3;

/**
 * Answers one read; `unavailable` if the database is unreachable or busy, or memory for pages is
 * short. Rejects on bugs. A page is returned as JSON, compressed if the requester accepts that. If
 * the requester has it, only the etag is returned. A page holds its share of the memory until
 * `answered` resolves, by default until the reply is ready.
 */
export async function answerRead(
  message: ReadMessage,
  environment: ReadEnvironment,
  answered: Promise<unknown> = Promise.resolve(),
): Promise<ReplyMessage | RawReply> {
  const read = Object.hasOwn(readHandlers, message.event) ? readHandlers[message.event] : undefined;
  if (read === undefined) return refusalReply(refuse('bad_request.unknown_event', 'There is no such event.'));
  const isPage = Object.hasOwn(pageReads, message.event);
  const bounded = {
    ...environment,
    pages: shorterPages(environment.pages, message),
    form: { acceptsCompressed: message.acceptsCompressed === true, etags: message.etags ?? [] },
    // Look-ups of gateways too: a check at a raised epoch must not see the grant whose end raised
    // it.
    database: withOrderedReads(databaseOf(message, environment)),
  };
  const work = () => replyTo(() => read(message, bounded), { message, environment, attempts: READ_TRIES });
  if (!isPage) return work();
  const putBack = await environment.pages.take();
  if (putBack === null) return budgetExhausted;
  try {
    const reply = await work();
    if (reply.ok && 'body' in reply) return { ok: true, json: Buffer.concat(await jsonPieces(reply.body)) };
    return unlessKnown(reply, message.etags);
  } finally {
    void answered.then(putBack);
  }
}

/** Contents of messages share statements. */
function databaseOf({ event }: ReadMessage, { database, groupedDatabase = database }: ReadEnvironment): Database {
  return event.startsWith('webhook:') ? groupedDatabase : database;
}

/** The same reply, without a body that the requester already has. */
function unlessKnown(reply: ReplyMessage | RawReply, etags: readonly string[] = []): ReplyMessage | RawReply {
  const etag = 'etag' in reply ? reply.etag : undefined;
  if (etag === undefined || !etags.includes(etag)) return reply;
  return { ok: true, etag, json: EMPTY_OBJECT, unchanged: true };
}

const EMPTY_OBJECT = Buffer.from('{}');

/** The same budget, with pages no longer than the caller's connection accepts. */
function shorterPages(pages: PageBudget, { pageBytes = pages.pageBytes }: ReadMessage): PageBudget {
  return { ...pages, pageBytes: Math.min(pageBytes, pages.pageBytes) };
}
