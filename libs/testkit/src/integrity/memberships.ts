// Searches the stored data for memberships that differ from rule ACL2, and for feeds that miscount
// their readers.
import type { Row } from '@taskgraph/graph-store/driver/database';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';

interface StoredNode {
  readonly id: string;
  readonly ownerId: string;
  readonly inTrash: boolean;
  readonly token: boolean;
  readonly publicBranch: boolean;
  readonly rows: readonly (readonly [feed: string, via: string | null])[];
}
interface PropagatingLink {
  readonly id: string;
  readonly source: string;
  readonly target: string;
}

/** Runs a statement in which `n.ownerId IN $owners` selects the entities. */
export type ReadStatement = (cypher: string) => Promise<readonly Row[]>;

/** One line for each fault. */
export async function findMembershipFaults(read: ReadStatement): Promise<string[]> {
  const nodes = (await read(
    `MATCH (n:Node) WHERE n.ownerId IN $owners
     RETURN n.id AS id, n.ownerId AS ownerId, n.inTrash AS inTrash, n.publicToken IS NOT NULL AS token,
       n.publicBranch AS publicBranch, [(n)-[m:IN]->() | [m.feed, m.via]] AS rows`,
  )) as unknown as StoredNode[];
  const links = (await read(
    `MATCH (n:Node)-[r:BLOCKS|RELATES]->(b:Node) WHERE n.ownerId IN $owners AND r.conveys AND NOT r.private
     RETURN r.id AS id, n.id AS source, b.id AS target`,
  )) as unknown as PropagatingLink[];
  const feeds = await read(
    `MATCH (n:Feed) WHERE n.ownerId IN $owners AND NOT n.id STARTS WITH 'user:'
     RETURN n.id AS id, n.grants AS grants, n.public AS public, n.ownerId AS ownerId`,
  );
  const grants = await read(
    `MATCH ()-[g:GRANT]->(n:Node) WHERE n.ownerId IN $owners
     RETURN CASE WHEN g.branch THEN 'root:' ELSE 'node:' END + n.id AS feed, count(*) AS count`,
  );
  return [
    ...faultsOfRows(nodes, links, withRows(nodes, feeds as never)),
    ...faultsOfLinks(nodes, links),
    ...faultsOfFeeds(nodes, feeds as never, new Map(grants.map(({ feed, count }) => [feed, count] as never))),
  ];
}

/**
 * Feeds that require rows: those with readers, and others until a job has retired all of their rows
 * at once.
 */
function withRows(
  nodes: readonly StoredNode[],
  feeds: readonly { id: string; grants: number; public: boolean }[],
): Set<string> {
  const there = new Set(nodes.flatMap(({ rows }) => rows.map(([feed]) => feed)));
  return new Set(
    feeds.filter(({ id, grants, public: open }) => grants > 0 || open || there.has(id)).map(({ id }) => id),
  );
}

/**
 * The least fixpoint: each feed spreads from its own node, and each owner's feed from all of their
 * nodes, along propagating links.
 */
function faultsOfRows(
  nodes: readonly StoredNode[],
  links: readonly PropagatingLink[],
  feeds: ReadonlySet<string>,
): string[] {
  const below = new Map<string, string[]>();
  for (const { source, target } of links) below.set(target, [...(below.get(target) ?? []), source]);
  const wanted = new Map(nodes.map(({ id, ownerId }) => [id, new Set([userFeed(ownerId)])]));
  const spread = (start: string, feed: string) => {
    const reached = [start];
    for (const id of reached) {
      for (const source of below.get(id) ?? []) {
        if (wanted.get(source)?.has(feed)) continue;
        wanted.get(source)?.add(feed);
        reached.push(source);
      }
    }
  };
  for (const { id, ownerId } of nodes) {
    spread(id, userFeed(ownerId));
    if (feeds.has(nodeFeed(id))) wanted.get(id)?.add(nodeFeed(id));
    if (!feeds.has(branchFeed(id))) continue;
    wanted.get(id)?.add(branchFeed(id));
    spread(id, branchFeed(id));
  }
  return nodes
    .map(({ id, ownerId, rows }) => ({
      id,
      has: rows.map(([feed]) => feed).sort(),
      should: [...(wanted.get(id) ?? [])].filter((feed) => feed !== userFeed(ownerId)).sort(),
    }))
    .filter(({ has, should }) => JSON.stringify(has) !== JSON.stringify(should))
    .map(({ id, has, should }) => `node ${id} belongs to ${has.join(' ')} instead of ${should.join(' ')}`);
}

/**
 * Each row has a propagating link of its node whose target has the feed; the row of a feed's own
 * node has none.
 */
function faultsOfLinks(nodes: readonly StoredNode[], links: readonly PropagatingLink[]): string[] {
  const byId = new Map(links.map((link) => [link.id, link]));
  const byNode = new Map(nodes.map((node) => [node.id, node]));
  const faults: string[] = [];
  for (const { id, rows } of nodes) {
    for (const [feed, via] of rows) {
      const own = feed === branchFeed(id) || feed === nodeFeed(id);
      const link = via === null ? undefined : byId.get(via);
      const target = link === undefined ? undefined : byNode.get(link.target);
      const held = target?.rows.some(([other]) => other === feed) || feed === userFeed(target?.ownerId ?? '');
      if (own ? via !== null : link?.source !== id || !held) faults.push(`row ${feed} of ${id} depends on ${via}`);
    }
  }
  return faults;
}

function faultsOfFeeds(
  nodes: readonly StoredNode[],
  feeds: readonly { id: string; grants: number; public: boolean; ownerId: string }[],
  grants: ReadonlyMap<string, number>,
): string[] {
  const published = new Set(
    nodes.filter(({ token }) => token).map(({ id, publicBranch }) => (publicBranch ? branchFeed(id) : nodeFeed(id))),
  );
  const known = new Set(feeds.map(({ id }) => id));
  const missing = [...grants.keys(), ...published].filter((feed) => !known.has(feed));
  const wrong = feeds.filter(
    (feed) => feed.grants !== (grants.get(feed.id) ?? 0) || feed.public !== published.has(feed.id),
  );
  return [
    ...missing.map((feed) => `${feed} has readers and does not exist`),
    ...wrong.map(({ id, grants: count, public: open }) => `${id} counts ${count} grants, public ${open}`),
  ];
}
