// Answers what gateways ask for themselves: which feeds users and public tokens read, and how far those are. Rules: EVT1, ACL5, PUB3.
import { type FeedHead, readHeads } from '@taskgraph/graph-store/feeds';
import { readPublications } from '@taskgraph/graph-store/public';
import { readStanding, readStandings } from '@taskgraph/graph-store/reader';
import { refuse } from '@taskgraph/wire/errors';
import type { PublicFeeds, ReaderFeeds, ReadersFeeds } from '@taskgraph/wire/messages';
import { z } from 'zod';
import { headsOf, signPosition } from './position.ts';
import { asUser, nowOf, type Reading } from './reading.ts';

/** All feeds of one user, with the position that vouches for them. */
export const readReaderFeeds = asUser(async (_message, actor, environment) => {
  const { shown } = await readStanding(environment.database, actor, nowOf(environment));
  const position = signPosition(environment.secret, actor.id, headsOf(shown));
  return { feeds: [...shown], position } satisfies ReaderFeeds;
});

const readers = z.object({
  readers: z.array(z.object({ id: z.string().max(100), email: z.string().max(1_000) })).max(500),
});

/** The feeds of many users at once; those who are gone are left out. */
export const readReadersFeeds: Reading = async (message, environment) => {
  const payload = readers.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 users is needed.');
  const standings = await readStandings(environment.database, payload.data.readers, nowOf(environment));
  return {
    readers: standings.map(({ readerId, shown }) => ({ id: readerId, feeds: [...shown] })),
  } satisfies ReadersFeeds;
};

const tokens = z.object({ tokens: z.array(z.string().max(1_000)).max(500) });

/** The feed behind each public token that is valid now. */
export const readPublicFeeds: Reading = async (message, environment) => {
  const payload = tokens.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 tokens is needed.');
  const found = await readPublications(environment.database, payload.data.tokens, nowOf(environment));
  return {
    tokens: found.map(({ token, feed, epoch, seq, due }) => ({ token, feed, epoch, seq, due })),
  } satisfies PublicFeeds;
};

const feeds = z.object({ feeds: z.array(z.string().max(100)).max(1_000) });

/** Numbers of feeds, without anything of their content. */
export const readFeedHeads: Reading = async (message, environment) => {
  const payload = feeds.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 feeds is needed.');
  const found: FeedHead[] = await readHeads(environment.database, payload.data.feeds);
  return { feeds: found };
};
