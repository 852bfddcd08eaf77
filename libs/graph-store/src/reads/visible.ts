// The visible part of nodes and links looked up by id: active, trashed and deleted ones. Rules:
// ACL1, HIS7, LNK7, LNK9, TRS2, TRS5.
import { inheritedFeeds } from '@taskgraph/domain/access/reader-access';
import type { Observer } from '@taskgraph/domain/access/trash-visibility';
import type { Reader } from '@taskgraph/domain/state/state';
import { integer } from '../driver/codec.ts';
import type { Database, Row } from '../driver/database.ts';
import { DEGREE, DELETED_BY_ID, LINK_BY_ID, LIVE_FEEDS, RETURNS } from '../driver/statement-parts.ts';
import { levelOf, type ReaderAccess, readReaderAccess, withGrantsOn } from './reader.ts';
import { inheritedOnRestore, isUnchecked, type TrashedLink } from './restore/inherited-feeds.ts';

/** A node's owner and memberships, for access checks. */
export interface NodeLocation {
  readonly id: string;
  readonly ownerId: string;
  readonly inTrash: boolean;
  /** Its feeds, without those of former share roots. */
  readonly feeds: readonly string[];
}

/** Like NodeLocation, with the feeds that a trashed node would inherit if restored now (TRS2). */
interface RestoreLocation extends NodeLocation {
  readonly inherits: readonly string[];
  /** Whether that was too much to check and is omitted. */
  readonly unchecked: boolean;
}

/** Maximum ids of one statement. */
const IDS_AT_ONCE = 10_000;

/** Maximum trashed links of a trashed node that are followed to its future memberships. */
const MAXIMUM_TRASHED_LINKS = 20_000;

/**
 * In: nodes (ids). Out: id, ownerId, inTrash, feeds; no row for a missing node. Locks: none. Cost:
 * one index look-up each and their rows.
 */
const LOCATE_NODES = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})
RETURN id, n.ownerId AS ownerId, n.inTrash AS inTrash, ${LIVE_FEEDS} AS feeds`;

/**
 * In: nodes (ids), bound. Out: as LOCATE_NODES, and hung (see TrashedLink). Locks: none. Cost: the
 * same; for trashed nodes, also their trashed links with the rows of their targets.
 */
export const LOCATE_NODES_ON_RETURN = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})
CALL (n) {
  WITH n WHERE n.inTrash
  MATCH (n)-[r:TRASHED]-(o:Node)
  WHERE ${RETURNS}
  WITH n, r, o LIMIT $bound
  RETURN collect({
    id: r.id, type: r.type, private: r.private, ownerId: r.ownerId, conveys: r.conveys, outward: startNode(r) = n,
    other: {id: o.id, ownerId: o.ownerId, degree: ${DEGREE}},
    rows: CASE WHEN startNode(r) = n AND r.conveys AND NOT r.private THEN [(o)-[m:IN]->() | m.feed] ELSE [] END
  }) AS hung
}
RETURN id, n.ownerId AS ownerId, n.inTrash AS inTrash, hung, ${LIVE_FEEDS} AS feeds`;

/** The owners and memberships of nodes by id; missing nodes are omitted. */
export async function locateNodes(database: Database, ids: Iterable<string>): Promise<Map<string, NodeLocation>> {
  const found = new Map<string, NodeLocation>();
  for (const nodes of stretches([...new Set(ids)])) {
    const rows = await database.read(LOCATE_NODES, { nodes });
    for (const row of rows as unknown as NodeLocation[]) found.set(row.id, row);
  }
  return found;
}

/**
 * Like `locateNodes`, with the feeds that trashed nodes would inherit at the moment of the reader's
 * access.
 */
export async function locateNodesOnRestore(
  database: Database,
  { now }: ReaderAccess,
  ids: Iterable<string>,
): Promise<Map<string, RestoreLocation>> {
  const found = new Map<string, RestoreLocation>();
  for (const nodes of stretches([...new Set(ids)])) {
    const rows = await database.read(LOCATE_NODES_ON_RETURN, { nodes, bound: integer(MAXIMUM_TRASHED_LINKS) });
    const located = rows as unknown as (NodeLocation & { readonly hung: readonly TrashedLink[] })[];
    const inherits = await inheritedOnRestore(database, located, now);
    for (const { hung, ...node } of located) {
      const unchecked = hung.length > 0 && isUnchecked({ ...node, hung });
      found.set(node.id, { ...node, inherits: inherits.get(node.id) ?? [], unchecked });
    }
  }
  return found;
}

/**
 * The access of a reader to these nodes: complete with the grants on them and their branches, even
 * above the limit.
 */
export async function readAccessOn(
  database: Database,
  reader: Reader,
  now: string,
  ids: Iterable<string>,
): Promise<ReaderAccess> {
  return withAccessOn(database, await readReaderAccess(database, reader, now), ids);
}

/** The access completed by the grants on these nodes, if it has not all grants. */
export async function withAccessOn(
  database: Database,
  readerAccess: ReaderAccess,
  ids: Iterable<string>,
): Promise<ReaderAccess> {
  if (!readerAccess.truncated) return readerAccess;
  const places = await locateNodes(database, ids);
  return withGrantsOn(database, readerAccess, feedsOf(places.values()));
}

