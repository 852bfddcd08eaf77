// The ids of an answer of changes:get, in one order over all pages: changed and gained entities,
// nodes before links. Rules: EVT2, GEN11.

import type { Database } from '@taskgraph/graph-store/driver/database';
import {
  type FeedGap,
  type FeedReader,
  type LinkAt,
  listChanged,
  listCrossingLinks,
  listMembersLinks,
} from '@taskgraph/graph-store/reads/changes';
import { listMembers } from '@taskgraph/graph-store/reads/feed-members';
import type { Place } from './changes-cursor.ts';

/** The range of an answer. */
export interface Coverage {
  readonly reader: FeedReader;
  /** The unread ranges of the feeds that the reader has read before and still reads. */
  readonly missed: readonly FeedGap[];
  /** Feeds to read as a whole, in order. */
  readonly gained: readonly string[];
}

/**
 * One id of a page. A `changed` entity that is no longer visible is reported as gone; a `came` one
 * is left out.
 */
export interface ChangedEntity {
  readonly kind: 'nodes' | 'links';
  readonly group: 'changed' | 'came';
  readonly id: string;
  /** The place of the walk after it. */
  readonly place: Place;
}

/** Ids of one page, in the order of the walk: nodes first. */
export interface IdsPage {
  readonly found: readonly ChangedEntity[];
  /** Null where the page is the last. */
  readonly next: Place | null;
}

/** Most nodes whose links are listed by one statement. */
const NODES_AT_ONCE = 500;

/** Most statements of one page, which bounds pages over many nodes without links. */
const MAXIMUM_STEPS = 40;

/** After all links of a node: ids are hexadecimal. */
const LAST = '~';

export const FIRST_PLACE: Place = { stage: 0, feed: '', node: '', link: '' };

type PlaceInStage = Omit<Place, 'stage'>;

interface Step {
  /** Ids, each with the next place of the stage. */
  readonly found: readonly { readonly id: string; readonly at: PlaceInStage }[];
  /** The next place of the stage; null at its end. */
  readonly next: PlaceInStage | null;
}

interface Stage extends Pick<ChangedEntity, 'kind' | 'group'> {
  readonly step: (database: Database, coverage: Coverage, place: Place, room: number) => Promise<Step>;
}

const STAGES: readonly Stage[] = [
  { kind: 'nodes', group: 'changed', step: changedNodes },
  { kind: 'nodes', group: 'came', step: gainedNodes },
  { kind: 'links', group: 'changed', step: changedLinks },
  { kind: 'links', group: 'came', step: crossingLinks },
  { kind: 'links', group: 'came', step: gainedLinks },
];

const NOTHING: Step = { found: [], next: null };

/** The ids of one page, from a place on. It may be empty before the last. */
export async function walkChanges(
  database: Database,
  coverage: Coverage,
  from: Place,
  limit: number,
): Promise<IdsPage> {
  const page: ChangedEntity[] = [];
  let place = from;
  let room = limit;
  for (let steps = 0; steps < MAXIMUM_STEPS && room > 0; steps++) {
    const stage = STAGES[place.stage];
    if (stage === undefined) return { found: page, next: null };
    const { found, next } = await stage.step(database, coverage, place, room);
    const { kind, group } = stage;
    for (const { id, at } of found) page.push({ kind, group, id, place: { stage: place.stage, ...at } });
    room -= found.length;
    place = next === null ? { ...FIRST_PLACE, stage: place.stage + 1 } : { stage: place.stage, ...next };
  }
  return { found: page, next: place.stage < STAGES.length ? place : null };
}

/** A step that continues after its last id if it filled its room. */
function fullStep(found: Step['found'], room: number, following: PlaceInStage | null = null): Step {
  return { found, next: found.length < room ? following : (found.at(-1)?.at ?? null) };
}

async function changedNodes(database: Database, { missed }: Coverage, { node }: Place, room: number): Promise<Step> {
  const ids = await listChanged(database, 'nodes', missed, { after: node, limit: room });
  return fullStep(
    ids.map((id) => ({ id, at: { feed: '', node: id, link: '' } })),
    room,
  );
}

async function changedLinks(database: Database, { missed }: Coverage, { link }: Place, room: number): Promise<Step> {
  const ids = await listChanged(database, 'links', missed, { after: link, limit: room });
  return fullStep(
    ids.map((id) => ({ id, at: { feed: '', node: '', link: id } })),
    room,
  );
}

async function gainedNodes(database: Database, { gained }: Coverage, place: Place, room: number): Promise<Step> {
  const { feed, after, following } = feedAt(gained, place);
  if (feed === undefined) return NOTHING;
  const ids = await listMembers(database, feed, { after: after.node, limit: room });
  return fullStep(
    ids.map((id) => ({ id, at: { feed, node: id, link: '' } })),
    room,
    following,
  );
}

async function gainedLinks(
  database: Database,
  { gained, reader }: Coverage,
  place: Place,
  room: number,
): Promise<Step> {
  const { feed, after, following } = feedAt(gained, place);
  if (feed === undefined) return NOTHING;
  const more = await listMembers(database, feed, { after: after.node, limit: NODES_AT_ONCE });
  const nodes = withFirst(after, more);
  const found = await listMembersLinks(database, { feed, reader, nodes }, { after, limit: room });
  const next = nextAt(found, room, more);
  return { found: linksIn(feed, found), next: next === null ? following : { feed, ...next } };
}

/** Links of gained nodes that no feed names: between two feeds, and the reader's private ones. */
async function crossingLinks(
  database: Database,
  { missed, reader }: Coverage,
  place: Place,
  room: number,
): Promise<Step> {
  const more = await listChanged(database, 'nodes', missed, { after: place.node, limit: NODES_AT_ONCE });
  const nodes = withFirst(place, more);
  if (nodes.length === 0) return NOTHING;
  const found = await listCrossingLinks(database, reader, nodes, { after: place, limit: room });
  const next = nextAt(found, room, more);
  return { found: linksIn('', found), next: next && { feed: '', ...next } };
}

function linksIn(feed: string, found: readonly LinkAt[]): Step['found'] {
  return found.map(({ node, link }) => ({ id: link, at: { feed, node, link } }));
}

interface FeedAt {
  readonly feed: string | undefined;
  readonly after: LinkAt;
  /** The place of the walk after this feed. */
  readonly following: PlaceInStage | null;
}

/** The feed of a walk's place. Feeds that the reader no longer reads are skipped. */
function feedAt(feeds: readonly string[], place: Place): FeedAt {
  const left = feeds.filter((feed) => feed >= place.feed);
  const [feed, second] = left;
  const after = feed === place.feed ? { node: place.node, link: place.link } : { node: '', link: '' };
  return { feed, after, following: second === undefined ? null : { feed: second, node: '', link: '' } };
}

/** The nodes whose links are listed. The node at which the last page ended is repeated. */
function withFirst({ node, link }: LinkAt, more: readonly string[]): string[] {
  return node !== '' && link !== LAST ? [node, ...more] : [...more];
}

/** The next place of a walk over the links of nodes; null at its end. */
function nextAt(found: readonly LinkAt[], room: number, more: readonly string[]): LinkAt | null {
  const last = found.at(-1);
  if (last !== undefined && found.length >= room) return { node: last.node, link: last.link };
  const node = more.at(-1);
  return node === undefined || more.length < NODES_AT_ONCE ? null : { node, link: LAST };
}
