// Walks to batches, newest first: those that touched one or any of many entities, or those of one
// user. Rules: HIS7, HIS8.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/** A batch's place in history, which is ordered by time and then by id. */
interface Moment {
  readonly ts: string;
  readonly batch: string;
}

/** A walk through history, newest first, each batch once. */
export interface Walk {
  /** The ids of the next batches: at least one, and about as many as requested; none at the end. */
  next(count: number): Promise<string[]>;
  /** Whether the walk stopped before its end. */
  readonly cut: boolean;
}

// The conditions are CASEs: an OR would be planned as two look-ups, which lose the index's order.

/** Maximum touches of a walk over many entities; the walk ends there. */
const MAXIMUM_TOUCHES = 300_000;

/** Maximum touches that one statement reads. */
const TOUCHES_AT_ONCE = 20_000;

/** Later than every batch. */
const NOW: Moment = { ts: '~', batch: '' };

/**
 * In: entities (ids), ts and batch (a moment), floor (a timestamp), each. Out: entity, ts, batch of
 * the newest touches of each entity before the moment, none older than the floor. Locks: none.
 * Cost: the results, by the index's order.
 */
const LIST_TOUCHES = `
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
  WHERE t.entity = entity AND t.ts >= $floor AND t.ts <= $ts AND t.batch > ''
    AND CASE WHEN t.ts = $ts THEN t.batch < $batch ELSE true END
  RETURN t.ts AS ts, t.batch AS batch
  ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT $each
}
RETURN entity, ts, batch`;

/**
 * In: actor (user id), ts and batch (a moment), limit. Out: ts, batch of the actor's newest batches
 * before the moment. Locks: none. Cost: the results, by the index's order.
 */
const LIST_ACTIONS = `
MATCH (b:Batch) USING INDEX SEEK b:Batch(actorId, ts, id)
WHERE b.actorId = $actor AND b.ts <= $ts AND b.id > '' AND CASE WHEN b.ts = $ts THEN b.id < $batch ELSE true END
RETURN b.ts AS ts, b.id AS batch
ORDER BY b.actorId DESC, b.ts DESC, b.id DESC LIMIT $limit`;

/** The batches of a user. */
export function walkActions(database: Database, actor: string): Walk {
  return walkFrom(async (before, count) => {
    const rows = await database.read(LIST_ACTIONS, { actor, ...before, limit: integer(count) });
    return rows as unknown as Moment[];
  });
}

/** The batches that touched one entity. */
export function walkTouches(database: Database, entity: string): Walk {
  return walkFrom((before, count) => listTouches(database, { entities: [entity], before, floor: '', each: count }));
}

function walkFrom(list: (before: Moment, count: number) => Promise<readonly Moment[]>): Walk {
  let before = NOW;
  return {
    cut: false,
    async next(count) {
      const moments = await list(before, count);
      before = moments.at(-1) ?? before;
      return moments.map(({ batch }) => batch);
    },
  };
}

interface TouchRequest {
  readonly entities: readonly string[];
  readonly before: Moment;
  readonly floor: string;
  readonly each: number;
}

type Touch = Moment & { readonly entity: string };

async function listTouches(database: Database, request: TouchRequest): Promise<Touch[]> {
  const { entities, before, floor, each } = request;
  const rows = await database.read(LIST_TOUCHES, { entities, ...before, floor, each: integer(each) });
  return rows as unknown as Touch[];
}

/**
 * The batches that touched any of these entities: a merge of their walks. The newest touch of each
 * entity is known. The horizon is the batch with as many newer ones as requested; only entities
 * with a touch above it are read further.
 */
export function walkAll(database: Database, entities: readonly string[]): Walk {
  if (entities.length === 1) return walkTouches(database, entities[0] as string);
  let before = NOW;
  let read = 0;
  let cut = false;
  let heads: Touch[] | undefined;
  const list = async (wanted: readonly string[], floor: string, each: number): Promise<Touch[]> => {
    const touches: Touch[] = [];
    const stretch = Math.max(1, Math.floor(TOUCHES_AT_ONCE / each));
    for (let from = 0; from < wanted.length; from += stretch) {
      const some = wanted.slice(from, from + stretch);
      touches.push(...(await listTouches(database, { entities: some, before, floor, each })));
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
      heads ??= await list(entities, '', 1);
      if (heads.length === 0) return [];
      if (read > MAXIMUM_TOUCHES) {
        cut = true;
        return [];
      }
      const horizon = horizonOf(heads, count);
      const reached = heads.filter((head) => horizon === undefined || compare(head, horizon) <= 0);
      const each = Math.max(1, Math.min(count, Math.floor(TOUCHES_AT_ONCE / reached.length)));
      const active = reached.map(({ entity }) => entity);
      const touches = await list(active, horizon?.ts ?? '', each);
      const moments = firstBatches(touches, [horizon, newestEnd(touches, each)], count);
      // Touches disappear only if history itself is cut off.
      if (moments.length === 0) cut = true;
      before = moments.at(-1) ?? before;
      const moved = new Set(active);
      heads = [...heads.filter(({ entity }) => !moved.has(entity)), ...(await list(active, '', 1))];
      return moments.map(({ batch }) => batch);
    },
  };
}

/** The moment above which at least `count` batches are; undefined if there are fewer. */
function horizonOf(heads: readonly Touch[], count: number): Moment | undefined {
  return distinct(heads)[count - 1];
}

/** Below the end of a cut list, other touches of its entity may be missing. */
function newestEnd(touches: readonly Touch[], each: number): Moment | undefined {
  const ends = new Map<string, { count: number; oldest: Touch }>();
  for (const touch of touches) {
    const { count, oldest } = ends.get(touch.entity) ?? { count: 0, oldest: touch };
    ends.set(touch.entity, { count: count + 1, oldest: compare(touch, oldest) > 0 ? touch : oldest });
  }
  const cut = [...ends.values()].filter(({ count }) => count === each).map(({ oldest }) => oldest);
  return cut.sort(compare)[0];
}

/** The newest batches, none below any of these moments. */
function firstBatches(touches: readonly Touch[], floors: readonly (Moment | undefined)[], count: number): Moment[] {
  return distinct(touches)
    .filter((moment) => floors.every((floor) => floor === undefined || compare(moment, floor) <= 0))
    .slice(0, count);
}

/** Newest first, each batch once. */
function distinct(moments: readonly Moment[]): Moment[] {
  const byBatch = new Map(moments.map((moment) => [moment.batch, moment]));
  return [...byBatch.values()].sort(compare);
}

/** Negative if the first is newer. */
function compare(one: Moment, other: Moment): number {
  if (one.ts !== other.ts) return one.ts > other.ts ? -1 : 1;
  if (one.batch === other.batch) return 0;
  return one.batch > other.batch ? -1 : 1;
}
