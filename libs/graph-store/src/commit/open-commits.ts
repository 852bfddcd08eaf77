// The large commands in progress. Their batches become readable long after their `ts`, so history
// with the order `oldest` ends before them. Rule: HISX2.
import type { Database } from '../driver/database.ts';

/** A commit in progress. */
interface OpenCommit {
  readonly id: string;
  /** A lower bound of the `ts` of its batches (ISO 8601). */
  readonly since: string;
  /** The time by which it has ended, even if its worker died (ISO 8601). */
  readonly until: string;
}

// All open commits are one text in one node, because an export counts nodes, and large commands are
// rare. The text is not a list, because an export has no form for an empty list.

/**
 * In: now, commit (text of an open commit). Out: nothing. Locks: the one node of open commits.
 * Cost: the open commits.
 */
const ADD_OPEN_COMMIT = `
MERGE (l:Lock {id: 'commits'}) SET l.lock = true
WITH l, [one IN split(coalesce(l.open, ''), ';') WHERE one <> '' AND split(one, ' ')[1] > $now] AS open
SET l.open = reduce(text = '', one IN open | text + one + ';') + $commit + ';'`;

/** In: commit (text). Out: nothing. Locks: the one node of open commits. Cost: the open commits. */
const REMOVE_OPEN_COMMIT = `
MATCH (l:Lock {id: 'commits'}) SET l.lock = true
WITH l, [one IN split(coalesce(l.open, ''), ';') WHERE one <> '' AND one <> $commit] AS open
SET l.open = reduce(text = '', one IN open | text + one + ';')`;

/**
 * In: nothing. Out: ms, the time of the database in milliseconds since 1970; open, the text of all
 * open commits. Locks: none. Cost: constant.
 */
const READ_OPEN_COMMITS = `
OPTIONAL MATCH (l:Lock {id: 'commits'})
RETURN datetime.realtime().epochMillis AS ms, coalesce(l.open, '') AS open`;

/** Records a commit before its transaction begins. Returns the function that removes the record. */
export async function recordOpenCommit(
  database: Database,
  { id, since, until }: OpenCommit,
): Promise<() => Promise<void>> {
  const commit = `${since} ${until} ${id}`;
  await database.write(ADD_OPEN_COMMIT, { now: since, commit });
  return async () => {
    await database.write(REMOVE_OPEN_COMMIT, { commit });
  };
}

/** The time of the database and the `since` of each open commit, milliseconds since 1970. */
export async function readOpenCommits(database: Database): Promise<{ nowMs: number; sincesMs: readonly number[] }> {
  const [row] = await database.read(READ_OPEN_COMMITS, {});
  const { ms: nowMs, open } = row as { ms: number; open: string };
  const sincesMs = open
    .split(';')
    .filter((one) => one !== '')
    .map((one) => one.split(' ').map((time) => Date.parse(time)))
    .flatMap(([since = 0, until = 0]) => (until > nowMs ? [since] : []));
  return { nowMs, sincesMs };
}
