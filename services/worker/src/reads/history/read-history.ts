// Answers history:page: the batches of a scope in either order, each with its visible operations.
// Rules: ACL9, GEN11, HIS1, HIS5, HIS7, HIS8, HISX1, HISX2, LNK9, TRS2, TRS5.

import { disclosureOf, levelIfRestored } from '@taskgraph/domain/access/trash-visibility';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readBranch, readForeign } from '@taskgraph/graph-store/reads/branch-entities';
import { loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import {
  type HistoryRange,
  type Moment,
  startOf,
  type Walk,
  walkActions,
  walkTouches,
  walkTouchesOfAll,
} from '@taskgraph/graph-store/reads/history/history-index';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readVisible, type Visible } from '@taskgraph/graph-store/reads/visible';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { createLongReadPermit } from '../long-read-permit.ts';
import { asUser, type Body, type ReadEnvironment } from '../read-handler.ts';
import { readPresentAccess } from '../stable-access.ts';
import { type HistoryRequest, openCursor, sealCursor } from './history-cursor.ts';
import { historyHorizon } from './history-horizon.ts';
import { operationsOf, seenReferences, type Viewer, viewBatch, visibleOfShort } from './history-view.ts';

/**
 * Most batches that one page examines, including hidden ones. A batch with long changes counts as
 * several.
 */
const MAXIMUM_SCANNED = 5_000;
const CHARACTERS_OF_ONE = 50_000;

/**
 * Most batches of one load. The first load is as large as the page, and each next one twice as
 * large.
 */
const BATCHES_AT_ONCE = 500;

/** A page of a scope's history. */
export const readHistory = asUser(async (message, actor, environment) => {
  const request = parsePayload(OPERATIONS['history:page'], message.payload);
  if (isRefusal(request)) return request;
  const range = await rangeOf(environment, actor.id, request);
  if (isRefusal(range)) return range;
  const { database, secret } = environment;
  const readerAccess = await readPresentAccess(environment, actor);
  const scope = await scopeOf(database, readerAccess, request);
  if (isRefusal(scope)) return scope;
  const permit = createLongReadPermit(environment.pages);
  try {
    const { pageBytes } = environment.pages;
    let isUnchecked = false;
    const onUnchecked = () => {
      isUnchecked = true;
    };
    const viewer = { database, actor, readerAccess, pageBytes, onUnchecked, acquireLongRead: permit.acquire };
    const { batches, end, place } = await collectPage(viewer, { ...scope, walk: scope.walkOf(range) }, request);
    const hasNext = end !== 'end' || request.order === 'oldest';
    const bearer = { readerId: actor.id, request };
    return {
      hasMore: end === 'full' || (end === 'bound' && isCursored(request)),
      next: hasNext && place !== 'offset' ? sealCursor(secret, bearer, place ?? startOf(range)) : null,
      batches,
      ...(end === 'bound' || scope.cut || isUnchecked ? { truncated: true } : {}),
    };
  } finally {
    permit.release();
  }
});

/** Whether the caller continues by `next`. With `offset`, an empty page could not be continued. */
function isCursored({ order, after }: HistoryRequest): boolean {
  return order === 'oldest' || after !== undefined;
}

/** The part of history that a page walks through. */
async function rangeOf(
  environment: ReadEnvironment,
  readerId: string,
  request: HistoryRequest,
): Promise<HistoryRange | Refusal> {
  const { order, after: cursor, since } = request;
  const after = cursor === undefined ? undefined : openCursor(environment.secret, { readerId, request }, cursor);
  if (after === null) {
    return refuse('bad_request.invalid_after', 'The field after must be the `next` of a page of the same query.', {
      path: 'after',
    });
  }
  const until = order === 'oldest' ? await (environment.horizon ?? historyHorizon)(environment) : undefined;
  return { order, ...definedFields({ after, since, until }) };
}

/** The source of a page's batches. `cut`: the scope has more entities than a page examines. */
interface Scope {
  walkOf(range: HistoryRange): Walk;
  /** The entity that a batch must visibly touch; null for any. */
  readonly entities: ReadonlySet<string> | null;
  readonly cut: boolean;
}

/** The same answer for an unknown scope and for one that the reader does not see (HIS8). */
const invalidScope = refuse('bad_request.invalid_scope', 'There is no such scope, or it is not visible to you.', {
  path: 'scopeId',
});

async function scopeOf(
  database: Database,
  readerAccess: ReaderAccess,
  request: HistoryRequest,
): Promise<Scope | Refusal> {
  const { scopeType, scopeId } = request;
  if (scopeType === undefined && scopeId !== undefined) {
    return refuseField('missing', 'scopeType', 'The field scopeType is missing.');
  }
  const type = scopeType ?? 'GRAPH';
  if (!['GRAPH', 'NODE', 'LINK', 'USER'].includes(type)) return invalidScope;
  const own = scopeId === undefined || scopeId === readerAccess.readerId;
  if (type === 'USER') {
    const walkOf = (range: HistoryRange) => walkActions(database, readerAccess.readerId, range);
    return own ? { walkOf, entities: null, cut: false } : invalidScope;
  }
  if (scopeId === undefined || (type === 'GRAPH' && own)) return graphScope(database, readerAccess);
  return type === 'LINK'
    ? linkScope(database, readerAccess, scopeId)
    : nodeScope(database, readerAccess, type, scopeId);
}

