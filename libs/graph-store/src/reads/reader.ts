// The current access of a reader: the feeds shown to them with their heads, and the level of each
// grant. Rules: ACL1, ACL5, ACL6, ACL10, ACL11, EVT1.

import { EarliestEnd } from '@taskgraph/domain/access/earliest-end';
import { MAXIMUM_GRANTS_BY_OWNER } from '@taskgraph/domain/access/grant-limit';
import { feedOfGrant, levelThrough } from '@taskgraph/domain/access/reader-access';
import { grantKey } from '@taskgraph/domain/state/change';
import type { Reader } from '@taskgraph/domain/state/state';
import type { ReaderFeed } from '@taskgraph/wire/bus/gateway-reads';
import { Level } from '@taskgraph/wire/codes';
import { subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import { readRevision } from '../accounts/users.ts';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { FeedHead } from './feeds.ts';

/**
 * Maximum feeds of others shown to a reader, besides their own; above it the answer says that there
 * is more.
 */
const MAXIMUM_SHOWN_FEEDS = MAXIMUM_GRANTS_BY_OWNER;

/**
 * Maximum grants of one reader that reads consider, shown ones first, since others may grant
 * without limit. The granting owners take turns, each with the nodes created first, so that none of
 * them displaces the others (ACL10).
 */
const MAXIMUM_GRANTS = 10_000;

/**
 * Maximum grants of one reader that are ordered in turns, as many as ten owners may grant; above it
 * the database chooses.
 */
const MAXIMUM_RANKED = 20_000;

/** The access of a reader at one moment. */
export interface ReaderAccess {
  /** The moment: ISO 8601 UTC with milliseconds. */
  readonly now: string;
  readonly readerId: string;
  readonly email: string;
  /**
   * The level that each unexpired grant gives on its feed, shown or not, and that of nodes
   * propagating into the own feed.
   */
  readonly levels: ReadonlyMap<string, Level>;
  /** The earliest end of the grants behind `levels`, also of those that `withGrantsOn` adds. */
  readonly end: EarliestEnd;
  /** The own feed, then those of unexpired grants that the reader wants to see, by node id. */
  readonly shown: readonly ReaderFeed[];
  /** The heads of unexpired grants that the reader has hidden, as far as they were read. */
  readonly hidden: readonly FeedHead[];
  /** The owners of the nodes behind `shown`, the reader first. */
  readonly owners: readonly string[];
  /** Whether more is granted to the reader, and wanted, than is in `shown`. */
  readonly shownTruncated: boolean;
  /**
   * Whether the reader has more grants than were considered; `withGrantsOn` reads those on the
   * nodes in question.
   */
  readonly truncated: boolean;
  /** Whether other users' nodes are in the reader's own tree. */
  readonly guests: boolean;
  /**
   * Revision of the reader's e-mail, read before its grants; it grows with every change to them.
   * Null if there never was a grant.
   */
  readonly rights: number | null;
  /**
   * Revision of the reader, read before their entities; null for a deleted user (`readRevisions`).
   */
  readonly revision: number | null;
}

/** The reader's level on a node with these feeds; null for no access. */
export function levelOf(readerAccess: ReaderAccess, node: { ownerId: string; feeds: Iterable<string> }): Level | null {
  return levelThrough(node, { id: readerAccess.readerId }, (feed) => readerAccess.levels.get(feed) ?? null);
}

/** The same access restricted to the feeds that the reader wants to see (ACL6). */
export function accessByShown(readerAccess: ReaderAccess): ReaderAccess {
  return { ...readerAccess, levels: new Map(readerAccess.shown.map(({ feed, level }) => [feed, level as Level])) };
}

/**
 * In: g, a reader's grants; bound. Out: g, cut: the owners of the nodes take turns, shown grants
 * first. Locks: none. Cost: their number.
 *
 * The count(*) drops the owner's list from each row. With the list in every row, 10,000 grants of
 * five owners exceed the memory of a transaction.
 */
const IN_TURNS = `
  WITH coalesce(g.ownerId, '') AS owner, g ORDER BY g.showing DESC, g.nodeId
  WITH owner, collect(g) AS granted
  UNWIND range(0, size(granted) - 1) AS turn
  WITH granted[turn] AS g, turn, count(*) AS once
  WITH g, turn ORDER BY g.showing DESC, turn, g.nodeId LIMIT $bound`;

/**
 * In: readers (id, email, folded: the same in lower case, feed: the own one), now, bound, most
 * (grants considered). Out: id, own (head), rights, revision, guests, heads (of the feeds of
 * unexpired grants, cut in turns); no row for a deleted user. Locks: none. Cost: four index
 * look-ups a reader, their grants, and one look-up for each head.
 *
 * The own head is read first: a grant created during this statement has a later number in that
 * feed.
 */
export const READ_READERS_HEADS = `
UNWIND $readers AS reader
MATCH (own:Feed {id: reader.feed})
WITH reader, {feed: own.id, seq: own.seq, epoch: own.epoch} AS own
OPTIONAL MATCH (u:User {id: reader.id})
OPTIONAL MATCH (reading:Principal {email: reader.folded})
WITH reader, own, u.rev AS revision, reading.rev AS rights
CALL (reader) {
  MATCH (p:Principal {email: reader.email})-[g:GRANT]->() USING INDEX SEEK p:Principal(email)
  WHERE p.userId = reader.id AND (g.due IS NULL OR g.due > $now)
  WITH g LIMIT $most
  ${IN_TURNS}
  MATCH (f:Feed {id: CASE WHEN g.branch THEN 'root:' ELSE 'node:' END + g.nodeId})
  RETURN collect({feed: f.id, seq: f.seq, epoch: f.epoch}) AS heads
}
CALL (reader) {
  OPTIONAL MATCH ()-[row:IN]->() USING INDEX SEEK row:IN(feed, id) WHERE row.feed = reader.feed AND row.id > ''
  WITH row LIMIT 1
  RETURN row IS NOT NULL AS guests
}
RETURN reader.id AS id, own, rights, revision, heads, guests`;

/**
 * In: readers (id, email), now, bound, most. Out: id, grants (nodeId, branch, level, due, showing,
 * ownerId), cut in turns. Locks: none. Cost: one index look-up a reader, and the number of their
 * grants.
 *
 * Run it after reading the heads: a verified subscription then has an epoch no newer than the
 * check.
 */
export const READ_READERS_GRANTS = `
UNWIND $readers AS reader
CALL (reader) {
  MATCH (p:Principal {email: reader.email})-[g:GRANT]->() USING INDEX SEEK p:Principal(email)
  WHERE p.userId = reader.id AND (g.due IS NULL OR g.due > $now)
  WITH g LIMIT $most
  ${IN_TURNS}
  RETURN collect({nodeId: g.nodeId, branch: g.branch, level: g.level, due: g.due, showing: g.showing, ownerId: g.ownerId}) AS grants
}
RETURN reader.id AS id, grants`;

interface Grant {
  readonly nodeId: string;
  readonly branch: boolean;
  readonly level: Level;
  readonly due: string | null;
  readonly showing: boolean;
  /** Of the node; null if no grant was written since owners are recorded. */
  readonly ownerId: string | null;
}

interface ReaderHeads {
  readonly id: string;
  readonly own: FeedHead;
  readonly heads: readonly FeedHead[];
  readonly guests: boolean;
  readonly rights: number | null;
  readonly revision: number | null;
}

/**
 * The access of one reader at `now` (ISO 8601 UTC with milliseconds). Read it before the state that
 * its heads are the position of.
 */
export async function readReaderAccess(database: Database, reader: Reader, now: string): Promise<ReaderAccess> {
  const [readerAccess] = await readReaderAccesses(database, [reader], now);
  // A deleted user has no access; otherwise their entities would be found by the owner's id alone.
  if (readerAccess !== undefined) return readerAccess;
  const nothing = { levels: new Map(), shown: [], hidden: [], owners: [], guests: false, revision: null };
  const cut = { shownTruncated: false, truncated: false };
  return {
    now,
    readerId: reader.id,
    email: reader.email,
    end: new EarliestEnd(),
    rights: await readRevision(database, reader.email),
    ...nothing,
    ...cut,
  };
}

/** Like `readReaderAccess`, for many readers, in order of their ids; deleted users are omitted. */
export async function readReaderAccesses(
  database: Database,
  readers: readonly Reader[],
  now: string,
): Promise<ReaderAccess[]> {
  const sought = readers.map(({ id, email }) => ({
    id,
    email,
    feed: userFeed(id),
    folded: email.toLowerCase(),
  }));
  const bound = integer(MAXIMUM_GRANTS + 1);
  const most = integer(MAXIMUM_RANKED);
  const wanted = { readers: sought, now, bound: integer(MAXIMUM_SHOWN_FEEDS), most };
  const found = (await database.read(READ_READERS_HEADS, wanted)) as unknown as ReaderHeads[];
  const withHeads = new Set(found.filter(({ heads }) => heads.length > 0).map(({ id }) => id));
  const granted = sought.filter(({ id }) => withHeads.has(id));
  const rows =
    granted.length === 0 ? [] : await database.read(READ_READERS_GRANTS, { readers: granted, now, bound, most });
  const emails = new Map(sought.map(({ id, email }) => [id, email]));
  const grants = new Map(rows.map((row) => [row.id as string, row.grants as Grant[]]));
  return found
    .map((heads) => ({ now, ...accessOf(emails.get(heads.id) ?? '', heads, grants.get(heads.id) ?? []) }))
    .sort((one, other) => (one.readerId < other.readerId ? -1 : 1));
}

function accessOf(
  email: string,
  { id, own, heads, ...found }: ReaderHeads,
  grants: readonly Grant[],
): Omit<ReaderAccess, 'now'> {
  const byFeed = new Map(heads.map((head) => [head.feed, head]));
  const levels = new Map<string, Level>([[own.feed, Level.VIEWER]]);
  const end = new EarliestEnd();
  const shown: ReaderFeed[] = [];
  const hidden: FeedHead[] = [];
  const owners = new Set([id]);
  const truncated = grants.length > MAXIMUM_GRANTS;
  for (const grant of truncated ? grants.slice(0, MAXIMUM_GRANTS) : grants) {
    const feed = feedOfGrant(grant);
    levels.set(feed, grant.level);
    end.include(grant.due);
    const head = byFeed.get(feed);
    // A grant without a head was created after the heads were read: a later slice of the own feed
    // reports it.
    if (!grant.showing && head !== undefined) hidden.push(head);
    if (!grant.showing || head === undefined || shown.length >= MAXIMUM_SHOWN_FEEDS) continue;
    shown.push({ ...head, level: grant.level, due: grant.due });
    if (grant.ownerId !== null) owners.add(grant.ownerId);
  }
  shown.sort((one, other) => (subjectOfFeed(one.feed) < subjectOfFeed(other.feed) ? -1 : 1));
  const { guests, rights, revision } = found;
  const all = [{ ...own, level: Level.OWNER, due: null }, ...shown];
  const shownTruncated = grants.filter(({ showing }) => showing).length > MAXIMUM_SHOWN_FEEDS;
  const standing = { readerId: id, email, levels, end, shown: all, hidden, owners: [...owners] };
  return { ...standing, shownTruncated, truncated, guests, rights, revision };
}

/**
 * In: keys (of grants), reader (user id), now. Out: nodeId, branch, level, due of the reader's
 * valid grants. Locks: none. Cost: one index look-up each.
 */
const READ_GRANTS = `
UNWIND $keys AS key
MATCH (p:Principal)-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
WHERE p.userId = $reader AND (g.due IS NULL OR g.due > $now)
RETURN g.nodeId AS nodeId, g.branch AS branch, g.level AS level, g.due AS due`;

/**
 * The access completed by the grants on these feeds, if the reader has too many for all to be
 * considered (ACL11).
 */
export async function withGrantsOn(
  database: Database,
  readerAccess: ReaderAccess,
  feeds: Iterable<string>,
): Promise<ReaderAccess> {
  if (!readerAccess.truncated) return readerAccess;
  const { readerId, email, now, levels } = readerAccess;
  const unknown = [...new Set(feeds)].filter((feed) => !feed.startsWith('user:') && !levels.has(feed));
  const keys = [...new Set(unknown.map((feed) => grantKey(subjectOfFeed(feed), email)))];
  if (keys.length === 0) return readerAccess;
  const rows = await database.read(READ_GRANTS, { keys, reader: readerId, now });
  const found = rows as unknown as Pick<Grant, 'nodeId' | 'branch' | 'level' | 'due'>[];
  for (const { due } of found) readerAccess.end.include(due);
  return {
    ...readerAccess,
    levels: new Map([...levels, ...found.map((grant) => [feedOfGrant(grant), grant.level] as const)]),
  };
}
