// Answers changes:get: the present state of what changed for a reader since a position, or that it can't be told. Rules: EVT2, GEN11, ACL2, ACL9.

import { parsePayload } from '@taskgraph/commands/payload';
import { changesGet } from '@taskgraph/commands/reads/changes-get';
import { seesLink } from '@taskgraph/domain/access/access';
import { levelInPlace } from '@taskgraph/domain/access/visibility';
import type { LinkState } from '@taskgraph/domain/state/state';
import { viewLink, viewNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readActiveLinks } from '@taskgraph/graph-store/reads/active-links';
import { type Missed, type Survey, surveyEntries } from '@taskgraph/graph-store/reads/changes';
import { openRoom } from '@taskgraph/graph-store/reads/page-byte-limit';
import { readPlacedNodes } from '@taskgraph/graph-store/reads/placed-nodes';
import { accessByShown, type ReaderAccess, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes, observe } from '@taskgraph/graph-store/reads/visible';
import type { WireLink } from '@taskgraph/wire/entities';
import { isRefusal, refuseField } from '@taskgraph/wire/errors';
import { type ActingUser, userFeed } from '@taskgraph/wire/messages';
import { openCursor, type Place, signCursor } from './changes-cursor.ts';
import { type Coverage, FIRST_PLACE, type Found, type IdsPage, walkChanges } from './changes-walk.ts';
import { type Heads, headsOf, openPosition, signPosition } from './position.ts';
import { asUser, type Body, nowOf } from './read-handler.ts';
import { levelOn, projectionOf } from './reader-view.ts';

/** Nodes and links of one page together, those that are gone included. */
const PAGE_SIZE = 1_000;

/** An entry may become visible a moment after its head. */
const SURVEYS = 3;
const SURVEY_PAUSE_MS = 50;

const RESET: Body = { resetRequired: true };

export const readChanges = asUser(async (message, actor, environment) => {
  const payload = parsePayload(changesGet, message.payload);
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
  // Heads first, then the entries up to them, then the state: what changes meanwhile is in it or comes with a later number.
  const readerAccess = await readReaderAccess(database, actor, nowOf(environment));
  const heads = cursor?.heads ?? headsOf(readerAccess.shown);
  const feeds = compare(readerAccess, since, heads);
  if (!feeds.missed.some(({ feed }) => feed === userFeed(actor.id))) return RESET;
  const survey = await surveyPatiently(database, feeds.missed);
  if (!survey.complete) return RESET;
  const coverage = coverageOf(readerAccess, feeds, survey);
  const ids = await walkChanges(database, coverage, cursor?.place ?? FIRST_PLACE, PAGE_SIZE);
  const { present, next: place } = await viewPresent(
    { database, actor, readerAccess },
    ids,
    environment.pages.pageBytes,
  );
  return {
    position: signPosition(secret, actor.id, heads),
    hasMore: place !== null,
    ...(readerAccess.isShownCut ? { truncated: true } : {}),
    next: place === null ? null : signCursor(secret, bearer, { heads, place }),
    ...present,
    // A feed that was lost and gained again is both: what left it while nobody read it was written down nowhere.
    feeds: { gained: coverage.gained, lost: [...feeds.lost, ...survey.granted] },
    ...(cursor === null ? { heads } : {}),
  };
});

/** A caller may say that they lack less than their position says, and never more: of other feeds, and of earlier numbers, it says nothing. */
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

interface Feeds {
  /** Those that were read before and are read now. */
  readonly missed: readonly Missed[];
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** A feed that the reader lost since the first page is in none of the lists: the next answer names it, by its position. */
function compare({ shown }: ReaderAccess, since: Heads, heads: Heads): Feeds {
  const read = shown.map(({ feed }) => feed).filter((feed) => Object.hasOwn(heads, feed));
  const before = read.filter((feed) => Object.hasOwn(since, feed));
  return {
    missed: before.map((feed) => ({ feed, since: since[feed] as number, head: heads[feed] as number })),
    gained: read.filter((feed) => !Object.hasOwn(since, feed)),
    lost: Object.keys(since).filter((feed) => !Object.hasOwn(heads, feed)),
  };
}

async function surveyPatiently(database: Database, missed: readonly Missed[]): Promise<Survey> {
  for (let attempt = 1; ; attempt++) {
    const survey = await surveyEntries(database, missed);
    if (survey.complete || !survey.mayComplete || attempt === SURVEYS) return survey;
    await new Promise((resolve) => setTimeout(resolve, SURVEY_PAUSE_MS));
  }
}

/**
 * A feed of whose grant the reader was told in between comes whole too, and what its entries name is left out: some of them may be of a
 * time when the reader had no access, and tell of what came and went in it.
 */
function coverageOf({ readerId, shown }: ReaderAccess, { missed, gained }: Feeds, { granted }: Survey): Coverage {
  return {
    reader: { id: readerId, own: userFeed(readerId), feeds: shown.map(({ feed }) => feed) },
    missed: missed.filter(({ feed }) => !granted.has(feed)),
    gained: [...gained, ...granted].sort(),
  };
}

/** The size of a link without its share roots, and of a root's id: about so many bytes. */
const LINK_BYTES = 500;
const ROOT_BYTES = 40;

/** The present form of what the reader is shown, and the ids of what they were shown before: as much of a page as there is room for. */
async function viewPresent(
  { database, actor, readerAccess }: { database: Database; actor: ActingUser; readerAccess: ReaderAccess },
  page: IdsPage,
  pageBytes: number,
): Promise<{ present: Body; next: Place | null }> {
  const room = openRoom(pageBytes);
  const access = accessByShown(readerAccess);
  const nodeIds = idsOf(page.found, 'nodes');
  const { nodes: placed, passed } = await readPlacedNodes(database, nodeIds, room);
  const fitting = passed < nodeIds.length ? upTo(page, 'nodes', nodeIds[passed] as string) : page;
  const links = await readActiveLinks(database, idsOf(fitting.found, 'links'));
  const ends = await locateNodes(
    database,
    links.flatMap(({ source, target }) => [source, target]),
  );
  const observer = observe(access, ends);
  const isLinkShown = (link: LinkState) => seesLink(link, actor, (end) => levelInPlace(observer, end));
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
function idsOf(found: readonly Found[], kind: Found['kind']): string[] {
  return [...new Set(found.filter((one) => one.kind === kind).map(({ id }) => id))];
}

/** A page that ends before an entity for which there is no room; it is never the first. */
function upTo({ found }: IdsPage, kind: Found['kind'], id: string): IdsPage {
  const kept = found.slice(
    0,
    found.findIndex((one) => one.kind === kind && one.id === id),
  );
  return { found: kept, next: kept.at(-1)?.place ?? null };
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function without(ids: readonly string[], present: ReadonlySet<string>): string[] {
  return ids.filter((id) => !present.has(id));
}
