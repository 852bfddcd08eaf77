// The table of all reads: the catalog's, and those that gateways ask for themselves.
import { branchGet } from '@taskgraph/commands/reads/branch-get';
import { changesGet } from '@taskgraph/commands/reads/changes-get';
import { graphGet } from '@taskgraph/commands/reads/graph-get';
import { historyPage } from '@taskgraph/commands/reads/history-page';
import { nodeAccessList } from '@taskgraph/commands/reads/node-access-list';
import { trashPage } from '@taskgraph/commands/reads/trash-page';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { GatewayRead } from '@taskgraph/wire/gateway-reads';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import type { PageBudget } from './page-memory.ts';
import { readAccessList } from './read-access.ts';
import { readBranch } from './read-branch.ts';
import { readChanges } from './read-changes.ts';
import { readFeedHeads, readPublicFeeds, readReaderFeeds, readReadersFeeds } from './read-feeds.ts';
import { readGraph } from './read-graph.ts';
import { readHistory } from './read-history.ts';
import { checkTokens, readTokenOwner } from './read-token.ts';
import { readTrash } from './read-trash.ts';
import { noRoom, type ReadEnvironment, type Reading, replyTo } from './reading.ts';
import { steadily } from './stable-read.ts';

const ownReadings: Readonly<Record<GatewayRead, Reading>> = {
  'reader:feeds': readReaderFeeds,
  'readers:feeds': readReadersFeeds,
  'public:feeds': readPublicFeeds,
  'feeds:heads': readFeedHeads,
  'token:resolve': readTokenOwner,
  'tokens:check': checkTokens,
};

/** Those that answer in pages. */
const pageReadings: Readonly<Record<string, Reading>> = {
  [graphGet.event]: steadily(readGraph),
  [branchGet.event]: steadily(readBranch),
  [trashPage.event]: steadily(readTrash),
  [nodeAccessList.event]: steadily(readAccessList),
  [historyPage.event]: steadily(readHistory),
  [changesGet.event]: steadily(readChanges),
};

/** Every read by its event. */
const readings: Readonly<Record<string, Reading>> = { ...pageReadings, ...ownReadings };

/** A statement that took too long on a busy server often passes the next time. */
const READ_TRIES = 3;

/**
 * Answers one read; `unavailable` where the database is away or too busy for it, or memory for pages is short. Rejects on bugs.
 * `answered` resolves when the reply was sent, by default when it is there: until then a page keeps its share of the memory.
 */
export async function answerRead(
  message: ReadMessage,
  environment: ReadEnvironment,
  answered: Promise<unknown> = Promise.resolve(),
): Promise<ReplyMessage> {
  const reading = Object.hasOwn(readings, message.event) ? readings[message.event] : undefined;
  if (reading === undefined) return refusalReply(refuse('bad_request.unknown_event', 'There is no such event.'));
  const bounded = { ...environment, pages: shorterPages(environment.pages, message) };
  const work = () => replyTo(() => reading(message, bounded), { message, environment, tries: READ_TRIES });
  if (!Object.hasOwn(pageReadings, message.event)) return work();
  const giveBack = await environment.pages.take();
  if (giveBack === null) return noRoom;
  try {
    return await work();
  } finally {
    void answered.then(giveBack);
  }
}

/** The same memory for pages that are no longer than the caller's connection bears. */
function shorterPages(pages: PageBudget, { pageBytes = pages.pageBytes }: ReadMessage): PageBudget {
  return { ...pages, pageBytes: Math.min(pageBytes, pages.pageBytes) };
}
