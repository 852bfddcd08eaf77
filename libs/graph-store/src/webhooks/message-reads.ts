// The reads of the contents of many messages, in groups, and the last check of each. Rules: HOOK2, HOOK7.
import { chunksOf } from '@taskgraph/wire/chunks';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { type GroupableStatement, withGroupedReads } from '../driver/grouped-reads.ts';
import type { FeedGap } from '../reads/changes.ts';
import { READ_READERS_GRANTS, READ_READERS_HEADS } from '../reads/reader.ts';
import { LOCATE_LINKS, LOCATE_NODES_ON_RETURN, RECALL_DELETED } from '../reads/visible.ts';

/**
 * In: checks: id, email (in lower case), missed (feed, since, of one reader). Out: id, rights (revision of the
 * e-mail), lost (how many of these feeds have no longer all entries after `since`). Locks: none. Cost: an
 * index look-up each, and one for each feed.
 */
const CHECK_MESSAGES = `
UNWIND $checks AS check
CALL (check) {
  UNWIND check.missed AS missed
  OPTIONAL MATCH (f:Feed {id: missed.feed})
  RETURN count(CASE WHEN f.first <= missed.since + 1 THEN null ELSE 1 END) AS lost
}
OPTIONAL MATCH (p:Principal {email: check.email})
RETURN check.id AS id, lost, p.rev AS rights`;

const GAPS_AT_ONCE = 500;

export interface MessageCheck {
  /** Unique to the message. */
  readonly id: string;
  readonly email: string;
  readonly missed: readonly FeedGap[];
}

export interface CheckedMessage {
  /** A number that changes whenever the reader's access does; null for a reader without grants. */
  readonly rights: number | null;
  /** Whether all entries of the gaps are still stored. */
  readonly isComplete: boolean;
}

/** The last check of a message: after everything else of it was read. */
export async function checkMessage(database: Database, { id, email, missed }: MessageCheck): Promise<CheckedMessage> {
  const moved = missed.filter(({ since, head }) => since < head);
  let isComplete = true;
  let rights: number | null = null;
  // The first one also if nothing has moved.
  for (const some of moved.length === 0 ? [[]] : chunksOf(moved, GAPS_AT_ONCE)) {
    const gaps = some.map(({ feed, since }) => ({ feed, since: integer(since) }));
    const [row] = await database.read(CHECK_MESSAGES, { checks: [{ id, email: email.toLowerCase(), missed: gaps }] });
    isComplete &&= row?.lost === 0;
    rights = (row?.rights as number | undefined) ?? null;
  }
  return { rights, isComplete };
}

/**
 * The statements that depend on nothing but the ids that they look up. Readers are few in one group: the
 * grants of one delay the others.
 */
const GROUPED: ReadonlyMap<string, GroupableStatement> = new Map([
  [READ_READERS_HEADS, { list: 'readers', most: 1 }],
  [READ_READERS_GRANTS, { list: 'readers', most: 1 }],
  [LOCATE_NODES_ON_RETURN, { list: 'nodes', most: 500 }],
  [LOCATE_LINKS, { list: 'links', most: 500 }],
  [RECALL_DELETED, { list: 'ids', most: 500 }],
  [CHECK_MESSAGES, { list: 'checks', most: 1 }],
]);

/** The database, in which the reads of messages that are built at the same time share statements. */
export function withGroupedMessageReads(database: Database): Database {
  return withGroupedReads(database, GROUPED);
}
