// Answers node:find. Rules: FIND1 to FIND7, ACL1, GEN7, GEN11.
import { createBestPlaces } from '@taskgraph/domain/find/best-places';
import { type FindContext, neighborsIn, readsLinks, type Where } from '@taskgraph/domain/find/conditions';
import { createFinder, type Finder, type Place, type SearchableNode } from '@taskgraph/domain/find/search';
import { MOST_WORDS, searchWords } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import { readLinkFacts } from '@taskgraph/graph-store/reads/link-facts';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import type { WireNode } from '@taskgraph/wire/entities';
import { isRefusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { branchOf } from '../branch-members.ts';
import { accessKey } from '../cache/cached-page.ts';
import { selectFields } from '../field-selection.ts';
import { shownScope } from '../read-graph.ts';
import { asUser, type Body } from '../read-handler.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import { readPresentAccess } from '../stable-access.ts';
import { branchCandidates, type Candidates, graphCandidates } from './candidates.ts';
import { type FindCursor, openFindCursor, signFindCursor } from './find-cursor.ts';
import { type IndexSource, MOST_INDEXED, type NodeIndex, searchable, searchableInTurns } from './node-index.ts';
import { createNodeIndexes } from './node-indexes.ts';

/**
 * How long one call reads nodes into the index, or judges links. Then it returns the hits so far.
 */
const MOST_MS = 2_000;
/** Work without a pause, in characters, so that a long search does not delay other work. */
const WORK_AT_ONCE = 500_000;
/** Candidates whose links one statement reads. */
const LINKS_AT_ONCE = 500;

export const readFind = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['node:find'], message.payload);
  if (isRefusal(payload)) return payload;
  const { database, secret, pages, nodeIndexes = createNodeIndexes(0) } = environment;
  const { root, limit, after, fields, ...search } = payload;
  const bearer = [actor.id, root ?? null, search];
  const cursor = after === undefined ? null : openFindCursor(secret, bearer, after);
  if (cursor === null && after !== undefined) {
    return refuse('bad_request.invalid_after', 'The field after must be the `next` of a page of the same search.', {
      path: 'after',
    });
  }
  if (search.text !== undefined && searchWords(search.text).length > MOST_WORDS) {
    return refuseField('invalid', 'text', `The text has more than ${MOST_WORDS} words.`);
  }
  const finder = createFinder(search);
  // Access and time are those of the moment when the index is free.
  const page = await nodeIndexes.use({ readerId: actor.id, from: cursor?.start ?? '' }, async (index) => {
    const readerAccess = await readPresentAccess(environment, actor, root === undefined ? [] : [root]);
    const branch = root === undefined ? null : await branchOf(database, readerAccess, root);
    if (isRefusal(branch)) return branch;
    const deadline = environment.nowMs() + MOST_MS;
    const scope = shownScope(environment, readerAccess, accessKey(actor, readerAccess));
    return findPage(index, {
      source: { database, actor, readerAccess, scope, pageBytes: pages.pageBytes },
      finder,
      where: search.where ?? {},
      context: { now: readerAccess.now, username: actor.username, links: null },
      members: branch?.members ?? null,
      cursor,
      limit,
      hasDescriptions:
        fields === undefined || fields.includes('description') || searchWords(search.text ?? '').length > 0,
      isLate: () => environment.nowMs() >= deadline,
    });
  });
  if (isRefusal(page)) return page;
  const body: Body = {
    nodes: page.nodes,
    hasMore: page.next !== null,
    next: page.next === null ? null : signFindCursor(secret, bearer, page.next),
    ...(page.isTruncated ? { truncated: true } : {}),
  };
  return selectFields(body, fields);
});

interface FindCall {
  readonly source: IndexSource;
  readonly finder: Finder;
  readonly where: Where;
  /** Without links. */
  readonly context: FindContext;
  /** The members of the branch; null for the graph. */
  readonly members: Membership | readonly string[] | null;
  readonly cursor: FindCursor | null;
  readonly limit: number;
  /** Whether the answer or the judgement of the hits needs descriptions, the longest texts by far. */
  readonly hasDescriptions: boolean;
  readonly isLate: () => boolean;
}

interface FindPage {
  readonly nodes: readonly WireNode[];
  readonly next: FindCursor | null;
  /** Whether another round follows. */
  readonly isTruncated: boolean;
}

