// Answers changes:get: the present state of the entities that changed for a reader since a
// position, or the code for reading everything again. Rules: EVT2, GEN11, ACL2, ACL9.

import { seesLink } from '@taskgraph/domain/access/reader-access';
import { levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import type { LinkState } from '@taskgraph/domain/state/state';
import { viewLink, viewNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readActiveLinks } from '@taskgraph/graph-store/reads/active-links';
import { areEntriesKept, type FeedGap, type Survey } from '@taskgraph/graph-store/reads/changes';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes, observe } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { WireLink } from '@taskgraph/wire/entities';
import { isRefusal, refuseField } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { selectFields } from '../field-selection.ts';
import { type Heads, headsOf, openPosition, signPosition } from '../position.ts';
import { asUser, type Body } from '../read-handler.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import { readPresentAccess } from '../stable-access.ts';
import { openCursor, type Place, signCursor } from './changes-cursor.ts';
import { type ChangedEntity, type Coverage, FIRST_PLACE, type IdsPage, walkChanges } from './changes-walk.ts';
import { surveyWithRetries } from './survey.ts';

/** Most nodes and links of one page, removed ones included. */
const PAGE_SIZE = 1_000;

const RESET: Body = { resetRequired: true };

export const readChanges = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['changes:get'], message.payload);
  if (isRefusal(payload)) return payload;
  const { database, secret } = environment;
  const position = openPosition(secret, actor.id, payload.since);
  if (position === null) return invalid('since', 'The field since must be a `position` of this user.');
  const { heard = [] } = payload;
  const since = raise(position, heard);
  const bearer = { readerId: actor.id, since: `${payload.since} ${JSON.stringify(heard)}` };
  const cursor = payload.cursor === undefined ? null : openCursor(secret, bearer, payload.cursor);
  if (cursor === null && payload.cursor !== undefined) {
    return invalid('cursor', 'The field cursor must be the `next` of an answer to the same since.');
  }
  // Heads first, then the entries up to them, then the state: a concurrent change is in the state
  // or has a later number.
  const readerAccess = await readPresentAccess(environment, actor);
  const heads = cursor?.heads ?? headsOf(readerAccess.shown);
  const feeds = compareFeeds(readerAccess, since, heads);
  if (!feeds.missed.some(({ feed }) => feed === userFeed(actor.id))) return RESET;
  const survey = await surveyWithRetries(database, feeds.missed);
  if (!survey.complete) return RESET;
  const coverage = coverageOf(readerAccess, feeds, survey);
  const ids = await walkChanges(database, coverage, cursor?.place ?? FIRST_PLACE, PAGE_SIZE);
  if (!(await areEntriesKept(database, coverage.missed))) return RESET;
  const { present, next: place } = await viewPresent(
    { database, actor, readerAccess },
    ids,
    environment.pages.pageBytes,
  );
  const body: Body = {
    position: signPosition(secret, actor.id, heads),
    hasMore: place !== null,
    ...(readerAccess.shownTruncated ? { truncated: true } : {}),
    next: place === null ? null : signCursor(secret, bearer, { heads, place }),
    ...present,
    // A feed that was lost and gained again is in both lists: no entry tells what left it
    // meanwhile.
    feeds: { gained: coverage.gained, lost: [...feeds.lost, ...survey.granted] },
    ...(cursor === null ? { heads } : {}),
  };
  return selectFields(body, payload.fields);
});

/** A caller may raise the numbers of their position, and can neither lower them nor add feeds. */
function raise(position: Heads, heard: readonly { readonly feed: string; readonly seq: number }[]): Heads {
  const raised = new Map(Object.entries(position));
  for (const { feed, seq } of heard) {
    const known = raised.get(feed);
    if (known !== undefined) raised.set(feed, Math.max(known, seq));
  }
  return Object.fromEntries(raised);
}

function invalid(field: string, message: string) {
  return refuseField('invalid', field, message);
}

