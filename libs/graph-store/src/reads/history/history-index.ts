// Walks to batches in either order: those that touched one or any of many entities, or those of one
// user. Rules: HIS7, HIS8, HISX1.
import { integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';

/** A batch's place in history. History is ordered by time and then by id. */
export interface Moment {
  readonly ts: string;
  readonly batch: string;
}

export type HistoryOrder = 'newest' | 'oldest';

/** The part of history that a walk covers. */
export interface HistoryRange {
  readonly order: HistoryOrder;
  /** The walk begins after this moment, in its order. */
  readonly after?: Moment;
  /** No batch is earlier; inclusive. */
  readonly since?: string;
  /** No batch is later; inclusive. */
  readonly until?: string;
}

/** A walk through a range of history. It returns each batch once. */
export interface Walk {
  /** The next batches: at least one, about as many as requested, and none at the end. */
  next(count: number): Promise<Moment[]>;
  /** Whether the walk stopped before its end. */
  readonly cut: boolean;
}

// The conditions are CASEs: an OR would be planned as two look-ups, which lose the index's order.

/** Maximum touches of a walk over many entities; the walk ends there. */
const MAXIMUM_TOUCHES = 300_000;

/** Maximum touches that one statement reads. */
const TOUCHES_AT_ONCE = 20_000;

/** The moments before and after every batch. */
const BEGINNING: Moment = { ts: '', batch: '' };
const NOW: Moment = { ts: '~', batch: '' };

const WHOLE: HistoryRange = { order: 'newest' };

/**
 * In: entities (ids), owners (the users among them), ts and batch (a moment), bound (a timestamp),
 * each. Out: entity, ts, batch of the newest touches of each entity before the moment, none older
 * than the bound, and as many of each stored form, in no order. Locks: none. Cost: the results, by
 * the indexes' order.
 *
 * One subquery for all forms would take half as long again for each entity.
 */
const LIST_TOUCHES_BEFORE = `
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
  WHERE t.entity = entity AND t.ts >= $bound AND t.ts <= $ts AND t.batch > ''
    AND CASE WHEN t.ts = $ts THEN t.batch < $batch ELSE true END
  RETURN t.ts AS ts, t.batch AS batch
  ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT $each
}
RETURN entity, ts, batch
UNION ALL
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Batch) USING INDEX SEEK t:Batch(entity, ts, id)
  WHERE t.entity = entity AND t.ts >= $bound AND t.ts <= $ts AND t.id > ''
    AND CASE WHEN t.ts = $ts THEN t.id < $batch ELSE true END
  RETURN t.ts AS ts, t.id AS batch
  ORDER BY t.entity DESC, t.ts DESC, t.id DESC LIMIT $each
}
RETURN entity, ts, batch
UNION ALL
UNWIND $owners AS entity
CALL (entity) {
  MATCH (t:Batch) USING INDEX SEEK t:Batch(owner, ts, id)
  WHERE t.owner = entity AND t.ts >= $bound AND t.ts <= $ts AND t.id > ''
    AND CASE WHEN t.ts = $ts THEN t.id < $batch ELSE true END
  RETURN t.ts AS ts, t.id AS batch
  ORDER BY t.owner DESC, t.ts DESC, t.id DESC LIMIT $each
}
RETURN entity, ts, batch`;

/**
 * In: as for LIST_TOUCHES_BEFORE. Out: entity, ts, batch of the oldest touches of each entity after
 * the moment, none newer than the bound, and as many of each stored form, in no order. Locks: none.
 * Cost: the results, by the indexes' order.
 */
const LIST_TOUCHES_AFTER = `
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
  WHERE t.entity = entity AND t.ts >= $ts AND t.ts <= $bound AND t.batch > ''
    AND CASE WHEN t.ts = $ts THEN t.batch > $batch ELSE true END
  RETURN t.ts AS ts, t.batch AS batch
  ORDER BY t.entity, t.ts, t.batch LIMIT $each
}
RETURN entity, ts, batch
UNION ALL
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Batch) USING INDEX SEEK t:Batch(entity, ts, id)
  WHERE t.entity = entity AND t.ts >= $ts AND t.ts <= $bound AND t.id > ''
    AND CASE WHEN t.ts = $ts THEN t.id > $batch ELSE true END
  RETURN t.ts AS ts, t.id AS batch
  ORDER BY t.entity, t.ts, t.id LIMIT $each
}
RETURN entity, ts, batch
UNION ALL
UNWIND $owners AS entity
CALL (entity) {
  MATCH (t:Batch) USING INDEX SEEK t:Batch(owner, ts, id)
  WHERE t.owner = entity AND t.ts >= $ts AND t.ts <= $bound AND t.id > ''
    AND CASE WHEN t.ts = $ts THEN t.id > $batch ELSE true END
  RETURN t.ts AS ts, t.id AS batch
  ORDER BY t.owner, t.ts, t.id LIMIT $each
}
RETURN entity, ts, batch`;

/**
 * In: actor (user id), ts and batch (a moment), bound (a timestamp), limit. Out: ts, batch of the
 * actor's newest batches before the moment, none older than the bound. Locks: none. Cost: the
 * results, by the index's order.
 */
const LIST_ACTIONS_BEFORE = `
MATCH (b:Batch) USING INDEX SEEK b:Batch(actorId, ts, id)
WHERE b.actorId = $actor AND b.ts >= $bound AND b.ts <= $ts AND b.id > ''
  AND CASE WHEN b.ts = $ts THEN b.id < $batch ELSE true END
RETURN b.ts AS ts, b.id AS batch
ORDER BY b.actorId DESC, b.ts DESC, b.id DESC LIMIT $limit`;

/**
 * In: as for LIST_ACTIONS_BEFORE. Out: ts, batch of the actor's oldest batches after the moment,
 * none newer than the bound. Locks: none. Cost: the results, by the index's order.
 */
const LIST_ACTIONS_AFTER = `
MATCH (b:Batch) USING INDEX SEEK b:Batch(actorId, ts, id)
WHERE b.actorId = $actor AND b.ts >= $ts AND b.ts <= $bound AND b.id > ''
  AND CASE WHEN b.ts = $ts THEN b.id > $batch ELSE true END
RETURN b.ts AS ts, b.id AS batch
ORDER BY b.actorId, b.ts, b.id LIMIT $limit`;

/** The batches of a user. */
export function walkActions(database: Database, actor: string, range: HistoryRange = WHOLE): Walk {
  const { order } = range;
  const bound = boundOf(range);
  return walkFrom(range, async (past, count) => {
    const parameters = { actor, ...past, bound, limit: integer(count) };
    const rows = await (order === 'newest'
      ? database.read(LIST_ACTIONS_BEFORE, parameters)
      : database.read(LIST_ACTIONS_AFTER, parameters));
    return rows as unknown as Moment[];
  });
}

/** The batches that touched one entity. */
export function walkTouches(database: Database, entity: string, range: HistoryRange = WHOLE): Walk {
  return walkTouchesOf(database, entity, null, range);
}

function walkTouchesOf(database: Database, entity: string, owner: string | null, range: HistoryRange): Walk {
  const { order } = range;
  const bound = boundOf(range);
  return walkFrom(range, async (past, count) => {
    const touches = await listTouches(database, { entities: [entity], owner, order, past, bound, each: count });
    return touches.map(({ ts, batch }) => ({ ts, batch })).sort(inOrder(order));
  });
}

function walkFrom(range: HistoryRange, list: (past: Moment, count: number) => Promise<readonly Moment[]>): Walk {
  let past = startOf(range);
  return {
    cut: false,
    async next(count) {
      const moments = await list(past, count);
      past = moments.at(-1) ?? past;
      return [...moments];
    },
  };
}

/** The moment after which a walk begins. */
export function startOf({ order, after, since, until }: HistoryRange): Moment {
  const bounds = order === 'newest' ? [NOW, after, endOfTime(until)] : [BEGINNING, after, startOfTime(since)];
  return bounds
    .filter((bound) => bound !== undefined)
    .sort(inOrder(order))
    .at(-1) as Moment;
}

/** Behind every batch of this time, in the order of newest first. */
function endOfTime(ts: string | undefined): Moment | undefined {
  return ts === undefined ? undefined : { ts, batch: '~' };
}

function startOfTime(ts: string | undefined): Moment | undefined {
  return ts === undefined ? undefined : { ts, batch: '' };
}

/** The time at which a walk ends. */
function boundOf({ order, since = '', until = NOW.ts }: HistoryRange): string {
  return order === 'newest' ? since : until;
}

interface TouchRequest {
  readonly entities: readonly string[];
  readonly owner: string | null;
  readonly order: HistoryOrder;
  readonly past: Moment;
  readonly bound: string;
  readonly each: number;
}

type Touch = Moment & { readonly entity: string };

async function listTouches(database: Database, request: TouchRequest): Promise<Touch[]> {
  const { entities, owner, order, past, bound, each } = request;
  const owners = entities.filter((entity) => entity === owner);
  const parameters = { entities, owners, ...past, bound, each: integer(each) };
  const rows = await (order === 'newest'
    ? database.read(LIST_TOUCHES_BEFORE, parameters)
    : database.read(LIST_TOUCHES_AFTER, parameters));
  return nearestOfEach(rows as unknown as Touch[], each, inOrder(order));
}

/** At most `each` touches of each entity, the nearest ones, from lists of several forms. */
function nearestOfEach(touches: Touch[], each: number, compare: Compare): Touch[] {
  const counts = new Map<string, number>();
  let longest = 0;
  for (const { entity } of touches) {
    const count = (counts.get(entity) ?? 0) + 1;
    counts.set(entity, count);
    longest = Math.max(longest, count);
  }
  // Usually the touches of an entity have one form.
  if (longest <= each) return touches;
  const left = new Map([...counts.keys()].map((entity) => [entity, each]));
  return touches.sort(compare).filter(({ entity }) => {
    const count = left.get(entity) as number;
    left.set(entity, count - 1);
    return count > 0;
  });
}

/** The entities whose batches a walk lists. */
interface WalkSubjects {
  readonly entities: readonly string[];
  /** A user, whose entities count too. */
  readonly owner?: string;
}

/**
 * The batches that touched any of these entities: a merge of their walks. The first touch of each
 * entity is known. The horizon is the batch with as many before it as requested; only entities with
 * a touch before it are read further.
 */
export function walkTouchesOfAll(database: Database, subjects: WalkSubjects, range: HistoryRange = WHOLE): Walk {
  const owner = subjects.owner ?? null;
  const entities = owner === null ? subjects.entities : [owner, ...subjects.entities];
  if (entities.length === 1) return walkTouchesOf(database, entities[0] as string, owner, range);
  const { order } = range;
  const compare = inOrder(order);
  const end = boundOf(range);
  let past = startOf(range);
  let read = 0;
  let cut = false;
  let heads: Touch[] | undefined;
  const list = async (wanted: readonly string[], bound: string, each: number): Promise<Touch[]> => {
    const touches: Touch[] = [];
    const portion = Math.max(1, Math.floor(TOUCHES_AT_ONCE / each));
    for (let from = 0; from < wanted.length; from += portion) {
      const some = wanted.slice(from, from + portion);
      touches.push(...(await listTouches(database, { entities: some, owner, order, past, bound, each })));
      read += some.length;
    }
    read += touches.length;
    return touches;
  };
  return {
    get cut() {
      return cut;
    },
    async next(count) {
      heads ??= await list(entities, end, 1);
      if (heads.length === 0) return [];
      if (read > MAXIMUM_TOUCHES) {
        cut = true;
        return [];
      }
      const horizon = distinct(heads, compare)[count - 1];
      const reached = heads.filter((head) => horizon === undefined || compare(head, horizon) <= 0);
      const each = Math.max(1, Math.min(count, Math.floor(TOUCHES_AT_ONCE / reached.length)));
      const active = reached.map(({ entity }) => entity);
      const touches = await list(active, horizon?.ts ?? end, each);
      const moments = firstBatches(touches, [horizon, nearestEnd(touches, each, compare)], compare).slice(0, count);
      // Touches disappear only if history itself is cut off.
      if (moments.length === 0) cut = true;
      past = moments.at(-1) ?? past;
      const moved = new Set(active);
      heads = [...heads.filter(({ entity }) => !moved.has(entity)), ...(await list(active, end, 1))];
      return moments;
    },
  };
}

type Compare = (one: Moment, other: Moment) => number;

/** Past the end of a cut list, other touches of its entity may be missing. */
function nearestEnd(touches: readonly Touch[], each: number, compare: Compare): Moment | undefined {
  const ends = new Map<string, { count: number; last: Touch }>();
  for (const touch of touches) {
    const { count, last } = ends.get(touch.entity) ?? { count: 0, last: touch };
    ends.set(touch.entity, { count: count + 1, last: compare(touch, last) > 0 ? touch : last });
  }
  const cut = [...ends.values()].filter(({ count }) => count === each).map(({ last }) => last);
  return cut.sort(compare)[0];
}

/** The first batches, none past any of these moments. */
function firstBatches(
  touches: readonly Touch[],
  ends: readonly (Moment | undefined)[],
  compare: Compare,
): readonly Moment[] {
  return distinct(touches, compare).filter((moment) =>
    ends.every((end) => end === undefined || compare(moment, end) <= 0),
  );
}

/** In order, each batch once. */
function distinct(moments: readonly Moment[], compare: Compare): Moment[] {
  const byBatch = new Map(moments.map(({ ts, batch }) => [batch, { ts, batch }]));
  return [...byBatch.values()].sort(compare);
}

/** Compares moments: negative if the first comes first in this order. */
export function inOrder(order: HistoryOrder): Compare {
  const sign = order === 'newest' ? -1 : 1;
  return (one, other) => {
    if (one.ts !== other.ts) return one.ts < other.ts ? -sign : sign;
    if (one.batch === other.batch) return 0;
    return one.batch < other.batch ? -sign : sign;
  };
}