async function findPage(index: NodeIndex, call: FindCall): Promise<FindPage> {
  const { cursor, members, source, isLate } = call;
  const { start, from } = cursor ?? { start: '', from: '' };
  // A cursor without a place begins a round.
  const round = { from, to: cursor?.place ? cursor.to : undefined };
  const candidates =
    members === null
      ? await graphCandidates(index, source, round, isLate)
      : await branchCandidates(index, source, { ...round, members }, isLate);
  const { to } = candidates;
  const { hits, last, isLate: endedEarly = false } = await chooseHits(call, candidates);
  const isTruncated = to !== null || endedEarly || (members === null && source.readerAccess.shownTruncated);
  const { nodes, consumed } = await viewHits(call, hits);
  const reached = consumed < hits.length ? (hits[consumed - 1] as Place) : last;
  if (reached !== null) return { nodes, next: { start, from, to, place: reached }, isTruncated };
  if (to === null) return { nodes, next: null, isTruncated };
  // A full index takes no more nodes. The next round uses another index, which begins after it.
  const endsIndex = members === null && index.isFull() && to === index.reached;
  return { nodes, next: { start: endsIndex ? to : start, from: to, to: null, place: null }, isTruncated: true };
}

interface Hits {
  readonly hits: readonly Place[];
  /** The last place that the search considered; null if no further hit can follow. */
  readonly last: Place | null;
  /** Whether time was up before all links were read. */
  readonly isLate?: boolean;
}

/** The first hits in order, after the cursor's place. */
async function chooseHits(call: FindCall, candidates: Candidates): Promise<Hits> {
  const { finder, where, context, cursor, limit } = call;
  const isOnLinks = readsLinks(where);
  // Links are read last, for as few nodes as possible.
  const best = createBestPlaces(isOnLinks ? MOST_INDEXED : limit + 1, finder.compare, cursor?.place ?? null);
  const nodes = new Map<string, SearchableNode>();
  let work = 0;
  for (const node of candidates.nodes) {
    const place = finder.placeOf(node, context);
    if (place !== null) best.add(place);
    if (place !== null && isOnLinks) nodes.set(place.id, node);
    work += finder.costOf(node);
    if (work < WORK_AT_ONCE) continue;
    work = 0;
    await new Promise(setImmediate);
  }
  const places = best.list();
  if (isOnLinks) return judgeLinks(call, places, nodes);
  const hits = places.slice(0, limit);
  return { hits, last: places.length > limit ? (hits.at(-1) ?? null) : null };
}

/** The places whose nodes also meet the conditions on links. */
async function judgeLinks(
  { finder, where, context, limit, source, members, isLate }: FindCall,
  places: readonly Place[],
  nodes: ReadonlyMap<string, SearchableNode>,
): Promise<Hits> {
  const { database, readerAccess } = source;
  const neighbors = neighborsIn(where);
  const feeds = [...accessFor(readerAccess, members).levels.keys()];
  const hits: Place[] = [];
  for (let at = 0; at < places.length; at += LINKS_AT_ONCE) {
    const some = places.slice(at, at + LINKS_AT_ONCE);
    const ids = some.map(({ id }) => id);
    const links = await readLinkFacts(database, { nodes: ids, neighbors, readerId: readerAccess.readerId, feeds });
    for (const place of some) {
      if (finder.placeOf(nodes.get(place.id) as SearchableNode, { ...context, links }) === null) continue;
      if (hits.length === limit) return { hits, last: hits.at(-1) ?? null };
      hits.push(place);
    }
    if (isLate() && at + LINKS_AT_ONCE < places.length) return { hits, last: some.at(-1) ?? null, isLate: true };
  }
  // Places past the most were left out.
  return { hits, last: places.length < MOST_INDEXED ? null : (places.at(-1) ?? null) };
}

/** In a branch, hidden grants count, because the reader has named the root (ACL6). */
function accessFor(readerAccess: ReaderAccess, members: FindCall['members']): ReaderAccess {
  return members === null ? accessByShown(readerAccess) : readerAccess;
}

/** The hits as they are now, without nodes that are no longer hits. */
async function viewHits(
  { source, finder, context, members, hasDescriptions }: FindCall,
  hits: readonly Place[],
): Promise<{ nodes: WireNode[]; consumed: number }> {
  const { database, actor, readerAccess, pageBytes } = source;
  const ids = hits.map(({ id }) => id);
  const { nodes, consumed } = await readNodesWithFeeds(database, ids, createByteBudget(pageBytes), {
    hasDescriptions,
  });
  const access = accessFor(readerAccess, members);
  const visible = nodes.filter((one) => !one.node.inTrash && levelOn(access, one) !== null);
  const projection = await projectionOf(database, actor, readerAccess, visible);
  const views = visible.map(({ node }) => viewNode(node, projection));
  const present = finder.readsTexts ? await searchableInTurns(views) : views.map((node) => searchable(node, NO_TEXTS));
  return { nodes: views.filter((_, at) => finder.placeOf(present[at] as SearchableNode, context) !== null), consumed };
}

const NO_TEXTS = { title: '', tags: [], description: '' };