/** The feeds of a reader since a position. */
export interface FeedComparison {
  /** Feeds that the reader has read before and still reads. */
  readonly missed: readonly FeedGap[];
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** A feed that was lost since the first page is in no list. The next answer names it. */
export function compareFeeds({ shown }: Pick<ReaderAccess, 'shown'>, since: Heads, heads: Heads): FeedComparison {
  const read = shown.map(({ feed }) => feed).filter((feed) => Object.hasOwn(heads, feed));
  const before = read.filter((feed) => Object.hasOwn(since, feed));
  return {
    missed: before.map((feed) => ({ feed, since: since[feed] as number, head: heads[feed] as number })),
    gained: read.filter((feed) => !Object.hasOwn(since, feed)),
    lost: Object.keys(since).filter((feed) => !Object.hasOwn(heads, feed)),
  };
}

/**
 * A feed that the reader gained meanwhile is read as a whole, without its entries: some entries may
 * be of a time without access.
 */
function coverageOf(
  { readerId, shown }: ReaderAccess,
  { missed, gained }: FeedComparison,
  { granted }: Survey,
): Coverage {
  return {
    reader: { id: readerId, own: userFeed(readerId), feeds: shown.map(({ feed }) => feed) },
    missed: missed.filter(({ feed }) => !granted.has(feed)),
    gained: [...gained, ...granted].sort(),
  };
}

/** Rough sizes of a link without its share roots, and of one root's id, bytes. */
const LINK_BYTES = 500;
const ROOT_BYTES = 40;

/** The present state of visible entities and the ids of removed ones, up to the size of a page. */
async function viewPresent(
  { database, actor, readerAccess }: { database: Database; actor: ActingUser; readerAccess: ReaderAccess },
  page: IdsPage,
  pageBytes: number,
): Promise<{ present: Body; next: Place | null }> {
  const room = createByteBudget(pageBytes);
  const access = accessByShown(readerAccess);
  const nodeIds = idsOf(page.found, 'nodes');
  const { nodes: placed, consumed } = await readNodesWithFeeds(database, nodeIds, room);
  const fitting = consumed < nodeIds.length ? upTo(page, 'nodes', nodeIds[consumed] as string) : page;
  const links = await readActiveLinks(database, idsOf(fitting.found, 'links'));
  const ends = await locateNodes(
    database,
    links.flatMap(({ source, target }) => [source, target]),
  );
  const observer = observe(access, ends);
  const isLinkShown = (link: LinkState) => seesLink(link, actor, (end) => levelIfActive(observer, end));
  const shownNodes = placed.filter((node) => levelOn(access, node) !== null);
  const shownLinks = new Map(links.filter(isLinkShown).map((link) => [link.id, link]));
  const located = [...ends.values()].map(({ id, ownerId, feeds }) => ({ node: { id, ownerId }, feeds }));
  const projection = await projectionOf(database, actor, readerAccess, [...shownNodes, ...located]);
  const viewed: WireLink[] = [];
  let answered = fitting;
  for (const id of idsOf(fitting.found, 'links')) {
    const link = shownLinks.get(id);
    const view = link && viewLink(link, projection);
    if (view && !room.take(LINK_BYTES + ROOT_BYTES * view.shareRoots.length)) {
      answered = upTo(fitting, 'links', id);
      break;
    }
    if (view) viewed.push(view);
  }
  const changed = answered.found.filter(({ group }) => group === 'changed');
  return {
    present: {
      nodes: shownNodes.map(({ node }) => viewNode(node, projection)).sort(byId),
      links: viewed.sort(byId),
      gone: {
        nodes: without(idsOf(changed, 'nodes'), new Set(shownNodes.map(({ node }) => node.id))),
        links: without(idsOf(changed, 'links'), new Set(viewed.map(({ id }) => id))),
      },
    },
    next: answered.next,
  };
}

/** The ids of one kind in the order of the walk, each once. */
function idsOf(found: readonly ChangedEntity[], kind: ChangedEntity['kind']): string[] {
  return [...new Set(found.filter((one) => one.kind === kind).map(({ id }) => id))];
}

/** A page that ends before the entity that no longer fits. It has at least one entity. */
function upTo({ found }: IdsPage, kind: ChangedEntity['kind'], id: string): IdsPage {
  const fitting = found.slice(
    0,
    found.findIndex((one) => one.kind === kind && one.id === id),
  );
  return { found: fitting, next: fitting.at(-1)?.place ?? null };
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function without(ids: readonly string[], present: ReadonlySet<string>): string[] {
  return ids.filter((id) => !present.has(id));
}
