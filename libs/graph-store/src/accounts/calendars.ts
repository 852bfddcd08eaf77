// Calendars of users: addresses from which calendar programs read. Rules: ICAL1, ICAL2.
//
// Like a token, a calendar is found by the SHA-256 of its secret, which is not stored. A removed one
// loses its hash, and stays for some minutes with the id of the request that removed it, so that a
// repeated request gets the same answer.
import type { ActingUser } from '@taskgraph/wire/actor';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { type AccountCall, executeCall } from './account-calls.ts';
import { actingUserOf } from './users.ts';

/** Maximum calendars of a user. */
export const MAXIMUM_CALENDARS = 20;
/** How long a removed calendar is stored. */
const REMEMBERED_MS = 10 * 60_000;
/** Minimum interval between updates of a last use: a write for each use would cost more than it. */
const LAST_USE_MS = 60 * 60_000;

/** The definition of a calendar. */
export interface CalendarDefinition {
  readonly name: string;
  readonly root: string | null;
  /** The conditions as JSON. */
  readonly where: string | null;
  readonly as: 'event' | 'todo';
  readonly planned: { readonly start: string | null; readonly unit: 'minute' | 'hour' | 'day' | 'week' } | null;
}

/** A calendar as its user sees it. Times are ISO 8601 UTC. */
export interface CalendarFacts extends CalendarDefinition {
  readonly id: string;
  readonly createdTime: string;
  readonly lastUsed: string | null;
}

/** In: userId. Out: calendar, the properties of each, oldest first. Locks: none. Cost: their number. */
const LIST_CALENDARS = `MATCH (u:User {id: $userId})-[:HAS_CALENDAR]->(c:Calendar) USING INDEX SEEK u:User(id)
WHERE c.removed IS NULL RETURN properties(c) AS calendar ORDER BY c.createdTime, c.id`;

/** The calendars of a user. */
export async function listCalendars(database: Database, userId: string): Promise<CalendarFacts[]> {
  return (await database.read(LIST_CALENDARS, { userId })).map(({ calendar }) => factsOf(calendar as Row));
}

/**
 * In: userId, session, calendar (its properties), most, now, forgotten. Out: calendar, the properties
 * of the new one, or null above the limit; no row for a token that is not a session, or for a bot. Locks:
 * the User, so that concurrent requests count each other. Cost: the number of the user's calendars.
 */
const ADD_CALENDAR = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u WHERE u.maintainer IS NULL
MATCH (u)-[:HAS_TOKEN]->(s:Token {id: $session}) WHERE s.kind = 'session'
CALL (u) {
  MATCH (u)-[:HAS_CALENDAR]->(c:Calendar) WHERE c.removed < $forgotten
  DETACH DELETE c
}
WITH u, COUNT {
  (u)-[:HAS_CALENDAR]->(c:Calendar) WHERE c.removed IS NULL AND c.id <> $calendar.id
} < $most AS fits
CALL (u, fits) {
  WITH u, fits WHERE fits
  MERGE (u)-[:HAS_CALENDAR]->(c:Calendar {id: $calendar.id})
  ON CREATE SET c += $calendar, c.createdTime = $now
  RETURN properties(c) AS calendar
  UNION
  WITH fits WHERE NOT fits RETURN null AS calendar
}
RETURN calendar`;

interface NewCalendar extends CalendarDefinition {
  readonly userId: string;
  /** The id of the session that creates it. */
  readonly session: string;
  readonly id: string;
  readonly hash: string;
}

/** Stores a new calendar. A repetition with the same id creates one calendar. `ended`: the session has ended. */
export async function addCalendar(
  database: Database,
  { userId, session, id, hash, name, root, where, as, planned }: NewCalendar,
  nowMs: number,
): Promise<CalendarFacts | 'too_many' | 'ended'> {
  const plan = planned === null ? {} : { planStart: planned.start, planUnit: planned.unit };
  const now = new Date(nowMs).toISOString();
  const parameters = {
    userId,
    session,
    calendar: { id, hash, name, root, where, as, ...plan },
    most: integer(MAXIMUM_CALENDARS),
    now,
    forgotten: new Date(nowMs - REMEMBERED_MS).toISOString(),
  };
  const rows = await executeCall(database, { userId, caller: session, now }, (transaction) =>
    transaction.run(ADD_CALENDAR, parameters),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  if (row === undefined) return 'ended';
  return row.calendar === null ? 'too_many' : factsOf(row.calendar as Row);
}

/**
 * In: userId, id, hash, isRepeated. Out: calendar; no row if there is none. Locks: the User. Cost: an index
 * look-up. A repetition leaves a later address.
 */
const ROTATE_CALENDAR = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_CALENDAR]->(c:Calendar {id: $id}) WHERE c.removed IS NULL
FOREACH (_ IN CASE WHEN $isRepeated THEN [] ELSE [1] END | SET c.hash = $hash REMOVE c.lastUsed)
RETURN properties(c) AS calendar`;

