// Answers look-ups of gateways: the feeds of users and public tokens, and the heads of feeds.
// Rules: EVT1, ACL5, PUB3.
import { type FeedHead, readHeads } from '@taskgraph/graph-store/reads/feeds';
import { readPublications } from '@taskgraph/graph-store/reads/publications';
import { readReaderAccesses } from '@taskgraph/graph-store/reads/reader';
import { GATEWAY_READS, type PublicFeeds, type ReadersFeeds } from '@taskgraph/wire/bus/gateway-reads';
import { refuse } from '@taskgraph/wire/errors';
import { headsOf, signPosition } from './position.ts';
import { nowOf, type ReadHandler } from './read-handler.ts';

/** The feeds of many users, with signed positions. Deleted users are left out. */
export const readReadersFeeds: ReadHandler = async (message, environment) => {
  const payload = GATEWAY_READS['readers:feeds'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 users is needed.');
  const standings = await readReaderAccesses(environment.database, payload.data.readers, nowOf(environment));
  return {
    readers: standings.map(({ readerId, shown, shownTruncated }) => ({
      id: readerId,
      feeds: [...shown],
      ...(shownTruncated ? { truncated: true as const } : {}),
      position: signPosition(environment.secret, readerId, headsOf(shown)),
    })),
  } satisfies ReadersFeeds;
};

/** The feed of each valid public token. */
export const readPublicFeeds: ReadHandler = async (message, environment) => {
  const payload = GATEWAY_READS['public:feeds'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 tokens is needed.');
  const found = await readPublications(environment.database, payload.data.tokens, nowOf(environment));
  return {
    tokens: found.map(({ token, feed, epoch, seq, due }) => ({ token, feed, epoch, seq, due })),
  } satisfies PublicFeeds;
};

/** The heads of feeds, without their content. */
export const readFeedHeads: ReadHandler = async (message, environment) => {
  const payload = GATEWAY_READS['feeds:heads'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 feeds is needed.');
  const found: FeedHead[] = await readHeads(environment.database, payload.data.feeds);
  return { feeds: found };
};