export function feedsOf(places: Iterable<NodeLocation & { readonly inherits?: readonly string[] }>): string[] {
  return [...places].flatMap(({ feeds, inherits = [] }) => [...feeds, ...inherits]);
}

function stretches(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / IDS_AT_ONCE);
  return Array.from({ length: count }, (_, index) => ids.slice(index * IDS_AT_ONCE, (index + 1) * IDS_AT_ONCE));
}

interface LocatedLink {
  readonly id: string;
  readonly inTrash: boolean;
  readonly private: boolean;
  readonly ownerId: string;
  readonly conveys: boolean;
  readonly trashedBy: string | null;
  readonly source: string;
  readonly target: string;
}

/**
 * In: links (ids). Out: id, inTrash, private, ownerId, conveys, trashedBy, source, target (ids); no
 * row for a missing link. Locks: none. Cost: three index look-ups each.
 */
export const LOCATE_LINKS = `
UNWIND $links AS id
CALL (id) {${LINK_BY_ID}
}
RETURN id, type(r) = 'TRASHED' AS inTrash, r.private AS private, r.ownerId AS ownerId, r.conveys AS conveys,
  r.trashedBy AS trashedBy, a.id AS source, b.id AS target`;

async function locateLinks(database: Database, ids: Iterable<string>): Promise<Map<string, LocatedLink>> {
  const links = [...new Set(ids)];
  const found = new Map<string, LocatedLink>();
  // A link that changes its type during the read may be missed once, so look for missing ones
  // again.
  for (let attempt = 0; attempt < 2; attempt++) {
    for (const missing of stretches(links.filter((id) => !found.has(id)))) {
      const rows = await database.read(LOCATE_LINKS, { links: missing });
      for (const row of rows) found.set(row.id as string, row as unknown as LocatedLink);
    }
  }
  return found;
}

/**
 * In: ids. Out: id, readers (ids of the users who may learn that it existed); no row for other ids.
 * Locks: none. Cost: one index look-up each.
 */
export const RECALL_DELETED = `
UNWIND $ids AS id
${DELETED_BY_ID}
RETURN id, d.readers AS readers`;

/** Looks up nodes and links by id, in a bounded number of statements, for access checks. */
export async function readVisible(
  database: Database,
  readerAccess: ReaderAccess,
  wanted: { readonly nodes?: Iterable<string>; readonly links?: Iterable<string> },
): Promise<Visible> {
  const wantedNodes = new Set(wanted.nodes ?? []);
  const wantedLinks = new Set(wanted.links ?? []);
  const links = await locateLinks(database, wantedLinks);
  const ends = [...links.values()].flatMap(({ source, target }) => [source, target]);
  const nodes = await locateNodesOnRestore(database, readerAccess, [...wantedNodes, ...ends]);
  const gone = [...[...wantedNodes].filter((id) => !nodes.has(id)), ...[...wantedLinks].filter((id) => !links.has(id))];
  const formerReaders = await readFormerReaders(database, gone);
  return {
    ...observe(await withGrantsOn(database, readerAccess, feedsOf(nodes.values())), nodes),
    link: (id) => links.get(id) ?? null,
    formerReaders: (id) => formerReaders.get(id) ?? [],
    isUnchecked: [...nodes.values()].some(({ ownerId, unchecked }) => unchecked && ownerId !== readerAccess.readerId),
  };
}

/** A reader with the memberships of the nodes in question. */
export interface Visible extends Observer {
  node(id: string): NodeLocation | null;
  /**
   * Whether the future memberships of one of these nodes, trashed and another user's, are unknown.
   */
  readonly isUnchecked: boolean;
}

/** A reader with nodes only, none of them deleted. */
export function observe(
  readerAccess: ReaderAccess,
  nodes: ReadonlyMap<string, NodeLocation & { readonly inherits?: readonly string[] }>,
): Omit<Visible, 'isUnchecked'> {
  const { readerId, email } = readerAccess;
  const feedsAt = (id: string) => nodes.get(id)?.feeds ?? [];
  return {
    reader: { id: readerId, email },
    level: ({ id, ownerId }) => levelOf(readerAccess, { ownerId, feeds: feedsAt(id) }),
    levelWith: ({ id, ownerId }, more) => levelOf(readerAccess, { ownerId, feeds: [...feedsAt(id), ...more] }),
    inheritedFeeds: ({ id, ownerId }) => inheritedFeeds({ ownerId, feeds: feedsAt(id) }),
    feedsOnRestore: ({ id }) => nodes.get(id)?.inherits ?? [],
    node: (id) => nodes.get(id) ?? null,
    link: () => null,
    formerReaders: () => [],
  };
}

async function readFormerReaders(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows: Row[] = [];
  for (const some of stretches(ids)) rows.push(...(await database.read(RECALL_DELETED, { ids: some })));
  return new Map(rows.map(({ id, readers }) => [id as string, readers as string[]]));
}
