// Answers history:page: the batches of a scope, newest first, each with its visible operations.
// Rules: ACL9, GEN11, HIS1, HIS5, HIS7, HIS8, LNK9, TRS2, TRS5.

import { disclosureOf, levelIfRestored } from '@taskgraph/domain/access/trash-visibility';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readBranch, readForeign } from '@taskgraph/graph-store/reads/branch-entities';
import { loadBatches } from '@taskgraph/graph-store/reads/history-batches';
import { type Walk, walkActions, walkAll, walkTouches } from '@taskgraph/graph-store/reads/history-index';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { type ReaderAccess, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readVisible, type Visible } from '@taskgraph/graph-store/reads/visible';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { operationsOf, seenReferences, type Viewer, viewBatch, visibleOfShort } from './history-view.ts';
import type { PageBudget, Release } from './page-budget.ts';
import { asUser, type Body, BudgetExhausted, nowOf } from './read-handler.ts';

/** Most batches that one page examines. A batch with long changes counts as several. */
const MAXIMUM_SCANNED = 5_000;
const CHARACTERS_OF_ONE = 50_000;

/** Most batches of one load: at first as many as may fill the page, then increasingly more. */
const BATCHES_AT_ONCE = 500;

interface Request {
  readonly scopeType?: string | undefined;
  readonly scopeId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page of a scope's history. */
export const readHistory = asUser(async (message, actor, environment) => {
  const request = parsePayload(OPERATIONS['history:page'], message.payload);
  if (isRefusal(request)) return request;
  const { database } = environment;
  const readerAccess = await readReaderAccess(database, actor, nowOf(environment));
  const scope = await scopeOf(database, readerAccess, request);
  if (isRefusal(scope)) return scope;
  const turn = turnOf(environment.pages);
  try {
    const { pageBytes } = environment.pages;
    let isUnchecked = false;
    const onUnchecked = () => {
      isUnchecked = true;
    };
    const viewer = { database, actor, readerAccess, pageBytes, onUnchecked, takeTurn: turn.take };
    const { batches, hasMore, truncated } = await collectPage(viewer, scope, request);
    return { hasMore, batches, ...(truncated || scope.cut || isUnchecked ? { truncated: true } : {}) };
  } finally {
    turn.putBack();
  }
});

/** The turn for long texts. The first long text takes it, and the read keeps it until its end. */
function turnOf(pages: PageBudget): { take(): Promise<void>; putBack(): void } {
  let taken: Release | null = null;
  return {
    async take() {
      taken ??= await pages.takeLong();
      if (taken === null) throw new BudgetExhausted('long changes of history wait for their turn');
    },
    putBack: () => taken?.(),
  };
}

/** The source of a page's batches. `cut`: the scope has more entities than a page examines. */
interface Scope {
  readonly walk: Walk;
  /** The entity that a batch must visibly touch; null for any. */
  readonly entities: ReadonlySet<string> | null;
  readonly cut: boolean;
}

/** The same answer for an unknown scope and for one that the reader does not see (HIS8). */
const invalidScope = refuse('bad_request.invalid_scope', 'There is no such scope, or it is not visible to you.', {
  path: 'scopeId',
});

async function scopeOf(database: Database, readerAccess: ReaderAccess, request: Request): Promise<Scope | Refusal> {
  const { scopeType, scopeId } = request;
  if (scopeType === undefined && scopeId !== undefined) {
    return refuseField('missing', 'scopeType', 'The field scopeType is missing.');
  }
  const type = scopeType ?? 'GRAPH';
  if (!['GRAPH', 'NODE', 'LINK', 'USER'].includes(type)) return invalidScope;
  const own = scopeId === undefined || scopeId === readerAccess.readerId;
  if (type === 'USER')
    return own ? { walk: walkActions(database, readerAccess.readerId), entities: null, cut: false } : invalidScope;
  if (scopeId === undefined || (type === 'GRAPH' && own)) return allThatIsSeen(database, readerAccess);
  return type === 'LINK'
    ? linkScope(database, readerAccess, scopeId)
    : nodeScope(database, readerAccess, type, scopeId);
}

/** Batches that touched the reader's own entities, or visible entities of others. */
async function allThatIsSeen(database: Database, readerAccess: ReaderAccess): Promise<Scope> {
  const { readerId, levels, guests, isCut } = readerAccess;
  const own = userFeed(readerId);
  // Hidden grants count: they hide nodes from the graph and from pushes, but still give access
  // (ACL6).
  const feeds = [...levels.keys()].filter((feed) => feed !== own || guests);
  const foreign = await readForeign(database, feeds, readerId);
  return { walk: walkAll(database, [readerId, ...foreign.ids]), entities: null, cut: foreign.cut || isCut };
}

async function nodeScope(
  database: Database,
  readerAccess: ReaderAccess,
  type: string,
  id: string,
): Promise<Scope | Refusal> {
  const sighting = await readVisible(database, readerAccess, { nodes: [id] });
  if (type === 'NODE') {
    return isKnown(sighting, 'node', id)
      ? { walk: walkTouches(database, id), entities: new Set([id]), cut: false }
      : invalidScope;
  }
  const root = sighting.node(id);
  if (root === null || levelIfRestored(sighting, root) === null) return invalidScope;
  const branch = await readBranch(database, root, readerAccess.readerId);
  return { walk: walkAll(database, branch.ids), entities: new Set(branch.ids), cut: branch.cut };
}

async function linkScope(database: Database, readerAccess: ReaderAccess, id: string): Promise<Scope | Refusal> {
  const sighting = await readVisible(database, readerAccess, { links: [id] });
  return isKnown(sighting, 'link', id)
    ? { walk: walkTouches(database, id), entities: new Set([id]), cut: false }
    : invalidScope;
}

/** Whether an entity is visible to the reader, or was until its deletion. */
function isKnown(sighting: Visible, kind: 'node' | 'link', id: string): boolean {
  return disclosureOf(sighting, { kind, id }) !== null;
}

interface Page {
  readonly batches: Body[];
  readonly hasMore: boolean;
  readonly truncated: boolean;
}

async function collectPage(viewer: Viewer, { walk, entities }: Scope, { limit, offset }: Request): Promise<Page> {
  const { database } = viewer;
  const room = createByteBudget(viewer.pageBytes);
  const batches: Body[] = [];
  let [passed, scanned] = [0, 0];
  for (let wanted = offset + limit + 1; scanned < MAXIMUM_SCANNED; wanted *= 2) {
    const ids = await walk.next(Math.min(wanted, BATCHES_AT_ONCE, MAXIMUM_SCANNED - scanned));
    if (ids.length === 0) return { batches, hasMore: false, truncated: walk.cut };
    for await (const portion of loadBatches(database, ids, viewer.takeTurn)) {
      const sighting = await visibleOfShort(viewer, portion);
      const known = await seenReferences(viewer, portion);
      for (const found of portion) {
        scanned += Math.ceil(found.characters / CHARACTERS_OF_ONE);
        const shown = await operationsOf(viewer, found, { entities, sighting });
        if (shown === null || passed++ < offset) continue;
        if (batches.length === limit || !room.take(shown.bytes)) return { batches, hasMore: true, truncated: false };
        batches.push(viewBatch(found, shown, known));
      }
    }
  }
  return { batches, hasMore: false, truncated: true };
}