/**
 * Gives a calendar the address with this hash; null if there is no such calendar. `ended`: the session of the
 * call has ended.
 */
export async function rotateCalendar(
  database: Database,
  { id, hash, ...call }: AccountCall & { readonly id: string; readonly hash: string },
): Promise<CalendarFacts | 'ended' | null> {
  const rows = await executeCall(database, call, (transaction, isRepeated) =>
    transaction.run(ROTATE_CALENDAR, { userId: call.userId, id, hash, isRepeated }),
  );
  if (rows === 'ended') return rows;
  const [row] = rows;
  return row === undefined ? null : factsOf(row.calendar as Row);
}

/** In: userId, id, request, now. Out: id; no row without such a calendar. Locks: the User. Cost: an index look-up. */
const REMOVE_CALENDAR = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_CALENDAR]->(c:Calendar {id: $id}) WHERE c.removed IS NULL OR c.removedBy = $request
SET c.removed = coalesce(c.removed, $now), c.removedBy = $request REMOVE c.hash
RETURN c.id AS id`;

interface CalendarRemoval {
  readonly userId: string;
  readonly id: string;
  /** Id from the gateway; a repeated request gets the first answer. */
  readonly request: string;
  readonly now: string;
}

/** Ends a calendar; false if there is none. */
export async function removeCalendar(database: Database, input: CalendarRemoval): Promise<boolean> {
  return (await retry(() => database.write(REMOVE_CALENDAR, { ...input }))).length > 0;
}

/**
 * A part of statements that end API tokens. In: u, ends (whether they end), now. Out: as before.
 * Locks: the Calendars, after the User. Cost: their number.
 */
export const END_CALENDARS = `CALL (u, ends) {
  MATCH (u)-[:HAS_CALENDAR]->(c:Calendar) WHERE ends AND c.removed IS NULL
  SET c.removed = $now REMOVE c.hash
}`;

/**
 * In: hashes. Out: the user and the calendar of each valid hash, without those of disabled users.
 * Locks: none. Cost: an index look-up each.
 */
const RESOLVE_CALENDARS = `UNWIND $hashes AS hash
MATCH (c:Calendar {hash: hash})<-[:HAS_CALENDAR]-(u:User) USING INDEX SEEK c:Calendar(hash)
WHERE coalesce(u.disabled, false) = false
RETURN u.id AS id, u.username AS username, u.email AS email, properties(c) AS calendar`;

/**
 * In: hashes, in order, now, before. Out: nothing. Locks: each Calendar whose last use is older, in
 * that order. Cost: an index look-up each. An address that was replaced meanwhile is not found: the
 * new one was not used.
 */
const NOTE_CALENDAR_USES = `UNWIND $hashes AS hash
MATCH (c:Calendar {hash: hash}) WHERE c.lastUsed IS NULL OR c.lastUsed < $before
SET c.lastUsed = $now`;

/** A calendar with its user, and the hash of its address. */
export interface ResolvedAddress {
  readonly hash: string;
  readonly user: ActingUser;
  readonly calendar: CalendarFacts;
}

/** The calendars of addresses by their hashes. Records their use, at most once an hour. */
export async function resolveCalendars(
  database: Database,
  hashes: readonly string[],
  nowMs: number,
): Promise<ResolvedAddress[]> {
  const rows = await database.read(RESOLVE_CALENDARS, { hashes: [...hashes] });
  const before = new Date(nowMs - LAST_USE_MS).toISOString();
  const found = rows.map((row) => {
    const calendar = row.calendar as Row;
    return { hash: calendar.hash as string, user: actingUserOf(row), calendar: factsOf(calendar) };
  });
  const isDue = ({ lastUsed }: CalendarFacts) => lastUsed === null || lastUsed < before;
  const used = found.flatMap(({ hash, calendar }) => (isDue(calendar) ? [hash] : [])).sort();
  if (used.length > 0) {
    await retry(() => database.write(NOTE_CALENDAR_USES, { hashes: used, now: new Date(nowMs).toISOString(), before }));
  }
  return found;
}

function factsOf(calendar: Row): CalendarFacts {
  const { id, name, as, createdTime } = calendar as unknown as CalendarFacts;
  const { root = null, where = null, lastUsed = null } = calendar as Partial<CalendarFacts>;
  const { planStart = null, planUnit } = calendar as {
    readonly planStart?: string | null;
    readonly planUnit?: 'minute' | 'hour' | 'day' | 'week';
  };
  const planned = planUnit === undefined ? null : { start: planStart, unit: planUnit };
  return { id, name, root, where, as, planned, createdTime, lastUsed };
}
