// The access of a reader now: the feeds that they are shown, with their heads, and the level that each of their grants gives.
// Rules: ACL1, ACL5, ACL6, ACL10, ACL11, EVT1.
import { feedOfGrant, levelThrough } from '@taskgraph/domain/access/access';
import { MAXIMUM_GRANTS_BY_OWNER } from '@taskgraph/domain/access/bounds';
import { grantKey } from '@taskgraph/domain/state/change';
import type { Reader } from '@taskgraph/domain/state/state';
import { Level } from '@taskgraph/wire/codes';
import { type ReaderFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/messages';
import { readRevision } from '../accounts/users.ts';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { FeedHead } from './feeds.ts';

/** Most feeds of others that a reader is shown, beside their own; past it the reader is told that there is more. */
const MAXIMUM_SHOWN_FEEDS = MAXIMUM_GRANTS_BY_OWNER;

/**
 * Most grants of one reader that reads look at, those that are shown first: others may hand out grants without end. The owners who granted
 * take turns, each with the nodes first that they made first, so that none of them fills what is left for the others (ACL10).
 */
const MAXIMUM_GRANTS = 10_000;

/** Most grants of one reader that are put into that order, as many as ten owners may grant: past it the database chooses which. */
const MAXIMUM_RANKED = 20_000;

/** The access of a reader at one moment. */
export interface ReaderAccess {
  /** That moment: ISO 8601 UTC with milliseconds. */
  readonly now: string;
  readonly readerId: string;
  readonly email: string;
  /** The level that each unexpired grant gives on its feed, whether it is shown or not, and that of what conveys into the own feed. */
  readonly levels: ReadonlyMap<string, Level>;
  /** Own feed first, then those of unexpired grants that the reader wants to be shown, by the id of their node. */
  readonly shown: readonly ReaderFeed[];
  /** The owners of the nodes behind `shown`, themselves first. */
  readonly owners: readonly string[];
  /** Whether there is more that was granted to the reader, and that they want to be shown, than is in `shown`. */
  readonly isShownCut: boolean;
  /** Whether the reader has more grants than were looked at: `withGrantsOn` looks at those on what is asked about. */
  readonly isCut: boolean;
  /** Whether nodes of others hang in the reader's own tree. */
  readonly guests: boolean;
  /** Of the reader's e-mail, read before its grants: it grows with each that is made, changed or taken away; null where there never was one. */
  readonly rights: number | null;
  /** Of all that the reader owns, read before any of it; null for who is gone (`readRevisions`). */
  readonly revision: number | null;
}

/** The reader's level on a node that belongs to these feeds, or null for no access. */
export function levelOf(readerAccess: ReaderAccess, node: { ownerId: string; feeds: Iterable<string> }): Level | null {
  return levelThrough(node, { id: readerAccess.readerId }, (feed) => readerAccess.levels.get(feed) ?? null);
}

/** The same access by those feeds alone that the reader wants to be shown (ACL6). */
export function accessByShown(readerAccess: ReaderAccess): ReaderAccess {
  return { ...readerAccess, levels: new Map(readerAccess.shown.map(({ feed, level }) => [feed, level as Level])) };
}

/**
 * In: g, a reader's grants; bound. Out: g, cut: the owners of the nodes take turns, what is shown goes first. Locks: none. Cost: their number.
 *
 * The count(*) drops the owner's list from each row. With the list in every row, 10,000 grants of five owners exceed the memory of a
 * transaction.
 */
const IN_TURNS = `
  WITH coalesce(g.ownerId, '') AS owner, g ORDER BY g.showing DESC, g.nodeId
  WITH owner, collect(g) AS granted
  UNWIND range(0, size(granted) - 1) AS turn
  WITH granted[turn] AS g, turn, count(*) AS once
  WITH g, turn ORDER BY g.showing DESC, turn, g.nodeId LIMIT $bound`;

/**
 * In: readers (id, email, folded: the same in lower case, feed: the own one), now, bound, most (grants that are looked at). Out: id, own (head), rights, revision, guests, heads
 * (of the feeds of unexpired grants, cut in turns); no row for who is gone. Locks: none. Cost: four index look-ups a reader, their grants, and
 * one look-up for each head.
 *
 * The own head comes first of all: a grant that is made while this runs has a later number in that feed.
 */
const READ_READERS_HEADS = `
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
 * In: readers (id, email), now, bound, most. Out: id, grants (nodeId, branch, level, due, showing, ownerId), cut in turns.
 * Locks: none. Cost: one index look-up a reader, and the number of their grants.
 *
 * It runs after the heads were read: who is judged to read a feed joins the room of an epoch that is no newer than the judgement.
 */
const READ_READERS_GRANTS = `
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
  /** Of the node; null where no grant was written since owners are noted. */
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

/** The access of one reader at `now` (ISO 8601 UTC with milliseconds). Read it before the state that its heads are to vouch for. */
export async function readReaderAccess(database: Database, reader: Reader, now: string): Promise<ReaderAccess> {
  const [readerAccess] = await readReaderAccesses(database, [reader], now);
  // A user who is gone reads nothing any more; what they own would be found by their id alone.
  if (readerAccess !== undefined) return readerAccess;
  const nothing = { levels: new Map(), shown: [], owners: [], guests: false, revision: null };
  const cut = { isShownCut: false, isCut: false };
  return {
    now,
    readerId: reader.id,
    email: reader.email,
    rights: await readRevision(database, reader.email),
    ...nothing,
    ...cut,
  };
}

/** The same for many at once, in the order of their ids; users who are gone are left out. */
export async function readReaderAccesses(
  database: Database,
  readers: readonly Reader[],
  now: string,
): Promise<ReaderAccess[]> {
  const sought = readers.map(({ id, email }) => ({
    ...{ id, email, feed: userFeed(id) },
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
  const shown: ReaderFeed[] = [];
  const owners = new Set([id]);
  const isCut = grants.length > MAXIMUM_GRANTS;
  for (const grant of isCut ? grants.slice(0, MAXIMUM_GRANTS) : grants) {
    const feed = feedOfGrant(grant);
    levels.set(feed, grant.level);
    const head = byFeed.get(feed);
    // A grant without a head was made after the heads were read: a later slice of the own feed tells of it.
    if (!grant.showing || head === undefined || shown.length >= MAXIMUM_SHOWN_FEEDS) continue;
    shown.push({ ...head, level: grant.level, due: grant.due });
    if (grant.ownerId !== null) owners.add(grant.ownerId);
  }
  shown.sort((one, other) => (subjectOfFeed(one.feed) < subjectOfFeed(other.feed) ? -1 : 1));
  const { guests, rights, revision } = found;
  const all = [{ ...own, level: Level.OWNER, due: null }, ...shown];
  const isShownCut = grants.filter(({ showing }) => showing).length > MAXIMUM_SHOWN_FEEDS;
  const standing = { readerId: id, email, levels, shown: all, owners: [...owners] };
  return { ...standing, isShownCut, isCut, guests, rights, revision };
}

/**
 * In: keys (of grants), reader (user id), now. Out: nodeId, branch, level of those that are the reader's and in force. Locks: none. Cost: one index
 * look-up each.
 */
const READ_GRANTS = `
UNWIND $keys AS key
MATCH (p:Principal)-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
WHERE p.userId = $reader AND (g.due IS NULL OR g.due > $now)
RETURN g.nodeId AS nodeId, g.branch AS branch, g.level AS level`;

/** The access with the grants on these feeds, of which not all were looked at where the reader has too many (ACL11). */
export async function withGrantsOn(
  database: Database,
  readerAccess: ReaderAccess,
  feeds: Iterable<string>,
): Promise<ReaderAccess> {
  if (!readerAccess.isCut) return readerAccess;
  const { readerId, email, now, levels } = readerAccess;
  const unknown = [...new Set(feeds)].filter((feed) => !feed.startsWith('user:') && !levels.has(feed));
  const keys = [...new Set(unknown.map((feed) => grantKey(subjectOfFeed(feed), email)))];
  if (keys.length === 0) return readerAccess;
  const rows = await database.read(READ_GRANTS, { keys, reader: readerId, now });
  const found = rows as unknown as Pick<Grant, 'nodeId' | 'branch' | 'level'>[];
  return {
    ...readerAccess,
    levels: new Map([...levels, ...found.map((grant) => [feedOfGrant(grant), grant.level] as const)]),
  };
}