/** Batches that touched the reader's own entities, or visible entities of others. */
async function graphScope(database: Database, readerAccess: ReaderAccess): Promise<Scope> {
  const { readerId, levels, guests, truncated } = readerAccess;
  const own = userFeed(readerId);
  // Hidden grants count: they hide nodes from the graph and from pushes, but still give access
  // (ACL6).
  const feeds = [...levels.keys()].filter((feed) => feed !== own || guests);
  const foreign = await readForeign(database, feeds, readerId);
  const walkOf = (range: HistoryRange) => walkTouchesOfAll(database, { entities: foreign.ids, owner: readerId }, range);
  return { walkOf, entities: null, cut: foreign.cut || truncated };
}

async function nodeScope(
  database: Database,
  readerAccess: ReaderAccess,
  type: string,
  id: string,
): Promise<Scope | Refusal> {
  const sighting = await readVisible(database, readerAccess, { nodes: [id] });
  if (type === 'NODE') return isKnown(sighting, 'node', id) ? entityScope(database, id) : invalidScope;
  const root = sighting.node(id);
  if (root === null || levelIfRestored(sighting, root) === null) return invalidScope;
  const branch = await readBranch(database, root, readerAccess.readerId);
  const walkOf = (range: HistoryRange) => walkTouchesOfAll(database, { entities: branch.ids }, range);
  return { walkOf, entities: new Set(branch.ids), cut: branch.cut };
}

/** The batches that touched one entity. */
function entityScope(database: Database, id: string): Scope {
  return { walkOf: (range) => walkTouches(database, id, range), entities: new Set([id]), cut: false };
}

async function linkScope(database: Database, readerAccess: ReaderAccess, id: string): Promise<Scope | Refusal> {
  const sighting = await readVisible(database, readerAccess, { links: [id] });
  return isKnown(sighting, 'link', id) ? entityScope(database, id) : invalidScope;
}

/** Whether an entity is visible to the reader, or was until its deletion. */
function isKnown(sighting: Visible, kind: 'node' | 'link', id: string): boolean {
  return disclosureOf(sighting, { kind, id }) !== null;
}

interface Page {
  readonly batches: Body[];
  /** Why the page ends: no batch is left, it is full, or it has examined its maximum of batches. */
  readonly end: 'end' | 'full' | 'bound';
  /**
   * The last listed batch, so that `next` tells nothing of hidden ones; at the bound, the last
   * examined one. Null if there is none, and `offset` if the page ends before its offset.
   */
  readonly place: Moment | 'offset' | null;
}

interface Source extends Pick<Scope, 'entities'> {
  readonly walk: Walk;
}

async function collectPage(viewer: Viewer, { walk, entities }: Source, request: HistoryRequest): Promise<Page> {
  const { database } = viewer;
  const { limit, offset, actor = null, ops } = request;
  const types = ops === undefined ? null : new Set(ops);
  const room = createByteBudget(viewer.pageBytes);
  const batches: Body[] = [];
  let examined: Moment | null = null;
  let listed: Moment | null = null;
  let [passed, scanned] = [0, 0];
  const placeOf = (end: Page['end']) => (end === 'bound' ? examined : listed);
  const pageOf = (end: Page['end']): Page => ({ batches, end, place: passed < offset ? 'offset' : placeOf(end) });
  for (let wanted = offset + limit + 1; scanned < MAXIMUM_SCANNED; wanted *= 2) {
    const moments = await walk.next(Math.min(wanted, BATCHES_AT_ONCE, MAXIMUM_SCANNED - scanned));
    if (moments.length === 0) return pageOf(walk.cut ? 'bound' : 'end');
    scanned += moments.length;
    const ids = moments.map(({ batch }) => batch);
    for await (const portion of loadBatches(database, ids, viewer.acquireLongRead, actor)) {
      const sighting = await visibleOfShort(viewer, portion);
      const known = await seenReferences(viewer, portion);
      for (const found of portion) {
        scanned += Math.floor(found.characters / CHARACTERS_OF_ONE);
        const shown = await operationsOf(viewer, found, { entities, types, sighting });
        if (shown !== null && passed++ >= offset) {
          if (batches.length === limit || !room.take(shown.bytes)) return pageOf('full');
          batches.push(viewBatch(found, shown, known));
        }
        examined = { ts: found.batch.ts, batch: found.batch.id };
        if (shown !== null) listed = examined;
      }
    }
    examined = moments.at(-1) ?? examined;
  }
  return pageOf('bound');
}
